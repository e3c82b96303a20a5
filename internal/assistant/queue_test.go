package assistant_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
	"banca/tasks"
)

// scripted is a model that says what a test says.
type scripted func(turn *completion.Turn) (*completion.Answer, error)

func (s scripted) Complete(_ context.Context, t *completion.Turn) (*completion.Answer, error) {
	return s(t)
}

// says is the answer of a scripted model.
func says(turn *completion.Turn, text string) (*completion.Answer, error) {
	return &completion.Answer{Message: completion.Message{Model: "x", Raw: completion.Text("assistant", text).Raw}, Text: text}, turn.OnText("x", text)
}

// take takes the tasks that are due out of the outbox, in the order in which they were written; if there are none, those that are due next, to whose time the
// clock moves.
func (b *bundle) take(t *testing.T, clk *clock.Fake) []uuid.UUID {
	t.Helper()
	rows, err := b.env.PG.Pool.Query(t.Context(), `WITH due AS (DELETE FROM outbox WHERE coalesce(process_at, $1) <= greatest($1, (SELECT min(coalesce(process_at, $1)) FROM outbox)) RETURNING id, payload, process_at)
		SELECT payload::text, coalesce(process_at, $1) FROM due ORDER BY id`, clk.Now())
	require.NoError(t, err)
	defer rows.Close()
	var out []uuid.UUID
	for rows.Next() {
		var payload []byte
		var at time.Time
		require.NoError(t, rows.Scan(&payload, &at))
		if wait := at.Sub(clk.Now()); wait > 0 {
			clk.Advance(wait)
		}
		args, err := tasks.Decode[tasks.AssistantAnswer](payload)
		require.NoError(t, err)
		out = append(out, args.MessageID)
	}
	require.NoError(t, rows.Err())
	return out
}

// work runs tasks, so many at a time as a worker does, until none is left. It returns how many there were.
func (b *bundle) work(t *testing.T, clk *clock.Fake) (ran int) {
	t.Helper()
	const concurrency = 16
	for {
		due := b.take(t, clk)
		if len(due) == 0 {
			return ran
		}
		ran += len(due)
		for chunk := range slices.Chunk(due, concurrency) {
			var running sync.WaitGroup
			for _, id := range chunk {
				running.Go(func() { assert.NoError(t, b.Answer(t.Context(), id)) })
			}
			running.Wait()
		}
	}
}

// More questions at once than there are places are all answered, those that came first at first.
func TestSixtyQuestionsAtOnce(t *testing.T) {
	t.Parallel()
	const n = 60
	clk := clock.NewFake(time.Now())
	var mu sync.Mutex
	var order []string
	var now, most atomic.Int64
	b := setup(t, func(d *assistant.Deps) {
		d.Clock = clk
		d.Models = scripted(func(turn *completion.Turn) (*completion.Answer, error) {
			most.Store(max(most.Load(), now.Add(1)))
			defer now.Add(-1)
			mu.Lock()
			order = append(order, string(turn.Messages[len(turn.Messages)-1].Raw))
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			return says(turn, "listo")
		})
	})
	var asked []string
	for i := range n {
		if i%3 == 0 {
			b.by = b.user(t)
		}
		text := "saldo " + uuid.NewString()
		b.ask(t, text)
		asked = append(asked, string(completion.Text(completion.RoleUser, text).Raw))
	}
	ran := b.work(t, clk)
	require.EqualValues(t, n, b.number(t, `SELECT count(*) FROM assistant_messages WHERE state = 'done' AND answer = 'listo' AND attempt = 1`))
	require.LessOrEqual(t, most.Load(), int64(4))
	require.Less(t, ran, 8*n, "tasks of waiting questions are few")
	require.Len(t, order, n)
	for i, question := range order {
		require.InDelta(t, slices.Index(asked, question), i, 16, "those that came first are answered first")
	}
}

// A question that waits too long for a place gets the figures, without a model.
func TestWaitingIsBounded(t *testing.T) {
	t.Parallel()
	clk := clock.NewFake(time.Now())
	hold, held := make(chan struct{}), make(chan struct{})
	b := setup(t, func(d *assistant.Deps) {
		d.Clock = clk
		d.Models = scripted(func(turn *completion.Turn) (*completion.Answer, error) {
			held <- struct{}{}
			<-hold
			return says(turn, "listo")
		})
	})
	var running sync.WaitGroup
	for i := range 4 {
		if i == 2 {
			b.by = b.user(t)
		}
		id := b.ask(t, "saldo").ID
		running.Go(func() { assert.NoError(t, b.Answer(t.Context(), id)) })
		<-held
	}
	b.exec(t, `DELETE FROM outbox`)
	m := b.ask(t, "¿cuánto vendí ayer?")
	began := clk.Now()
	for b.get(t, m.ID).State == assistant.StatePending {
		for _, id := range b.take(t, clk) {
			require.NoError(t, b.Answer(t.Context(), id))
		}
		require.Less(t, clk.Now().Sub(began), 3*time.Minute)
	}
	require.GreaterOrEqual(t, clk.Now().Sub(began), 100*time.Second)
	got := b.get(t, m.ID)
	require.Equal(t, []any{assistant.StateDone, ""}, []any{got.State, got.Model})
	require.Contains(t, got.Answer, "demasiadas preguntas")
	require.Contains(t, got.Answer, "1.234,56")
	close(hold)
	running.Wait()
	require.EqualValues(t, 4, b.number(t, `SELECT count(*) FROM assistant_messages WHERE answer = 'listo'`), "the others are not disturbed")
	require.Zero(t, b.work(t, clk), "no task is left over")
}

// A worker that dies leaves a message that the next run answers from its beginning, once; then it fails.
func TestARunThatDied(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.ask(t, "ventas de hoy")
	b.exec(t, `DELETE FROM outbox`)
	b.exec(t, `UPDATE assistant_messages SET state = 'running', attempt = 1 WHERE id = $1`, m.ID)
	for range 3 {
		require.NoError(t, b.Answer(t.Context(), m.ID), "the other run may be alive")
	}
	require.Empty(t, b.ran)
	require.EqualValues(t, 1, b.number(t, `SELECT count(*) FROM outbox WHERE process_at > now() + interval '10 seconds'`), "the task comes again")
	b.exec(t, `UPDATE assistant_messages SET updated_at = updated_at - interval '1 minute' WHERE id = $1`, m.ID)
	require.NoError(t, b.Answer(t.Context(), m.ID))
	require.Equal(t, assistant.StateDone, b.get(t, m.ID).State)

	m = b.ask(t, "ventas de hoy")
	b.exec(t, `UPDATE assistant_messages SET state = 'running', attempt = 2, updated_at = updated_at - interval '1 minute' WHERE id = $1`, m.ID)
	require.NoError(t, b.Answer(t.Context(), m.ID))
	got := b.get(t, m.ID)
	require.Equal(t, []any{assistant.StateFailed, assistant.ErrInterrupted.Code}, []any{got.State, got.ErrorCode})

	m = b.ask(t, "ventas de hoy")
	b.exec(t, `UPDATE assistant_messages SET updated_at = updated_at - interval '1 hour' WHERE id = $1`, m.ID)
	require.Equal(t, assistant.StateFailed, b.get(t, m.ID).State, "a message whose task is lost does not wait for ever")
}

// Of runs at the same time one writes.
func TestManyRunsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.ask(t, "ventas de hoy")
	var running sync.WaitGroup
	for range 20 {
		running.Go(func() { assert.NoError(t, b.Answer(t.Context(), m.ID)) })
	}
	running.Wait()
	require.Len(t, b.ran, 1)
	require.Equal(t, assistant.StateDone, b.get(t, m.ID).State)
	require.LessOrEqual(t, b.number(t, `SELECT count(*) FROM outbox`), int64(2), "its first task, and one that comes again")
}

func TestAKilledRunGivesItsMessageBack(t *testing.T) {
	t.Parallel()
	clk := clock.NewFake(time.Now())
	b := setup(t, func(d *assistant.Deps) { d.Clock = clk })
	m := b.ask(t, "ventas de hoy")
	b.exec(t, `DELETE FROM outbox`)
	ctx, kill := context.WithCancel(t.Context())
	b.before = kill
	require.NoError(t, b.Answer(ctx, m.ID))
	require.Equal(t, assistant.StatePending, b.get(t, m.ID).State)
	b.before = nil
	require.Equal(t, 1, b.work(t, clk))
	require.Equal(t, assistant.StateDone, b.get(t, m.ID).State)
	_, text := b.stream(t, m.ID)
	require.Equal(t, b.get(t, m.ID).Answer, text, "a reader of the stream begins again")
}

// A run that failed for now is repeated once, also by the task of another message.
func TestATemporaryErrorIsRepeatedOnce(t *testing.T) {
	t.Parallel()
	clk := clock.NewFake(time.Now())
	runs := 0
	b := setup(t, func(d *assistant.Deps) {
		d.Clock = clk
		d.Models = scripted(func(*completion.Turn) (*completion.Answer, error) { runs++; return nil, errors.New("down") })
	})
	first, second := b.ask(t, "saldo"), b.ask(t, "saldo")
	b.exec(t, `DELETE FROM outbox`)
	require.NoError(t, b.Answer(t.Context(), second.ID))
	require.Equal(t, 1, runs)
	require.EqualValues(t, 1, b.number(t, `SELECT count(*) FROM assistant_messages WHERE id = $1 AND attempt = 1 AND state = 'pending'`, first.ID), "the first one came first")
	require.EqualValues(t, 2, b.number(t, `SELECT count(*) FROM outbox`), "both have a task")
	b.work(t, clk)
	require.Equal(t, 4, runs)
	for _, m := range []*assistant.Message{first, second} {
		require.Equal(t, assistant.ErrInterrupted.Code, b.get(t, m.ID).ErrorCode)
	}
	require.Equal(t, apperr.Internal, assistant.ErrInterrupted.Kind)
}
