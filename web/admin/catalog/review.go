package catalog

import (
	"slices"
	"strings"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/models"
	"banca/web/kit"
)

// sample is the sum, in whole units of a currency, on which the effect of a payout is shown.
const sample = 1_000

const maxCell = 240 // characters of a value in the list of changes

// week is what was sold of a game in the seven days before today.
type week struct {
	From, To businessday.Day
	Sold     []soldIn // by currency
}

// soldIn is a sum of sales in a currency.
type soldIn struct {
	Currency ledger.Currency
	Amount   money.Amount
}

// lastWeek returns what was sold of the game in the last seven days; nil for a user who reads no reports.
func (p *pages) lastWeek(r *kit.Request) (*week, error) {
	if !r.May(auth.ReportsRead) {
		return nil, nil //nolint:nilnil // nobody to tell
	}
	to := r.Today().AddDays(-1)
	w := &week{From: to.AddDays(1 - daysOfWeek), To: to}
	currencies, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	for _, c := range currencies {
		if c.Status != models.StatusActive {
			continue
		}
		report, err := p.Reports.Sales(r.Context(), r.Caller, &reports.Filter{From: w.From, To: w.To, Currency: c.Code, GameID: r.ID}, reports.GroupTotal)
		if err != nil {
			return nil, err
		}
		if sold := report.Total.Sold - report.Total.Voided - report.Total.Refunded; sold > 0 {
			w.Sold = append(w.Sold, soldIn{Currency: c, Amount: sold})
		}
	}
	return w, nil
}

// Changes lists the fields of the form that differ from the game, with their values before and after.
func (p *editPage) Changes(v *kit.View) *kit.Diff {
	before, after := formOf(p.Groups), formOf(p.Groups)
	for form, row := range map[*kit.Form]*models.Game{before: &p.Preview.Before, after: &p.Preview.After} {
		s := p.of(row)
		s.show(form, p.groups(s, nil))
	}
	diff := v.Diff()
	for _, g := range p.Groups {
		for _, part := range g.Parts {
			for i := range part.Inputs {
				was, is := before.Field(v, part.Inputs[i].Name), after.Field(v, part.Inputs[i].Name)
				if a, b := valueText(v, was), valueText(v, is); a != b {
					diff.Add(g.Title+" · "+was.Label, kit.Wrap(a), kit.Wrap(b))
				}
			}
		}
	}
	return diff
}

// valueText writes the value of a field as a person reads it.
func valueText(v *kit.View, f *kit.Field) string {
	if len(f.Options) == 0 {
		return shortened(strings.Join(strings.Fields(strings.ReplaceAll(f.Value, "\n", ", ")), " "))
	}
	var chosen []string
	for _, option := range f.Options {
		if option.Value != "" && (f.Value == option.Value || slices.Contains(f.Values, option.Value)) {
			chosen = append(chosen, option.Text)
		}
	}
	if len(f.Options) == 1 { // a yes or no
		return v.YesNo(len(chosen) > 0)
	}
	if f.Name == "weekdays" && len(chosen) == daysOfWeek {
		return v.T("edit.weekdays.all")
	}
	return strings.Join(chosen, ", ")
}

func shortened(text string) string {
	text = strings.TrimSuffix(text, ",")
	if runes := []rune(text); len(runes) > maxCell {
		return string(runes[:maxCell]) + "…"
	}
	return text
}

// returned is what a bet pays back before and after a change. One of them is nil for a bet that is new or taken away.
type returned struct{ was, is *catalog.Return }

// returns pairs what the bets pay back before and after the change.
func (p *editPage) returns() []returned {
	var pairs []returned
	find := func(list []catalog.Return, like *catalog.Return) *catalog.Return {
		at := slices.IndexFunc(list, func(r catalog.Return) bool { return r.BetType == like.BetType && r.Selection == like.Selection })
		if at < 0 {
			return nil
		}
		return &list[at]
	}
	for i := range p.Preview.Becomes {
		is := &p.Preview.Becomes[i]
		pairs = append(pairs, returned{was: find(p.Preview.Was, is), is: is})
	}
	for i := range p.Preview.Was {
		if was := &p.Preview.Was[i]; find(p.Preview.Becomes, was) == nil {
			pairs = append(pairs, returned{was: was})
		}
	}
	return pairs
}

// betText names a bet.
func betText(v *kit.View, game *catalog.Game, r *catalog.Return) string {
	text := v.T("bet." + r.BetType)
	if r.Selection != "" {
		text += " " + r.Selection
		if e := game.Element(r.Selection); e != nil && e.Name != e.Code {
			text += " " + e.Name
		}
	}
	return text
}

// margin is what the house keeps on average, in percent of the stake; negative if the bet pays out more than it takes in.
func margin(r *catalog.Return) money.BasisPoints { return money.FullRate - r.Percent() }

func marginText(v *kit.View, r *catalog.Return) string {
	if r == nil {
		return ""
	}
	return v.Percent(margin(r))
}

// Effect lists the bets whose margin changes, with what the house gains or loses of 1,000 that are bet.
func (p *editPage) Effect(v *kit.View) *kit.Diff {
	diff := v.Diff()
	if len(p.currencies) == 0 {
		return diff
	}
	c := p.currencies[p.sampleCurrency()]
	staked := money.Amount(sample) * scale(c.Digits)
	for _, pair := range p.returns() {
		if pair.was != nil && pair.is != nil && pair.was.Expected.Cmp(pair.is.Expected) == 0 {
			continue
		}
		named := pair.is
		if named == nil {
			named = pair.was
		}
		diff.Add(betText(v, p.game, named), kit.Text(marginText(v, pair.was)), kit.Text(marginText(v, pair.is)))
		if pair.was != nil && pair.is != nil {
			diff.Effect(pair.was.Of(staked)-pair.is.Of(staked), c.Digits, c.Symbol)
		}
	}
	return diff
}

// SampleText is the sum on which the effect is shown.
func (p *editPage) SampleText(v *kit.View) string {
	c := p.currencies[p.sampleCurrency()]
	return v.Money(money.Amount(sample)*scale(c.Digits), c.Digits) + " " + c.Symbol
}

// sampleCurrency is the index of the currency in which the most was sold, or of bolívares.
func (p *editPage) sampleCurrency() int {
	code := "VES"
	if p.Week != nil && len(p.Week.Sold) > 0 && !slices.ContainsFunc(p.Week.Sold, func(s soldIn) bool { return s.Currency.Code == code }) {
		code = p.Week.Sold[0].Currency.Code
	}
	return max(0, slices.IndexFunc(p.currencies, func(c ledger.Currency) bool { return c.Code == code }))
}

// WeekLines say what the change would have meant with the sales of the last week. Sales are known by game and not by bet: with several bets that
// change differently, the effect lies between those of all sales on the one and on the other.
func (p *editPage) WeekLines(v *kit.View) []string {
	if p.Week == nil {
		return nil
	}
	var lines []string
	for _, sold := range p.Week.Sold {
		low, high, changes := p.weekEffect(sold.Amount)
		if !changes {
			continue
		}
		amount := func(a money.Amount) string { return v.Signed(a, sold.Currency.Digits) + " " + sold.Currency.Symbol }
		total := v.Money(sold.Amount, sold.Currency.Digits) + " " + sold.Currency.Symbol
		if low == high {
			lines = append(lines, v.T("edit.week", total, v.Day(p.Week.From), v.Day(p.Week.To), amount(low)))
		} else {
			lines = append(lines, v.T("edit.week.between", total, v.Day(p.Week.From), v.Day(p.Week.To), amount(low), amount(high)))
		}
	}
	return lines
}

// weekEffect is the least and the greatest gain of the house if all sales had been on one of the bets.
func (p *editPage) weekEffect(sold money.Amount) (low, high money.Amount, changes bool) {
	first := true
	for _, pair := range p.returns() {
		if pair.was == nil || pair.is == nil || pair.is.Selection != "" {
			continue
		}
		gain := pair.was.Of(sold) - pair.is.Of(sold)
		if first {
			low, high, first = gain, gain, false
		}
		low, high = min(low, gain), max(high, gain)
		changes = changes || gain != 0
	}
	return low, high, changes
}

// Margins is the table of what the bets pay back, as the form is typed.
func (p *editPage) Margins(v *kit.View) (*kit.Table, error) {
	columns := []kit.Column[returned]{
		kit.WordColumn("label.bet_type", func(v *kit.View, r *returned) string {
			return betText(v, p.game, r.named())
		}).Wrapped(),
		kit.TextColumn("edit.pays", func(r *returned) string { return p.decimal(r.named().Payout.String()) + " ×" }).
			Numeric().If((*returned).stays),
		kit.PercentColumn("edit.returns", func(r *returned) money.BasisPoints { return r.named().Percent() }).
			If((*returned).stays).OnWide(),
		{Title: "edit.margin", Number: true, Cell: func(v *kit.View, r *returned) kit.Cell { return r.marginCell(v) }},
	}
	return v.BuildTable(kit.RowsOf(columns, p.returns(), nil, "edit.margin.none"))
}

// stays reports whether the bet is offered after the change.
func (r *returned) stays() bool { return r.is != nil }

func (r *returned) named() *catalog.Return {
	if r.is != nil {
		return r.is
	}
	return r.was
}

// marginCell is the margin, after the one before if it changes.
func (r *returned) marginCell(v *kit.View) kit.Cell {
	if r.is == nil {
		return kit.Text(v.T("edit.gone"))
	}
	cell := kit.Text(marginText(v, r.is))
	if r.was != nil && margin(r.was) != margin(r.is) {
		cell.Text = marginText(v, r.was) + " → " + cell.Text
	}
	switch {
	case margin(r.is) < 0:
		cell = cell.WithSecondLine(v.T("edit.loses"))
		cell.Style = "fall"
	case r.was == nil:
		cell = cell.WithSecondLine(v.T("edit.new"))
	}
	return cell
}
