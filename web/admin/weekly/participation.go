package weekly

import (
	"cmp"
	"slices"
	"strconv"

	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
	"banca/internal/weekly"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/percent"
	"banca/web/kit"
)

const (
	defaultWeeks = 4 // of the report
	quarterWeeks = 13
	daysOfWeek   = 7
	maxParts     = 7 // of entities below in the chart; the table has all rows
)

// Parts of a result.
const (
	partBelow = "below"
	partOwn   = "own"
	partAbove = "above"
)

// part is a row of the report: a part of the result.
type part struct {
	kind     string
	entity   org.Label
	result   money.Amount // of the entity; of parts below only
	amount   money.Amount
	own      money.Amount
	carryOut money.Amount
}

// name is what a row is called.
func (p *part) name(v *kit.View) string {
	switch p.kind {
	case partOwn:
		return v.T("participation.own", p.entity.Name)
	case partAbove:
		return v.T("participation.left")
	default:
		return p.entity.Name
	}
}

// participationPage is how a result is divided.
type participationPage struct {
	*weekly.Distribution

	Crumbs []kit.MenuLink
	Rows   kit.Rows

	asked int // weeks of the period
	parts []part
}

// Title names the entity.
func (p *participationPage) Title(v *kit.View) string {
	if p.Distribution == nil {
		return v.T("participation.title")
	}
	return v.T("participation.title") + " · " + p.Entity.Name
}

// Period names the weeks that are summed.
func (p *participationPage) Period(v *kit.View) string {
	if p.From.IsZero() {
		return v.T("participation.none")
	}
	text := v.T("participation.weeks", v.Day(p.From), v.Day(p.To))
	if weeks := (p.From.DaysUntil(p.To) + 1) / daysOfWeek; weeks < p.asked {
		text += v.N("participation.only", weeks)
	}
	return text
}

// Above reports whether there are levels above the entity.
func (p *participationPage) Above() bool { return p.Entity.Type != models.EntityOperator }

// Below is the sum of the shares of the entities below.
func (p *participationPage) Below() (sum money.Amount) {
	for i := range p.Children {
		sum += p.Children[i].Participation
	}
	return sum
}

// participation shows the report.
func (p *pages) participation(r *kit.Request) error {
	to := weekly.Monday(r.Today()).AddDays(-1)
	f := &weekly.DistributionFilter{From: to.AddDays(1 - defaultWeeks*daysOfWeek), To: to, Currency: currency.Asked(r)}
	if day := r.QueryDay("from"); !day.IsZero() {
		f.From = day
	}
	if day := r.QueryDay("to"); !day.IsZero() {
		f.To = day
	}
	page, err := p.distribution(r, f)
	if formErr := p.participationFilter(r, f, page); formErr != nil {
		return formErr
	}
	switch {
	case err == nil && r.WantsFile():
		r.TitleFile(r.T("participation.title") + " · " + page.Entity.Name)
		return kit.SendFile(r, "participation", page.columns(), kit.OnePage(page.parts))
	case err == nil:
		return r.Render("participation", page)
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return r.Write(status, "participation", &participationPage{}, text)
}

func (p *pages) distribution(r *kit.Request, f *weekly.DistributionFilter) (*participationPage, error) {
	entity, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, err
	}
	f.EntityID = cmp.Or(entity, r.Caller.EntityID)
	d, err := p.Weekly.Distribution(r.Context(), r.Caller, f)
	if err != nil {
		return nil, err
	}
	page := &participationPage{Distribution: d, parts: partsOf(d), asked: (f.From.DaysUntil(f.To) + 1) / daysOfWeek}
	page.Rows = kit.RowsOf(page.columns(), page.parts, func(part *part) string {
		if part.kind != partBelow || isPoint(part.entity.Type) {
			return ""
		}
		return linkOfEntity(f, part.entity.Code)
	}, "").Sum(page.totals)
	chain, err := p.Org.Chain(r.Context(), f.EntityID)
	if err != nil {
		return nil, err
	}
	for i := range chain[:len(chain)-1] {
		if r.Caller.Scope.Contains(chain[i].Path) {
			page.Crumbs = append(page.Crumbs, kit.MenuLink{Title: chain[i].Name, Path: linkOfEntity(f, chain[i].Code)})
		}
	}
	r.OfferFile()
	return page, nil
}

func linkOfEntity(f *weekly.DistributionFilter, code string) string {
	return participationPath + "?entity=" + code + "&from=" + f.From.String() + "&to=" + f.To.String() + "&currency=" + f.Currency
}

// partsOf returns the parts of a result, which sum to it: the greatest of the entities below first.
func partsOf(d *weekly.Distribution) []part {
	list := make([]part, 0, len(d.Children)+2)
	for i := range d.Children {
		c := &d.Children[i]
		list = append(list, part{kind: partBelow, entity: c.Entity, result: c.Result, amount: c.Participation, own: c.OwnShare, carryOut: c.CarryOut})
	}
	slices.SortStableFunc(list, func(a, b part) int { return cmp.Compare(b.amount, a.amount) })
	list = append(list, part{kind: partOwn, entity: d.Entity, amount: d.Own, own: d.Own})
	if d.Entity.Type != models.EntityOperator {
		list = append(list, part{kind: partAbove, entity: d.Entity, amount: d.Left})
	}
	return list
}

// participationFilter shows the filter. page is nil if the question has an error.
func (p *pages) participationFilter(r *kit.Request, f *weekly.DistributionFilter, page *participationPage) error {
	money, err := currency.Field(r, p.Ledger)
	if err != nil {
		return err
	}
	entity, from, to := kit.EntityField("entity", "label.entity"), kit.DateField("from", "label.from"), kit.DateField("to", "label.to")
	if page != nil && r.Query("entity") != "" {
		entity.Value = page.Entity.Name + " (" + page.Entity.Code + ")"
	}
	put(r, &from, f.From)
	put(r, &to, f.To)
	filter := &kit.Filter{Clear: participationPath, Reset: "reports.clear", Fields: []kit.FilterField{entity, from, to, money}}
	r.ShowFilter(filter)
	filter.Presets = presets(r, f)
	return nil
}

// presets are links to whole weeks: days and months end within a week, which is not summed then. 0 weeks are the current one.
func presets(r *kit.Request, f *weekly.DistributionFilter) []kit.Choice {
	var list []kit.Choice
	for _, weeks := range []int{0, 1, defaultWeeks, quarterWeeks} {
		last := weekly.Monday(r.Today()).AddDays(-1)
		if weeks == 0 {
			last = last.AddDays(daysOfWeek)
		}
		from := last.AddDays(1 - max(weeks, 1)*daysOfWeek)
		query := r.URL().Query()
		query.Set("from", from.String())
		query.Set("to", last.String())
		list = append(list, kit.Choice{
			Text: r.T("participation.weeks." + strconv.Itoa(weeks)), Link: participationPath + "?" + query.Encode(), Current: f.From == from && f.To == last,
		})
	}
	return list
}

// put shows the default of a day that the address does not have.
func put(r *kit.Request, field *kit.FilterField, day businessday.Day) {
	if r.Query(field.Name) == "" {
		field.Value = day.String()
	}
}

func (p *participationPage) columns() []kit.Column[part] {
	digits := p.Currency.Digits
	below := func(title string, of func(*part) money.Amount) kit.Column[part] {
		return kit.Column[part]{
			Title: title, Number: true, WideOnly: true,
			File: func(row *part) sheet.Cell {
				if row.kind != partBelow {
					return sheet.Cell{}
				}
				return sheet.Money(of(row), digits)
			},
			Cell: func(v *kit.View, row *part) kit.Cell {
				if row.kind != partBelow {
					return kit.None()
				}
				return kit.Text(v.Money(of(row), digits))
			},
		}
	}
	return []kit.Column[part]{
		{Title: "participation.part", Text: func(row *part) string { return row.entity.Name }, Cell: func(v *kit.View, row *part) kit.Cell {
			if row.kind == partBelow {
				return kit.Wrap(row.entity.Name).WithSecondLine(v.T("type." + row.entity.Type))
			}
			cell := kit.Wrap(row.name(v))
			cell.Style += " strong"
			return cell
		}},
		{Title: "label.code", Text: func(row *part) string { return row.entity.Code }},
		below("participation.result", func(row *part) money.Amount { return row.result }),
		kit.AmountColumn("participation.share", func(row *part) (money.Amount, int) { return row.amount, digits }).Summed(),
		percent.Column("participation.percent", func(row *part) (part, whole money.Amount) { return row.amount, p.Result }),
		below("weekly.own", func(row *part) money.Amount { return row.own }),
		below("weekly.loss.after", func(row *part) money.Amount { return row.carryOut }),
		{Title: "label.currency", Text: func(*part) string { return p.Currency.Code }},
	}
}

// totals is the row of the sums: the parts sum to the result.
func (p *participationPage) totals(v *kit.View) []kit.Cell {
	return []kit.Cell{
		kit.Text(v.T("participation.result")), kit.None(), kit.Text(v.Money(p.Result, p.Currency.Digits)), kit.Text(percent.Text(v, p.Result, p.Result)), kit.None(), kit.None(),
	}
}

// Chart returns the parts of the result. Many entities below have their greatest parts and one part for all others.
func (p *participationPage) Chart(v *kit.View) *kit.Stack {
	chart := &kit.Stack{Caption: v.T("participation.chart", p.Currency.Unit()), Whole: v.T("participation.result"), Digits: p.Currency.Digits}
	chart.Rows = []kit.StackRow{{Name: p.Entity.Name, Whole: p.Result}}
	row, hues := &chart.Rows[0], map[string]kit.Hue{partOwn: kit.HueResult, partAbove: kit.HuePast}
	for i := range p.parts {
		part := &p.parts[i]
		series := kit.StackSeries{Title: part.name(v), Hue: cmp.Or(hues[part.kind], kit.Shade(i))}
		switch {
		case part.kind != partBelow:
		case i > maxParts:
			row.Amounts[maxParts] += part.amount
			continue
		case i == maxParts && len(p.Children) > maxParts+1:
			series.Title = v.N("participation.others", len(p.Children)-maxParts)
		}
		chart.Series, row.Amounts = append(chart.Series, series), append(row.Amounts, part.amount)
	}
	return chart.Draw()
}
