package org

import (
	"net/url"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// Pages of other areas that the money of an entity leads to.
const (
	maxWallets   = 20 // of one entity that its page shows
	shownEntries = 6  // of its statements
)

// entityMoney is the money of an entity, which its page begins with. Each part has what the user may read.
type entityMoney struct {
	view    *kit.View
	entity  *org.Entity
	today   businessday.Day
	wallets []wallet
	Weeks   []*week    // of each currency with sales or prizes
	Sales   bool       // the user may read them
	Closes  bool       // the user may read them
	Entries kit.Rows   // the newest of all main wallets; nil for none
	Alerts  []alert    // open ones, of the entity and of everything below it
	Facts   []kit.Fact // closes and weekly settlements
	Settles bool       // it has settlements, whose debt is another figure than the balance
}

// wallet is a main wallet with its currency.
type wallet struct {
	ledger.Wallet

	currency ledger.Currency
}

// address is the address of the wallet's page.
func (w *wallet) address() string { return links.Wallets + "/" + w.ID.String() }

func (p *pages) loadMoney(r *kit.Request, e *org.Entity) (*entityMoney, error) {
	m := &entityMoney{view: r.View(), entity: e, today: r.Today(), Sales: r.MayOpen(links.Reports + "/sales"), Closes: r.MayOpen(links.Closes)}
	var parts kit.Parts
	if r.MayOpen(links.Wallets) {
		parts.Go(func() error { return p.loadWallets(r, m) })
	}
	if m.Sales {
		parts.Go(func() (err error) {
			m.Weeks, err = p.weeks(r, m)
			return err
		})
	}
	parts.Go(func() error { return p.loadFacts(r, m) })
	return m, parts.Wait()
}

// loadFacts loads the last close and the settlements of an entity, and its open alerts.
func (p *pages) loadFacts(r *kit.Request, m *entityMoney) error {
	if m.Closes {
		if err := p.loadCloses(r, m); err != nil {
			return err
		}
	}
	if r.MayOpen(links.Weekly) {
		if err := p.loadSettlements(r, m); err != nil {
			return err
		}
	}
	return p.loadAlerts(r, m)
}

// Any reports whether the user may read some of the money.
func (m *entityMoney) Any() bool {
	return m.Sales || len(m.wallets) > 0 || len(m.Alerts) > 0
}

// loadWallets loads the main wallets, by currency, and the newest entries of their statements.
func (p *pages) loadWallets(r *kit.Request, m *entityMoney) error {
	list, _, err := p.Ledger.Wallets(r.Context(), r.Caller, &ledger.WalletFilter{EntityID: m.entity.ID, Kind: models.WalletMain, Limit: maxWallets})
	if err != nil {
		return err
	}
	for _, w := range list {
		c, err := p.Ledger.AnyCurrency(r.Context(), w.CurrencyID.String())
		if err != nil {
			return err
		}
		m.wallets = append(m.wallets, wallet{w, c})
	}
	slices.SortFunc(m.wallets, func(a, b wallet) int { return a.currency.Order(&b.currency) })
	return p.loadEntries(r, m)
}

// Balances are tiles with the balance of each main wallet that is not empty, its limit and the rest of it.
func (m *entityMoney) Balances(v *kit.View) []*kit.Stat {
	var tiles []*kit.Stat
	for i := range m.wallets {
		w := &m.wallets[i]
		if m.folds(i) {
			continue
		}
		tile := v.Stat(w.Balance, w.currency.Digits, v.T("org.money.balance", w.currency.Name)).WithUnit(w.currency.Unit()).To(w.address())
		switch {
		case w.Unlimited:
			tile.Hint = v.T("org.money.unlimited")
		case w.Balance < -w.CreditLimit:
			tile.Hint = v.T("org.money.overdrawn", v.Money(w.CreditLimit, w.currency.Digits))
		case w.CreditLimit > 0:
			tile.Hint = v.T("org.money.available", v.Money(w.Balance+w.CreditLimit, w.currency.Digits), v.Money(w.CreditLimit, w.currency.Digits))
		}
		if !w.Unlimited {
			tile.Meter = v.CreditMeter(w.Balance, w.CreditLimit)
		}
		tiles = append(tiles, tile)
	}
	return tiles
}

// Band are the tiles of a week, after the balances where there is no other week.
func (m *entityMoney) Band(v *kit.View, w *week) []*kit.Stat {
	tiles := w.Tiles(v)
	if len(m.Weeks) == 1 {
		tiles = append(m.Balances(v), tiles...)
	}
	return kit.Evenly(tiles...)
}

// folds reports whether a wallet has no tile: an empty one in another currency than the first.
func (m *entityMoney) folds(i int) bool { return i > 0 && m.wallets[i].Balance == 0 }

// movedEntry is an entry of one of the statements.
type movedEntry struct {
	ledger.Entry

	wallet *wallet
}

// loadEntries loads the newest entries of all main wallets.
func (p *pages) loadEntries(r *kit.Request, m *entityMoney) error {
	var all []movedEntry
	for i := range m.wallets {
		st, err := p.Ledger.Statement(r.Context(), r.Caller, m.wallets[i].ID, &ledger.StatementFilter{Limit: shownEntries})
		if err != nil {
			return err
		}
		for _, e := range st.Entries {
			all = append(all, movedEntry{e, &m.wallets[i]})
		}
	}
	at := func(e *movedEntry) time.Time {
		if e.IsSum() { // sums are the last of their day
			_, end := e.Day.Bounds(r.Zone())
			return end
		}
		return e.Time
	}
	slices.SortStableFunc(all, func(a, b movedEntry) int { return at(&b).Compare(at(&a)) })
	m.Entries = kit.RowsOf(entryColumns(), all[:min(len(all), shownEntries)], func(e *movedEntry) string { return e.wallet.address() }, "org.money.nothing")
	return nil
}

func entryColumns() []kit.Column[movedEntry] {
	return []kit.Column[movedEntry]{
		{Title: "label.concept", Cell: func(v *kit.View, e *movedEntry) kit.Cell {
			what, when := v.T("entry."+e.Concept()), v.Day(e.Day)
			if !e.IsSum() {
				when = v.Clock(e.Time)
			}
			if e.Reference != "" {
				what += " · " + e.Reference
			}
			return kit.Wrap(what).WithSecondLine(when)
		}},
		kit.WordColumn("label.amount", func(v *kit.View, e *movedEntry) string {
			return currency.Text(v, e.Amount, e.wallet.currency)
		}).Numeric().Leading(),
		kit.AmountColumn("wallet.balance", func(e *movedEntry) (money.Amount, int) {
			return e.Balance, e.wallet.currency.Digits
		}).OnWide(),
	}
}

// loadCloses adds the last close and the ticket points that have not closed until yesterday.
func (p *pages) loadCloses(r *kit.Request, m *entityMoney) error {
	last, _, err := p.Closes.List(r.Context(), r.Caller, &closes.Filter{EntityID: m.entity.ID, Status: closes.Closed, Limit: 1})
	if err != nil {
		return err
	}
	yesterday := m.today.AddDays(-1)
	missing, err := p.Closes.Missing(r.Context(), r.Caller, m.entity.ID, yesterday)
	if err != nil {
		return err
	}
	link := m.link(links.Closes+"/missing", "date", yesterday.String())
	if len(missing) > 0 && m.entity.Type == models.EntityTicketPoint {
		m.Alerts = append(m.Alerts, alert{Tone: kit.ToneWaiting, Link: link, Text: m.view.T("org.alerts.unclosed")})
	} else {
		m.add(kit.ToneWaiting, "start.task.closes", int64(len(unclosed(missing))), link)
	}
	m.Facts = append(m.Facts, kit.Fact{Name: m.view.T("closes.last"), Value: lastClose(m.view, last)})
	return nil
}

func lastClose(v *kit.View, last []closes.Close) kit.Cell {
	if len(last) == 0 {
		return kit.Text(v.T("org.money.close.none"))
	}
	c := &last[0]
	text := v.T("org.money.close", v.Day(c.Day), owed(v, c.Net(), c.Currency))
	if c.Counted {
		text += v.T("org.money.close.variance", currency.Text(v, c.Variance(), c.Currency))
	}
	return kit.Text(text).To(links.Closes + "/" + c.ID.String())
}

// owed says who owes an amount of a currency.
func owed(v *kit.View, owed money.Amount, c ledger.Currency) string {
	return currency.Owed(v, owed, func(a money.Amount) string { return currency.Text(v, a, c) })
}

// unclosed are the ticket points with a missing close.
func unclosed(missing []closes.Missing) map[uuid.UUID]bool {
	points := map[uuid.UUID]bool{}
	for i := range missing {
		points[missing[i].EntityID] = true
	}
	return points
}

// Lists are links to what is behind the figures. The only wallet has its tile.
func (m *entityMoney) Lists(v *kit.View) []kit.MenuLink {
	var list []kit.MenuLink
	if len(m.wallets) > 1 {
		list = append(list, kit.MenuLink{Title: v.T("wallets.title"), Path: m.link(links.Wallets)})
	}
	if m.Closes {
		list = append(list, kit.MenuLink{Title: v.T("closes.title"), Path: m.link(links.Closes)})
	}
	return list
}

// link returns the address of a list of the entity, with further conditions: names and values in turn.
func (m *entityMoney) link(page string, conditions ...string) string {
	query := url.Values{"entity": {m.entity.Code}}
	for i := 0; i+1 < len(conditions); i += 2 {
		query.Set(conditions[i], conditions[i+1])
	}
	return page + "?" + query.Encode()
}
