package sales

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/tickets"
)

// Bounds of the payments of a ticket.
const (
	maxPayments  = 8
	maxChange    = 4
	maxReference = 36 // digits, as of a payment of the bank
	minMobile    = 4  // digits of the reference of a mobile payment
	maxRateAge   = 7  // days; banks set no rate on free days
)

// PaymentItem is a means of payment as asked for.
type PaymentItem struct {
	Means     string
	Currency  string // id or code; "" is the ticket's
	Amount    string
	Reference string // digits: the last ones, or all
}

// ChangeItem is change as asked for, which is given in cash.
type ChangeItem struct {
	Currency string // id or code; "" is the ticket's
	Amount   string
}

// Payment is a part of what a ticket was paid with. Change is cash with negative amounts.
type Payment struct {
	Means     string
	Currency  ledger.Currency
	Amount    money.Amount
	Value     money.Amount // in the ticket's currency, at Rate
	Rate      ledger.Rate  // of the day of the sale; 0 in the ticket's currency
	RateBase  uuid.UUID    // the currency of which Rate prices one unit
	Reference string

	bank     uuid.UUID    // the credit of the bank
	suspense bool         // the credit is in the suspense wallet
	unit     money.Amount // value of one minor unit; 0 in the ticket's currency
}

// Change reports whether the payment is change.
func (p *Payment) Change() bool { return p.Amount < 0 }

// paidAs is the meaning of the payments of a request, in the currency of a sale. A request without payments has none, as before
// there were payments.
func (s *Service) paidAs(ctx context.Context, r *request, currency string) ([]string, error) {
	if len(r.Payments) == 0 && len(r.Change) == 0 {
		return nil, nil
	}
	canonical := func(named string) (string, error) {
		if named == "" {
			return currency, nil
		}
		return s.canonicalCurrency(ctx, named)
	}
	fields := []string{"payments", strconv.Itoa(len(r.Payments))}
	for _, p := range r.Payments {
		in, err := canonical(p.Currency)
		if err != nil {
			return nil, err
		}
		fields = append(fields, p.Means, in, idempotency.Decimal(p.Amount), p.Reference)
	}
	fields = append(fields, "change", strconv.Itoa(len(r.Change)))
	for _, c := range r.Change {
		in, err := canonical(c.Currency)
		if err != nil {
			return nil, err
		}
		fields = append(fields, in, idempotency.Decimal(c.Amount))
	}
	return fields, nil
}

// quotePayments reads the payments of a request with the rates of the day. Errors: ErrPayments with all that cannot be taken, and
// errors of findCredit.
func (s *Service) quotePayments(ctx context.Context, q *quote, r *request) error {
	switch {
	case len(r.Payments) == 0 && len(r.Change) == 0:
		return nil
	case len(r.Payments) > maxPayments || len(r.Change) > maxChange:
		return ErrPayments.WithDetails(apperr.Line("TOO_MANY_PAYMENTS", "too many payments", "maximum", strconv.Itoa(maxPayments)).At("payments"))
	}
	till := &till{service: s, quote: q}
	var refused []apperr.Detail
	for i := range r.Payments {
		at := "payments[" + strconv.Itoa(i) + "]"
		wrong, err := till.take(ctx, &r.Payments[i], at)
		if err != nil {
			return err
		}
		refused = append(refused, wrong...)
		if wrong == nil && r.Payments[i].Means == tickets.Mobile {
			if err := s.findCredit(ctx, q, &q.payments[len(q.payments)-1], at); err != nil {
				return err
			}
		}
	}
	for i, c := range r.Change {
		at := "change[" + strconv.Itoa(i) + "]"
		wrong, err := till.take(ctx, &PaymentItem{Means: tickets.Cash, Currency: c.Currency, Amount: c.Amount}, at)
		if err != nil {
			return err
		}
		if wrong == nil {
			given := &q.payments[len(q.payments)-1]
			given.Amount, given.Value = -given.Amount, -given.Value
		}
		refused = append(refused, wrong...)
	}
	if refused == nil && q.cashTaken() < 0 {
		refused = append(refused, apperr.Line("PAYMENT_CHANGE", "the change is more than the cash").At("change"))
	}
	if refused != nil {
		return ErrPayments.WithDetails(refused...)
	}
	return nil
}

// cashTaken is the value of the cash less the change.
func (q *quote) cashTaken() (sum money.Amount) {
	for i := range q.payments {
		if q.payments[i].Means == tickets.Cash {
			sum += q.payments[i].Value
		}
	}
	return sum
}

// till reads payments. It asks for the rates of the day once, and only if a payment is in another currency.
type till struct {
	service *Service
	quote   *quote
	rates   map[uuid.UUID]ledger.ExchangeRate
}

// take adds a payment to the quote, or returns why it cannot be taken.
func (t *till) take(ctx context.Context, item *PaymentItem, at string) ([]apperr.Detail, error) {
	own := &t.quote.currency
	p := Payment{Means: item.Means, Reference: item.Reference, Currency: *own}
	if wrong := checkMeans(item); wrong != nil {
		return []apperr.Detail{wrong.At(at + ".means")}, nil
	}
	if item.Currency != "" {
		var err error
		p.Currency, err = t.service.Ledger.Currency(ctx, item.Currency)
		if errors.Is(err, ledger.ErrCurrencyNotFound) {
			return []apperr.Detail{apperr.Line("PAYMENT_CURRENCY", "payments are not taken in this currency").At(at + ".currency")}, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if p.Means == tickets.Mobile && (p.Currency.ID != own.ID || own.Code != t.service.Options.PaymentCurrency) {
		return []apperr.Detail{apperr.Line("PAYMENT_CURRENCY", "payments are not taken in this currency").At(at + ".currency")}, nil
	}
	amount, err := money.Parse(item.Amount, p.Currency.Digits)
	if err != nil || amount > money.MaxAmount {
		wrong := apperr.Line("INVALID_AMOUNT", "amount "+money.Expected, "digits", strconv.Itoa(p.Currency.Digits))
		return []apperr.Detail{wrong.At(at + ".amount")}, nil //nolint:nilerr // it is the refusal
	}
	p.Amount, p.Value = amount, amount
	if p.Currency.ID != own.ID {
		if wrong, err := t.convert(ctx, &p, at); err != nil || wrong != nil {
			return wrong, err
		}
	}
	t.quote.payments = append(t.quote.payments, p)
	return nil, nil
}

// checkMeans checks the means and the reference of a payment.
func checkMeans(item *PaymentItem) *apperr.Detail {
	least, most := 0, maxReference
	switch item.Means {
	case tickets.Cash:
		most = 0
	case tickets.Card:
	case tickets.Mobile:
		least = minMobile
	default:
		return apperr.Line("PAYMENT_MEANS", "the means is cash, card or mobile")
	}
	if n := len(item.Reference); n < least || n > most || strings.Trim(item.Reference, "0123456789") != "" {
		return apperr.Line("PAYMENT_REFERENCE", "a mobile payment has the last four digits of its reference or more, a card at most 36, cash none")
	}
	return nil
}

// convert sets the value of a payment in another currency than the ticket's, at the last rate of the pair up to today.
func (t *till) convert(ctx context.Context, p *Payment, at string) ([]apperr.Detail, error) {
	own, today := t.quote.currency, businessday.Of(t.quote.now, t.service.Options.Zone)
	if t.rates == nil {
		var err error
		if t.rates, err = t.service.Ledger.Equivalents(ctx, own, today); err != nil {
			return nil, apperr.ErrStore.WithCause(err)
		}
	}
	rate, quoted := t.rates[p.Currency.ID]
	if !quoted || rate.Day.DaysUntil(today) > maxRateAge {
		return []apperr.Detail{apperr.Line("PAYMENT_RATE", "there is no exchange rate of the last days", "currency", p.Currency.Code).At(at)}, nil
	}
	value, fits := rate.Convert(p.Amount, p.Currency.ID)
	unit, unitFits := rate.Convert(1, p.Currency.ID)
	if !fits || !unitFits || value > money.MaxAmount {
		return []apperr.Detail{apperr.Line("AMOUNT_TOO_LARGE", "amount is too large").At(at)}, nil
	}
	p.Value, p.unit, p.Rate, p.RateBase = value, unit, rate.Rate, rate.Base.ID
	return nil, nil
}

// settle compares the payments with the total of the ticket, which they have to reach as nearly as the minor units of the other
// currencies allow. The last payment in another currency gets the difference, so that the values sum to the total. Exact cash is
// not stored. What the cash is too much for a ticket that was cut becomes change. Errors: ErrPaymentsDiffer with what is missing or
// too much, and with the total of a ticket that was cut.
func (q *quote) settle(total money.Amount, cut bool) error {
	if len(q.payments) == 0 {
		return nil
	}
	missing, last, others := total, -1, money.Amount(0)
	var unit money.Amount
	exactCash := true
	for i := range q.payments {
		p := &q.payments[i]
		missing -= p.Value
		exactCash = exactCash && p.Means == tickets.Cash && p.Rate == 0
		if p.Rate != 0 {
			others, unit = others+1, max(unit, p.unit)
			if !p.Change() || last < 0 {
				last = i
			}
		}
	}
	switch {
	case max(missing, -missing) <= (unit+1)/2+others/2:
	case cut && missing < 0 && q.cashTaken()+missing >= 0:
		q.payments = append(q.payments, Payment{Means: tickets.Cash, Currency: q.currency, Amount: missing, Value: missing})
		missing = 0
	default:
		wrong := q.difference(missing).At("payments")
		if cut {
			wrong.Available = total.Format(q.currency.Digits)
		}
		return ErrPaymentsDiffer.WithDetails(wrong)
	}
	if last >= 0 {
		q.payments[last].Value += missing
	}
	if exactCash {
		q.payments = nil
	}
	return nil
}

// difference says how much is missing, or too much.
func (q *quote) difference(missing money.Amount) *apperr.Detail {
	if missing > 0 {
		return apperr.Line("PAYMENT_MISSING", "the payments are less than the total", "amount", missing.Format(q.currency.Digits), "currency", q.currency.Code)
	}
	return apperr.Line("PAYMENT_EXCESS", "the payments less the change are more than the total", "amount", (-missing).Format(q.currency.Digits), "currency", q.currency.Code)
}

// queuePayments inserts the payments of the sales that have any, by the ids of their credits: batches that name the same credits in another
// order wait for each other at the unique index, and do not deadlock.
func queuePayments(b *pgx.Batch, list []*pendingSale) {
	var rows []tickets.Payment
	for _, p := range list {
		for i := range p.quote.payments {
			paid := &p.quote.payments[i]
			rows = append(rows, tickets.Payment{
				TicketID: p.ticket.ID, WalletID: p.ticket.WalletID, LineNo: int16(i), Means: paid.Means, CurrencyID: paid.Currency.ID,
				Amount: int64(paid.Amount), Value: int64(paid.Value), Rate: int64(paid.Rate), RateBaseID: paid.RateBase,
				Reference: paid.Reference, BankPaymentID: paid.bank, CreatedAt: p.ticket.CreatedAt,
			})
		}
	}
	slices.SortStableFunc(rows, func(a, b tickets.Payment) int { return bytes.Compare(a.BankPaymentID[:], b.BankPaymentID[:]) })
	tickets.QueuePayments(b, rows)
}

// withPayments adds to a ticket how it was paid.
func (s *Service) withPayments(ctx context.Context, t *Ticket) error {
	rows, err := tickets.PaymentsOf(ctx, s.PG.Pool, t.ID)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		currency, err := s.Ledger.AnyCurrency(ctx, row.CurrencyID.String())
		if err != nil {
			return err
		}
		t.Payments = append(t.Payments, Payment{
			Means: row.Means, Currency: currency, Amount: money.Amount(row.Amount), Value: money.Amount(row.Value),
			Rate: ledger.Rate(row.Rate), RateBase: row.RateBaseID, Reference: row.Reference, bank: row.BankPaymentID,
		})
	}
	return nil
}

// paidByBank reports whether a credit of the bank paid a part of the ticket.
func (t *Ticket) paidByBank() bool {
	return slices.ContainsFunc(t.Payments, func(p Payment) bool { return p.bank != uuid.Nil })
}
