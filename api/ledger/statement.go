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
	"banca/internal/platform/months"
	"banca/internal/platform/sheet"
)

func (o *operations) registerStatements() {
	tags := []string{"Money"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-wallet", Method: http.MethodGet, Path: "/wallets/{id}", Tags: tags,
		Summary:     "A wallet with its exact balance, now or at a past instant",
		Description: "With `as_of` the balance at that instant; the other fields are current.",
	}, kit.Can(auth.WalletsRead), o.getWallet,
		ledger.ErrWalletUnknown, ledger.ErrFutureInstant, months.ErrPeriodArchived)
	kit.HandleFile(o.Registry, huma.Operation{
		OperationID: "list-wallet-transactions", Method: http.MethodGet, Path: "/wallets/{id}/transactions", Tags: tags,
		Summary: "The statement of a wallet, newest first, with the balance after each entry",
		Description: "An entry is one transaction, or the sum of a day's transactions of one type: the commissions of an entity on the sales below it, and the operator's side " +
			"of all transactions, are summed. The sums of a day follow its transactions.",
	}, kit.Can(auth.WalletsRead), o.listEntries, o.entryTable,
		ledger.ErrInvalidCursor, ledger.ErrWalletUnknown, months.ErrPeriodArchived)
}

type walletInput struct {
	kit.ByID

	AsOf time.Time `query:"as_of" doc:"an instant of the past"`
}

func (o *operations) getWallet(ctx context.Context, by caller.Caller, in *walletInput) (*kit.Data[wallet], error) {
	w, err := o.books.Wallet(ctx, by, in.ID, in.AsOf)
	if err != nil {
		return nil, err
	}
	currency, err := o.books.AnyCurrency(ctx, w.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	return kit.DataOf(walletBody(&w, currency)), nil
}

type entriesInput struct {
	kit.ByID
	kit.CursorParams
	kit.FileParams

	From string `query:"from" format:"date" doc:"first business day"`
	To   string `query:"to" format:"date" doc:"last business day"`
}

type entry struct {
	Date         string      `json:"date" format:"date" doc:"business day"`
	Type         string      `json:"type" enum:"sale,prize,commission,deposit,withdrawal"`
	Amount       kit.Decimal `json:"amount" doc:"posted on the wallet; negative for a debit"`
	Balance      kit.Decimal `json:"balance" doc:"after the entry"`
	Transactions int64       `json:"transactions" doc:"1, or how many transactions of the day are summed"`
	ID           *uuid.UUID  `json:"id" doc:"of the transaction; null for a sum"`
	CreatedAt    *time.Time  `json:"created_at" doc:"of the transaction; null for a sum"`
	EntityID     *uuid.UUID  `json:"entity_id" doc:"whose business the transaction is; null for a sum"`
	TicketID     *uuid.UUID  `json:"ticket_id"`
	ReversesID   *uuid.UUID  `json:"reverses_id" doc:"the transaction that it reverses"`
	UserID       *uuid.UUID  `json:"user_id"`
	Reference    string      `json:"reference"`
	Movement     *string     `json:"movement" enum:"deposit,withdrawal,transfer,reversal" doc:"its kind, if a person made it on this wallet"`
	Note         string      `json:"note" doc:"of the movement"`
	Reversed     bool        `json:"reversed" doc:"whether another transaction reverses it"`
}

func (o *operations) listEntries(
	ctx context.Context, by caller.Caller, in *entriesInput,
) (*kit.CursorList[entry], error) {
	f := ledger.StatementFilter{From: kit.Day(in.From), To: kit.Day(in.To), Limit: in.PageSize}
	if in.Cursor != "" {
		before, err := o.books.PlaceOf(in.Cursor)
		if err != nil {
			return nil, err
		}
		f.Before = before
	}
	st, err := o.books.Statement(ctx, by, in.ID, &f)
	if err != nil {
		return nil, err
	}
	currency, err := o.books.AnyCurrency(ctx, st.Wallet.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	next := ""
	if st.More {
		next = st.Entries[len(st.Entries)-1].Cursor()
	}
	list := kit.CursorListOf(kit.Map(st.Entries, func(e ledger.Entry) entry { return entryBody(&e, currency.Digits) }), &in.CursorParams, next)
	if !st.KeptFrom.IsZero() {
		list.Body.Meta.ArchivedBefore = kit.Optional(st.KeptFrom.String())
	}
	return list, nil
}

// entryTable returns the statement as a file, newest first.
func (o *operations) entryTable(ctx context.Context, by caller.Caller, in *entriesInput) (*sheet.Table, error) {
	w, err := o.books.Wallet(ctx, by, in.ID, time.Time{})
	if err != nil {
		return nil, err
	}
	currency, err := o.books.AnyCurrency(ctx, w.CurrencyID.String())
	if err != nil {
		return nil, err
	}
	f := ledger.StatementFilter{From: kit.Day(in.From), To: kit.Day(in.To)}
	table := kit.SumTable(
		ctx, "statement", currency.Code, "date", "time", "type", "amount", "balance", "currency", "transactions",
		"reference", "note", "transaction", "reverses", "ticket",
	)
	table.Lines = kit.HeadLines(ctx, w.Entity, f.From, f.To, currency.Code)
	table.Rows = sheet.Rows(o.books.Entries(ctx, by, in.ID, f), func(e *ledger.Entry) []sheet.Cell {
		return []sheet.Cell{
			sheet.Day(e.Day), sheet.Time(e.Time), sheet.Text(e.Type), sheet.Money(e.Amount, currency.Digits),
			sheet.Money(e.Balance, currency.Digits), sheet.Text(currency.Code),
			sheet.Integer(e.Transactions), sheet.Text(e.Reference), sheet.Text(e.Note), idCell(e.TransactionID),
			idCell(e.ReversesID), idCell(e.TicketID),
		}
	})
	return table, nil
}

// idCell returns a cell with an id, or an empty one.
func idCell(id uuid.UUID) sheet.Cell {
	if id == uuid.Nil {
		return sheet.Cell{}
	}
	return sheet.Text(id.String())
}

func entryBody(e *ledger.Entry, digits int) entry {
	return entry{
		Date: e.Day.String(), Type: e.Type, Amount: kit.DecimalOf(e.Amount, digits),
		Balance: kit.DecimalOf(e.Balance, digits), Transactions: e.Transactions,
		ID: kit.Optional(e.TransactionID), CreatedAt: kit.Optional(e.Time), EntityID: kit.Optional(e.EntityID),
		TicketID:   kit.Optional(e.TicketID),
		ReversesID: kit.Optional(e.ReversesID), UserID: kit.Optional(e.UserID), Reference: e.Reference,
		Movement: kit.Optional(e.Movement), Note: e.Note, Reversed: e.Reversed,
	}
}
