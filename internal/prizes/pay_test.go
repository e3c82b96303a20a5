package prizes_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/ratelimit"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/tickets"
	"banca/models"
)

func TestAPrizeIsPaidToTheTicketPoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, _ := b.winner(t)
	before := b.balance(t, ticket)
	paid, err := b.Pay(t.Context(), b.by, b.ask(ticket, "one"))
	require.NoError(t, err)
	require.EqualValues(t, 30000, paid.Payment.Amount)
	require.Equal(t, ticket.SerialCode, paid.Payment.Serial)
	require.Equal(t, before+30000, b.balance(t, ticket))
	require.Equal(t, models.TicketPaid, b.status(t, ticket))
	require.Equal(t, 1, b.news.count())
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'prizes' AND action = 'pay' AND target = $1`, ticket.ID.String()))
	b.requireSound(t)

	state := b.state(t)
	again, err := b.Pay(t.Context(), b.by, b.ask(ticket, "one"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	require.Equal(t, paid.Payment, again.Payment, "the first answer")
	other := b.ask(ticket, "one")
	other.ValidationCode += "0"
	_, err = b.Pay(t.Context(), b.by, other)
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	_, err = b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.ErrorIs(t, err, prizes.ErrAlreadyPaid)
	require.Equal(t, state, b.state(t))

	detail, err := b.Get(t.Context(), b.by, ticket.ID)
	require.NoError(t, err)
	require.Len(t, detail.Lines, 1)
	require.Equal(t, "5", detail.Lines[0].Result)
	require.EqualValues(t, 30000, detail.Lines[0].Prize)
	require.Len(t, detail.Payments, 1)
}

// The slip exists as long as the payment stands, and only for the scope of its ticket point.
func TestTheSlipOfAPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, _ := b.winner(t)
	_, _, err := b.Slip(t.Context(), b.by, ticket.ID, "")
	require.ErrorIs(t, err, prizes.ErrNotPaid)
	_, err = b.Pay(t.Context(), b.by, b.ask(ticket, "one"))
	require.NoError(t, err)
	picture, mediaType, err := b.Slip(t.Context(), b.by, ticket.ID, "")
	require.NoError(t, err)
	require.Equal(t, "image/png", mediaType)
	require.NotEmpty(t, picture)
	commands, _, err := b.Slip(t.Context(), b.by, ticket.ID, receipts.FormatESCPOS)
	require.NoError(t, err)
	for _, text := range []string{"PAGO DE PREMIO", ticket.SerialCode, "300,00", "Firma"} {
		require.Contains(t, string(commands), text)
	}
	_, _, err = b.Slip(t.Context(), b.by, ticket.ID, "pdf")
	require.ErrorIs(t, err, receipts.ErrFormat)
	stranger := b.by
	stranger.Scope = testkit.Scope("/" + uuid.NewString() + "/")
	_, _, err = b.Slip(t.Context(), stranger, ticket.ID, "")
	require.ErrorIs(t, err, tickets.ErrNotFound)
	_, err = b.Cancel(t.Context(), b.by, b.unask(ticket, ""))
	require.NoError(t, err)
	_, _, err = b.Slip(t.Context(), b.by, ticket.ID, "")
	require.ErrorIs(t, err, prizes.ErrNotPaid)
}

// Every refusal names its reason and changes nothing.
func TestRefusedPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.open(t)
	won, lost := b.sell(t, "5", list[0]), b.sell(t, "6", list[0])
	waiting := b.sell(t, "5", list[0], list[1])
	void := b.sell(t, "7", list[1])
	late, disputed := b.sell(t, "5", list[0]), b.sell(t, "8", list[2])
	_, err := b.sales.Cancel(t.Context(), b.by, &sales.CancelRequest{TicketID: void.ID})
	require.NoError(t, err)
	b.settle(t, list[0], "5")
	b.Exec(t, `UPDATE tickets SET expires_at = $2 WHERE id = $1`, late.ID, b.Clock.Now().Add(-time.Second))
	for _, c := range []struct {
		name   string
		ticket *sales.Ticket
		change func(*prizes.PayRequest)
		want   error
	}{
		{"unknown", won, func(r *prizes.PayRequest) { r.TicketID = uuid.New() }, tickets.ErrNotFound},
		{"a wrong code", won, func(r *prizes.PayRequest) { r.ValidationCode = "x" }, prizes.ErrWrongCode},
		{"a wrong code of a lost ticket", lost, func(r *prizes.PayRequest) { r.ValidationCode = "x" }, prizes.ErrWrongCode},
		{"a key that is none", won, func(r *prizes.PayRequest) { r.IdempotencyKey = "\n" }, idempotency.ErrInvalidKey},
		{"lost", lost, nil, prizes.ErrNotWon},
		{"cancelled", void, nil, prizes.ErrCancelled},
		{"waiting", waiting, nil, prizes.ErrNotVerified},
		{"expired by the instant", late, nil, prizes.ErrExpired},
	} {
		state := b.state(t)
		req := b.ask(c.ticket, uuid.NewString())
		if c.change != nil {
			c.change(req)
		}
		_, err := b.Pay(t.Context(), b.by, req)
		require.ErrorIs(t, err, c.want, c.name)
		require.Equal(t, state, b.state(t), c.name)
	}
	state := b.state(t)
	_, err = b.Pay(t.Context(), testkit.Operator(uuid.New()), b.ask(won, ""))
	require.ErrorIs(t, err, tickets.ErrNotFound, "another's")
	require.Equal(t, state, b.state(t), "another's")
	_, err = b.Pay(t.Context(), b.by, b.ask(waiting, ""))
	require.Contains(t, apperr.From(err).Details[0].Message, "Lotto Activo "+list[1].Time.In(fixture.Caracas).Format("3:04 pm, 2/1"), "it is named what is waited for")

	result := b.settle(t, list[2], "8")
	_, _, err = b.draws.Correct(t.Context(), fixture.As(fixture.Typist), result.ID, catalog.Outcome{Value: "9"}, "misread", false)
	require.NoError(t, err)
	state = b.state(t)
	_, err = b.Pay(t.Context(), b.by, b.ask(disputed, ""))
	require.ErrorIs(t, err, prizes.ErrDisputed)
	require.Equal(t, state, b.state(t))
	b.requireSound(t)
}

// Of fifty concurrent payers one pays, whatever keys they use; the others get ErrAlreadyPaid, or the payer's answer.
func TestFiftyPayersAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"none", "one", "different"} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			ticket, _ := b.winner(t)
			before := b.balance(t, ticket)
			var running sync.WaitGroup
			errs, replays := make([]error, 50), make([]bool, 50)
			for i := range errs {
				running.Go(func() {
					req := b.ask(ticket, map[string]string{"one": "k", "different": fmt.Sprint("k", i)}[keys])
					paid, err := b.Pay(t.Context(), fixture.As(uuid.New()), req)
					errs[i], replays[i] = err, err == nil && paid.Replayed
				})
			}
			running.Wait()
			paid, repeated := 0, 0
			for i, err := range errs {
				switch {
				case err == nil && !replays[i]:
					paid++
				case err == nil:
					repeated++
				default:
					assert.ErrorIs(t, err, prizes.ErrAlreadyPaid)
				}
			}
			require.Equal(t, 1, paid)
			require.Equal(t, map[string]int{"one": 49}[keys], repeated)
			require.Equal(t, before+30000, b.balance(t, ticket))
			require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM paid_prizes`))
			require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM transactions WHERE type = 'prize'`))
			require.Equal(t, 1, b.news.count())
			b.requireSound(t)
		})
	}
}

// One key pays one of two tickets.
func TestAKeyIsForOneTicket(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.open(t)[0]
	tickets := []*sales.Ticket{b.sell(t, "5", d), b.sell(t, "5", d)}
	b.settle(t, d, "5")
	var running sync.WaitGroup
	errs := make([]error, len(tickets))
	for i, ticket := range tickets {
		running.Go(func() { _, errs[i] = b.Pay(t.Context(), b.by, b.ask(ticket, "same")) })
	}
	running.Wait()
	refused := errors.Join(errs...)
	require.ErrorIs(t, refused, idempotency.ErrKeyReused)
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM paid_prizes`))
	b.requireSound(t)
}

func TestWrongCodesAreThrottled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.open(t)[0]
	ticket, second, third := b.sell(t, "5", d), b.sell(t, "5", d), b.sell(t, "5", d)
	b.settle(t, d, "5")
	state := b.state(t)
	wrong := b.ask(ticket, "")
	wrong.ValidationCode = "000000x"
	for left := range 5 {
		_, err := b.Pay(t.Context(), b.by, wrong)
		require.ErrorIs(t, err, prizes.ErrWrongCode)
		require.Equal(t, strconv.Itoa(4-left), apperr.From(err).Details[0].Args["left"])
		b.Clock.Advance(time.Minute)
	}
	for range 50 {
		_, err := b.Pay(t.Context(), b.by, wrong)
		require.ErrorIs(t, err, prizes.ErrTooMany)
	}
	_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.ErrorIs(t, err, prizes.ErrTooMany, "even the right one")
	require.Equal(t, 10*time.Minute, apperr.From(err).RetryAfter)
	require.Equal(t, state, b.state(t))
	_, err = b.Pay(t.Context(), b.by, b.ask(second, ""))
	require.NoError(t, err, "other tickets are paid")
	_, err = b.Pay(t.Context(), fixture.As(uuid.New()), b.ask(ticket, ""))
	require.NoError(t, err, "and this one to another user with the right code")

	wrong = b.ask(third, "")
	wrong.ValidationCode = "000000x"
	for range 6 {
		by := fixture.As(uuid.New())
		for range 5 {
			_, err := b.Pay(t.Context(), by, wrong)
			require.ErrorIs(t, err, prizes.ErrWrongCode)
		}
	}
	colleague := fixture.As(uuid.New())
	_, err = b.Pay(t.Context(), colleague, b.ask(third, ""))
	require.ErrorIs(t, err, prizes.ErrTooMany, "thirty of one ticket are the bound of all users")
	b.Clock.Advance(15 * time.Minute)
	_, err = b.Pay(t.Context(), colleague, b.ask(third, ""))
	require.NoError(t, err)
	b.requireSound(t)
}

// Parallel wrong codes are bounded like others: per ticket and caller, per ticket and per caller.
func TestConcurrentWrongValidationCodesAreThrottled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.open(t)[0]
	tickets := make([]*sales.Ticket, 10)
	for i := range tickets {
		tickets[i] = b.sell(t, "5", d)
	}
	b.settle(t, d, "5")
	guess := func(n int, user func() uuid.UUID, ticket func(int) *sales.Ticket) (judged int) {
		var running sync.WaitGroup
		var mu sync.Mutex
		for i := range n {
			running.Go(func() {
				req := b.ask(ticket(i), "")
				req.ValidationCode = "x"
				if _, err := b.Pay(t.Context(), fixture.As(user()), req); errors.Is(err, prizes.ErrWrongCode) {
					mu.Lock()
					defer mu.Unlock()
					judged++
				}
			})
		}
		running.Wait()
		return judged
	}
	exhausted := func(user uuid.UUID, ticket *sales.Ticket) {
		t.Helper()
		_, err := b.Pay(t.Context(), fixture.As(user), b.ask(ticket, ""))
		require.ErrorIs(t, err, prizes.ErrTooMany, "the right one")
	}
	// Under load a guess may be counted and answered as a failure, so fewer may be judged.
	one := uuid.New()
	require.LessOrEqual(t, guess(100, func() uuid.UUID { return one }, func(int) *sales.Ticket { return tickets[0] }), 5, "of one ticket and caller")
	exhausted(one, tickets[0])
	require.LessOrEqual(t, guess(100, uuid.New, func(int) *sales.Ticket { return tickets[0] }), 25, "of one ticket")
	exhausted(uuid.New(), tickets[0])
	require.LessOrEqual(t, guess(90, func() uuid.UUID { return fixture.Cashier }, func(i int) *sales.Ticket { return tickets[1+i%9] }), 20, "of one caller")
	exhausted(fixture.Cashier, tickets[1])
}

// While wrong codes cannot be counted, nothing is paid.
func TestWithoutRedisNothingIsPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, _ := b.winner(t)
	deps := b.Deps
	away := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1", MaxRetries: -1})
	t.Cleanup(func() { _ = away.Close() })
	deps.Guesses = ratelimit.NewGuesses(away, b.Clock)
	state := b.state(t)
	_, err := prizes.New(deps).Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.ErrorIs(t, err, prizes.ErrAttempts)
	require.Equal(t, state, b.state(t))
}

func TestAPrizePaymentIsCancelled(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ticket, _ := b.winner(t)
	before := b.balance(t, ticket)
	state := b.state(t)
	_, err := b.Cancel(t.Context(), b.by, b.unask(ticket, ""))
	require.ErrorIs(t, err, prizes.ErrNotPaid)
	require.Equal(t, state, b.state(t))
	_, err = b.Pay(t.Context(), b.by, b.ask(ticket, "p"))
	require.NoError(t, err)

	b.Exec(t, `UPDATE wallets SET credit_limit = 0 WHERE id = (SELECT wallet_id FROM tickets WHERE id = $1)`, ticket.ID)
	_, err = b.Ledger.Fold(t.Context())
	require.NoError(t, err)
	if b.balance(t, ticket) < 30000 {
		state = b.state(t)
		_, err = b.Cancel(t.Context(), b.by, b.unask(ticket, "c"))
		require.ErrorIs(t, err, ledger.ErrInsufficientBalance, "what the point does not have")
		require.Equal(t, state, b.state(t))
		b.Exec(t, `UPDATE wallets SET credit_limit = 100000000 WHERE id = (SELECT wallet_id FROM tickets WHERE id = $1)`, ticket.ID)
	}
	done, err := b.Cancel(t.Context(), b.by, b.unask(ticket, "c"))
	require.NoError(t, err)
	require.Equal(t, models.TicketWon, done.Status)
	require.Equal(t, "wrong ticket", done.Payment.CancelReason)
	require.Equal(t, before, b.balance(t, ticket))
	again, err := b.Cancel(t.Context(), b.by, b.unask(ticket, "c"))
	require.NoError(t, err)
	require.True(t, again.Replayed)
	first, err := b.Pay(t.Context(), b.by, b.ask(ticket, "p"))
	require.NoError(t, err)
	require.True(t, first.Replayed, "the first answer, whatever became of it")
	require.True(t, first.Payment.CancelledAt.IsZero())
	b.requireSound(t)

	_, err = b.Pay(t.Context(), b.by, b.ask(ticket, "q"))
	require.NoError(t, err, "it can be paid again")
	require.Equal(t, before+30000, b.balance(t, ticket))
	b.requireSound(t)
}

func TestExpiry(t *testing.T) {
	t.Parallel()
	b := setup(t)
	d := b.open(t)[0]
	ticket, paid := b.sell(t, "5", d), b.sell(t, "5", d)
	b.settle(t, d, "5")
	_, err := b.Pay(t.Context(), b.by, b.ask(paid, ""))
	require.NoError(t, err)
	n, err := b.Expire(t.Context())
	require.NoError(t, err)
	require.Zero(t, n)
	b.Clock.Advance(30 * 24 * time.Hour)
	n, err = b.Expire(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	n, err = b.Expire(t.Context())
	require.NoError(t, err)
	require.Zero(t, n, "once")
	_, err = b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.ErrorIs(t, err, prizes.ErrExpired)
	for state, want := range map[string]int64{"": 2, models.TicketWon: 0, models.TicketPaid: 1, prizes.StateExpired: 1, prizes.StateDifferences: 0} {
		_, total, err := b.List(t.Context(), b.by, &prizes.Filter{State: state, Limit: 10})
		require.NoError(t, err)
		require.Equal(t, want, total, state)
	}
	sums, err := b.Summary(t.Context(), b.by, &prizes.Filter{})
	require.NoError(t, err)
	require.Len(t, sums, 1)
	require.EqualValues(t, 30000, sums[0].Paid)
	require.EqualValues(t, 30000, sums[0].Expired)
	require.Zero(t, sums[0].Won)
	b.requireSound(t)
}

func TestListsAreFiltered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.open(t)
	first, second := b.sell(t, "5", list[0]), b.sell(t, "5", list[1])
	b.settle(t, list[0], "5")
	b.settle(t, list[1], "5")
	day := businessday.Of(b.Clock.Now(), fixture.Caracas)
	for name, c := range map[string]struct {
		filter prizes.Filter
		want   []uuid.UUID
	}{
		"all, the last first": {prizes.Filter{}, []uuid.UUID{second.ID, first.ID}},
		"a draw":              {prizes.Filter{DrawID: list[0].ID}, []uuid.UUID{first.ID}},
		"a game":              {prizes.Filter{GameID: list[0].GameID}, []uuid.UUID{second.ID, first.ID}},
		"another game":        {prizes.Filter{GameID: uuid.New()}, nil},
		"a serial":            {prizes.Filter{Serial: second.SerialCode}, []uuid.UUID{second.ID}},
		"the day":             {prizes.Filter{Date: day}, []uuid.UUID{second.ID, first.ID}},
		"another day":         {prizes.Filter{Date: day.AddDays(1)}, nil},
		"the seller":          {prizes.Filter{EntityID: seed.ID("entity", seed.CodeTicketPoint)}, []uuid.UUID{second.ID, first.ID}},
		"another seller":      {prizes.Filter{EntityID: fixture.RootID}, nil},
	} {
		f := c.filter
		f.Limit = 10
		found, total, err := b.List(t.Context(), b.by, &f)
		require.NoError(t, err, name)
		require.EqualValues(t, len(c.want), total, name)
		for i := range found {
			assert.Equal(t, c.want[i], found[i].TicketID, name)
		}
	}
	named, _, err := b.List(t.Context(), b.by, &prizes.Filter{Limit: 10})
	require.NoError(t, err)
	require.NoError(t, b.NameDraws(t.Context(), named))
	for i, draw := range []int{1, 0} {
		require.Len(t, named[i].Draws, 1)
		assert.True(t, list[draw].Time.Equal(named[i].Draws[0].Time), "each with the draw in which it won")
	}
	_, total, err := b.List(t.Context(), testkit.Operator(uuid.New()), &prizes.Filter{Limit: 10})
	require.NoError(t, err, "another branch")
	require.Zero(t, total, "another branch")
}

// A ticket that is read alone says the result of each draw, which lines won, and who sold it; a correction changes that.
func TestATicketSaysItsOutcome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	list := b.open(t)
	ticket := b.sell(t, "5", list[0], list[1])
	read := func() *sales.Ticket {
		t.Helper()
		found, err := b.sales.GetPictured(t.Context(), b.by, ticket.ID)
		require.NoError(t, err)
		return found
	}
	assert.Empty(t, read().Lines[0].Result)
	assert.NotEmpty(t, read().SoldBy)
	result := b.settle(t, list[0], "5")
	assert.Equal(t, "5 León", read().Lines[0].Result)
	assert.Equal(t, "300.00", read().Lines[0].Prize.Format(2))
	assert.Empty(t, read().Lines[1].Result)
	assert.Zero(t, read().Prize, "not decided")
	b.settle(t, list[1], "18")
	assert.Equal(t, "18 Burro", read().Lines[1].Result)
	assert.Zero(t, read().Lines[1].Prize)
	assert.Equal(t, "300.00", read().Prize.Format(2))
	b.correct(t, result, "18")
	assert.Equal(t, "18 Burro", read().Lines[0].Result)
	assert.Zero(t, read().Lines[0].Prize)
	found, err := b.sales.Get(t.Context(), b.by, ticket.ID)
	require.NoError(t, err)
	assert.Empty(t, found.Lines[0].Result)
}
