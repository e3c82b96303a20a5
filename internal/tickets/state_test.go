package tickets

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/money"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

func statuses() []string {
	return []string{models.TicketPending, models.TicketWon, models.TicketLost, models.TicketCancelled, models.TicketPaid}
}

var instant = time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// insert sells a ticket of 1,000 with two lines and forces its state.
func insert(t *testing.T, env *testkit.Env, status string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	b := &pgx.Batch{}
	QueueInsert(b, []*models.Ticket{{
		ID: id, SerialCode: id.String(), ValidationCode: "123456", EntityID: uuid.New(), UserID: uuid.New(), WalletID: uuid.New(), CurrencyID: uuid.New(),
		Total: 1000, PotentialPrize: 30_000, CancelBefore: instant, ExpiresAt: instant.Add(72 * time.Hour), CreatedAt: instant,
	}})
	lines := NewLines(2)
	for n := range 2 {
		lines.Add(id, n, &Line{DrawID: uuid.New(), GameID: uuid.New(), BetType: "straight", Selection: "5", Amount: 500, Payout: 3000, Prize: 15_000, RuleVersion: 1, Rates: "{1800,1000}"})
	}
	lines.Queue(b)
	require.NoError(t, env.PG.Pool.SendBatch(t.Context(), b).Close())
	read := read(t, env, id)
	require.Equal(t, models.TicketPending, read.Status)
	require.Nil(t, read.CustomerID)
	var sum int64
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT sum(amount) FROM ticket_items WHERE ticket_id = $1 AND commission_rates = '{1800,1000}'`, id).Scan(&sum))
	require.EqualValues(t, 1000, sum)
	_, err := env.PG.Pool.Exec(t.Context(), `UPDATE tickets SET status = $2, prize = CASE WHEN $2 IN ('won', 'paid') THEN 15000 ELSE 0 END WHERE id = $1`, id, status)
	require.NoError(t, err)
	return id
}

func read(t *testing.T, env *testkit.Env, id uuid.UUID) *models.Ticket {
	t.Helper()
	var row models.Ticket
	require.NoError(t, env.PG.Gorm.WithContext(t.Context()).Where("id = ?", id).Take(&row).Error)
	return &row
}

// decisions fills the table decisions with one ticket; last is NULL while it waits.
func decisions(ctx context.Context, tx pgx.Tx, id uuid.UUID, last *time.Time, prize int64) error {
	return FillDecisionsTx(ctx, tx, `INSERT INTO decisions VALUES ($1, $2, $3)`, id, last, prize)
}

// operation is a call that may change the state of a ticket.
type operation struct {
	name string
	run  func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error
	from []string // states in which it is called; others are excluded by its callers
}

func operations() []operation {
	decide := func(last *time.Time, prize int64) func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
		return func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			if err := decisions(ctx, tx, id, last, prize); err != nil {
				return err
			}
			_, _, err := DecideTx(ctx, tx, instant, 10)
			return err
		}
	}
	redecide := func(last *time.Time, prize int64) func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
		return func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			if err := decisions(ctx, tx, id, last, prize); err != nil {
				return err
			}
			return RedecideTx(ctx, tx, instant)
		}
	}
	unpay := func(decided bool, prize money.Amount) func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
		return func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			_, err := UnpayTx(ctx, tx, id, decided, prize)
			return err
		}
	}
	return []operation{
		{name: "cancel", run: func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			return CancelTx(ctx, tx, id, uuid.New(), instant)
		}},
		{name: "pay", run: func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error { return PayTx(ctx, tx, id) }},
		{name: "unpay, won", run: unpay(true, 15_000)}, {name: "unpay, lost", run: unpay(true, 0)}, {name: "unpay, pending", run: unpay(false, 15_000)},
		{name: "decide, won", run: decide(&instant, 15_000)}, {name: "decide, lost", run: decide(&instant, 0)}, {name: "decide, waiting", run: decide(nil, 15_000)},
		{name: "redecide, won", run: redecide(&instant, 15_000)}, {name: "redecide, lost", run: redecide(&instant, 0)}, {name: "redecide, open", run: redecide(nil, 0)},
		{name: "refund", from: []string{models.TicketPending, models.TicketLost}, run: func(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
			b := &pgx.Batch{}
			QueueRefund(b, []Refund{{ID: id, Amount: 1000, Whole: true}}, instant)
			return tx.SendBatch(ctx, b).Close()
		}},
	}
}

// Every operation in every state makes a move of Moves or leaves the state, and every move is made by an operation.
func TestMoves(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	made := map[Move]bool{}
	for _, op := range operations() {
		for _, from := range statuses() {
			if op.from != nil && !slices.Contains(op.from, from) {
				continue
			}
			id := insert(t, env, from)
			before := read(t, env, id)
			err := env.PG.InTx(t.Context(), func(tx pgx.Tx) error { return op.run(t.Context(), tx, id) })
			after := read(t, env, id)
			if err != nil {
				require.ErrorIs(t, err, ErrState, "%s of a %s ticket", op.name, from)
				require.Equal(t, before, after, "%s of a %s ticket", op.name, from)
				continue
			}
			if after.Status != from {
				move := Move{from, after.Status}
				require.Contains(t, Moves(), move, op.name)
				made[move] = true
			}
		}
	}
	for _, move := range Moves() {
		require.True(t, made[move], "%v is made by no operation", move)
	}
}

func TestCancelledTicketsStayCancelled(t *testing.T) {
	t.Parallel()
	for _, move := range Moves() {
		require.NotEqual(t, models.TicketCancelled, move.From)
	}
}

// A winner has as long to collect as it was sold with after its last draw; losers and waiting tickets keep their
// time.
func TestDecideSetsTheExpiryOfPrizes(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	for name, tt := range map[string]struct {
		last    *time.Time
		prize   int64
		status  string
		expires time.Time
		want    Decided
		winners int
	}{
		"won":     {&instant, 15_000, models.TicketWon, instant.Add((72 + 48) * time.Hour), Decided{Won: 1}, 1},
		"lost":    {&instant, 0, models.TicketLost, instant.Add(72 * time.Hour), Decided{Lost: 1}, 0},
		"waiting": {nil, 15_000, models.TicketPending, instant.Add(72 * time.Hour), Decided{Waiting: 1}, 0},
	} {
		id := insert(t, env, models.TicketPending)
		require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			require.NoError(t, decisions(t.Context(), tx, id, tt.last, tt.prize))
			done, winners, err := DecideTx(t.Context(), tx, instant.Add(48*time.Hour), 10)
			require.Equal(t, tt.want, done, name)
			require.Len(t, winners, tt.winners, name)
			return err
		}))
		row := read(t, env, id)
		require.Equal(t, tt.status, row.Status, name)
		require.True(t, tt.expires.Equal(row.ExpiresAt), "%s: %s", name, row.ExpiresAt)
	}
}

// A correction leaves a paid ticket paid, with its new prize.
func TestPaidTicketsStayPaid(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	id := insert(t, env, models.TicketPaid)
	require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
		require.NoError(t, decisions(t.Context(), tx, id, nil, 7))
		changed, err := RevisePaidTx(t.Context(), tx, []uuid.UUID{id})
		require.Equal(t, []uuid.UUID{id}, changed)
		return err
	}))
	require.EqualValues(t, 7, read(t, env, id).Prize)
	require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
		require.NoError(t, decisions(t.Context(), tx, id, &instant, 9))
		return RedecideTx(t.Context(), tx, instant)
	}))
	row := read(t, env, id)
	require.EqualValues(t, 9, row.Prize)
	require.Equal(t, models.TicketPaid, row.Status)
}

func TestExpireMarksWinnersOnly(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ids := make(map[string]uuid.UUID)
	for _, status := range statuses() {
		ids[status] = insert(t, env, status)
	}
	list, err := Expire(t.Context(), env.PG.Pool, instant, 10)
	require.NoError(t, err)
	require.Empty(t, list, "the time is not over")
	list, err = Expire(t.Context(), env.PG.Pool, instant.Add(72*time.Hour), 10)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, ids[models.TicketWon], list[0].ID)
	var late time.Duration
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT expired_at - greatest(expires_at, settled_at) FROM tickets WHERE id = $1`, list[0].ID).Scan(&late))
	require.Zero(t, late, "the end of the prize's time, not the instant of the task")
	list, err = Expire(t.Context(), env.PG.Pool, instant.Add(72*time.Hour), 10)
	require.NoError(t, err)
	require.Empty(t, list, "marked once")
}

func TestThePictureIsKept(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	id := insert(t, env, models.TicketLost)
	for _, address := range []string{"a", "b"} {
		require.NoError(t, env.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			statuses, err := LockTx(t.Context(), tx, []uuid.UUID{id, uuid.New()}, true)
			require.Equal(t, map[uuid.UUID]string{id: models.TicketLost}, statuses)
			if err != nil {
				return err
			}
			return PicturesTx(t.Context(), tx, []Picture{{id, address}})
		}))
	}
	require.Equal(t, "a", *read(t, env, id).ImageURL)
}
