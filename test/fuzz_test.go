package test

import (
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/config"
	"banca/models"
)

// fuzzFor is how long each run of the fuzzer lasts, or longer until every operation was called.
const fuzzFor = 5 * time.Second

// TestFuzzEveryOperation calls every operation with requests that are made from its schemas, valid ones and wrong ones.
// No answer is 5xx, but for stores that the suite does not have, and each fits the document. The first run has a fixed
// seed, the second a random one, which a failure prints.
func TestFuzzEveryOperation(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	s.fill()
	s.exec(`UPDATE user_sessions SET confirmed_at = now() + interval '1 hour'`)
	for _, seed := range []uint64{20261121, rand.Uint64()} {
		s.fuzz(t, seed)
	}
}

func (s *leakSuite) fuzz(t *testing.T, seed uint64) {
	t.Helper()
	document, err := document()
	require.NoError(t, err)
	g := document.NewGenerator(seed)
	g.IDs = map[string][]string{
		"":        {s.ours.ticket, s.ours.point, s.ours.agency, s.draw, s.game, s.result, s.ours.device, s.ours.user, s.ours.payment, s.ours.request},
		"draw_id": {s.draw}, "game_id": {s.game}, "entityId": {s.ours.point}, "ticket_id": {s.ours.paidTicket, s.ours.ticket},
	}
	operations, calls := document.Operations(), 0
	for until := time.Now().Add(fuzzFor); time.Now().Before(until) || calls < len(operations); calls++ {
		if calls >= len(operations)*2 && t.Failed() {
			break
		}
		o := operations[calls%len(operations)]
		if reason := unfuzzed()[o.ID]; reason != "" {
			continue
		}
		g.Wild = float64(calls%3) * 0.08
		r := g.Request(o)
		a := s.send(leakCall{
			method: r.Method, path: r.Path, token: s.tokens["house "+models.RoleAdmin], contentType: r.ContentType, body: strings.NewReader(string(r.Body)),
		})
		if a.status >= http.StatusInternalServerError {
			code, _ := a.body["code"].(string)
			assert.True(t, a.status == http.StatusServiceUnavailable && strings.HasSuffix(code, "_STORE_UNAVAILABLE"),
				"seed %d: %s: %d %s\n%s", seed, r, a.status, a.raw, s.logged(&a))
		}
	}
	t.Logf("seed %d: %d calls of %d operations", seed, calls, len(operations))
}

// logged returns the log lines of an answer's request.
func (s *leakSuite) logged(a *answer) string {
	id, _ := a.body["request_id"].(string)
	for line := range strings.SplitSeq(s.log.String(), "\n") {
		if strings.Contains(line, id) && strings.Contains(line, "level=ERROR") {
			return line
		}
	}
	return ""
}

// unfuzzed lists the operations that would end the suite's own session.
func unfuzzed() map[string]string {
	const ends = "it ends the session of the suite"
	return map[string]string{
		"logout": ends, "terminate-session": ends, "change-password": ends, "update-user": ends, "delete-user": ends, "reset-password": ends,
		"set-user-permissions": ends, "connect": "a WebSocket",
		"cancel-ticket": "the ticket of the suite has no booking that could be reversed",
		"cancel-prize":  "the paid ticket of the suite has no booking that could be reversed",
	}
}
