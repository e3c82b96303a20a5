package closes

import (
	"crypto/rand"
	"slices"
	"strconv"
	"time"

	"banca/internal/auth"
	"banca/internal/closes"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// closePage is a daily close, with the form that closes an open one.
type closePage struct {
	closes.Close

	Totals kit.Rows
	Cash   kit.Rows // counted; nil for none
	Parts  kit.Rows // of an entity above ticket points; nil for none
	Passed kit.Rows // handovers of the drawer; nil for none
	Means  kit.Rows // of payment besides cash in the currency; nil for none
	Form   *kit.Form
	Closes bool // the caller may close it
	Opener string
	Closer string
	Key    string

	typed *typedCash // nil before the form is sent
}

// typedCash is the sum of the form, as far as its fields are valid.
type typedCash struct{ counted, opening money.Amount }

// At is the address of the page.
func (p *closePage) At() string { return addressOf(p.ID) }

// ExpectedUnits is the expected cash without the opening cash, in minor units, for the script that sums the form.
func (p *closePage) ExpectedUnits() int64 { return int64(p.Close.Cash()) }

// cashSums are the sums of the cash.
type cashSums struct{ Opening, Counted, Expected, Variance money.Amount }

// Sums are those of the typed form, or of the closed day.
func (p *closePage) Sums() (sums cashSums) {
	sums.Opening = p.OpeningCash
	switch {
	case p.typed != nil:
		sums.Opening, sums.Counted, sums.Expected = p.typed.opening, p.typed.counted, p.typed.opening+p.Close.Cash()
	case p.Counted:
		sums.Counted, sums.Expected = p.CashTotal, p.ExpectedCash()
	default:
		sums.Expected = p.ExpectedCash()
	}
	sums.Variance = sums.Counted - sums.Expected
	return sums
}

func (p *pages) load(r *kit.Request) (*closePage, error) {
	c, err := p.Closes.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	page := &closePage{
		Close: *c, Totals: kit.RowsOf(totalColumns(c.Currency.Digits), totalRows(c), nil, ""), Closes: c.Status == closes.Open && r.May(auth.ClosesWrite), Key: rand.Text(),
	}
	if page.Closes {
		page.Form = cashForm(r, c)
	}
	if len(c.Counts) > 0 {
		page.Cash = kit.RowsOf(countColumns(c), c.Counts, nil, "")
	}
	if len(c.Means) > 0 && !c.Blind {
		page.Means = kit.RowsOf(meansColumns(c), c.Means, nil, "")
	}
	passed, err := p.Closes.Handovers(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	if len(passed) > 0 {
		page.Passed = kit.RowsOf(handoverColumns(c), passed, nil, "")
	}
	if c.Above() {
		parts, err := p.Closes.Parts(r.Context(), r.Caller, r.ID)
		if err != nil {
			return nil, err
		}
		page.Parts = kit.RowsOf(columnsOf(parts), parts, address, "closes.parts.none")
	}
	return page, nil
}

// totalRow is a line of the totals.
type totalRow struct {
	name   string // key
	count  int64  // -1 for none
	amount money.Amount
	sum    bool // what the ticket point owes, or is owed, of the lines above
}

// totalRows are the lines with something to tell.
func totalRows(c *closes.Close) []totalRow {
	name, net := "closes.owes", c.Net()
	if net < 0 {
		name, net = "closes.is_owed", -net
	}
	rows := []totalRow{
		{"closes.sales", c.Tickets, c.Sales, false}, {"closes.voids", c.Voided, -c.Voids, false}, {"closes.refunds", c.Refunded, -c.Refunds, false},
		{"closes.prizes", c.Paid, -c.Prizes, false}, {"closes.commissions", -1, -c.Commissions, false},
		{"closes.participations", -1, -c.Participations, false}, {name, -1, net, true}, {"closes.deposits", -1, c.Deposits, false},
		{"closes.withdrawals", -1, c.Withdrawals, false}, {"closes.notcash", -1, c.NotCash, false}, {"closes.late", c.LateEvents, c.LateNet, false},
	}
	return slices.DeleteFunc(rows, func(t totalRow) bool { return t.amount == 0 && t.count <= 0 && !t.sum && t.name != "closes.sales" })
}

func totalColumns(digits int) []kit.Column[totalRow] {
	return []kit.Column[totalRow]{
		kit.WordColumn("closes.concept", func(v *kit.View, t *totalRow) string {
			if t.count < 0 {
				return v.T(t.name)
			}
			return v.T(t.name) + " (" + v.Count(t.count) + ")"
		}).Wrapped().Strong(func(t *totalRow) bool { return t.sum }),
		kit.AmountColumn("label.amount", func(t *totalRow) (money.Amount, int) { return t.amount, digits }).Strong(func(t *totalRow) bool { return t.sum }),
	}
}

func countColumns(c *closes.Close) []kit.Column[closes.Count] {
	digits := c.Currency.Digits
	return []kit.Column[closes.Count]{
		kit.AmountColumn("closes.denomination", func(n *closes.Count) (money.Amount, int) { return n.Denomination, digits }),
		kit.CountColumn("closes.number", func(n *closes.Count) int64 { return n.Count }),
		kit.AmountColumn("label.amount", func(n *closes.Count) (money.Amount, int) { return n.Denomination * money.Amount(n.Count), digits }),
	}
}

// countField is the name of the field of a denomination.
func countField(denomination money.Amount) string {
	return "n-" + strconv.FormatInt(int64(denomination), 10)
}

// meansField is the name of the field of a means of payment in a currency.
func meansField(m *closes.Means) string { return "m-" + m.Means + "-" + m.Currency.Code }

// cashForm is the form that counts the cash and closes the day.
func cashForm(r *kit.Request, c *closes.Close) *kit.Form {
	var inputs []kit.Input
	if !c.Above() {
		digits := " data-digits=" + strconv.Itoa(c.Currency.Digits)
		inputs = append(inputs, kit.TextInput("opening", "closes.opening", 24).With("inputmode=decimal autocomplete=off data-amount=opening"+digits).
			WithRule("input.money", false).At("opening_cash"))
		for _, d := range closes.Denominations(c.Currency) {
			label := r.Money(d, c.Currency.Digits) + " ×"
			inputs = append(inputs, kit.NumberInput(countField(d), label, 7).With("data-unit="+strconv.FormatInt(int64(d), 10)+" autocomplete=off").WithRule("closes.count.rule", false))
		}
		inputs = append(inputs,
			kit.TextInput("other", "closes.other", 24).With("inputmode=decimal autocomplete=off data-amount=counted"+digits).
				WithRule("input.money", false).At("cash.other"))
		for i := range c.Means {
			m := &c.Means[i]
			inputs = append(inputs, kit.TextInput(meansField(m), r.T("closes.means."+m.Means)+" "+m.Currency.Unit(), 24).
				With("inputmode=decimal autocomplete=off").WithRule("input.money", false))
		}
	}
	form := kit.NewForm(append(inputs, kit.LinesInput("note", "label.note", 2).With("maxlength=500"))...)
	if c.OpeningCash > 0 {
		form.Put("opening", r.Money(c.OpeningCash, c.Currency.Digits))
	}
	return form
}

// request returns the request of the form. ok is false if a count is no number; its field is refused then.
func request(r *kit.Request, page *closePage) (req *closes.CloseRequest, ok bool) {
	req = &closes.CloseRequest{ID: page.ID, Note: r.Text("note"), IdempotencyKey: r.Form("key")}
	if page.Above() {
		return req, true
	}
	req.Cash.Other, req.OpeningCash, ok = kit.Decimal(r.Text("other")), kit.Decimal(r.Text("opening")), true
	page.typed = &typedCash{}
	digits := page.Currency.Digits
	page.typed.counted, _ = money.ParseOrZero(req.Cash.Other, digits) // an invalid amount counts as zero until it is refused
	page.typed.opening, _ = money.ParseOrZero(req.OpeningCash, digits)
	if req.OpeningCash == "" {
		req.OpeningCash = "0"
	}
	for _, d := range closes.Denominations(page.Currency) {
		typed := r.Text(countField(d))
		if typed == "" {
			continue
		}
		n, err := strconv.ParseInt(typed, 10, 32)
		if err != nil || n < 0 {
			page.Form.Refuse(countField(d))
			ok = false
			continue
		}
		page.typed.counted += d * money.Amount(n)
		req.Cash.Counts = append(req.Cash.Counts, closes.TypedCount{Denomination: d.Format(digits), Count: n})
	}
	return req, meansOf(r, page, req) && ok
}

// meansOf adds the counted means to a request. It reports whether all are amounts; the fields of others are refused.
func meansOf(r *kit.Request, page *closePage, req *closes.CloseRequest) bool {
	ok := true
	for i := range page.Close.Means {
		m := &page.Close.Means[i]
		typed := kit.Decimal(r.Text(meansField(m)))
		if typed == "" {
			continue
		}
		if _, err := money.ParseOrZero(typed, m.Currency.Digits); err != nil {
			page.Form.Refuse(meansField(m))
			ok = false
			continue
		}
		req.Cash.Means = append(req.Cash.Means, closes.TypedMeans{Means: m.Means, Currency: m.Currency.Code, Amount: typed})
	}
	return ok
}

// sum shows the form with its sums, for a browser without scripts.
func (p *pages) sum(r *kit.Request) error {
	page, err := p.load(r)
	if err != nil {
		return err
	}
	if page.Form == nil {
		return p.close.ShowRefusal(r, closes.ErrClosed)
	}
	page.Form.FillFrom(r)
	if _, ok := request(r, page); !ok {
		return r.Write(422, p.close.Template, page, r.T("code.CASH_INVALID"))
	}
	return r.Render(p.close.Template, page)
}

// finish closes the day.
func (p *pages) finish(r *kit.Request) error {
	page, err := p.load(r)
	if err != nil {
		return err
	}
	if page.Form == nil { // a closed day: the form may be a repeat of the one that closed it
		page.Form = cashForm(r, &page.Close)
	}
	req, ok := request(r, page)
	err = closes.ErrCash
	if ok {
		_, _, err = p.Closes.Close(r.Context(), r.Caller, req)
	}
	return p.close.Submit(r, err, "day.closed", func(again *closePage) {
		if again.Form == nil {
			return
		}
		again.typed, again.Form = page.typed, page.Form
		again.Form.FillFrom(r).RefuseBy(err, "")
	})
}

// handoverColumns are the columns of the handovers of a close.
func handoverColumns(c *closes.Close) []kit.Column[closes.Handover] {
	amount := kit.AmountsOf(func(*closes.Handover) int { return c.Currency.Digits })
	return []kit.Column[closes.Handover]{
		kit.TimeColumn("handover.given", func(h *closes.Handover) time.Time { return h.GivenAt }),
		kit.TextColumn("handover.by", func(h *closes.Handover) string { return h.Giver }),
		{Title: "handover.to", Cell: func(v *kit.View, h *closes.Handover) kit.Cell {
			if h.TakenAt.IsZero() {
				return kit.Badges(kit.Badge{Tone: kit.ToneWaiting, Text: v.T("handover.waits")})
			}
			return kit.Text(h.Taker).WithSecondLine(v.Clock(h.TakenAt))
		}},
		amount("closes.expected.cash", func(h *closes.Handover) money.Amount { return h.Expected }),
		amount("closes.counted", func(h *closes.Handover) money.Amount { return h.Counted }),
		amount("closes.variance", func(h *closes.Handover) money.Amount { return h.Variance() }),
		kit.TextColumn("label.note", func(h *closes.Handover) string { return h.Note }),
	}
}
