package sales_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/idempotency"
	"banca/internal/risk"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// keyed is a request with a key.
func keyed(req *sales.SellRequest, key string) *sales.SellRequest {
	req.IdempotencyKey = key
	return req
}

// One key, fifty times at once, in two processes: one ticket and forty-nine repeats of its answer.
func TestOneKeyAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		processes int
	}{{"one process", 1}, {"two processes", 2}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			processes := []*bundle{b}
			for len(processes) < tt.processes {
				processes = append(processes, b.another(t))
			}
			draw, zulia := b.draw(t, "lotto-activo", 0), b.draw(t, "triple-zulia", 0)
			answers := make([]sales.Ticket, 50)
			got := atOnce(t.Context(), 50, func(ctx context.Context, i int) (*sales.Sold, error) {
				req := keyed(fixture.Ticket(straight(draw, "5", "10.00"), fixture.Line(zulia, "triple_sign", "2.00", "123", "ari")), "one")
				req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "04141234567"}
				sold, err := processes[i%len(processes)].Sell(ctx, req)
				if err == nil {
					answers[i] = sold.Ticket
				}
				return sold, err
			})
			require.Empty(t, got.codes)
			require.Len(t, got.tickets, 1)
			require.Equal(t, 49, got.replayed)
			for i := range answers {
				require.Equal(t, got.tickets[0], answers[i], "every answer is the first one")
			}
			b.quiet(t)
			require.EqualValues(t, 1, b.sold(t))
			require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM customers`))
			b.requireOnce(t, got.tickets)
			b.requireSound(t)
		})
	}
}

func TestOneKeyForOneRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	first, err := b.Sell(t.Context(), keyed(b.request(draw, "5", "10.00"), "k"))
	require.NoError(t, err)
	b.requireRefused(t, keyed(b.request(draw, "6", "10.00"), "k"), "IDEMPOTENCY_KEY_REUSED")
	b.requireRefused(t, keyed(b.request(draw, "99", "10.00"), "k"), "IDEMPOTENCY_KEY_REUSED")
	dollars := keyed(b.request(draw, "5", "10.00"), "k")
	dollars.Currency = "USD"
	b.requireRefused(t, dollars, "IDEMPOTENCY_KEY_REUSED")

	elsewhere, err := b.Sell(t.Context(), at(keyed(b.request(draw, "5", "10.00"), "k"), seed.CodeTicketPoint2)) // a key is an entity's own
	require.NoError(t, err)
	require.False(t, elsewhere.Replayed)
	require.NotEqual(t, first.Ticket.ID, elsewhere.Ticket.ID)
	b.requireSound(t)
}

// A repeat by a caller who may not see the entity learns nothing from knowing its key.
func TestAnIdempotencyKeyGivesNoAccessToAnotherBranch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	_, err := b.Sell(t.Context(), keyed(b.request(draw, "5", "10.00"), "k"))
	require.NoError(t, err)
	for range 2 {
		b.requireRefusedTo(t, b.within(t, seed.CodeOtherAgency), keyed(b.request(draw, "5", "10.00"), "k"), "ENTITY_NOT_FOUND")
	}
}

func TestAKeySellsAfterARefusal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 0})
	req := keyed(b.request(draw, "5", "10.00"), "k")
	b.requireRefused(t, req, "RISK_LIMIT_EXCEEDED", "items[0]")
	b.setLimits(t)
	b.Exec(t, `UPDATE wallets SET credit_limit = 0`)
	b.requireRefused(t, req, "INSUFFICIENT_BALANCE")
	b.Exec(t, `UPDATE wallets SET credit_limit = 1000000`)
	sold, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	require.False(t, sold.Replayed)
	b.requireSound(t)
}

// Whatever happens afterwards, a repeat gets the first answer.
func TestAReplayIsTheFirstAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	req := keyed(b.request(draw, "5", "10.00"), "k")
	first, err := b.Sell(t.Context(), req)
	require.NoError(t, err)
	b.Exec(t, `UPDATE tickets SET image_url = 'http://127.0.0.1/x.png'`)
	_, err = b.Cancel(t.Context(), b.cancel(first.Ticket.ID))
	require.NoError(t, err)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 0})
	for _, change := range []string{
		`SELECT 1`, `UPDATE draws SET status = 'closed'`, `UPDATE games SET status = 'suspended'`, `UPDATE entities SET status = 'suspended'`,
		`UPDATE currencies SET status = 'inactive'`,
	} {
		b.Exec(t, change)
		before := b.state(t)
		again, err := b.Sell(t.Context(), req)
		require.NoError(t, err, change)
		require.True(t, again.Replayed)
		require.Equal(t, first.Ticket, again.Ticket)
		require.Equal(t, models.TicketPending, again.Ticket.Status)
		require.Equal(t, before, b.state(t))
	}
}

// Two currencies of one ticket point share its keys and its customers, but not their wallets' locks.
func TestOneKeyInTwoCurrencies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := b.another(t)
	draw := b.draw(t, "lotto-activo", 0)
	got := atOnce(t.Context(), 40, func(ctx context.Context, i int) (*sales.Sold, error) {
		req := keyed(b.request(draw, "5", "10.00"), itoa(int64(i/4)))
		req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "0414123456" + itoa(int64(i/4))}
		if i%2 == 1 {
			req.Currency = "USD"
		}
		return []*bundle{b, other}[i/2%2].Sell(ctx, req)
	})
	require.Len(t, got.tickets, 10)
	require.Equal(t, 10, got.replayed)
	require.Equal(t, map[string]int{apperr.CodeOf(idempotency.ErrKeyReused): 20}, got.codes)
	b.quiet(t)
	b.requireSound(t)
}

// Sales in two currencies that bring the same new customer at once make him once.
func TestOneNewCustomerInTwoCurrencies(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	got := atOnce(t.Context(), 60, func(ctx context.Context, i int) (*sales.Sold, error) {
		req := b.request(draw, "5", "10.00")
		req.Currency = []string{"VES", "USD", "COP"}[i%3]
		if req.Currency == "COP" {
			req.Items[0].Amount = "100.00"
		}
		req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "+58414000000" + itoa(int64(i/12))}
		return b.Sell(ctx, req)
	})
	require.Empty(t, got.codes)
	require.Len(t, got.tickets, 60)
	require.EqualValues(t, 5, b.Number(t, `SELECT count(*) FROM customers`))
	b.quiet(t)
	b.requireSound(t)
}

// A key stands for the meaning of a request: another spelling of it is a repeat, another meaning is not.
func TestAKeyStandsForAMeaning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	ask := func(change func(r *sales.SellRequest)) *sales.SellRequest {
		req := keyed(b.request(draw, "5", "10.00"), "k")
		req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "04141234567", IDDocument: "V12345678"}
		change(req)
		return req
	}
	first, err := b.Sell(t.Context(), ask(func(*sales.SellRequest) {}))
	require.NoError(t, err)
	for name, change := range map[string]func(r *sales.SellRequest){
		"an amount of other digits": func(r *sales.SellRequest) { r.Items[0].Amount = "010" },
		"the currency's id":         func(r *sales.SellRequest) { r.Currency = first.Ticket.Currency.ID.String() },
		"an id in capitals":         func(r *sales.SellRequest) { r.Items[0].DrawID = strings.ToUpper(r.Items[0].DrawID) },
		"a customer spelled otherwise": func(r *sales.SellRequest) {
			r.Customer = &sales.NewCustomer{Name: " Ana ", Phone: "+58 414-123.45.67", IDDocument: "v-12.345.678"}
		},
	} {
		again, err := b.Sell(t.Context(), ask(change))
		require.NoError(t, err, name)
		require.True(t, again.Replayed, name)
		require.Equal(t, first.Ticket, again.Ticket, name)
	}
	for name, change := range map[string]func(r *sales.SellRequest){
		"another amount":    func(r *sales.SellRequest) { r.Items[0].Amount = "10.01" },
		"another customer":  func(r *sales.SellRequest) { r.Customer.Phone = "04141234568" },
		"no customer":       func(r *sales.SellRequest) { r.Customer = nil },
		"partial":           func(r *sales.SellRequest) { r.AcceptPartial = true },
		"another selection": func(r *sales.SellRequest) { r.Items[0].Selection = []string{"6"} },
		"one line more":     func(r *sales.SellRequest) { r.Items = append(r.Items, r.Items[0]) },
	} {
		_, err := b.Sell(t.Context(), ask(change))
		require.ErrorIs(t, err, idempotency.ErrKeyReused, name)
	}
	b.Exec(t, `UPDATE draws SET status = 'closed' WHERE id = $1`, draw.ID)
	again, err := b.Sell(t.Context(), ask(func(r *sales.SellRequest) { r.Items[0].Amount = "10" }))
	require.NoError(t, err)
	require.True(t, again.Replayed, "also after the draw has closed")
}

// A repeat whose currency cannot be read is answered 503, and the first answer once it can be read again.
func TestARepeatWhileTheCurrencyCannotBeRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cold := b.another(t)
	draw := b.draw(t, "lotto-activo", 0)
	first, err := b.Sell(t.Context(), keyed(b.request(draw, "5", "10.00"), "k"))
	require.NoError(t, err)
	tx, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), `LOCK TABLE currencies IN ACCESS EXCLUSIVE MODE`)
	require.NoError(t, err)
	for _, key := range []string{"k", "new"} {
		short, cancel := context.WithTimeout(t.Context(), time.Second) // of the sale's own bound, which is long in tests
		_, err = cold.Sell(short, keyed(b.request(draw, "5", "10.00"), key))
		cancel()
		require.Equal(t, apperr.Unavailable, apperr.From(err).Kind, key)
	}
	require.NoError(t, tx.Rollback(t.Context()))
	again, err := cold.Sell(t.Context(), keyed(b.request(draw, "5", "10.00"), "k"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Ticket, again.Ticket)
	require.EqualValues(t, 1, b.sold(t))
	b.requireSound(t)
}

// A repeat in another process is no refusal while the first request may still be committed: the first one fills the limit
// by itself.
func TestARepeatIsUnknownWhileAnotherProcessSells(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.setLimits(t, limit{entity: seed.CodeTicketPoint, base: 10_00})
	other, draw := b.another(t), b.draw(t, "lotto-activo", 0)
	request := func(key string) *sales.SellRequest { return keyed(b.request(draw, "5", "10.00"), key) }
	tx, err := b.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), `SELECT 1 FROM wallets FOR UPDATE`)
	require.NoError(t, err)
	type answer struct {
		sold *sales.Sold
		err  error
	}
	first := make(chan answer, 1)
	go func() {
		sold, err := b.Sell(t.Context(), request("k"))
		first <- answer{sold, err}
	}()
	require.Eventually(t, func() bool { return b.Env.WaitingForLocks(t) > 0 }, waitTimeout, pollInterval)

	_, err = other.Sell(t.Context(), request("k"))
	require.ErrorIs(t, err, idempotency.ErrUnknownOutcome)
	_, err = other.Sell(t.Context(), request("other"))
	require.ErrorIs(t, err, risk.ErrLimitExceeded)
	invalid := request("k")
	invalid.Items[0].Selection = []string{"77"}
	_, err = other.Sell(t.Context(), invalid)
	require.ErrorIs(t, err, idempotency.ErrUnknownOutcome, "whatever the refusal")

	require.NoError(t, tx.Rollback(t.Context()))
	sold := <-first
	require.NoError(t, sold.err)
	again, err := other.Sell(t.Context(), request("k"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, sold.sold.Ticket.ID, again.Ticket.ID)
	require.EqualValues(t, 1, b.sold(t))
	b.requireSound(t)
}

// A zodiac sign in lower case is the same selection, and so the same request of a key, as one in capitals.
func TestAKeyStandsForASignInAnyCase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	zulia := b.draw(t, "triple-zulia", 0)
	ask := func(sign string) *sales.SellRequest {
		return keyed(fixture.Ticket(fixture.Line(zulia, "triple_sign", "2.00", "123", sign)), "k")
	}
	first, err := b.Sell(t.Context(), ask("ari"))
	require.NoError(t, err)
	for _, sign := range []string{"ARI", "Ari", "ari"} {
		again, err := b.Sell(t.Context(), ask(sign))
		require.NoError(t, err, sign)
		require.True(t, again.Replayed, sign)
		require.Equal(t, first.Ticket, again.Ticket, sign)
	}
	_, err = b.Sell(t.Context(), ask("TAU"))
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
}

// The order of the elements of a dupleta is no part of the bet, and so none of the request.
func TestAKeyStandsForADupletaInAnyOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE games SET betting_rules = '{"bet_types": [{"type": "straight", "payout": "30"}, {"type": "dupleta", "payout": "200"}]}'
		WHERE short_code = 'lotto-activo'`)
	b.Catalog.Forget()
	draw := b.draw(t, "lotto-activo", 0)
	first, err := b.Sell(t.Context(), keyed(fixture.Ticket(fixture.Line(draw, "dupleta", "2.00", "5", "10")), "k"))
	require.NoError(t, err)
	again, err := b.Sell(t.Context(), keyed(fixture.Ticket(fixture.Line(draw, "dupleta", "2", "10", "5")), "k"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, first.Ticket, again.Ticket)
	_, err = b.Sell(t.Context(), keyed(fixture.Ticket(fixture.Line(draw, "dupleta", "2", "10", "6")), "k"))
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
}
