package prizes

import (
	"crypto/rand"
	"slices"
	"strings"
	"time"

	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

// prizePage is the prize of one ticket with what can be done with it.
type prizePage struct {
	*prizes.Detail

	Pays, Cancels                   bool
	LineRows, PaidRows, DisputeRows kit.Rows
	Links                           []kit.MenuLink // related pages that the caller may open

	key string // of the forms, so that sending one twice does one thing
}

func (p *pages) load(r *kit.Request) (*prizePage, error) {
	d, err := p.Prizes.Get(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	return &prizePage{
		Links:  r.Links(kit.MenuLink{Title: "search.ticket", Path: links.Tickets + "/" + d.TicketID.String()}, kit.MenuLink{Title: "messages.of", Path: links.Messages + "?ticket=" + d.Serial}),
		Detail: d, Pays: r.May(auth.PrizesPay), Cancels: r.May(auth.PrizesCancel), key: rand.Text(),
		LineRows:    kit.RowsOf(lineColumns(d.Currency.Digits), d.Lines, nil, "prize.lines.none"),
		PaidRows:    kit.RowsOf(paymentColumns(&d.Currency), d.Payments, nil, ""),
		DisputeRows: kit.RowsOf(disputeColumns(d.Currency.Digits), d.Differences, nil, ""),
	}, nil
}

// DrawsText names the draws in which the ticket won; annulled wins are in the lines.
func (p *prizePage) DrawsText(v *kit.View) string {
	var list []prizes.Drawn
	for i := range p.Lines {
		d := prizes.Drawn{Game: p.Lines[i].Game, Time: p.Lines[i].DrawTime}
		if p.Lines[i].AnnulledAt.IsZero() && !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return drawsText(v, list)
}

// Pay is the form that pays the prize; nil for a ticket or a caller that cannot.
func (p *prizePage) Pay(v *kit.View) *kit.Question {
	if !p.Pays || p.State != models.TicketWon {
		return nil
	}
	amount := v.Money(p.Prize.Prize, p.Currency.Digits)
	code := kit.TextInput("code", "label.validation", 20).With("inputmode=numeric autocomplete=off").Required()
	return v.Question("", prizeAddress(&p.Prize)+"/pay", v.T("prize.pay.ask", amount, p.Currency.Unit(), p.Serial), v.T("prize.pay.do", amount, p.Currency.Unit())).
		With("key", p.key).WithForm(kit.NewForm(code))
}

// Cancel is the question that cancels the payment that stands; nil without one, or for a caller that cannot.
func (p *prizePage) Cancel(v *kit.View) *kit.Question {
	live := slices.IndexFunc(p.Payments, func(paid prizes.Payment) bool { return paid.CancelledAt.IsZero() })
	if !p.Cancels || live < 0 {
		return nil
	}
	ask := v.T("prize.cancel.ask", v.Money(p.Payments[live].Amount, p.Currency.Digits), p.Currency.Unit(), p.Serial, p.Entity)
	return v.Question(v.T("prize.cancel"), prizeAddress(&p.Prize)+"/cancel", ask, v.T("prize.cancel.do")).Irreversible(true).
		With("key", p.key).WithForm(kit.NewForm(kit.TextInput("reason", "label.reason", 300).Required()))
}

func lineColumns(digits int) []kit.Column[prizes.WinningLine] {
	return []kit.Column[prizes.WinningLine]{
		kit.WordColumn("label.draw", func(v *kit.View, l *prizes.WinningLine) string { return l.Game + " " + v.Clock(l.DrawTime) }).
			To(func(l *prizes.WinningLine) string { return links.Exposure + "/" + l.DrawID.String() }),
		kit.TextColumn("label.result", func(l *prizes.WinningLine) string { return l.ResultText }),
		kit.WordColumn("label.bet_type", func(v *kit.View, l *prizes.WinningLine) string { return v.T("bet." + l.BetType) }),
		kit.TextColumn("label.selection", func(l *prizes.WinningLine) string {
			return strings.Join(slices.Compact([]string{strings.ReplaceAll(l.Selection, ",", " "), l.Name}), " ")
		}),
		kit.AmountColumn("label.stake", func(l *prizes.WinningLine) (money.Amount, int) { return l.Stake, digits }),
		kit.AmountColumn("label.prize", func(l *prizes.WinningLine) (money.Amount, int) { return l.Prize, digits }),
		{Title: "label.state", Lead: true, Cell: func(v *kit.View, l *prizes.WinningLine) kit.Cell {
			return annulledCell(v, v.State("winning", "counts"), l.AnnulledAt)
		}},
	}
}

func paymentColumns(currency *ledger.Currency) []kit.Column[prizes.Payment] {
	return []kit.Column[prizes.Payment]{
		kit.TimeColumn("label.paid_at", func(p *prizes.Payment) time.Time { return p.PaidAt }),
		kit.TextColumn("label.user", func(p *prizes.Payment) string { return p.Payer }).
			Below(func(_ *kit.View, p *prizes.Payment) string { return p.PayerEntity }),
		kit.WordColumn("label.amount", func(v *kit.View, p *prizes.Payment) string {
			return v.Money(p.Amount, currency.Digits) + " " + currency.Unit()
		}).Numeric(),
		{Title: "label.state", Lead: true, Cell: func(v *kit.View, p *prizes.Payment) kit.Cell {
			return annulledCell(v, v.State("prize", "paid"), p.CancelledAt)
		}},
		kit.TextColumn("label.reason", func(p *prizes.Payment) string { return p.CancelReason }),
	}
}

// annulledCell shows a state, or since when it is annulled.
func annulledCell(v *kit.View, state kit.Badge, annulledAt time.Time) kit.Cell {
	if annulledAt.IsZero() {
		return kit.Badges(state)
	}
	return kit.Cell{Badges: []kit.Badge{v.State("winning", "annulled")}, Time: v.Time(annulledAt)}
}

func disputeColumns(digits int) []kit.Column[prizes.Difference] {
	return []kit.Column[prizes.Difference]{
		{Title: "label.time", Cell: func(v *kit.View, d *prizes.Difference) kit.Cell {
			return v.At(d.CreatedAt).To(differencesPath + "?status=" + d.Status)
		}},
		kit.StateColumn("difference", func(d *prizes.Difference) string { return d.Status }),
		kit.AmountColumn("label.paid", func(d *prizes.Difference) (money.Amount, int) { return d.Paid, digits }),
		kit.AmountColumn("label.due", func(d *prizes.Difference) (money.Amount, int) { return d.Due, digits }),
		kit.TextColumn("label.note", func(d *prizes.Difference) string { return d.Note }),
	}
}

// pay pays a ticket whose validation code was typed.
func (p *pages) pay(r *kit.Request) error {
	_, err := p.Prizes.Pay(r.Context(), r.Caller, &prizes.PayRequest{TicketID: r.ID, ValidationCode: r.Text("code"), IdempotencyKey: r.Form("key")})
	return p.prize.Submit(r, err, "prize.paid")
}

// cancel cancels the payment of a prize.
func (p *pages) cancel(r *kit.Request) error {
	_, err := p.Prizes.Cancel(r.Context(), r.Caller, &prizes.CancelRequest{TicketID: r.ID, Reason: r.Text("reason"), IdempotencyKey: r.Form("key")})
	return p.prize.Submit(r, err, "prize.cancelled")
}

// slip answers with the picture of the slip of a payment.
func (p *pages) slip(r *kit.Request) error {
	return r.SendPicture(p.Prizes.Slip(r.Context(), r.Caller, r.ID, ""))
}

// SlipAddress is the address of the slip; "" for a prize that is not paid.
func (p *prizePage) SlipAddress() string {
	if len(p.Payments) == 0 || !p.Payments[0].CancelledAt.IsZero() {
		return ""
	}
	return path + "/" + p.TicketID.String() + "/receipt"
}
