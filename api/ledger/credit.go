package ledger

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

func (o *operations) registerCredit() {
	tags := []string{"Money"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-credit-limit", Method: http.MethodPut, Path: "/wallets/{id}/credit-limit", Tags: tags,
		Summary:     "Change how far a wallet may go below zero",
		Description: "A limit below the current use refuses every further debit until the balance is above it again; nothing is booked back. The same limit again changes nothing.",
	}, kit.Can(auth.WalletsCredit).Sensitive(), o.setCredit,
		targetErrors(ledger.ErrCurrencyMismatch, money.ErrNegative)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-credit-limits", Method: http.MethodGet, Path: "/wallets/{id}/credit-limits", Tags: tags,
		Summary: "The changes of a wallet's credit limit, newest first",
	}, kit.Can(auth.WalletsRead), o.listCredit, ledger.ErrWalletUnknown)
}

type creditInput struct {
	kit.ByID

	Body struct {
		Amount   kit.DecimalInput `json:"amount" doc:"also 0"`
		Currency string           `json:"currency,omitempty" maxLength:"36" doc:"code or id; must be the currency of the wallet"`
		Reason   string           `json:"reason" minLength:"1" maxLength:"200"`
	}
}

func (o *operations) setCredit(ctx context.Context, by caller.Caller, in *creditInput) (*kit.Data[wallet], error) {
	w, err := o.books.SetCredit(ctx, by, &ledger.CreditRequest{WalletID: in.ID, Amount: string(in.Body.Amount), Currency: in.Body.Currency, Reason: in.Body.Reason})
	if err != nil {
		return nil, err
	}
	currency, err := o.books.AnyCurrency(ctx, w.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	return kit.DataOf(walletBody(&w, currency)), nil
}

type creditsInput struct {
	kit.ByID
	kit.PageParams
}

type creditChange struct {
	ID        uuid.UUID   `json:"id"`
	OldLimit  kit.Decimal `json:"old_limit"`
	NewLimit  kit.Decimal `json:"new_limit"`
	Reason    string      `json:"reason"`
	UserID    uuid.UUID   `json:"user_id"`
	UserName  string      `json:"user_name"`
	CreatedAt time.Time   `json:"created_at"`
}

func (o *operations) listCredit(
	ctx context.Context, by caller.Caller, in *creditsInput,
) (*kit.List[creditChange], error) {
	h, err := o.books.CreditChanges(ctx, by, in.ID, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	currency, err := o.books.AnyCurrency(ctx, h.Wallet.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	digits := currency.Digits
	list := kit.Map(h.Changes, func(c ledger.CreditChange) creditChange {
		return creditChange{
			ID: c.ID, OldLimit: kit.DecimalOf(c.OldLimit, digits), NewLimit: kit.DecimalOf(c.NewLimit, digits),
			Reason: c.Reason,
			UserID: c.UserID, UserName: c.User, CreatedAt: c.CreatedAt,
		}
	})
	return kit.ListOf(list, &in.PageParams, h.Total), nil
}
