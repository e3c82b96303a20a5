package closes

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/tickets"
)

// Means is what tickets were paid with otherwise than in cash of the currency of the close: the sum of a means in a currency, less
// change and cancelled tickets. A refund is given back in cash of the ticket's currency.
type Means struct {
	Means      string          `json:"means"`
	CurrencyID uuid.UUID       `json:"currency_id"`
	Currency   ledger.Currency `json:"-"`
	Expected   money.Amount    `json:"expected"` // in Currency
	Value      money.Amount    `json:"value"`    // in the currency of the close
	Counted    *money.Amount   `json:"counted"`  // in Currency; nil if it was not counted
}

// Variance is the counted amount less the expected one; zero if it was not counted.
func (m *Means) Variance() money.Amount {
	if m.Counted == nil {
		return 0
	}
	return *m.Counted - m.Expected
}

// TypedMeans is the counted amount of a means as a client sends it.
type TypedMeans struct {
	Means    string
	Currency string // id or code
	Amount   string
}

// maxMeans bounds the means that are counted.
const maxMeans = 20

// summed reads the events of a window: the columns of sums, not_cash and the rows of Means. A mobile payment is in the deposits of the
// wallet, which are not cash. The events of sales bound the ids of the tickets, so that a wallet's older payments are not read.
const summed = `WITH x AS MATERIALIZED (` + window + `), m AS (
		SELECT p.means, p.currency_id, sum(e.sign * p.amount)::bigint AS expected, sum(e.sign * p.value)::bigint AS value
		FROM ticket_payments p JOIN (SELECT ticket_id, CASE WHEN reverses_id IS NULL THEN 1 ELSE -1 END AS sign FROM x
			WHERE type = 'sale' AND CASE WHEN reverses_id IS NULL THEN id = ticket_id ELSE NOT refund END) e ON e.ticket_id = p.ticket_id
		WHERE p.wallet_id = $1 AND p.ticket_id >= (SELECT ticket_id FROM x WHERE type = 'sale' ORDER BY ticket_id LIMIT 1) AND NOT (p.means = 'cash' AND p.rate IS NULL)
		GROUP BY p.means, p.currency_id)
	SELECT s.*, coalesce((SELECT sum(value) FROM m WHERE means <> 'mobile'), 0)::bigint AS not_cash, (SELECT jsonb_agg(m ORDER BY means, currency_id) FROM m) AS means
	FROM (SELECT ` + sums + ` FROM x) s`

// partMeans sums the means of closes c, which are the parts of the close $1. A means is counted if every part with it counted it.
const partMeans = `(SELECT jsonb_agg(s ORDER BY means, currency_id) FROM (SELECT r->>'means' AS means, r->>'currency_id' AS currency_id, sum((r->>'expected')::bigint)::bigint AS expected,
	sum((r->>'value')::bigint)::bigint AS value, CASE WHEN bool_and(r->>'counted' IS NOT NULL) THEN sum((r->>'counted')::bigint)::bigint END AS counted
	FROM daily_close_parts p JOIN daily_closes c ON c.id = p.part_id CROSS JOIN LATERAL jsonb_array_elements(c.means) r WHERE p.close_id = $1 GROUP BY 1, 2) s)`

// meaning returns the fields of the meaning of counted means; none without any, as before there were means.
func meaningOf(means []TypedMeans) (fields []string) {
	for _, m := range means {
		fields = append(fields, "means", m.Means, m.Currency, idempotency.Decimal(m.Amount))
	}
	return fields
}

// countMeans validates the counted means of cash. Errors: ErrCash with all invalid parts.
func (s *Service) countMeans(ctx context.Context, cash *Cash, of *ledger.Currency) ([]Means, error) {
	if len(cash.Means) > maxMeans {
		return nil, ErrCash.WithDetails(apperr.Line("INVALID_COUNT", "expected fewer means", "max", strconv.Itoa(maxMeans)).At("cash.means"))
	}
	var list []Means
	var wrong []apperr.Detail
	for i, typed := range cash.Means {
		at := "cash.means[" + strconv.Itoa(i) + "]"
		currency, err := s.Ledger.AnyCurrency(ctx, typed.Currency)
		if err != nil && !errors.Is(err, ledger.ErrCurrencyNotFound) {
			return nil, err
		}
		own := typed.Means == tickets.Cash && currency.ID == of.ID // it is counted as cash
		if err != nil || own || !slices.Contains(tickets.Means(), typed.Means) || meansOf(list, typed.Means, currency.ID) != nil {
			wrong = append(wrong, apperr.Line("UNKNOWN_MEANS", "no such means of payment in this currency, or it is listed twice").At(at))
			continue
		}
		amount, err := money.ParseOrZero(typed.Amount, currency.Digits)
		if err != nil {
			wrong = append(wrong, invalidAmount(currency).At(at+".amount"))
			continue
		}
		list = append(list, Means{Means: typed.Means, CurrencyID: currency.ID, Currency: currency, Counted: &amount})
	}
	if wrong != nil {
		return nil, ErrCash.WithDetails(wrong...)
	}
	return list, nil
}

// meansOf returns the row of a means in a currency, or nil.
func meansOf(list []Means, means string, currency uuid.UUID) *Means {
	i := slices.IndexFunc(list, func(m Means) bool { return m.Means == means && m.CurrencyID == currency })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// withCounts returns the expected means with their counted amounts. A means that was counted and not expected is added.
func withCounts(expected, counted []Means) []Means {
	list := slices.Clone(expected)
	for i := range counted {
		if m := meansOf(list, counted[i].Means, counted[i].CurrencyID); m != nil {
			m.Counted = counted[i].Counted
		} else if *counted[i].Counted != 0 {
			list = append(list, counted[i])
		}
	}
	return list
}

// nameMeans adds the currencies of means.
func (s *Service) nameMeans(ctx context.Context, list []Means) error {
	for i := range list {
		list[i].Currency.ID = list[i].CurrencyID
	}
	return ledger.FillCurrencies(ctx, s.Ledger, list, func(m *Means) *ledger.Currency { return &m.Currency })
}
