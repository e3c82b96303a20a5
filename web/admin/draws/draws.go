// Package draws has the pages of draws, their results and their alerts.
package draws

import (
	"cmp"
	"embed"

	"banca/internal/auth"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/drawstate"
	"banca/web/admin/parts/tabs"
	"banca/web/kit"
)

const path = links.Draws

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list    kit.List[slot, struct{}]
	alerts  kit.List[draws.Alert, alertsPage]
	draw    kit.Page[drawPage]
	results kit.Page[resultsPage]
}

// Area returns the pages of draws. Results are the operator's to enter: draws are the same for everybody.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[slot, struct{}]{
		Template: "draws", File: "draws", Link: drawAddress, Filter: p.filter,
		Empty: "draws.empty", EmptyIf: map[string]string{"waiting": "draws.waiting.none"},
	}
	p.alerts = kit.List[draws.Alert, alertsPage]{Template: "alerts", File: "draw-alerts", Columns: alertColumns(), Empty: "draws.alerts.empty", Rows: p.alertRows, Filter: p.alertFilter, Page: p.alertsPageOf}
	p.draw = kit.Page[drawPage]{Template: "draw", Load: p.load}
	p.results = kit.Page[resultsPage]{Template: "results", Load: p.loadResults}
	views := tabs.Draws()
	read, write, verify := kit.Can(auth.ResultsRead), kit.Can(auth.ResultsWrite).Operator(), kit.Can(auth.ResultsVerify).Operator().Sensitive()
	return kit.Area{Templates: templates, Guide: "panel#the-boards-of-the-day", Routes: []kit.Route{
		kit.Get(boardPath, read, p.board).Menu("nav.draws", "board.title").In(views).Live(),
		kit.Get(resultsPath, read.Operator(), p.results.Show).Menu("nav.draws", "results.title").In(views),
		kit.Action(resultsPath, "/enter", write.Sensitive(), p.enterAll),
		kit.Action(resultsPath, "/verify", verify, p.verifyAll),
		kit.Get(path, read, p.show).Menu("nav.draws", "draws.title").In(views),
		kit.Get(path+"/alerts", read.Operator(), p.alerts.Show).Menu("nav.draws", "draws.alerts.title"),
		kit.Action(path+"/alerts", "/:id/acknowledge", write, p.acknowledge),
		kit.Get(path+"/:id", read, p.draw.Show),
		kit.Action(path+"/:id", "/enter", write.Sensitive(), p.enter),
		kit.Action(path+"/:id", "/correct", write.Sensitive(), p.correct),
		kit.Action(path+"/:id", "/verify", verify, p.verify),
		kit.Action(path+"/:id", "/reject", verify, p.reject),
		kit.Action(path+"/:id", "/seal", verify, p.acceptSeal),
		kit.Action(path+"/:id", "/suspend", kit.Can(auth.DrawsSuspend).Operator().Sensitive(), p.suspend),
	}}
}

// show shows the list. Its columns depend on the caller and on the currency.
func (p *pages) show(r *kit.Request) error {
	of, err := p.boardIn(r)
	if err != nil {
		return err
	}
	list := p.list
	list.Columns = columns(mayVerify(r), of)
	list.Group = func(v *kit.View, s *slot) string { return v.T("draws.near." + s.Nearness(v.Now())) }
	list.Rows = func(r *kit.Request, w kit.Window) ([]slot, int64, error) { return p.rows(r, w, of) }
	return list.Show(r)
}

func (p *pages) rows(r *kit.Request, w kit.Window, of *boardPage) ([]slot, int64, error) {
	filter := drawFilter(r)
	filter.Limit, filter.Offset = w.Limit, w.Offset
	filter.Nearest, filter.Drawn = filter.Date == r.Today() && !r.WantsFile(), r.Caller.Role == models.RoleTaquilla // a cashier looks for results
	list, total, err := p.Draws.Views(r.Context(), filter)
	if err != nil {
		return nil, 0, err
	}
	err = p.loadSlots(r, of, list)
	return of.slots, total, err
}

// boardIn returns a board without draws in the chosen currency; without an active one it has no figures of money.
func (p *pages) boardIn(r *kit.Request) (board *boardPage, err error) {
	board = newBoard(r)
	board.Currency, _, err = currency.Choose(r, p.Ledger)
	board.Money, board.Risk = board.Money && board.Currency.Code != "", board.Risk && board.Currency.Code != ""
	return board, err
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	filter, err := p.filterOf(r, drawFilter(r).Date, kit.HiddenField("waiting"), kit.SelectField("status", "label.state", r.States("draw", drawstate.Stored()...)))
	filter.Views = []kit.SavedView{{Title: "draws.waiting", Values: map[string]string{"waiting": "1"}}}
	return filter, err
}

// filterOf is the filter that the views of draws share, with further fields of one of them. day is shown where the address has none.
func (p *pages) filterOf(r *kit.Request, day businessday.Day, further ...kit.FilterField) (*kit.Filter, error) {
	game, err := tabs.GameField(r, p.Catalog)
	date := kit.DateField(tabs.Date, "label.day")
	if r.Query(tabs.Date) == "" && !day.IsZero() {
		date.Value = day.String()
	}
	return &kit.Filter{Fields: append([]kit.FilterField{date, game, kit.HiddenField(currency.Param)}, further...)}, err
}

// drawFilter reads the filter. Without a day it selects today, and waiting draws of any day.
func drawFilter(r *kit.Request) *draws.ViewFilter {
	f := &draws.ViewFilter{
		GameID: r.QueryID("game"), Status: r.Query("status"), Waiting: r.Query("waiting") != "", Date: r.QueryDay(tabs.Date), Now: r.Now(),
	}
	if !kit.Asks(r, tabs.Date) && !f.Waiting {
		f.Date = r.Today()
	}
	return f
}

// mayVerify reports whether the caller verifies results.
func mayVerify(r *kit.Request) bool { return r.Caller.IsOperator() && r.May(auth.ResultsVerify) }

func drawAddress(d *slot) string { return path + "/" + d.ID.String() }

// columns are the columns of the list and of its file. hides leaves out proposed values, for a user who verifies by retyping. A user sees the sales and the
// risk of draws if the board shows them to that user.
func columns(hides bool, of *boardPage) []kit.Column[slot] {
	list := []kit.Column[slot]{
		kit.WordColumn("draws.game", func(v *kit.View, d *slot) string { return d.Game.Name + " " + v.Clock(d.Time) }),
		kit.StateColumn("draw", of.state).WithCell(func(v *kit.View, d *slot) kit.Cell {
			if of.state(d) == models.DrawOpen {
				return v.CountdownCell(d.SaleStopAt)
			}
			return kit.Badges(v.State("draw", of.state(d)))
		}),
		kit.WordColumn("label.result", func(v *kit.View, d *slot) string { return cmp.Or(proposedText(v, d, hides), d.Result) }),
	}
	amount := func(title string, a func(d *slot) money.Amount) kit.Column[slot] {
		return kit.AmountColumn(title, func(d *slot) (money.Amount, int) { return a(d), of.Currency.Digits }).WithCell(func(v *kit.View, d *slot) kit.Cell {
			return kit.Text(currency.Text(v, a(d), of.Currency))
		})
	}
	if of.Money {
		list = append(list, amount("risk.sold", func(d *slot) money.Amount { return d.Sold }).BlankUnless(func(d *slot) bool { return d.Sold != 0 }))
	}
	if of.Risk {
		list = append(list, amount("risk.worst", func(d *slot) money.Amount { return d.Worst }).
			Below(func(v *kit.View, d *slot) string { return v.T("draws.worst", d.Name) }).BlankUnless(func(d *slot) bool { return d.Worst != 0 }))
	}
	if of.Money || of.Risk {
		list = append(list, amount("draw.prizes", func(d *slot) money.Amount { return d.Prizes }).Below(prizesText).BlankUnless((*slot).settled))
	}
	for i := range list {
		list[i] = list[i].TableOnly()
	}
	for _, column := range append(of.columns(), kit.WordColumn("draws.proposed", func(v *kit.View, d *slot) string { return proposedText(v, d, hides) })) {
		list = append(list, column.FileOnly())
	}
	return append(list, kit.Column[slot]{Title: "label.id", Text: func(d *slot) string { return d.ID.String() }})
}

// settled reports whether the prizes of the draw are known.
func (d *slot) settled() bool { return d.Sold != 0 && d.Worst == 0 && d.Result != "" }

// prizesText is the line below the prizes of a draw: the number of winning tickets.
func prizesText(v *kit.View, d *slot) string {
	if d.Winners > 0 {
		return v.N("draw.winning", d.Winners)
	}
	return ""
}

// proposedText is the result that awaits verification, which a user who verifies it by typing must not see.
func proposedText(v *kit.View, d *slot, hides bool) string {
	if d.Proposed != "" && hides {
		return v.T("draw.hidden")
	}
	return d.ProposedResult
}
