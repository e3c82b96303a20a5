package reports

import (
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/rollup"
	"banca/models"
	"banca/web/admin/parts/percent"
	"banca/web/kit"
)

// levelsPage is the audit by level.
type levelsPage struct {
	base

	Asked    bool
	Total    rollup.Figures
	PassedUp money.Amount
	Rows     kit.Rows
	levels   []reports.Level
}

// Kept is the sum of what the levels keep.
func (p *levelsPage) Kept() (sum money.Amount) {
	for i := range p.levels {
		sum += p.levels[i].Kept
	}
	return sum
}

// Rest is what the levels and the entity above share: net sales less prizes.
func (p *levelsPage) Rest() money.Amount { return p.Total.NetSales() - p.Total.Paid }

// question reads the address of a report with games and shows its filter. A nil question has been answered.
func (p *pages) question(r *kit.Request, games bool, hidden ...string) (*question, error) {
	q, err := p.ask(r)
	form, formErr := p.form(r, q, games, hidden...)
	if formErr != nil {
		return nil, formErr
	}
	r.ShowFilter(form)
	return q, err
}

func (p *pages) levels(r *kit.Request) error {
	page := &levelsPage{}
	q, err := p.question(r, true)
	if err == nil {
		err = p.loadLevels(r, q, page)
	}
	if err == nil && r.WantsFile() {
		r.TitleFile(page.Title)
		return kit.SendFile(r, "audit-by-level", page.columns(r), kit.OnePage(page.levels))
	}
	return present(r, "levels", page, err)
}

func (p *pages) loadLevels(r *kit.Request, q *question, page *levelsPage) error {
	report, err := p.Reports.LevelAudit(r.Context(), r.Caller, &q.Filter)
	if err != nil {
		return err
	}
	page.Asked, page.Head, page.Total, page.PassedUp, page.levels = true, report.Head, report.Total, report.PassedUp, report.Levels
	page.Title, page.Crumbs = r.T("reports.levels")+" · "+report.Entity.Name, q.above(levelsPath, false)
	page.Rows = kit.RowsOf(page.columns(r), page.levels, nil, "").Sum(page.totals)
	r.OfferFile()
	return nil
}

func (p *levelsPage) columns(r *kit.Request) []kit.Column[reports.Level] {
	amount := kit.AmountsOf(func(*reports.Level) int { return p.Head.Currency.Digits })
	return []kit.Column[reports.Level]{
		kit.TextColumn("reports.level", func(l *reports.Level) string { return r.T("type." + l.Type) }),
		amount("reports.received", func(l *reports.Level) money.Amount { return l.Received }),
		amount("reports.prizes", func(l *reports.Level) money.Amount { return l.Prizes }).Summed(),
		amount("reports.commission", func(l *reports.Level) money.Amount { return l.Commission }).Summed(),
		amount("reports.passed", func(l *reports.Level) money.Amount { return l.PassedUp }),
		amount("reports.kept", func(l *reports.Level) money.Amount { return l.Kept }).Summed(),
		percent.Column("reports.kept.percent", func(l *reports.Level) (part, whole money.Amount) { return l.Kept, p.Total.NetSales() }),
		{Title: "label.currency", Text: func(*reports.Level) string { return p.Unit() }},
	}
}

// totals is the row of the sums. What is received and passed on at each level is the same money, which has no sum.
func (p *levelsPage) totals(v *kit.View) []kit.Cell {
	digits := p.Head.Currency.Digits
	var commission money.Amount
	for i := range p.levels {
		commission += p.levels[i].Commission
	}
	return []kit.Cell{
		kit.Text(v.T("label.total")), kit.None(), kit.Text(v.Money(p.Total.Paid, digits)), kit.Text(v.Money(commission, digits)), kit.None(),
		kit.Text(v.Money(p.Kept(), digits)), kit.Text(percent.Text(v, p.Kept(), p.Total.NetSales())),
	}
}

// Chart returns what becomes of the net sales: prizes, what each level keeps, and the rest for the level above.
func (p *levelsPage) Chart(v *kit.View) *kit.Stack {
	row := kit.StackRow{Name: p.Head.Entity.Name, Whole: p.Total.NetSales()}
	chart := &kit.Stack{Caption: v.T("reports.levels.chart", p.Unit()), Whole: v.T("reports.net"), Digits: p.Head.Currency.Digits}
	add := func(title string, hue kit.Hue, amount money.Amount) {
		chart.Series, row.Amounts = append(chart.Series, kit.StackSeries{Title: title, Hue: hue}), append(row.Amounts, amount)
	}
	add(v.T("reports.prizes"), kit.HuePrizes, p.Total.Paid)
	for i := range p.levels {
		l := &p.levels[i]
		if l.Type == models.EntityOperator {
			add(v.T("type."+l.Type), kit.HueResult, l.Kept)
		} else {
			add(v.T("type."+l.Type), kit.Shade(i), l.Kept)
		}
	}
	if p.PassedUp != 0 {
		add(v.T("reports.passed.up"), kit.HuePast, p.PassedUp)
	}
	chart.Rows = []kit.StackRow{row}
	return chart.Draw()
}

// waterfallPage leads from what was sold to what is left.
type waterfallPage struct {
	base

	Asked bool
	Total rollup.Figures
	Rows  kit.Rows
	steps []reports.Step
}

func (p *pages) waterfall(r *kit.Request) error {
	page := &waterfallPage{}
	q, err := p.question(r, true)
	if err == nil {
		err = p.loadWaterfall(r, q, page)
	}
	if err == nil && r.WantsFile() {
		r.TitleFile(page.Title)
		return kit.SendFile(r, "waterfall", page.columns(r), kit.OnePage(page.steps))
	}
	return present(r, "waterfall", page, err)
}

func (p *pages) loadWaterfall(r *kit.Request, q *question, page *waterfallPage) error {
	report, err := p.Reports.Waterfall(r.Context(), r.Caller, &q.Filter)
	if err != nil {
		return err
	}
	page.Asked, page.Head, page.Total, page.steps = true, report.Head, report.Total, report.Steps
	page.Title, page.Crumbs = r.T("reports.waterfall")+" · "+report.Entity.Name, q.above(waterfallPath, false)
	page.Rows = kit.RowsOf(page.columns(r), page.steps, nil, "")
	r.OfferFile()
	return nil
}

// stepText is the key of the name of a step.
func stepText(s *reports.Step) string {
	if s.Name == reports.StepUncollected && s.Amount < 0 {
		return "reports.step.paid_earlier"
	}
	return "reports.step." + s.Name
}

// stepHue is the colour of what a step is about.
func stepHue(s *reports.Step) kit.Hue {
	switch s.Name {
	case reports.StepSold, reports.StepNetSales:
		return kit.HueSales
	case reports.StepVoided, reports.StepRefunded:
		return kit.HuePast
	case reports.StepPrizes, reports.StepPrizesWon, reports.StepUncollected:
		return kit.HuePrizes
	case reports.StepGameResult, reports.StepCash, reports.StepPassedUp:
		return kit.HueResult
	default:
		return kit.HueFees
	}
}

func (p *waterfallPage) columns(r *kit.Request) []kit.Column[reports.Step] {
	digits := p.Head.Currency.Digits
	change := kit.AmountColumn("reports.change", func(s *reports.Step) (money.Amount, int) { return s.Amount, digits }).
		If(func(s *reports.Step) bool { return !s.Subtotal }).Leading()
	change.File = subtotalEmpty(change.File)
	name := kit.TextColumn("reports.step", func(s *reports.Step) string { return r.T(stepText(s)) })
	return []kit.Column[reports.Step]{
		name.Strong(func(s *reports.Step) bool { return s.Subtotal }), change,
		kit.AmountColumn("reports.running", func(s *reports.Step) (money.Amount, int) { return s.Running, digits }),
		percent.Column("reports.share", func(s *reports.Step) (part, whole money.Amount) { return s.Amount, p.Total.NetSales() }),
		{Title: "label.currency", Text: func(*reports.Step) string { return p.Unit() }},
	}
}

// Chart returns the steps that change something, and the subtotals.
func (p *waterfallPage) Chart(v *kit.View) *kit.Waterfall {
	chart := &kit.Waterfall{Caption: v.T("reports.waterfall.chart", p.Unit()), Digits: p.Head.Currency.Digits}
	for i := range p.steps {
		if s := &p.steps[i]; s.Subtotal || s.Amount != 0 {
			share := v.ShareOf(s.Amount, p.Total.NetSales())
			chart.Steps = append(chart.Steps, kit.WaterfallStep{Name: v.T(stepText(s)), Amount: s.Amount, Total: s.Subtotal, Share: share, Hue: stepHue(s)})
		}
	}
	return chart.Draw()
}
