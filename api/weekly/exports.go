package weekly

import (
	"context"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/exports"
	"banca/internal/platform/caller"
	"banca/internal/platform/sheet"
	"banca/internal/weekly"
)

// Sources returns the weekly settlements as exports make a file of them: the file of their operation.
func Sources(service *weekly.Service) []exports.Source {
	o := &operations{Registry: &kit.Registry{}, weekly: service}
	return []exports.Source{{
		Report: "weekly-settlements", Permission: auth.SettlementsRead,
		Takes: []string{
			exports.FieldEntity, exports.FieldParent, exports.FieldWeek, exports.FieldFrom, exports.FieldTo, exports.FieldCurrency, exports.FieldStatus,
		},
		Table: func(ctx context.Context, by caller.Caller, language string, f *exports.Filter) (*sheet.Table, error) {
			return o.table(middleware.WithLanguage(ctx, language), by, &listInput{
				EntityID: f.EntityID, ParentID: f.ParentID, Week: f.Week, From: f.From, To: f.To, Currency: f.Currency, Status: f.Status,
			})
		},
	}}
}
