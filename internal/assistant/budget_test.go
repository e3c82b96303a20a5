package assistant_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/assistant"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
)

// tokens is a budget of every entity.
func tokens(n int64) func(context.Context, uuid.UUID) (int64, error) {
	return func(context.Context, uuid.UUID) (int64, error) { return n, nil }
}

// chainTo sets a chain of one model behind a handler.
func chainTo(t *testing.T, answer http.HandlerFunc) func(*assistant.Deps) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	return func(d *assistant.Deps) {
		chain, err := completion.NewChain(&completion.Options{
			Models: []completion.Model{{Name: "first", ID: "first", URL: server.URL + "/v1", Input: 1_000_000, Output: 1_000_000}}, Redis: d.Redis, Log: d.Log,
			Client: completion.NewClient(completion.Timeouts{FirstByte: testkit.WaitTimeout, Idle: testkit.WaitTimeout, Total: testkit.WaitTimeout}, nil),
		})
		require.NoError(t, err)
		d.Models = chain
	}
}

func (b *bundle) spent(t *testing.T) int64 {
	t.Helper()
	return b.number(t, `SELECT coalesce(sum(input_tokens + output_tokens), 0) FROM assistant_usage`)
}

func TestTheBudget(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *assistant.Deps) { d.Tokens = tokens(100) })
	m, waiting := b.ask(t, "¿cuánto vendí ayer?"), b.ask(t, "ventas de hoy")
	require.NoError(t, b.Answer(t.Context(), m.ID))
	m = b.get(t, m.ID)
	require.Equal(t, []any{assistant.StateDone, ""}, []any{m.State, m.Model})
	require.Contains(t, m.Answer, "presupuesto")
	require.Contains(t, m.Answer, "1.234,56")
	require.Equal(t, []string{"getDailyAggregatedBets ayer"}, b.ran, "the first call of the model was within the budget")
	require.EqualValues(t, 1, b.number(t, `SELECT sum(attempts) FROM assistant_usage`), "the second call was not")
	require.Equal(t, b.spent(t), b.number(t, `SELECT tokens FROM assistant_budgets`))
	_, _, err := b.Ask(t.Context(), b.by, &assistant.Question{Text: "y ayer"})
	require.ErrorIs(t, err, assistant.ErrBudget)
	require.NoError(t, b.Answer(t.Context(), waiting.ID))
	require.Contains(t, b.get(t, waiting.ID).Answer, "presupuesto")
	require.EqualValues(t, 1, b.number(t, `SELECT sum(attempts) FROM assistant_usage`))
	none := setup(t, func(d *assistant.Deps) { d.Tokens = tokens(0) })
	_, _, err = none.Ask(t.Context(), none.by, &assistant.Question{Text: "y ayer"})
	require.ErrorIs(t, err, assistant.ErrBudget)
}

// A stopped answer costs its sent and received tokens, and is no failure of its model.
func TestAStoppedAnswerCounts(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("palabra ", 100)
	b := setup(t, chainTo(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", word)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), func(d *assistant.Deps) { d.Tokens = tokens(1) })
	m := b.ask(t, "ventas de hoy")
	ended := make(chan error, 1)
	go func() { ended <- b.Answer(t.Context(), m.ID) }()
	require.Eventually(t, func() bool { _, text := b.stream(t, m.ID); return text != "" }, testkit.WaitTimeout, 20*time.Millisecond)
	_, err := b.Stop(t.Context(), b.by, m.ID)
	require.NoError(t, err)
	require.NoError(t, <-ended)
	got := b.get(t, m.ID)
	require.Equal(t, []any{assistant.StateStopped, word}, []any{got.State, got.Answer})
	require.EqualValues(t, len(word)/4, b.number(t, `SELECT output_tokens FROM assistant_usage`))
	require.Greater(t, b.number(t, `SELECT input_tokens FROM assistant_usage`), int64(100), "the instructions and tools")
	require.Positive(t, b.number(t, `SELECT cost FROM assistant_usage`))
	require.Zero(t, b.number(t, `SELECT failed FROM assistant_usage`))
	require.Equal(t, b.spent(t), b.number(t, `SELECT tokens FROM assistant_budgets`), "nothing stays reserved")
	_, _, err = b.Ask(t.Context(), b.by, &assistant.Question{Text: "y ayer"})
	require.ErrorIs(t, err, assistant.ErrBudget)
}

// Answers at the same time, of several processes, exceed the budget of their entity by one call at most.
func TestTwentyAnswersShareABudget(t *testing.T) {
	t.Parallel()
	const n, budget, call = 20, 30_000, 1_500 // a call takes less than its reservation
	clk := clock.NewFake(time.Now())
	b := setup(t, func(d *assistant.Deps) { d.Clock, d.Tokens = clk, tokens(budget) }, chainTo(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		time.Sleep(20 * time.Millisecond) // so that the calls are made at the same time
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"tool_calls":[{"id":"1","type":"function","function":{"name":"getDailyBalance","arguments":"{\"date\":\"%s\"}"}}]},"finish_reason":"tool_calls"}],
			"usage":{"prompt_tokens":%d,"completion_tokens":100}}`, uuid.NewString(), call-100)
	}))
	processes := make([]*assistant.Service, n/4)
	for i := range processes {
		var err error
		processes[i], err = assistant.New(b.Deps)
		require.NoError(t, err)
	}
	ids := make([]uuid.UUID, n)
	for i := range ids {
		if i%3 == 0 {
			b.by = b.user(t)
		}
		ids[i] = b.ask(t, "saldo").ID
	}
	var running sync.WaitGroup
	for i, id := range ids {
		running.Go(func() { assert.NoError(t, processes[i%len(processes)].Answer(t.Context(), id)) })
	}
	running.Wait()
	b.work(t, clk) // messages that another task had locked
	require.EqualValues(t, n, b.number(t, `SELECT count(*) FROM assistant_messages WHERE state = 'done'`))
	spent := b.spent(t)
	require.GreaterOrEqual(t, spent, int64(budget-4_000), "what is left is less than a call may take")
	require.Less(t, spent, int64(budget+call))
	require.Equal(t, spent, b.number(t, `SELECT tokens FROM assistant_budgets`))
	require.Positive(t, b.number(t, `SELECT count(*) FROM assistant_messages WHERE answer LIKE '%presupuesto%'`))
}

// A reservation that a killed process left counts as spent for its day.
func TestABudgetIsOfADay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.exec(t, `INSERT INTO assistant_budgets VALUES ($1, current_date - 1, 2000000), ($1, current_date - 5, 2000000)`, b.entity)
	require.Equal(t, "first", b.answered(t, "ventas de hoy").Model)
	b.exec(t, `UPDATE assistant_budgets SET tokens = 1000000 WHERE day = current_date`)
	_, _, err := b.Ask(t.Context(), b.by, &assistant.Question{Text: "y ayer"})
	require.ErrorIs(t, err, assistant.ErrBudget)
	n, err := b.Trim(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, n, "those of yesterday may still be settled")
}
