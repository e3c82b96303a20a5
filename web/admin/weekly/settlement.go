package weekly

import (
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/money"
	"banca/internal/weekly"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// settlementPage is a settlement with its calculation, its payments and what may be done with it.
type settlementPage struct {
	weekly.Settlement

	Unit     string
	PaidBy   kit.Rows
	Payable  kit.Rows // movements that could pay it; nil for none
	Below    string   // address of the settlements below it; "" for none
	Confirms bool
	Pays     bool
	Form     *kit.Form
	Key      string        // of idempotency
	Sure     *money.Amount // to pay, before it is sure

	adjustments []weekly.Adjustment
}

// At is the address of the page.
func (p *settlementPage) At() string { return addressOf(p.ID) }

// amount formats an amount with its currency.
func (p *settlementPage) amount(v *kit.View, a money.Amount) string {
	return currency.Text(v, a, p.Currency)
}

func (p *pages) load(r *kit.Request) (*settlementPage, error) {
	found, err := p.Weekly.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	adjustments, err := p.Weekly.Adjustments(r.Context(), found.ID)
	if err != nil {
		return nil, err
	}
	page := &settlementPage{Settlement: *found, Unit: found.Currency.Unit(), Key: newKey(), adjustments: adjustments}
	page.Confirms = found.Status == weekly.Draft && r.May(auth.SettlementsWrite) && r.Caller.IsOperator()
	page.Pays = r.May(auth.SettlementsWrite) && (r.Caller.IsOperator() || found.Path != r.Caller.Scope.Path())
	if !isPoint(found.Type) {
		page.Below = path + "?week=" + found.Week.String() + "&currency=" + found.Currency.Code + "&below=" + found.Code
	}
	if page.Pays && found.Status == weekly.Confirmed {
		page.Form = page.payForm(r)
	}
	return page, p.loadPayments(r, page)
}

// loadPayments reads the payments and the movements that could be registered as such.
func (p *pages) loadPayments(r *kit.Request, page *settlementPage) error {
	list, err := p.Weekly.Payments(r.Context(), page.ID)
	if err != nil {
		return err
	}
	page.PaidBy = kit.RowsOf(page.paymentColumns("unlink", "weekly.unlink"), list, nil, "weekly.payments.none")
	if !page.Pays || page.Status == weekly.Draft {
		return nil
	}
	payable, err := p.Weekly.Payable(r.Context(), &page.Settlement)
	if err == nil && len(payable) > 0 {
		page.Payable = kit.RowsOf(page.paymentColumns("link", "weekly.link"), payable, nil, "")
	}
	return err
}

// line is a line of the calculation. Strong lines are sums of those above.
type line struct {
	title  string // key
	args   func(v *kit.View) []any
	note   func(v *kit.View) string
	amount money.Amount
	text   func(v *kit.View) string // instead of the amount
	strong bool
}

// lines lead from the sales to what is left. Each strong line is the sum of the lines above it.
func (p *settlementPage) lines() []line {
	participation := line{title: "weekly.less.participation", amount: -p.Participation}
	participation.note = func(v *kit.View) string {
		return v.T("weekly.rate", v.Percent(p.Rate)) + " · " + v.T("weekly.mode."+p.Mode)
	}
	list := []line{
		{title: "weekly.sales", amount: p.Sales},
		{title: "weekly.less.prizes", amount: -p.Prizes},
		{title: "weekly.less.commissions", amount: -p.Commissions},
		participation,
	}
	for i := range p.adjustments {
		list = append(list, p.adjustment(&p.adjustments[i]))
	}
	list = append(list, line{title: "weekly.less.payments", amount: -p.Payments}, line{title: "weekly.due", amount: p.Due, strong: true}, line{title: "weekly.previous", amount: p.Previous})
	if p.Moved != 0 {
		list = append(list, line{title: "weekly.moved", amount: p.Moved})
	}
	list = append(list, line{title: "weekly.balance", amount: p.Balance(), strong: true})
	if p.Paid != 0 {
		list = append(list, line{title: "weekly.less.paid", amount: -p.Paid}, line{title: "weekly.left", amount: p.Outstanding(), strong: true})
	}
	return list
}

// adjustment is the line of an earlier week that is restated.
func (p *settlementPage) adjustment(a *weekly.Adjustment) line {
	l := line{title: "weekly.adjustment", amount: a.Due()}
	l.args = func(v *kit.View) []any { return []any{v.Day(a.Week)} }
	l.note = func(v *kit.View) string {
		return v.T("weekly.adjustment.parts", v.Money(a.Prizes, p.Currency.Digits), v.Money(a.Participation, p.Currency.Digits))
	}
	return l
}

// shareLines lead from the sales to the participation.
func (p *settlementPage) shareLines() []line {
	list := []line{{title: "weekly.sales", amount: p.Sales}, {title: "weekly.less.prizes", amount: -p.Prizes}, {title: "weekly.less.commissions", amount: -p.Commissions}}
	if p.CommissionsAbove != 0 {
		list = append(list, line{title: "weekly.less.commissions.above", amount: -p.CommissionsAbove})
	}
	list = append(list, line{title: "weekly.result", amount: p.Result(), strong: true})
	if p.Carried != 0 {
		list = append(list, line{title: "weekly.loss.before", amount: p.Carried})
	}
	rate := line{title: "weekly.rate.title"}
	rate.text = func(v *kit.View) string { return v.Percent(p.Rate) }
	rate.note = func(v *kit.View) string { return v.T("weekly.mode." + p.Mode) }
	list = append(list, rate, line{title: "weekly.participation", amount: p.Participation, strong: true}, line{title: "weekly.own", amount: p.OwnShare})
	if p.CarryOut != 0 {
		list = append(list, line{title: "weekly.loss.after", amount: p.CarryOut})
	}
	return list
}

// shownLine is a line in the language of the page.
type shownLine struct {
	Title, Note, Amount string
	Strong              bool
}

// show formats lines.
func (p *settlementPage) show(v *kit.View, lines []line) []shownLine {
	return kit.Map(lines, func(l *line) shownLine {
		var args []any
		if l.args != nil {
			args = l.args(v)
		}
		shown := shownLine{Title: v.T(l.title, args...), Amount: v.Money(l.amount, p.Currency.Digits), Strong: l.strong}
		if l.text != nil {
			shown.Amount = l.text(v)
		}
		if l.note != nil {
			shown.Note = l.note(v)
		}
		return shown
	})
}

// Lines are the steps from the sales to what is left.
func (p *settlementPage) Lines(v *kit.View) []shownLine { return p.show(v, p.lines()) }

// ShareLines explain the participation.
func (p *settlementPage) ShareLines(v *kit.View) []shownLine { return p.show(v, p.shareLines()) }

// Left says who owes what is left.
func (p *settlementPage) Left(v *kit.View) string {
	switch left := p.Outstanding(); {
	case left > 0:
		return v.T("weekly.owes.sentence", p.Entity, p.amount(v, left))
	case left < 0:
		return v.T("weekly.is_owed.sentence", p.Entity, p.amount(v, -left))
	default:
		return v.T("weekly.nothing_left")
	}
}

// Period names the week.
func (p *settlementPage) Period(v *kit.View) string { return weekText(v, p.Week) + " · " + p.Unit }

// PreviousPage is the address of the settlement before; "" for none.
func (p *settlementPage) PreviousPage() string {
	if p.PreviousID == uuid.Nil {
		return ""
	}
	return addressOf(p.PreviousID)
}

// ListPage is the address of the list of the week.
func (p *settlementPage) ListPage() string {
	return path + "?week=" + p.Week.String() + "&currency=" + p.Currency.Code
}

// FileName is the name of the picture.
func (p *settlementPage) FileName() string {
	return "cuadre-" + p.Code + "-" + p.Week.String() + "-" + p.Currency.Code + ".png"
}

// ConfirmQuestion asks before the settlement is confirmed.
func (p *settlementPage) ConfirmQuestion(v *kit.View) *kit.Question {
	return v.Question(v.T("weekly.confirm"), p.At()+"/confirm", v.T("weekly.confirm.lead"), v.T("weekly.confirm.do")).
		Fact("label.entity", kit.Wrap(p.Entity)).
		Fact("weekly.week", kit.Text(weekText(v, p.Week))).
		Fact("weekly.balance", kit.Text(p.amount(v, p.Balance()))).
		Fact("weekly.booked", kit.Text(p.amount(v, p.OwnShare))).
		With("key", p.Key).Irreversible(true)
}

func (p *pages) confirm(r *kit.Request) error {
	_, _, err := p.Weekly.Confirm(r.Context(), r.Caller, &weekly.ConfirmRequest{ID: r.ID, IdempotencyKey: r.Text("key")})
	return p.settlement.Submit(r, err, "settlement.confirmed")
}

// receipt answers with the picture of a settlement.
func (p *pages) receipt(r *kit.Request) error {
	return r.SendPicture(p.Weekly.Receipt(r.Context(), r.Caller, r.ID, ""))
}
