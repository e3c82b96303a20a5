package money

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// one is a wallet with its currency.
type one struct {
	ledger.Wallet

	Currency ledger.Currency
	level    int  // of the entity below the caller's, where a list is in the order of the tree
	own      bool // it is a wallet of the caller's entity
}

// walletPage is a wallet with a page of its statement.
type walletPage struct {
	one

	Rows     kit.Rows
	Sums     []ledger.Entry       // of the entries, by what they are
	From, To businessday.Day      // of the entries of this page, or of the filter where one page has all; zero for no bound
	Earlier  string               // address of the entries before these; "" for none
	Newest   string               // address of the first page, if this is another one
	Moves    bool                 // the caller may move money of it
	KeptFrom businessday.Day      // the first day that is not in the archive; zero if none is
	sums     bool                 // all rows sum up days
	daily    bool                 // they are hardly more than the days, so that each row has its day
	serials  map[uuid.UUID]string // of the tickets of the rows, if the caller may open their pages
}

// Amount formats an amount of the wallet's currency.
func (w *one) Amount(v *kit.View, a money.Amount) string { return currency.Text(v, a, w.Currency) }

// Available is what can be drawn.
func (w *one) Available() money.Amount { return max(0, w.Balance+w.CreditLimit) }

// Meter is the used part of the credit, nil for a wallet without a limit.
func (w *one) Meter(v *kit.View) *kit.Meter {
	if w.Unlimited {
		return nil
	}
	return v.CreditMeter(w.Balance, w.CreditLimit)
}

// one loads a wallet with its currency.
func (p *pages) one(r *kit.Request) (w one, err error) {
	if w.Wallet, err = p.Ledger.Wallet(r.Context(), r.Caller, r.ID, time.Time{}); err == nil {
		w.Currency, err = p.Ledger.AnyCurrency(r.Context(), w.CurrencyID.String())
	}
	return w, err
}

// isBelow reports whether it is a main wallet that the caller may move and limit. Only the operator may do so with the
// wallets of its own entity.
func (w *one) isBelow(r *kit.Request) bool {
	return w.Kind == models.WalletMain && (w.EntityID != r.Caller.EntityID || r.Caller.IsOperator())
}

// statementRows bounds a page of a statement.
const statementRows = 30

func (p *pages) load(r *kit.Request) (*walletPage, error) {
	w, err := p.one(r)
	if err != nil {
		return nil, err
	}
	f := ledger.StatementFilter{From: r.QueryDay("from"), To: r.QueryDay("to"), Limit: statementRows}
	page := &walletPage{one: w, Moves: w.isBelow(r) && r.May(auth.WalletsWrite), From: f.From, To: f.To}
	if before := r.Query("before"); before != "" {
		if f.Before, err = p.Ledger.PlaceOf(before); err != nil {
			return nil, err
		}
		page.Newest = here(r, "")
	}
	st, err := p.Ledger.Statement(r.Context(), r.Caller, r.ID, &f)
	if err != nil {
		return nil, err
	}
	page.KeptFrom, page.From = st.KeptFrom, cmp.Or(page.From, st.KeptFrom)
	entries := st.Entries
	if r.MayOpen(links.Prizes + "/:id") {
		ids := kit.Map(entries, func(e *ledger.Entry) uuid.UUID { return e.TicketID })
		if page.serials, err = p.Sales.Serials(r.Context(), r.Caller, ids); err != nil {
			return nil, err
		}
	}
	if n := len(entries); st.More {
		page.Earlier = here(r, entries[n-1].Cursor())
	}
	if len(entries) > 0 && (st.More || page.Newest != "") {
		page.From, page.To = entries[len(entries)-1].Day, entries[0].Day
	}
	salesFirst(entries)
	days := slices.Compact(kit.Map(entries, func(e *ledger.Entry) businessday.Day { return e.Day }))
	page.sums = !slices.ContainsFunc(entries, func(e ledger.Entry) bool { return !e.IsSum() })
	page.daily = page.sums && 2*len(days) > len(entries)
	page.Rows = kit.RowsOf(page.columns(), entries, page.ticket, "statement.none")
	page.Sums = sumUp(entries)
	if !page.daily {
		page.Rows = page.Rows.GroupBy(func(v *kit.View, i int) string { return dayText(v, entries[i].Day) })
	}
	r.ShowFilter(&kit.Filter{Fields: []kit.FilterField{kit.DateField("from", "label.from"), kit.DateField("to", "label.to")}})
	r.OfferFile()
	return page, nil
}

// salesFirst puts the sale of a ticket above its commission, which has the same time. Entries that sum up a day have no ticket.
func salesFirst(entries []ledger.Entry) {
	for i := 1; i < len(entries); i++ {
		above, below := entries[i-1], entries[i]
		one := above.TicketID == below.TicketID && above.TicketID != uuid.Nil && above.Time.Equal(below.Time)
		if one && above.Type == models.TransactionCommission && below.Type == models.TransactionSale {
			below.Balance, above.Balance = above.Balance, above.Balance-below.Amount
			entries[i-1], entries[i] = below, above
		}
	}
}

// sumUp returns a sum of the entries of each concept, in the order of their first entries.
func sumUp(entries []ledger.Entry) (sums []ledger.Entry) {
	for _, e := range entries {
		at := slices.IndexFunc(sums, func(s ledger.Entry) bool { return s.Concept() == e.Concept() })
		if at < 0 {
			e.TransactionID = uuid.Nil
			sums = append(sums, e)
			continue
		}
		sums[at].Amount += e.Amount
		sums[at].Transactions += e.Transactions
	}
	return sums
}

// here returns the address of the statement before a place, "" for the newest entries, with its days.
func here(r *kit.Request, before string) string {
	query := r.URL().Query()
	query.Set("before", before)
	return r.URL().Path + "?" + query.Encode()
}

// show shows a wallet, or sends its statement as a file.
func (p *pages) show(r *kit.Request) error {
	if !r.WantsFile() {
		return p.wallet.Show(r)
	}
	w, err := p.one(r)
	if err != nil {
		return err
	}
	f := ledger.StatementFilter{From: r.QueryDay("from"), To: r.QueryDay("to")}
	r.TitleFile(r.T("statement.title") + " · " + w.Entity + " · " + w.Currency.Code)
	return kit.SendRows(r, "statement-"+w.Currency.Code, w.fileColumns(r), p.Ledger.Entries(r.Context(), r.Caller, r.ID, f))
}

func dayText(v *kit.View, d businessday.Day) string {
	return v.T("weekday."+d.Weekday().String()) + " " + v.Day(d)
}

// columns are those of the statement on the page, under the titles of its days.
func (p *walletPage) columns() []kit.Column[ledger.Entry] {
	amount := kit.AmountsOf(func(*ledger.Entry) int { return p.Currency.Digits })
	columns := []kit.Column[ledger.Entry]{
		{Title: "entry.what", Cell: p.whatCell},
		{Title: "label.reference", Cell: func(_ *kit.View, e *ledger.Entry) kit.Cell {
			return kit.Cell{Text: cmp.Or(e.Reference, p.serials[e.TicketID]), Style: "mono bare"}.WithSecondLine(e.Note)
		}},
		{Title: "label.time", WideOnly: true, Cell: clockCell},
		amount("label.amount", func(e *ledger.Entry) money.Amount { return e.Amount }).Leading(),
		amount("wallet.balance", func(e *ledger.Entry) money.Amount { return e.Balance }),
	}
	if p.daily {
		columns[0].Title = "label.date"
	}
	if p.sums { // which have no reference and no time
		return slices.Delete(columns, 1, 3)
	}
	if p.Moves {
		columns = append(columns, kit.Column[ledger.Entry]{Cell: p.reverseCell})
	}
	return columns
}

// clockCell is the time of day of a transaction.
func clockCell(v *kit.View, e *ledger.Entry) kit.Cell {
	if e.IsSum() {
		return kit.None()
	}
	m := v.Time(e.Time)
	m.Local = v.TimeOfDay(e.Time)
	return kit.At(m)
}

// ticket is the page of the ticket of an entry; "" for none.
func (p *walletPage) ticket(e *ledger.Entry) string {
	if p.serials[e.TicketID] == "" {
		return ""
	}
	return links.Prizes + "/" + e.TicketID.String()
}

// whatCell names an entry.
func (p *walletPage) whatCell(v *kit.View, e *ledger.Entry) kit.Cell {
	cell := kit.Text(v.T("entry." + e.Concept()))
	switch {
	case p.daily:
		cell = kit.Text(dayText(v, e.Day)).WithSecondLine(cell.Text)
	case e.IsSum():
		cell.Style = "sum"
		cell = cell.WithSecondLine(v.N("entry.sum", e.Transactions, v.Count(e.Transactions)))
	case e.Reversed:
		cell = cell.WithSecondLine(v.T("entry.reversed"))
	}
	return cell
}

// reverseCell asks before a movement is reversed.
func (p *walletPage) reverseCell(v *kit.View, e *ledger.Entry) kit.Cell {
	if e.Movement == "" || e.Movement == ledger.MovementReversal || e.Reversed {
		return kit.None()
	}
	note := kit.NewForm(kit.TextInput("note", "label.note", ledger.MaxNote)).WithPrefix(e.TransactionID.String() + "-")
	return v.QuestionCell(v.Question(v.T("movement.reverse"), address(p.ID)+"/reverse", v.T("movement.reverse.ask"), v.T("movement.reverse.do")).
		Fact("wallet.title", kit.Text(p.Entity)).
		Fact("entry.what", kit.Text(v.T("entry."+e.Concept()))).
		Fact("label.reference", kit.Text(e.Reference)).
		Fact("label.amount", kit.Text(p.Amount(v, e.Amount))).
		Fact("wallet.after", kit.Text(p.Amount(v, p.Balance-e.Amount))).
		With("transaction", e.TransactionID.String()).With("key", uuid.NewString()).WithForm(note).Irreversible(true))
}

func (p *pages) reverse(r *kit.Request) error {
	_, _, err := p.Ledger.Reverse(r.Context(), r.Caller, &ledger.ReversalRequest{
		WalletID: r.ID, TransactionID: r.FormID("transaction"), Note: r.Text("note"), IdempotencyKey: r.Text("key"),
	})
	return p.wallet.Submit(r, err, "movement.reversed")
}

// fileColumns are the columns of the statement's file.
func (w *one) fileColumns(r *kit.Request) []kit.Column[ledger.Entry] {
	id := func(title string, of func(e *ledger.Entry) uuid.UUID) kit.Column[ledger.Entry] {
		return kit.Column[ledger.Entry]{Title: title, Text: func(e *ledger.Entry) string {
			if of(e) == uuid.Nil {
				return ""
			}
			return of(e).String()
		}}
	}
	return []kit.Column[ledger.Entry]{
		{Title: "label.date", File: func(e *ledger.Entry) sheet.Cell { return sheet.Day(e.Day) }},
		{Title: "label.time", File: func(e *ledger.Entry) sheet.Cell { return sheet.Time(e.Time) }},
		{Title: "entry.what", Text: func(e *ledger.Entry) string { return r.T("entry." + e.Concept()) }},
		{Title: "label.amount", Sum: true, File: func(e *ledger.Entry) sheet.Cell { return sheet.Money(e.Amount, w.Currency.Digits) }},
		{Title: "wallet.balance", File: func(e *ledger.Entry) sheet.Cell { return sheet.Money(e.Balance, w.Currency.Digits) }},
		{Title: "label.currency", Text: func(*ledger.Entry) string { return w.Currency.Code }},
		{Title: "entry.transactions", File: func(e *ledger.Entry) sheet.Cell { return sheet.Integer(e.Transactions) }},
		{Title: "label.reference", Text: func(e *ledger.Entry) string { return e.Reference }},
		{Title: "label.note", Text: func(e *ledger.Entry) string { return e.Note }},
		id("label.id", func(e *ledger.Entry) uuid.UUID { return e.TransactionID }),
		id("entry.reverses", func(e *ledger.Entry) uuid.UUID { return e.ReversesID }),
		id("entry.ticket", func(e *ledger.Entry) uuid.UUID { return e.TicketID }),
	}
}
