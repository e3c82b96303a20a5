package ledger

import (
	"context"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/exports"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
)

// Sources returns the statement of a wallet as exports make a file of it: the file of its operation.
func Sources(books *ledger.Service) []exports.Source {
	o := &operations{Registry: &kit.Registry{}, books: books}
	return []exports.Source{{
		Report: "statement", Permission: auth.WalletsRead,
		Takes: []string{exports.FieldWallet, exports.FieldFrom, exports.FieldTo}, Needs: []string{exports.FieldWallet},
		Table: func(ctx context.Context, by caller.Caller, language string, f *exports.Filter) (*sheet.Table, error) {
			in := &entriesInput{ByID: kit.ByID{ID: kit.ID(f.WalletID)}, From: f.From, To: f.To}
			return o.entryTable(middleware.WithLanguage(ctx, language), by, in)
		},
	}}
}
