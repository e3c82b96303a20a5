// Package prizes has the pages of prizes, their payment, and the differences of paid prizes.
package prizes

import (
	"embed"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/prizes"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path            = links.Prizes
	differencesPath = links.Differences
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list        kit.List[prizes.Prize, prizesPage]
	prize       kit.Page[prizePage]
	differences kit.List[prizes.Difference, differencesPage]
}

// Area returns the pages of prizes.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[prizes.Prize, prizesPage]{
		Template: "prizes", File: "prizes", Columns: columns(), ColumnsOf: columnsOf, Link: prizeAddress, Empty: "prizes.empty", Rows: p.rows, Filter: filterForm, Beside: p.sums,
	}
	p.prize = kit.Page[prizePage]{Template: "prize", Load: p.load}
	p.differences = kit.List[prizes.Difference, differencesPage]{
		Template: "differences", File: "prize-differences", Columns: differenceColumns(), Empty: "differences.empty", Rows: p.differenceRows,
		Filter: differenceFilter, Page: differencesPageOf,
	}
	read, adjust := kit.Can(auth.PrizesRead), kit.Can(auth.PrizesAdjust).Sensitive()
	return kit.Area{Templates: templates, Guide: "panel#tickets", Routes: []kit.Route{
		kit.Get(path, read, p.show).Menu("nav.sales", "prizes.title"),
		kit.Get(path+"/:id", read, p.prize.Show),
		kit.Get(path+"/:id/receipt", read, p.slip),
		kit.Action(path+"/:id", "/pay", kit.Can(auth.PrizesPay), p.pay),
		kit.Action(path+"/:id", "/cancel", kit.Can(auth.PrizesCancel).Sensitive(), p.cancel),
		kit.Get(differencesPath, read, p.differences.Show).Menu("nav.sales", "differences.title").ExplainedIn("draws#differences-after-a-correction"),
		kit.Action(differencesPath, "/:id/settle", adjust, p.settle),
		kit.Action(differencesPath, "/:id/write-off", adjust, p.writeOff),
	}}
}

// prizesPage is what the list of prizes shows besides its rows.
type prizesPage struct {
	Sums    []prizes.Sum
	DueOnly bool // the sums are of what is to be collected
	Listed  bool // they are of the listed prizes alone
}

// state returns the state of the listed prizes: the list opens with those to be collected.
func state(r *kit.Request) string {
	if kit.Asks(r, "status", "serial", "date", "draw") {
		return r.Query("status")
	}
	return models.TicketWon
}

func (p *pages) filter(r *kit.Request) *prizes.Filter {
	return &prizes.Filter{State: state(r), Serial: strings.ToUpper(r.Query("serial")), DrawID: r.QueryID("draw"), Date: r.QueryDay("date")}
}

// show shows the list; a whole serial code leads to its ticket, won or not.
func (p *pages) show(r *kit.Request) error {
	if f := p.filter(r); f.Serial != "" && !r.WantsFile() {
		if id, err := p.Prizes.BySerial(r.Context(), r.Caller, f.Serial); err == nil {
			return r.Redirect(path + "/" + id.String())
		}
	}
	return p.list.Show(r)
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]prizes.Prize, int64, error) {
	f := p.filter(r)
	f.Limit, f.Offset = w.Limit, w.Offset
	list, total, err := p.Prizes.List(r.Context(), r.Caller, f)
	if err == nil && !w.Sums {
		err = p.Prizes.NameDraws(r.Context(), list)
	}
	return list, total, err
}

// sums returns the prizes to be collected, and the open differences. All prizes are summed where the filter selects few of them.
func (p *pages) sums(r *kit.Request) (page *prizesPage, err error) {
	f := p.filter(r)
	page = &prizesPage{DueOnly: f.Date.IsZero() && f.DrawID == uuid.Nil && f.Serial == "" && f.State != prizes.StateDifferences}
	if !page.DueOnly {
		page.Sums, err = p.Prizes.Summary(r.Context(), r.Caller, f)
		return page, err
	}
	if f.State == models.TicketPaid || f.State == prizes.StateExpired {
		return page, nil
	}
	if page.Sums, err = p.Prizes.Summary(r.Context(), r.Caller, &prizes.Filter{State: models.TicketWon}); err != nil {
		return nil, err
	}
	differences, err := p.Prizes.Summary(r.Context(), r.Caller, &prizes.Filter{State: prizes.StateDifferences})
	page.Listed = f.State == models.TicketWon && len(differences) == 0
	page.add(differences)
	return page, err
}

// add adds the differences to the sums of their currencies.
func (p *prizesPage) add(differences []prizes.Sum) {
	for i := range differences {
		at := slices.IndexFunc(p.Sums, func(s prizes.Sum) bool { return s.Currency.ID == differences[i].Currency.ID })
		if at < 0 {
			p.Sums, at = append(p.Sums, prizes.Sum{Currency: differences[i].Currency}), len(p.Sums)
		}
		p.Sums[at].Overpaid, p.Sums[at].Underpaid = differences[i].Overpaid, differences[i].Underpaid
	}
}

func filterForm(r *kit.Request) (*kit.Filter, error) {
	status := kit.SelectField("status", "label.state", r.States("prize", prizes.States()...)).Opening(state(r))
	view := func(title, status string) kit.SavedView {
		return kit.SavedView{Title: title, Values: map[string]string{"status": status}}
	}
	return &kit.Filter{
		Fields: []kit.FilterField{status, kit.TextField("serial", "label.serial", 20), kit.DateField("date", "label.settled"), kit.HiddenIDField("draw")},
		Views: []kit.SavedView{
			view("prizes.due", models.TicketWon), view("prizes.paid", models.TicketPaid), view("prizes.expired", prizes.StateExpired), view("word.all", ""),
		},
	}, nil
}

// columnsOf are the columns of rows: when they were paid, if one was, and when they expire, unless all were.
func columnsOf(rows []prizes.Prize) []kit.Column[prizes.Prize] {
	return kit.Hide(columns(), map[string]bool{
		"label.paid_at": !slices.ContainsFunc(rows, func(p prizes.Prize) bool { return !p.PaidAt.IsZero() }),
		"label.expires": kit.Common(rows, func(p *prizes.Prize) string { return p.State }) == models.TicketPaid,
	})
}

// drawsText names the draws in which a ticket won.
func drawsText(v *kit.View, list []prizes.Drawn) string {
	return strings.Join(kit.Map(list, func(d *prizes.Drawn) string { return d.Game + " " + v.Clock(d.Time) }), ", ")
}

// columns are the columns of the list.
func columns() []kit.Column[prizes.Prize] {
	return []kit.Column[prizes.Prize]{
		{Title: "label.settled", File: func(p *prizes.Prize) sheet.Cell { return sheet.Time(p.SettledAt) }},
		kit.MonoColumn("label.serial", func(p *prizes.Prize) string { return p.Serial }),
		kit.StateColumn("prize", func(p *prizes.Prize) string { return p.State }).WithCell(stateCell),
		kit.TextColumn("label.entity", func(p *prizes.Prize) string { return p.Entity }),
		kit.AmountColumn("label.prize", func(p *prizes.Prize) (money.Amount, int) { return p.Prize, p.Currency.Digits }).Summed(),
		{Title: "label.paid", File: func(p *prizes.Prize) sheet.Cell { return sheet.Money(p.Paid, p.Currency.Digits) }},
		kit.CurrencyColumn(func(p *prizes.Prize) (code, symbol string) { return p.Currency.Code, p.Currency.Unit() }),
		kit.WordColumn("label.draw", func(v *kit.View, p *prizes.Prize) string { return drawsText(v, p.Draws) }).Wrapped(),
		{Title: "label.settled", WideOnly: true, Cell: func(v *kit.View, p *prizes.Prize) kit.Cell { return kit.At(v.Time(p.SettledAt)) }},
		kit.TimeColumn("label.expires", func(p *prizes.Prize) time.Time { return p.ExpiresAt }),
		kit.TimeColumn("label.paid_at", func(p *prizes.Prize) time.Time { return p.PaidAt }),
		{Title: "label.id", Text: func(p *prizes.Prize) string { return p.TicketID.String() }},
	}
}

func stateCell(v *kit.View, p *prizes.Prize) kit.Cell {
	if p.Disputed {
		return kit.Badges(v.State("prize", p.State), v.State("prize", "differences"))
	}
	return kit.Badges(v.State("prize", p.State))
}

func prizeAddress(p *prizes.Prize) string { return path + "/" + p.TicketID.String() }

// differencesPage is what the list of differences shows besides its rows.
type differencesPage struct {
	Adjusts  bool
	Forgives bool // the user is of the operator, who alone writes differences off
}

func (p *pages) differenceRows(r *kit.Request, w kit.Window) ([]prizes.Difference, int64, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, 0, err
	}
	return p.Prizes.Differences(r.Context(), r.Caller, &prizes.DifferenceFilter{Below: entity, Status: r.Query("status"), Limit: w.Limit, Offset: w.Offset})
}

func differencesPageOf(r *kit.Request, _ []prizes.Difference) (*differencesPage, error) {
	return &differencesPage{Adjusts: r.May(auth.PrizesAdjust), Forgives: r.Caller.IsOperator()}, nil
}

func differenceFilter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("status", "label.state", r.States("difference", prizes.DifferenceStates()...)), kit.EntityField("entity", "label.entity"),
	}}, nil
}

// differenceColumns are the columns of the list.
func differenceColumns() []kit.Column[prizes.Difference] {
	return []kit.Column[prizes.Difference]{
		kit.TimeColumn("label.time", func(d *prizes.Difference) time.Time { return d.CreatedAt }),
		kit.MonoColumn("label.serial", func(d *prizes.Difference) string { return d.Serial }).
			To(func(d *prizes.Difference) string { return path + "/" + d.TicketID.String() }),
		kit.StateColumn("difference", func(d *prizes.Difference) string { return d.Status }),
		kit.TextColumn("label.entity", func(d *prizes.Difference) string { return d.Entity }),
		kit.AmountColumn("label.paid", func(d *prizes.Difference) (money.Amount, int) { return d.Paid, d.Currency.Digits }),
		kit.AmountColumn("label.due", func(d *prizes.Difference) (money.Amount, int) { return d.Due, d.Currency.Digits }),
		kit.AmountColumn("label.overpaid", func(d *prizes.Difference) (money.Amount, int) { return d.Overpaid(), d.Currency.Digits }),
		kit.CurrencyColumn(func(d *prizes.Difference) (code, symbol string) { return d.Currency.Code, d.Currency.Unit() }),
		{Title: "label.note", Text: func(d *prizes.Difference) string { return d.Note }, Cell: noteCell},
		{Title: "label.id", Text: func(d *prizes.Difference) string { return d.ID.String() }},
	}
}

// noteCell shows the forms that decide an open difference, or the note of a decided one.
func noteCell(v *kit.View, d *prizes.Difference) kit.Cell {
	page, ok := v.Page.(*differencesPage)
	switch {
	case !ok || !page.Adjusts || d.Status != prizes.DifferenceOpen:
		return kit.Text(d.Note)
	case page.Forgives:
		return v.QuestionCell(settleQuestion(v, d), writeOffQuestion(v, d))
	}
	return v.QuestionCell(settleQuestion(v, d))
}

func settleQuestion(v *kit.View, d *prizes.Difference) *kit.Question {
	ask := v.T("differences.settle.ask", v.Money(d.Paid, d.Currency.Digits), v.Money(d.Due, d.Currency.Digits), d.Currency.Unit(), d.Serial, d.Entity)
	return v.Question(v.T("differences.settle"), differencesPath+"/"+d.ID.String()+"/settle", ask, v.T("differences.settle.do"))
}

func writeOffQuestion(v *kit.View, d *prizes.Difference) *kit.Question {
	ask := v.T("differences.writeoff.ask", v.Money(d.Overpaid(), d.Currency.Digits), d.Currency.Unit(), d.Serial)
	note := kit.NewForm(kit.TextInput("note", "label.note", 300).Required()).WithPrefix(d.ID.String() + "-")
	return v.Question(v.T("differences.writeoff"), differencesPath+"/"+d.ID.String()+"/write-off", ask, v.T("differences.writeoff.do")).
		WithForm(note).Irreversible(true)
}

func (p *pages) settle(r *kit.Request) error {
	_, err := p.Prizes.Resolve(r.Context(), r.Caller, r.ID)
	return p.differences.AsPage().Submit(r, err, "difference.settled")
}

func (p *pages) writeOff(r *kit.Request) error {
	_, err := p.Prizes.WriteOff(r.Context(), r.Caller, r.ID, r.Form("note"))
	return p.differences.AsPage().Submit(r, err, "difference.written_off")
}
