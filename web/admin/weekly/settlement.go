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

// line is a line of the calculation. Strong lines are sums of the lines above.
type line struct {
	Title, Note, Amount string
	Strong              bool
}

// calculation is the lines of a settlement in the language of a page.
type calculation struct {
	view   *kit.View
	digits int
	lines  []line
}

// add adds a line with the text of a key as its title.
func (c *calculation) add(title string, amount money.Amount) *line {
	c.lines = append(c.lines, line{Title: c.view.T(title), Amount: c.view.Money(amount, c.digits)})
	return &c.lines[len(c.lines)-1]
}

// addIf adds a line unless its amount is zero.
func (c *calculation) addIf(title string, amount money.Amount) {
	if amount != 0 {
		c.add(title, amount)
	}
}

func (c *calculation) sum(title string, amount money.Amount) { c.add(title, amount).Strong = true }

// owed adds a debt with who owes it, as the list of the week says it.
func (c *calculation) owed(title string, amount money.Amount) *line {
	c.lines = append(c.lines, line{Title: c.view.T(title), Amount: owedCell(c.view, amount, c.digits).Text})
	return &c.lines[len(c.lines)-1]
}

// sales adds the sales less prizes and commissions, with which each calculation begins.
func (p *settlementPage) sales(v *kit.View) *calculation {
	c := &calculation{view: v, digits: p.Currency.Digits}
	c.add("weekly.sales", p.Sales)
	c.add("weekly.less.prizes", -p.Prizes)
	c.add("weekly.less.commissions", -p.Commissions)
	return c
}

// Lines lead from the sales to the amount that is left.
func (p *settlementPage) Lines(v *kit.View) []line {
	c, mode := p.sales(v), v.T("weekly.mode."+p.Mode)
	c.add("weekly.less.participation", -p.Participation).Note = v.T("weekly.rate", v.Percent(p.Rate)) + " · " + mode
	for i := range p.adjustments { // of earlier weeks
		a := &p.adjustments[i]
		restated := c.add("weekly.adjustment", a.Due())
		restated.Title = v.T("weekly.adjustment", v.Day(a.Week))
		restated.Note = v.T("weekly.adjustment.parts", v.Money(a.Prizes, c.digits), v.Money(a.Participation, c.digits))
	}
	c.owed("weekly.due", p.BeforePayments()).Strong = true
	c.owed("weekly.previous", p.Previous)
	if p.Moved != 0 {
		c.owed("weekly.moved", p.Moved)
	}
	c.add("weekly.payments", -p.Payments)
	c.owed("weekly.balance", p.Balance()).Strong = true
	if p.Paid != 0 {
		c.add("weekly.less.paid", -p.Paid)
		c.owed("weekly.left", p.Outstanding()).Strong = true
	}
	return c.lines
}

// ShareLines lead from the sales to the participation.
func (p *settlementPage) ShareLines(v *kit.View) []line {
	c := p.sales(v)
	c.addIf("weekly.less.commissions.above", -p.CommissionsAbove)
	c.sum("weekly.result", p.Result())
	c.addIf("weekly.loss.before", p.Carried)
	c.lines = append(c.lines, line{Title: v.T("weekly.rate.title"), Amount: v.Percent(p.Rate), Note: v.T("weekly.mode." + p.Mode)})
	c.sum("weekly.participation", p.Participation)
	c.add("weekly.own", p.OwnShare)
	c.addIf("weekly.loss.after", p.CarryOut)
	return c.lines
}

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
		With("key", p.Key)
}

func (p *pages) confirm(r *kit.Request) error {
	_, _, err := p.Weekly.Confirm(r.Context(), r.Caller, &weekly.ConfirmRequest{ID: r.ID, IdempotencyKey: r.Text("key")})
	return p.settlement.Submit(r, err, "settlement.confirmed")
}

// receipt answers with the picture of a settlement.
func (p *pages) receipt(r *kit.Request) error {
	return r.SendPicture(p.Weekly.Receipt(r.Context(), r.Caller, r.ID, ""))
}
