package sales_test

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// paying is a bundle with a rate of the day, 36.5123 VES for a dollar, and a bank that pays in VES.
func paying(t testing.TB) *bundle {
	t.Helper()
	b := setup(t)
	b.Options.PaymentCurrency = "VES"
	b.rate(t, "36.5123")
	return b
}

// rate sets the rate of the dollar of the day.
func (b *bundle) rate(t testing.TB, rate string) {
	t.Helper()
	dollar, err := b.Ledger.Currency(t.Context(), "USD")
	require.NoError(t, err)
	_, err = b.Ledger.SetRate(t.Context(), fixture.As(fixture.Cashier), &ledger.RateRequest{
		BaseID: dollar.ID, Quote: "VES", Day: businessday.Of(b.Clock.Now(), b.Options.Zone), Rate: rate,
	})
	require.NoError(t, err)
}

// paid is a ticket of 100.00 VES with payments and change, each a means or a currency with an amount.
func (b *bundle) paid(t testing.TB, payments []sales.PaymentItem, change ...sales.ChangeItem) *sales.SellRequest {
	t.Helper()
	req := b.request(b.draw(t, "lotto-activo", 0), "5", "100.00")
	req.Payments, req.Change = payments, change
	return req
}

// The values of all means less the change are the total, at the rate of the sale, which a later rate does not change.
func TestASaleIsPaidByOtherMeans(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := paying(t)
	tests := []struct {
		name   string
		paid   []sales.PaymentItem
		change []sales.ChangeItem
		values []money.Amount // of the rows; none for exact cash
	}{
		{"exact cash", []sales.PaymentItem{{Means: "cash", Amount: "100"}}, nil, nil},
		{"cash with change", []sales.PaymentItem{{Means: "cash", Currency: "VES", Amount: "120"}}, []sales.ChangeItem{{Amount: "20"}}, nil},
		{"card", []sales.PaymentItem{{Means: "card", Amount: "100.00", Reference: "001234"}}, nil, []money.Amount{100_00}},
		{"card and cash", []sales.PaymentItem{{Means: "card", Amount: "60"}, {Means: "cash", Amount: "40"}}, nil, []money.Amount{60_00, 40_00}},
		{
			"dollars with change in bolivars", []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "3"}}, []sales.ChangeItem{{Amount: "9.54"}},
			[]money.Amount{109_54, -9_54},
		},
		{
			"dollars with change in both", []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "20"}},
			[]sales.ChangeItem{{Currency: "USD", Amount: "17"}, {Amount: "9.54"}}, []money.Amount{730_25, -620_71, -9_54},
		},
		{"dollars to the nearest cent", []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "2.74"}}, nil, []money.Amount{100_00}},
		{"a card in dollars", []sales.PaymentItem{{Means: "card", Currency: "USD", Amount: "1"}, {Means: "cash", Amount: "63.49"}}, nil, []money.Amount{36_51, 63_49}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := keyed(b.paid(t, tt.paid, tt.change...), tt.name)
			sold, err := b.Sell(t.Context(), req)
			require.NoError(t, err)
			var values []money.Amount
			for _, p := range sold.Ticket.Payments {
				values = append(values, p.Value)
			}
			require.Equal(t, tt.values, values)
			require.EqualValues(t, len(tt.values), b.Number(t, `SELECT count(*) FROM ticket_payments WHERE ticket_id = $1`, sold.Ticket.ID))
			repeat, err := b.Sell(t.Context(), req)
			require.NoError(t, err)
			require.True(t, repeat.Replayed)
			require.Len(t, repeat.Ticket.Payments, len(tt.values))
			for i := range tt.values {
				first, again := sold.Ticket.Payments[i], repeat.Ticket.Payments[i]
				require.Equal(t, []any{first.Means, first.Currency, first.Amount, first.Value, first.Rate, first.Reference},
					[]any{again.Means, again.Currency, again.Amount, again.Value, again.Rate, again.Reference})
			}
			found, err := b.Find(t.Context(), fixture.As(fixture.Cashier), sold.Ticket.ID)
			require.NoError(t, err)
			require.Equal(t, repeat.Ticket.Payments, found.Payments, "each once")
			other := *req
			other.Payments = []sales.PaymentItem{{Means: "card", Amount: "99"}, {Means: "cash", Amount: "1"}}
			_, err = b.Sell(t.Context(), &other)
			require.Equal(t, "IDEMPOTENCY_KEY_REUSED", apperr.CodeOf(err), "the payments belong to the meaning of a request")
		})
	}
	b.rate(t, "40")
	b.requireSound(t)
}

// A currency that has only paid tickets is used, too: without it they could not be read or cancelled.
func TestACurrencyOfPaymentsStays(t *testing.T) {
	t.Parallel()
	b := paying(t)
	fields := ledger.CurrencyFields{Code: "CHF", Name: "Franco", Symbol: "Fr", Digits: 2, Status: "active"}
	franc, err := b.Ledger.CreateCurrency(t.Context(), fields)
	require.NoError(t, err)
	_, err = b.Ledger.SetRate(t.Context(), fixture.As(fixture.Cashier), &ledger.RateRequest{
		BaseID: franc.ID, Quote: "VES", Day: businessday.Of(b.Clock.Now(), b.Options.Zone), Rate: "40",
	})
	require.NoError(t, err)
	sold, err := b.Sell(t.Context(), b.paid(t, []sales.PaymentItem{{Means: "cash", Currency: "CHF", Amount: "2.50"}}))
	require.NoError(t, err)
	require.ErrorIs(t, b.Ledger.DeleteCurrency(t.Context(), franc.ID), ledger.ErrCurrencyUsed)
	fields.Digits = 0
	_, err = b.Ledger.UpdateCurrency(t.Context(), franc.ID, fields)
	require.ErrorIs(t, err, ledger.ErrCurrencyUsed)
	fields.Digits, fields.Status = 2, "inactive"
	_, err = b.Ledger.UpdateCurrency(t.Context(), franc.ID, fields)
	require.NoError(t, err, "it is withdrawn instead")
	_, err = b.Cancel(t.Context(), b.cancel(sold.Ticket.ID))
	require.NoError(t, err)
	b.requireSound(t)
}

// Payments that cannot be taken, or that are not the total, are refused by name, and nothing is sold.
func TestPaymentsThatDoNotFit(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := paying(t)
	cash := func(currency, amount string) sales.PaymentItem {
		return sales.PaymentItem{Means: "cash", Currency: currency, Amount: amount}
	}
	tests := []struct {
		name   string
		paid   []sales.PaymentItem
		change []sales.ChangeItem
		code   string
		at     []string
		line   string
	}{
		{"too little", []sales.PaymentItem{cash("", "99.99")}, nil, "PAYMENTS_DIFFER", []string{"payments"}, "PAYMENT_MISSING"},
		{"too much", []sales.PaymentItem{cash("", "100.01")}, nil, "PAYMENTS_DIFFER", []string{"payments"}, "PAYMENT_EXCESS"},
		{"a cent of a dollar too little", []sales.PaymentItem{cash("USD", "2.73")}, nil, "PAYMENTS_DIFFER", []string{"payments"}, "PAYMENT_MISSING"},
		{"a cent of a dollar too much", []sales.PaymentItem{cash("USD", "2.75")}, nil, "PAYMENTS_DIFFER", []string{"payments"}, "PAYMENT_EXCESS"},
		{"change alone", nil, []sales.ChangeItem{{Amount: "1"}}, "PAYMENTS_INVALID", []string{"change"}, "PAYMENT_CHANGE"},
		{
			"change of a card", []sales.PaymentItem{{Means: "card", Amount: "120"}}, []sales.ChangeItem{{Amount: "20"}},
			"PAYMENTS_INVALID", []string{"change"}, "PAYMENT_CHANGE",
		},
		{"no rate", []sales.PaymentItem{cash("COP", "1000")}, nil, "PAYMENTS_INVALID", []string{"payments[0]"}, "PAYMENT_RATE"},
		{"no such currency", []sales.PaymentItem{cash("XYZ", "1000")}, nil, "PAYMENTS_INVALID", []string{"payments[0].currency"}, "PAYMENT_CURRENCY"},
		{"no such means", []sales.PaymentItem{{Means: "cheque", Amount: "1"}}, nil, "PAYMENTS_INVALID", []string{"payments[0].means"}, "PAYMENT_MEANS"},
		{"cash with a reference", []sales.PaymentItem{{Means: "cash", Amount: "100", Reference: "1"}}, nil, "PAYMENTS_INVALID", []string{"payments[0].means"}, "PAYMENT_REFERENCE"},
		{"three digits", []sales.PaymentItem{{Means: "mobile", Amount: "100", Reference: "123"}}, nil, "PAYMENTS_INVALID", []string{"payments[0].means"}, "PAYMENT_REFERENCE"},
		{"mobile in dollars", []sales.PaymentItem{{Means: "mobile", Currency: "USD", Amount: "3", Reference: "1234"}}, nil, "PAYMENTS_INVALID", []string{"payments[0].currency"}, "PAYMENT_CURRENCY"},
		{"no amount", []sales.PaymentItem{cash("", "0"), cash("", "-1")}, nil, "PAYMENTS_INVALID", []string{"payments[0].amount", "payments[1].amount"}, "INVALID_AMOUNT"},
		{"huge", []sales.PaymentItem{cash("USD", "999999999999.99")}, nil, "PAYMENTS_INVALID", []string{"payments[0]"}, "AMOUNT_TOO_LARGE"},
		{"too many", make([]sales.PaymentItem, 9), nil, "PAYMENTS_INVALID", []string{"payments"}, "TOO_MANY_PAYMENTS"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			details := b.requireRefused(t, b.paid(t, tt.paid, tt.change...), tt.code, tt.at...)
			require.Equal(t, tt.line, details[0].Code)
		})
	}
	require.Equal(t, map[string]string{"amount": "0.01", "currency": "VES"}, b.requireRefused(t, b.paid(t, []sales.PaymentItem{cash("", "99.99")}), "PAYMENTS_DIFFER", "payments")[0].Args)
	b.Clock.Advance(8 * 24 * time.Hour)
	require.Empty(t, b.Number(t, `SELECT count(*) FROM ticket_payments`))
	b.requireSound(t)
}

// Any total is paid in dollars by the nearest amount, alone or with change, and the values are the total; any other amount is refused.
func TestPaymentsSumToTheTotal(t *testing.T) {
	t.Parallel()
	start := uint64(clock.System{}.Now().UnixNano())
	t.Log("seed", start)
	rnd := rand.New(rand.NewPCG(start, 0))
	own, dollar := ledger.Currency{ID: uuid.New(), Code: "VES", Digits: 2}, ledger.Currency{ID: uuid.New(), Code: "USD", Digits: 2}
	for range 20_000 {
		rate := &ledger.ExchangeRate{Base: dollar, Quote: own, Rate: ledger.Rate(3_0000_0000 + rnd.Int64N(500_0000_0000))}
		total := money.Amount(1 + rnd.Int64N(10_000_00))
		unit, _ := rate.Convert(1, dollar.ID)
		nearest, _ := rate.Convert(total, own.ID)
		sum := func(paid []sales.Payment) (s money.Amount) {
			for _, p := range paid {
				s += p.Value
			}
			return s
		}
		if nearest > 0 {
			paid, err := sales.Settle(total, rate, sales.Payment{Currency: dollar, Amount: nearest})
			require.NoError(t, err, "%v %v", total, rate.Rate)
			require.Equal(t, total, sum(paid))
		}
		for _, off := range []money.Amount{-2, 2} {
			if nearest+off <= 0 {
				continue
			}
			_, err := sales.Settle(total, rate, sales.Payment{Currency: dollar, Amount: nearest + off})
			require.ErrorIs(t, err, sales.ErrPaymentsDiffer)
		}
		tendered := nearest + 1 + money.Amount(rnd.Int64N(100_00))
		value, _ := rate.Convert(tendered, dollar.ID)
		paid, err := sales.Settle(total, rate, sales.Payment{Currency: dollar, Amount: tendered}, sales.Payment{Currency: own, Amount: total - value})
		require.NoError(t, err)
		require.Equal(t, total, sum(paid))
		wrong := unit + money.Amount(rnd.Int64N(1_000))
		_, err = sales.Settle(total, rate, sales.Payment{Currency: dollar, Amount: tendered}, sales.Payment{Currency: own, Amount: total - value - wrong})
		require.ErrorIs(t, err, sales.ErrPaymentsDiffer)
	}
}

// credited is a credit of the bank to a ticket point.
func (b *bundle) credited(t testing.TB, point, reference string, amount int64) uuid.UUID {
	t.Helper()
	id, entity := uuid.Must(uuid.NewV7()), fixture.EntityID(point)
	b.Exec(t, `INSERT INTO bank_payments (id, bank_code, reference, local_date, amount, currency_id, state, answer, entity_id, wallet_id, transaction_id, event_id, received_at)
		SELECT $1, '0134', $2, $3, $4, w.currency_id, 'credited', true, $5, w.id, $1, gen_random_uuid(), now()
		FROM wallets w JOIN currencies c ON c.id = w.currency_id AND c.code = 'VES' WHERE w.entity_id = $5 AND w.kind = 'main'`,
		id, reference, businessday.Of(b.Clock.Now(), b.Options.Zone), amount, entity)
	return id
}

func mobile(reference, amount string) sales.PaymentItem {
	return sales.PaymentItem{Means: "mobile", Amount: amount, Reference: reference}
}

// A mobile payment is a credit of the bank to the ticket point, found by the end of its reference. It pays one ticket, and another one after the
// cancellation of the first.
func TestACreditOfTheBankPaysATicket(t *testing.T) {
	t.Parallel()
	b := paying(t)
	pay := func(reference string) *sales.SellRequest {
		return b.paid(t, []sales.PaymentItem{mobile(reference, "60"), {Means: "cash", Amount: "40"}})
	}
	refused := func(reference, code string) { b.requireRefused(t, pay(reference), code, "payments[0].reference") }
	b.credited(t, seed.CodeTicketPoint2, "000000005678", 60_00)
	b.credited(t, seed.CodeTicketPoint, "000000015678", 60_01)
	old := b.credited(t, seed.CodeTicketPoint, "000000025678", 60_00)
	b.Exec(t, `UPDATE bank_payments SET local_date = local_date - 4 WHERE id = $1`, old)
	refused("5678", "PAYMENT_NOT_ARRIVED") // of another ticket point, another amount, another week
	linked := b.credited(t, seed.CodeTicketPoint, "000000035678", 60_00)
	b.Exec(t, `INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, ticket_id, client_number, amount, status, payment_id, expires_at, created_at)
		SELECT gen_random_uuid(), 'ticket', entity_id, wallet_id, currency_id, gen_random_uuid(), '1', amount, 'paid', id, now(), now() FROM bank_payments WHERE id = $1`, linked)
	b.Exec(t, `UPDATE bank_payments SET request_id = (SELECT id FROM payment_requests) WHERE id = $1`, linked)
	refused("5678", "PAYMENT_NOT_ARRIVED") // it paid the request of another ticket
	b.credited(t, seed.CodeTicketPoint, "000000145678", 60_00)
	b.credited(t, seed.CodeTicketPoint, "000000245678", 60_00)
	refused("5678", "PAYMENT_UNCLEAR")
	refused("345678", "PAYMENT_NOT_ARRIVED")

	first, err := b.Sell(t.Context(), keyed(pay("145678"), "first"))
	require.NoError(t, err)
	again, err := b.Sell(t.Context(), keyed(pay("145678"), "first"))
	require.NoError(t, err)
	require.Equal(t, first.Ticket.ID, again.Ticket.ID)
	refused("145678", "PAYMENT_USED")
	_, err = b.Sell(t.Context(), pay("5678"))
	require.NoError(t, err, "one is left")
	refused("5678", "PAYMENT_USED")
	b.requireRefused(t, b.paid(t, []sales.PaymentItem{mobile("1145678", "60"), mobile("1145678", "40")}), "PAYMENT_NOT_ARRIVED", "payments[0].reference")

	_, err = b.Cancel(t.Context(), b.cancel(first.Ticket.ID))
	require.NoError(t, err)
	second, err := b.Sell(t.Context(), pay("145678"))
	require.NoError(t, err, "the cancellation gave the credit back")
	require.NotEqual(t, first.Ticket.ID, second.Ticket.ID)
	b.credited(t, seed.CodeTicketPoint, "000000009999", 50_00)
	b.requireRefused(t, b.paid(t, []sales.PaymentItem{mobile("9999", "50"), mobile("9999", "50")}), "PAYMENT_USED", "payments[1].reference")
	b.requireSound(t)
	for check, damage := range map[string]string{
		"the payments of a ticket less its change sum to its total":                    `UPDATE tickets SET total = total + 1 WHERE id = $1`,
		"a mobile payment is a credit of its amount to its ticket point":               `UPDATE tickets SET entity_id = gen_random_uuid() WHERE id = $1`,
		"the value of a payment in another currency follows from the rate of its sale": `UPDATE tickets SET currency_id = (SELECT id FROM currencies WHERE code = 'USD') WHERE id = $1`,
	} {
		found := b.damaged(t, b.Verify, damage, second.Ticket.ID)
		require.Positive(t, found[check], "%s: %v", damage, found)
	}
	b.requireSound(t)
}

// Of many sales in two processes that name one credit at once, one is sold, and the others are refused and change nothing.
func TestOneCreditPaysOneOfManySales(t *testing.T) {
	t.Parallel()
	b := paying(t)
	c := b.another(t)
	c.Options.PaymentCurrency = "VES"
	for round := range 5 {
		b.credited(t, seed.CodeTicketPoint, "00000000777"+string(rune('0'+round)), 100_00)
		var sold atomic.Int64
		var running sync.WaitGroup
		for i := range 12 {
			process := b
			if i%2 == 1 {
				process = c
			}
			req := b.paid(t, []sales.PaymentItem{mobile("777"+string(rune('0'+round)), "100")})
			running.Go(func() {
				_, err := process.Sell(t.Context(), req)
				if err == nil {
					sold.Add(1)
				} else if code := apperr.CodeOf(err); code != "PAYMENT_USED" {
					t.Errorf("%v: %v", code, err)
				}
			})
		}
		running.Wait()
		require.EqualValues(t, 1, sold.Load())
	}
	require.EqualValues(t, 5, b.Number(t, `SELECT count(*) FROM tickets`))
	b.requireSound(t)
}

// Four digits are not guessed: after 30 payments that the bank has not notified even the right one is refused, until the window is over.
func TestReferencesAreNotGuessed(t *testing.T) {
	t.Parallel()
	b := paying(t)
	b.credited(t, seed.CodeTicketPoint, "000000005678", 60_00)
	pay := func(reference string) *sales.SellRequest {
		return b.paid(t, []sales.PaymentItem{mobile(reference, "60"), {Means: "cash", Amount: "40"}})
	}
	for i := range 30 {
		b.requireRefused(t, pay(strconv.Itoa(1000+i)), "PAYMENT_NOT_ARRIVED", "payments[0].reference")
	}
	b.requireRefused(t, pay("5678"), "PAYMENT_REFERENCES", "payments[0].reference")
	b.requireRefused(t, pay("1000"), "PAYMENT_REFERENCES", "payments[0].reference")
	_, err := b.Sell(t.Context(), b.paid(t, []sales.PaymentItem{{Means: "card", Amount: "60"}, {Means: "cash", Amount: "40"}}))
	require.NoError(t, err, "other means are not bounded")
	b.requireSound(t)
}

// A ticket of which a part fits gives what the cash is too much as change; a card or a mobile payment that is too much is refused with the new total.
func TestPaymentsOfAPartOfATicket(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := paying(t)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 60_00, element: "6"})
	usd := sales.PaymentItem{Means: "cash", Currency: "USD", Amount: "6"}
	tests := []struct {
		name   string
		paid   []sales.PaymentItem
		change []sales.ChangeItem
		values []money.Amount // of the rows of the part
		total  string         // of a refusal
	}{
		{"cash", []sales.PaymentItem{{Means: "cash", Amount: "220"}}, []sales.ChangeItem{{Amount: "20"}}, nil, ""},
		{"dollars", []sales.PaymentItem{usd}, []sales.ChangeItem{{Amount: "19.07"}}, []money.Amount{219_07, -19_07, -40_00}, ""},
		{"card and cash", []sales.PaymentItem{{Means: "card", Amount: "160"}, {Means: "cash", Amount: "40"}}, nil, []money.Amount{160_00, 40_00, -40_00}, ""},
		{"the cash is less", []sales.PaymentItem{{Means: "card", Amount: "160.01"}, {Means: "cash", Amount: "39.99"}}, nil, nil, "160.00"},
		{"card", []sales.PaymentItem{{Means: "card", Amount: "200"}}, nil, nil, "160.00"},
		{"paid for the part", []sales.PaymentItem{{Means: "card", Amount: "160"}}, nil, []money.Amount{160_00}, ""},
		{"less than the part", []sales.PaymentItem{{Means: "card", Amount: "150"}}, nil, nil, "160.00"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			draw := b.draw(t, "lotto-activo", i)
			req := fixture.Ticket(straight(draw, "5", "100.00"), straight(draw, "6", "100.00"))
			req.AcceptPartial, req.IdempotencyKey, req.Payments, req.Change = true, tt.name, tt.paid, tt.change
			sold, err := b.Sell(t.Context(), req)
			if tt.total != "" {
				require.ErrorIs(t, err, sales.ErrPaymentsDiffer)
				require.Equal(t, tt.total, apperr.From(err).Details[0].Available)
				return
			}
			require.NoError(t, err)
			require.EqualValues(t, 160_00, sold.Ticket.Total)
			again, err := b.Sell(t.Context(), req)
			require.NoError(t, err)
			for _, answer := range []*sales.Sold{sold, again} {
				var values []money.Amount
				for _, p := range answer.Ticket.Payments {
					values = append(values, p.Value)
				}
				require.Equal(t, tt.values, values)
			}
		})
	}
	req := b.paid(t, []sales.PaymentItem{{Means: "cash", Currency: "USD", Amount: "5"}})
	req.AcceptPartial = true
	require.Empty(t, b.requireRefused(t, req, "PAYMENTS_DIFFER", "payments")[0].Available, "the whole ticket fits")
	b.requireSound(t)
}

// Two sales name the same two credits in opposite orders: the one that comes second waits for the first, without a deadlock, and sells if the first
// has failed.
func TestCreditsAreTakenInOneOrder(t *testing.T) {
	t.Parallel()
	b := paying(t)
	low, high := b.credited(t, seed.CodeTicketPoint, "000000001111", 60_00), b.credited(t, seed.CodeTicketPoint, "000000002222", 40_00)
	other, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = other.Rollback(t.Context()) }()
	take := func(line int, credit uuid.UUID) {
		_, err := other.Exec(t.Context(), `INSERT INTO ticket_payments (ticket_id, wallet_id, line_no, means, currency_id, amount, value, bank_payment_id, created_at)
			SELECT $1, b.wallet_id, $2, 'mobile', b.currency_id, b.amount, b.amount * 1, b.id, now() FROM bank_payments b WHERE b.id = $3`, uuid.Max, line, credit)
		require.NoError(t, err)
	}
	take(0, low)
	done := make(chan error, 1)
	req := b.paid(t, []sales.PaymentItem{mobile("2222", "40"), mobile("1111", "60")})
	go func() {
		_, err := b.Sell(t.Context(), req)
		done <- err
	}()
	require.Eventually(t, func() bool {
		return b.Number(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) == 1
	}, testkit.WaitTimeout, time.Millisecond)
	take(1, high)
	require.NoError(t, other.Rollback(t.Context()))
	require.NoError(t, <-done)
	b.requireSound(t)
}
