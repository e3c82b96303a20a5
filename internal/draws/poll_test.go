package draws_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/lottery"
	"banca/internal/platform/realtime"
	"banca/internal/setup/seed"
	"banca/models"
)

// answers is an external lottery that returns set answers.
type answers struct {
	mu      sync.Mutex
	fetched []lottery.Fetched
	asked   int
	closed  int
	fail    error
	during  func() // called while a result is fetched
}

func (a *answers) Fetch(_ context.Context, _ *lottery.Config, _ lottery.DrawRef) []lottery.Fetched {
	a.mu.Lock()
	a.asked++
	list, during := append([]lottery.Fetched(nil), a.fetched...), a.during
	a.mu.Unlock()
	if during != nil {
		during()
	}
	return list
}

func (a *answers) CloseDraw(context.Context, *lottery.Config, lottery.DrawRef) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed++
	return a.fail
}

// tell sets the answer of every source; a text is a value, an error a failure.
func (a *answers) tell(by map[string]any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fetched = nil
	for _, source := range []string{"official", "mirror"} {
		f := lottery.Fetched{Source: source, Trusted: source == "official", Evidence: lottery.Evidence{URL: "https://x", Status: 200, Body: "{}", FetchedAt: time.Unix(1, 0)}}
		switch told := by[source].(type) {
		case string:
			f.Value = told
		case error:
			f.Err = told
		default:
			continue
		}
		a.fetched = append(a.fetched, f)
	}
}

// asking is a house whose draws are polled at a.
func asking(t testing.TB, a draws.Lottery) *world {
	t.Helper()
	h := setup(t)
	h.asks(a)
	return h
}

func (h *world) asks(a draws.Lottery) {
	h.Service = draws.New(draws.Deps{
		PG: h.PG, Catalog: h.Catalog, Cache: h.Risk, Refunds: h.sales, Lottery: a, Zone: fixture.Caracas, Clock: h.Clock, Log: h.Env.Log, Events: h.news,
	})
}

// due closes a draw and goes to its first attempt.
func (h *world) due(t testing.TB, draw *catalog.Draw) {
	t.Helper()
	h.hold(t, draw)
	h.Clock.Advance(5 * time.Minute)
}

// next goes to a draw's next attempt and makes it.
func (h *world) next(t testing.TB, draw *catalog.Draw) {
	t.Helper()
	var at time.Time
	require.NoError(t, h.PG.Pool.QueryRow(t.Context(), `SELECT poll_next_at FROM draws WHERE id = $1`, draw.ID).Scan(&at))
	h.Clock.Advance(at.Sub(h.Clock.Now()))
	require.NoError(t, h.Poll(t.Context(), draw.ID))
}

// polled returns the state of a draw: attempts made, whether another one is planned, and its verified result.
func (h *world) polled(t testing.TB, draw *catalog.Draw) string {
	t.Helper()
	return h.Text(t, `SELECT d.poll_attempts || CASE WHEN d.poll_next_at IS NULL THEN ' done' ELSE ' more' END || coalesce(' ' || r.value, '')
		FROM draws d LEFT JOIN results r ON r.id = d.result_id WHERE d.id = $1`, draw.ID)
}

// alerts lists the kinds of a draw's alerts.
func (h *world) alerts(t testing.TB, draw *catalog.Draw) string {
	t.Helper()
	return h.Text(t, `SELECT coalesce(string_agg(kind, ' ' ORDER BY kind), '') FROM draw_alerts WHERE draw_id = $1`, draw.ID)
}

const both = `{"sources":[{"name":"official","trusted":true,"close":{"url":"{base}/c"},"result":{"url":"{base}/{external_id}","value":"value"}},
	{"name":"mirror","result":{"url":"{base}/{external_id}","value":"value"}}],"verify":`

func (h *world) policy(t testing.TB, verify string) {
	t.Helper()
	h.Exec(t, `UPDATE games SET api_config = $1::jsonb`, both+verify+`}`)
}

const (
	byTrust  = `{"policy":"trusted"}`
	byAccord = `{"policy":"agree","sources":2}`
	byHand   = `{"policy":"manual"}`
)

// Which answers each policy verifies, when, and which alerts are filed instead.
func TestPoliciesVerifyWhatTheyTrust(t *testing.T) {
	t.Parallel()
	notYet, down := error(lottery.ErrNotYet), error(lottery.ErrUnavailable)
	type told = map[string]any
	for name, c := range map[string]struct {
		policy string
		told   []told
		want   string // in the form of polled
		alerts string
	}{
		"the trusted one tells":             {byTrust, []told{{"official": "5", "mirror": notYet}}, "1 done 5", ""},
		"only the other tells":              {byTrust, []told{{"official": notYet, "mirror": "5"}}, "1 more", ""},
		"the trusted one later":             {byTrust, []told{{"official": down, "mirror": "5"}, {"official": "5", "mirror": down}}, "2 done 5", ""},
		"they contradict":                   {byTrust, []told{{"official": "5", "mirror": "6"}}, "1 done", "contradiction"},
		"they contradict over time":         {byTrust, []told{{"official": notYet, "mirror": "6"}, {"official": "5", "mirror": notYet}}, "2 more", "contradiction"},
		"one changes its mind":              {byAccord, []told{{"official": "5", "mirror": notYet}, {"official": "6", "mirror": "6"}}, "2 done", "contradiction"},
		"both agree":                        {byAccord, []told{{"official": "5", "mirror": "5"}}, "1 done 5", ""},
		"both agree over time":              {byAccord, []told{{"official": "5", "mirror": down}, {"official": down, "mirror": "5"}}, "2 done 5", ""},
		"one is not two":                    {byAccord, []told{{"official": "5", "mirror": notYet}, {"official": "5", "mirror": notYet}}, "2 more", ""},
		"people verify":                     {byHand, []told{{"official": "5", "mirror": "5"}}, "1 done", ""},
		"people wait for the other, too":    {byHand, []told{{"official": "5", "mirror": notYet}}, "1 more", ""},
		"an element of another game":        {byTrust, []told{{"official": "99", "mirror": notYet}}, "1 more", "malformed"},
		"05 is not 5":                       {byTrust, []told{{"official": "05", "mirror": notYet}}, "1 more", "malformed"},
		"00 is not 0, both are":             {byAccord, []told{{"official": "00", "mirror": "0"}}, "1 done", "contradiction"},
		"what cannot be used is no opinion": {byTrust, []told{{"official": "5", "mirror": "99"}}, "1 done 5", "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &answers{}
			h := asking(t, a)
			h.policy(t, c.policy)
			draw := h.OpenDraws(t, "lotto-activo")[0]
			h.due(t, draw)
			for _, told := range c.told {
				a.tell(told)
				h.next(t, draw)
			}
			assert.Equal(t, c.want, h.polled(t, draw))
			assert.Equal(t, c.alerts, h.alerts(t, draw))
			h.requireSound(t)
		})
	}
}

func TestAVerifiedResultIsPublishedSettledAndLogged(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	ticket := h.sell(t, fixture.Line(draw, catalog.BetStraight, "10", "5"))
	h.due(t, draw)
	a.tell(map[string]any{"official": "5"})
	require.NoError(t, h.Poll(t.Context(), draw.ID))
	assert.Equal(t, 1, h.news.named(realtime.ResultPublished))
	assert.Equal(t, int64(1), h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'draw.settle'`))
	assert.Equal(t, int64(1), h.Number(t, `SELECT count(*) FROM activity_logs WHERE module = 'results' AND action = 'fetch'`))
	assert.Equal(t, "fetched official", h.Text(t, `SELECT origin || ' ' || source FROM results WHERE status = 'verified' AND verified_by IS NULL AND evidence ->> 'url' = 'https://x'`))
	_, err := h.Settle(t.Context(), draw.ID)
	require.NoError(t, err)
	assert.Contains(t, h.state(t, ticket), "won")
	h.requireSound(t)
}

// Fifty tasks of one attempt make it once.
func TestConcurrentTasksMakeAnAttemptOnce(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.due(t, draw)
	a.tell(map[string]any{"official": error(lottery.ErrNotYet)})
	for attempt := 1; attempt <= 2; attempt++ {
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { assert.NoError(t, h.Poll(t.Context(), draw.ID)) })
		}
		all.Wait()
		assert.Equal(t, attempt, a.asked)
		assert.Equal(t, int64(attempt), h.Number(t, `SELECT poll_attempts FROM draws WHERE id = $1`, draw.ID))
		assert.Equal(t, int64(attempt), h.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'result.poll' AND process_at > now() AND payload ->> 'draw_id' = $1`, draw.ID.String())-1, "each plans the next")
		h.Clock.Advance(time.Minute)
	}
	assert.Equal(t, int64(1), h.Number(t, `SELECT repeats FROM result_fetches WHERE draw_id = $1`, draw.ID), "the same answer is counted")
}

// After the eighth retry an alert is filed, and polling ends.
func TestPollingEndsWithAnAlert(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.due(t, draw)
	a.tell(map[string]any{"official": error(lottery.ErrUnavailable)})
	var waits []time.Duration
	for attempt := 1; attempt <= 9; attempt++ {
		require.Empty(t, h.alerts(t, draw))
		before := h.Clock.Now()
		h.next(t, draw)
		waits = append(waits, h.Clock.Now().Sub(before))
	}
	assert.Equal(t, append([]time.Duration{0}, draws.DefaultPollDelays()...), waits)
	assert.Equal(t, "9 done", h.polled(t, draw))
	assert.Equal(t, models.AlertNoResult, h.alerts(t, draw))
	h.Clock.Advance(24 * time.Hour)
	require.NoError(t, h.Poll(t.Context(), draw.ID))
	assert.Equal(t, 9, a.asked)
}

// A process that was killed in an attempt, or whose task was lost, is replaced by the sweep; the ninth one, too.
func TestTheSweepReplacesLostAttempts(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	h.hold(t, draw)
	swept := func(kind string) int64 {
		h.Exec(t, `DELETE FROM outbox`)
		_, err := h.Sweep(t.Context())
		require.NoError(t, err)
		return h.Number(t, `SELECT count(*) FROM outbox WHERE kind = $1 AND payload ->> 'draw_id' = $2`, kind, draw.ID.String())
	}
	assert.Zero(t, swept("result.poll"))
	h.Clock.Advance(5*time.Minute + 20*time.Second)
	assert.Zero(t, swept("result.poll"), "the exact task may still come")
	h.Clock.Advance(3 * time.Hour) // everything was down
	assert.Equal(t, int64(1), swept("result.poll"))
	assert.Equal(t, int64(1), swept("draw.close_external"))

	h.Exec(t, `UPDATE draws SET poll_attempts = 8 WHERE id = $1`, draw.ID)
	killed, kill := context.WithCancel(t.Context())
	a.tell(map[string]any{"official": "5"})
	a.during = kill // in the middle of the ninth attempt
	require.Error(t, h.Poll(killed, draw.ID))
	a.during = nil
	require.NoError(t, h.Poll(t.Context(), draw.ID), "the attempt belongs to who was killed")
	assert.Equal(t, "9 more", h.polled(t, draw))
	assert.Zero(t, swept("result.poll"))
	h.Clock.Advance(3 * time.Minute)
	assert.Equal(t, int64(1), swept("result.poll"))
	require.NoError(t, h.Poll(t.Context(), draw.ID))
	assert.Equal(t, models.AlertNoResult, h.alerts(t, draw))
	assert.Equal(t, 1, a.asked)
	assert.Zero(t, swept("result.poll"))
}

// A result that people verified during a call stands; an answer that differs files an alert.
func TestAVerifiedResultIsNeverCorrectedByAnAnswer(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	list := h.OpenDraws(t, "lotto-activo")
	for i, told := range []string{"6", "5"} {
		draw := list[i]
		h.due(t, draw)
		a.tell(map[string]any{"official": told})
		a.during = func() {
			entered, err := h.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "5"})
			assert.NoError(t, err)
			_, _, err = h.Verify(t.Context(), fixture.As(fixture.Verifier), entered.ID, nil)
			assert.NoError(t, err)
		}
		require.NoError(t, h.Poll(t.Context(), draw.ID))
		assert.Equal(t, "1 done 5", h.polled(t, draw))
		assert.Equal(t, map[string]string{"6": models.AlertDiffers, "5": ""}[told], h.alerts(t, draw))
		assert.Equal(t, int64(1), h.Number(t, `SELECT count(*) FROM results WHERE draw_id = $1`, draw.ID))
	}
	h.requireSound(t)
}

// What a person types counts as an opinion, and what one rejected is not proposed again.
func TestPollingDoesNotOverruleAPerson(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	list := h.OpenDraws(t, "lotto-activo")
	draw := list[0]
	h.due(t, draw)
	_, err := h.Enter(t.Context(), fixture.As(fixture.Typist), draw.ID, catalog.Outcome{Value: "7"})
	require.NoError(t, err)
	a.tell(map[string]any{"official": "5"})
	h.next(t, draw)
	assert.Equal(t, models.AlertContradiction, h.alerts(t, draw))
	assert.Equal(t, "1 done", h.polled(t, draw))

	draw = list[1]
	h.due(t, draw)
	a.tell(map[string]any{"official": error(lottery.ErrNotYet), "mirror": "5"})
	h.next(t, draw)
	id := uuid.MustParse(h.Text(t, `SELECT id::text FROM results WHERE draw_id = $1`, draw.ID))
	_, err = h.Reject(t.Context(), fixture.As(fixture.Verifier), id, "it is of yesterday")
	require.NoError(t, err)
	a.tell(map[string]any{"official": error(lottery.ErrNotYet), "mirror": "5"})
	h.next(t, draw)
	assert.Equal(t, int64(1), h.Number(t, `SELECT count(*) FROM results WHERE draw_id = $1`, draw.ID), "the same is not proposed again")
	a.tell(map[string]any{"official": "5", "mirror": "5"})
	h.next(t, draw)
	assert.Equal(t, "3 done", h.polled(t, draw), "and a person decides")
	h.requireSound(t)
}

func TestNoPollWithoutASource(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	h.Exec(t, `UPDATE games SET api_config = '{}' WHERE short_code = 'lotto-activo'`)
	h.Exec(t, `UPDATE games SET api_config = '{"sources": 5}' WHERE short_code = 'trio-activo'`)
	plain, derived, broken := h.OpenDraws(t, "lotto-activo")[0], h.OpenDraws(t, "terminal-activo")[0], h.OpenDraws(t, "trio-activo")[0]
	h.due(t, plain)
	for draw, want := range map[*catalog.Draw]string{plain: "1 done", derived: "1 more", broken: "1 more"} {
		require.NoError(t, h.Poll(t.Context(), draw.ID))
		assert.Equal(t, want, h.polled(t, draw))
	}
	assert.Zero(t, a.asked)
	assert.Equal(t, models.AlertMalformed, h.alerts(t, broken))
	assert.Contains(t, h.Text(t, `SELECT detail FROM draw_alerts WHERE draw_id = $1`, broken.ID), "api_config")
}

// The external system is called about a closing until it accepts it, and not again.
func TestTheClosingReachesTheExternalSystem(t *testing.T) {
	t.Parallel()
	a := &answers{fail: lottery.ErrUnavailable}
	h := asking(t, a)
	h.policy(t, byTrust)
	draw := h.OpenDraws(t, "lotto-activo")[0]
	require.NoError(t, h.CloseExternal(t.Context(), draw.ID))
	assert.Zero(t, a.closed, "it still sells")
	h.hold(t, draw)
	for n := 1; n <= 5; n++ {
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { assert.NoError(t, h.CloseExternal(t.Context(), draw.ID)) })
		}
		all.Wait()
		assert.Equal(t, n, a.closed)
		assert.Equal(t, n, int(h.Number(t, `SELECT external_attempts FROM draws WHERE id = $1`, draw.ID)))
		assert.Equal(t, map[bool]string{true: models.AlertCloseFailed}[n == 5], h.alerts(t, draw))
		h.Clock.Advance(10 * time.Minute)
	}
	a.fail = nil
	for range 3 {
		require.NoError(t, h.CloseExternal(t.Context(), draw.ID))
	}
	assert.Equal(t, 6, a.closed)
	assert.Equal(t, int64(1), h.Number(t, `SELECT count(*) FROM draws WHERE id = $1 AND external_closed_at IS NOT NULL`, draw.ID))
	h.Exec(t, `UPDATE games SET api_config = '{}'`)
	other := h.OpenDraws(t, "trio-activo")[0]
	h.hold(t, other)
	require.NoError(t, h.CloseExternal(t.Context(), other.ID))
	assert.Equal(t, int64(1), h.Number(t, `SELECT count(*) FROM draws WHERE id = $1 AND external_closed_at IS NOT NULL`, other.ID), "there is nobody to tell")
	assert.Equal(t, 6, a.closed)
}

// The seeded games with the simulated systems: derived results follow the fetched ones.
func TestSeededGamesGetTheirResults(t *testing.T) {
	t.Parallel()
	h := setup(t)
	games, err := seed.Games()
	require.NoError(t, err)
	var played []simulators.LotteryGame
	for _, g := range games {
		played = append(played, simulators.LotteryGame{Code: g.External, Times: g.Times, Elements: g.Elements, Signs: g.Signs, LastTwoOf: g.LastTwoOf})
	}
	server := httptest.NewServer(simulators.NewLottery(simulators.LotteryConfig{Seed: 3, Location: fixture.Caracas, Clock: h.Clock, Games: played}))
	t.Cleanup(server.Close)
	client, err := lottery.New(lottery.Options{Sources: map[string]string{"official": server.URL, "mirror": server.URL + "/mirror"}})
	require.NoError(t, err)
	h.asks(client)
	zulia, triple, terminal := h.OpenDraws(t, "triple-zulia")[0], h.OpenDraws(t, "trio-activo")[0], h.OpenDraws(t, "terminal-activo")[0]
	require.Equal(t, triple.Time, terminal.Time)
	h.due(t, zulia) // the latest of them
	for _, draw := range []*catalog.Draw{zulia, triple, terminal} {
		require.NoError(t, h.CloseExternal(t.Context(), draw.ID))
		require.NoError(t, h.Poll(t.Context(), draw.ID))
		assert.Empty(t, h.alerts(t, draw))
	}
	assert.Equal(t, int64(3), h.Number(t, `SELECT count(*) FROM draws WHERE external_closed_at IS NOT NULL`))
	verified := func(draw *catalog.Draw, column string) string {
		return h.Text(t, `SELECT `+column+` FROM results WHERE status = 'verified' AND draw_id = $1`, draw.ID)
	}
	assert.Contains(t, catalog.Signs(), verified(zulia, "sign"))
	assert.Equal(t, "1 more", h.polled(t, terminal), "it is derived, and waited for")
	require.NoError(t, h.Derive(t.Context(), uuid.MustParse(verified(triple, "id::text"))))
	assert.Equal(t, verified(triple, "value")[1:], verified(terminal, "value"))
	h.requireSound(t)
}

// A draw that is suspended during a poll gets no result, and one that is polled too early waits.
func TestSuspendedAndEarlyDrawsGetNoResult(t *testing.T) {
	t.Parallel()
	a := &answers{}
	h := asking(t, a)
	h.policy(t, byTrust)
	a.tell(map[string]any{"official": "5"})
	list := h.OpenDraws(t, "lotto-activo")
	h.due(t, list[0])
	a.during = func() {
		assert.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), list[0].ID, "the machine broke"))
	}
	require.NoError(t, h.Poll(t.Context(), list[0].ID))
	assert.Equal(t, "1 done", h.polled(t, list[0]))
	a.during = nil
	h.Clock.Advance(list[1].SaleStopAt.Sub(h.Clock.Now()))
	_, err := h.CloseDue(t.Context())
	require.NoError(t, err)
	h.Exec(t, `UPDATE draws SET poll_next_at = $2 WHERE id = $1`, list[1].ID, h.Clock.Now())
	require.NoError(t, h.Poll(t.Context(), list[1].ID))
	assert.Equal(t, "1 more", h.polled(t, list[1]))
	assert.Zero(t, h.Number(t, `SELECT count(*) FROM results`))
	h.requireSound(t)
}

// Draws that are not closed in an external system for one cause are counted together, and each is listed by its cause.
func TestTheCausesOfOpenAlerts(t *testing.T) {
	t.Parallel()
	refused := fmt.Errorf("source %s: %w", "official", lottery.ErrRefused.WithCause(errors.New("status 404")))
	a := &answers{fail: errors.Join(refused, fmt.Errorf("source %s: %w", "other", lottery.ErrUnavailable.WithCause(errors.New("status 503"))))}
	h := asking(t, a)
	h.policy(t, byTrust)
	h.Exec(t, `UPDATE games SET api_config = (SELECT api_config FROM games WHERE short_code = 'lotto-activo') WHERE short_code = 'trio-activo'`)
	closing := []*catalog.Draw{h.OpenDraws(t, "lotto-activo")[0], h.OpenDraws(t, "lotto-activo")[1], h.OpenDraws(t, "trio-activo")[0]}
	for i, draw := range closing {
		h.hold(t, draw)
		if i == 2 {
			a.fail = lottery.ErrConfig
		}
		for range 5 {
			require.NoError(t, h.CloseExternal(t.Context(), draw.ID))
			h.Clock.Advance(10 * time.Minute)
		}
	}
	found, err := h.CloseFailures(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 2)
	cause := draws.Cause{Key: "source official: LOTTERY_REFUSED 404", Source: "official", Code: "LOTTERY_REFUSED", Status: "404"}
	assert.Equal(t, cause, found[0].Cause)
	assert.EqualValues(t, 2, found[0].Draws)
	assert.Equal(t, draws.Cause{Key: "INVALID_API_CONFIG", Code: "INVALID_API_CONFIG"}, found[1].Cause)
	listed, total, err := h.Alerts(t.Context(), &draws.AlertFilter{Open: true, Cause: cause.Key}, 10, 0)
	require.NoError(t, err)
	require.EqualValues(t, 2, total)
	assert.Equal(t, cause, listed[0].Cause)
	assert.True(t, found[0].Since.Equal(listed[1].FirstAt), "since the first one")
	require.NoError(t, h.Acknowledge(t.Context(), fixture.As(fixture.Verifier), listed[0].ID))
	found, err = h.CloseFailures(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 1, found[0].Draws+found[1].Draws-1, "one of each cause is left")
}

// What the detail of an alert says is read without its words.
func TestTheNoteOfAnAlert(t *testing.T) {
	t.Parallel()
	for detail, want := range map[string]draws.Note{
		"no verified result after 12 attempts":                          {Code: draws.NoteAttempts, Number: 12},
		"no result 30 minutes after the draw":                           {Code: draws.NoteLate, Number: 30},
		"a result awaits its verification 30 minutes after the draw":    {Code: draws.NoteUnverified, Number: 30},
		"derived: 23, verified: 26":                                     {Code: draws.NoteDerived, Source: "derived", Reported: "23", Verified: "26"},
		"official: 042 LEO, verified: 043 LEO":                          {Code: draws.NoteReported, Source: "official", Reported: "042 LEO", Verified: "043 LEO"},
		"official: the content type is not JSON":                        {},
		"no result 30 minutes after the draw and more of a longer text": {},
	} {
		assert.Equal(t, want, (&draws.Alert{Kind: models.AlertDiffers, Detail: detail}).Note(), detail)
	}
	assert.Zero(t, (&draws.Alert{Kind: models.AlertContradiction, Detail: "a: 5, b: 6"}).Note())
}
