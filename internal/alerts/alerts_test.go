package alerts

import (
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// setup returns a service that keeps alerts for a day, its clock, and a user of the operator.
func setup(t *testing.T) (*testkit.Env, *Service, *clock.Fake, caller.Caller) {
	t.Helper()
	env, clk := testkit.New(t), clock.NewFake(time.Date(2026, 3, 2, 10, 30, 0, 0, time.UTC))
	operator := caller.Caller{UserID: uuid.New(), EntityID: uuid.New(), Scope: testkit.Scope("/" + uuid.NewString() + "/")}
	return env, New(Deps{PG: env.PG, Clock: clk, Retention: 24 * time.Hour}), clk, operator
}

// An alert counts the occurrences of one kind, source, subject and hour.
func TestOccurrencesOfAnHourAreOneAlert(t *testing.T) {
	t.Parallel()
	env, s, clk, operator := setup(t)
	require.NoError(t, s.Raise(t.Context(), TasksLost, "sales.close", 7))
	require.NoError(t, s.Raise(t.Context(), TasksLost, "sales.close", 2))
	subject, b := uuid.New(), &pgx.Batch{}
	for _, id := range []uuid.UUID{uuid.Nil, subject, subject} {
		Queue(b, &Occurrences{Kind: TasksLost, Source: "sales.close", SubjectID: id, Count: 1, First: clk.Now(), Last: clk.Now()})
	}
	require.NoError(t, env.PG.Pool.SendBatch(t.Context(), b).Close())
	clk.Advance(time.Hour)
	require.NoError(t, s.Raise(t.Context(), TasksLost, "sales.close", 1))
	list, total, err := s.List(t.Context(), operator, &Filter{Kind: TasksLost, Limit: 5})
	require.NoError(t, err)
	require.EqualValues(t, 3, total)
	counts := map[uuid.UUID][]int64{}
	for _, a := range list {
		counts[a.SubjectID] = append(counts[a.SubjectID], a.Count)
		require.Equal(t, "sales.close", a.Source)
		require.True(t, a.AcknowledgedAt.IsZero())
	}
	require.Equal(t, map[uuid.UUID][]int64{uuid.Nil: {1, 10}, subject: {2}}, counts, "the newest first")
	for _, kind := range Kinds() {
		require.NoError(t, s.Raise(t.Context(), kind, "x", 1), "the table has every kind")
	}
}

// An acknowledgement that fails at any statement leaves the alert open, and a repetition of it is logged once.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	env, s, clk, operator := setup(t)
	require.NoError(t, s.Raise(t.Context(), AmountConflict, "x", 1))
	open, _, err := s.List(t.Context(), operator, &Filter{Open: true, Limit: 5})
	require.NoError(t, err)
	require.Len(t, open, 1)
	breaker := env.Breaker(t)
	broken := New(Deps{PG: breaker.PG, Clock: clk, Retention: time.Hour})
	require.Positive(t, breaker.Each(t, func() error { return broken.Acknowledge(t.Context(), operator, open[0].ID) }, func(error) {
		still, _, err := s.List(t.Context(), operator, &Filter{Open: true, Limit: 5})
		require.NoError(t, err)
		require.Equal(t, open, still)
	}))
	seen, _, err := s.List(t.Context(), operator, &Filter{Limit: 5})
	require.NoError(t, err)
	require.Equal(t, operator.UserID, seen[0].AcknowledgedBy)
	require.Equal(t, clk.Now(), seen[0].AcknowledgedAt)

	require.ErrorIs(t, s.Acknowledge(t.Context(), operator, uuid.New()), ErrNotFound)
	stranger := operator
	stranger.Scope = testkit.Scope(operator.Scope.Path() + uuid.NewString() + "/")
	require.ErrorIs(t, s.Acknowledge(t.Context(), stranger, open[0].ID), ErrOperatorOnly)
	_, _, err = s.List(t.Context(), stranger, &Filter{Limit: 1})
	require.ErrorIs(t, err, ErrOperatorOnly)
}

// An alert is kept exactly as long as its retention after its last occurrence. A second run changes nothing.
func TestTrimKeepsWhatIsWithinItsRetention(t *testing.T) {
	t.Parallel()
	_, s, clk, operator := setup(t)
	require.NoError(t, s.Raise(t.Context(), TokenWrong, "old", 1))
	clk.Advance(time.Microsecond)
	require.NoError(t, s.Raise(t.Context(), TokenWrong, "new", 1))
	clk.Advance(24 * time.Hour)
	for _, want := range []int64{1, 0} {
		n, err := s.Trim(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	list, _, err := s.List(t.Context(), operator, &Filter{Limit: 5})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "new", list[0].Source)
}
