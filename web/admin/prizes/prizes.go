// Package prizes has the pages of prizes, their payment, and the differences of paid prizes.
package prizes

import (
	"embed"
	"strings"
	"time"

	"banca/internal/auth"
	"banca/internal/money"
	"banca/internal/prizes"
	"banca/internal/sheet"
	"banca/web/kit"
)

const (
	path            = "/admin/prizes"
	differencesPath = "/admin/prize-differences"
)

//go:embed templates
var templates embed.FS

// Deps are the services of the area.
type Deps struct {
	Prizes *prizes.Service
}

type pages struct {
	Deps

	list        kit.List[prizes.Prize, prizesPage]
	prize       kit.Page[prizePage]
	differences kit.List[prizes.Difference, differencesPage]
}

// Area returns the pages of prizes.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	p.list = kit.List[prizes.Prize, prizesPage]{
		Template: "prizes", File: "prizes", Columns: columns(), Link: prizeAddress, Empty: "prizes.empty", Rows: p.rows, Filter: filterForm, Page: p.listPage,
	}
	p.prize = kit.Page[prizePage]{Template: "prize", Load: p.load}
	p.differences = kit.List[prizes.Difference, differencesPage]{
		Template: "differences", File: "prize-differences", Columns: differenceColumns(), Empty: "differences.empty", Rows: p.differenceRows,
		Filter: differenceFilter, Page: differencesPageOf,
	}
	read, adjust := kit.Can(auth.PrizesRead), kit.Can(auth.PrizesAdjust).Sensitive()
	return kit.Area{Templates: templates, Tones: tones(), Routes: []kit.Route{
		kit.Get(path, read, p.show).Menu("nav.sales", "prizes.title"),
		kit.Get(path+"/:id", read, p.prize.Show),
		kit.Action(path+"/:id", "/pay", kit.Can(auth.PrizesPay), p.pay),
		kit.Action(path+"/:id", "/cancel", kit.Can(auth.PrizesCancel).Sensitive(), p.cancel),
		kit.Get(differencesPath, read, p.differences.Show).Menu("nav.sales", "differences.title"),
		kit.Action(differencesPath, "/:id/settle", adjust, p.settle),
		kit.Action(differencesPath, "/:id/write-off", adjust, p.writeOff),
	}}
}

// prizesPage is what the list of prizes shows besides its rows.
type prizesPage struct{ Sums []prizes.Sum }

func (p *pages) filter(r *kit.Request) *prizes.Filter {
	return &prizes.Filter{
		State: r.Query("status"), Serial: strings.ToUpper(r.Query("serial")), DrawID: r.QueryID("draw"), Date: r.QueryDay("date"),
	}
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
	return p.Prizes.List(r.Context(), r.Caller, f)
}

func (p *pages) listPage(r *kit.Request, _ []prizes.Prize) (*prizesPage, error) {
	sums, err := p.Prizes.Summary(r.Context(), r.Caller, p.filter(r))
	return &prizesPage{Sums: sums}, err
}

func filterForm(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.SelectField("status", "label.state", r.States("prize", prizes.States()...)), kit.TextField("serial", "label.serial", 20),
		kit.DateField("date", "label.settled"), kit.HiddenField("draw"),
	}}, nil
}

// columns are those of the list.
func columns() []kit.Column[prizes.Prize] {
	return []kit.Column[prizes.Prize]{
		{Title: "label.settled", File: func(p *prizes.Prize) sheet.Cell { return sheet.Time(p.SettledAt) }},
		kit.MonoColumn("label.serial", func(p *prizes.Prize) string { return p.Serial }),
		{Title: "label.state", Text: func(p *prizes.Prize) string { return p.State }, Cell: stateCell},
		{Title: "label.entity", Text: func(p *prizes.Prize) string { return p.Entity }},
		kit.AmountColumn("label.prize", func(p *prizes.Prize) (money.Amount, int) { return p.Prize, p.Currency.Digits }),
		{Title: "label.paid", File: func(p *prizes.Prize) sheet.Cell { return sheet.Money(p.Paid, p.Currency.Digits) }},
		kit.TextColumn("label.currency", func(p *prizes.Prize) string { return p.Currency.Code }),
		{Title: "label.entity", Cell: func(_ *kit.View, p *prizes.Prize) kit.Cell { return kit.Text(p.Entity) }},
		{Title: "label.settled", Cell: func(v *kit.View, p *prizes.Prize) kit.Cell { return kit.At(v.Time(p.SettledAt)) }},
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
