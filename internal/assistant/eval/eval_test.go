package eval_test

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/assistant/eval"
	"banca/internal/dev/simulators"
	"banca/internal/dev/simulators/seeded"
	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
)

// The simulated model answers all questions, and each answer is judged like a real one.
func TestTheSimulatedModelAnswersAllQuestions(t *testing.T) {
	t.Parallel()
	games, err := seeded.GameNames()
	require.NoError(t, err)
	server := httptest.NewServer(simulators.NewModels(simulators.ModelsConfig{Clock: clock.NewFake(eval.Now()), Zone: eval.Zone(), Games: games}))
	t.Cleanup(server.Close)
	chain, err := completion.NewChain(&completion.Options{
		Models: []completion.Model{{Name: "simulated", ID: "simulated", URL: server.URL + "/v1"}}, Redis: testkit.New(t).Redis, Log: slog.New(slog.DiscardHandler),
		Client: completion.NewClient(completion.Timeouts{FirstByte: 10 * time.Second, Idle: 10 * time.Second, Total: 30 * time.Second}, nil),
	})
	require.NoError(t, err)
	var report strings.Builder
	outcomes, err := eval.Run(t.Context(), chain, &report)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(outcomes), 80)
	for _, o := range outcomes {
		require.Empty(t, o.Faults, "%s\n%s", o.Question.Text, report.String())
	}
}
