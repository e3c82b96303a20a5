package app

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/dev/simulators/seeded"
	"banca/internal/dev/testkit"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/tasks"
	"banca/worker"
)

// outside is an application beside a simulated lottery, with one draw of one seeded game, on a fake clock.
type outside struct {
	env       *testkit.Env
	clock     *clock.Fake
	simulated *simulators.Lottery
	cfg       *config.Config
	services  *services
	registry  *worker.Registry
	draw      uuid.UUID
	at        time.Time
}

func newOutside(t *testing.T, game string) *outside {
	t.Helper()
	zone := time.FixedZone("America/Caracas", -4*60*60)
	day := clock.System{}.Now().In(zone).AddDate(0, 0, 1)
	o := &outside{env: testkit.New(t), clock: clock.NewFake(time.Date(day.Year(), day.Month(), day.Day(), 6, 0, 0, 0, zone))}
	games, err := seeded.Games()
	require.NoError(t, err)
	o.simulated = simulators.NewLottery(simulators.LotteryConfig{Seed: seeded.Seed, Location: zone, Clock: o.clock, Games: games})
	server := httptest.NewServer(o.simulated)
	t.Cleanup(server.Close)
	o.cfg = settings(o.env)
	o.cfg.Business = config.Business{Zone: zone, SaleStop: 5 * time.Minute, MaxTicketLines: 200}
	o.cfg.Lottery = config.Lottery{
		LotterySources: map[string]string{"official": server.URL, "mirror": server.URL + "/mirror"}, LotteryTimeout: 300 * time.Millisecond,
	}
	require.NoError(t, seed.Run(t.Context(), o.env.PG, seed.Options{HashPassword: func(string) (string, error) { return "-", nil }}))
	o.restart(t)
	_, err = o.services.catalog.Generate(t.Context())
	require.NoError(t, err)
	require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), `SELECT id, draw_time FROM draws WHERE game_id = $1 ORDER BY draw_time LIMIT 1`, seed.ID("game", game)).Scan(&o.draw, &o.at))
	o.exec(t, `DELETE FROM draws WHERE id <> $1`, o.draw)
	o.exec(t, `DELETE FROM outbox`)
	return o
}

// restart closes the application and builds another.
func (o *outside) restart(t *testing.T) {
	t.Helper()
	st, err := openStores(t.Context(), o.cfg, config.Mode(RoleAPI), o.env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, st.close()) })
	o.services, err = newServices(st, o.cfg, config.Mode(RoleAPI), o.clock, o.env.Log)
	require.NoError(t, err)
	o.registry, err = newRegistry(o.services, o.clock, o.env.Log)
	require.NoError(t, err)
}

func (o *outside) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := o.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// run runs a task as a worker does.
func (o *outside) run(t *testing.T, args tasks.Args) {
	t.Helper()
	task, err := tasks.NewTask(args)
	require.NoError(t, err)
	require.NoError(t, o.registry.ProcessTask(t.Context(), task))
}

// work runs the due tasks of the outbox, and the tasks that these enqueue.
func (o *outside) work(t *testing.T) {
	t.Helper()
	for {
		rows, err := o.env.PG.Pool.Query(t.Context(), `DELETE FROM outbox WHERE process_at IS NULL OR process_at <= $1 RETURNING kind, payload`, o.clock.Now())
		require.NoError(t, err)
		var due []*asynq.Task
		for rows.Next() {
			var kind string
			var payload []byte
			require.NoError(t, rows.Scan(&kind, &payload))
			due = append(due, asynq.NewTask(kind, payload))
		}
		require.NoError(t, rows.Err())
		if due == nil {
			return
		}
		for _, task := range due {
			require.NoError(t, o.registry.ProcessTask(t.Context(), task))
		}
	}
}

// until goes to an instant, working whenever the outbox has something.
func (o *outside) until(t *testing.T, end time.Time) {
	t.Helper()
	for {
		o.work(t)
		var next *time.Time
		require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), `SELECT min(process_at) FROM outbox`).Scan(&next))
		if next == nil || next.After(end) {
			break
		}
		o.clock.Advance(next.Sub(o.clock.Now()))
	}
	if wait := end.Sub(o.clock.Now()); wait > 0 {
		o.clock.Advance(wait)
	}
}

// closed closes the draw at its stop, here and outside.
func (o *outside) closed(t *testing.T) {
	t.Helper()
	o.clock.Advance(o.at.Sub(o.clock.Now()) - 5*time.Minute)
	o.run(t, tasks.DrawClose{})
	o.work(t)
}

func (o *outside) fault(t *testing.T, f simulators.Fault) {
	t.Helper()
	require.True(t, o.simulated.SetFault(f))
}

// story is how the draw stands: its status, attempts and alerts.
func (o *outside) story(t *testing.T) (status string, attempts int, alerts string) {
	t.Helper()
	require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), `SELECT status, poll_attempts,
		(SELECT coalesce(string_agg(kind, ' ' ORDER BY kind), '') FROM draw_alerts a WHERE a.draw_id = d.id) FROM draws d WHERE id = $1`, o.draw).
		Scan(&status, &attempts, &alerts))
	return status, attempts, alerts
}

func (o *outside) requireStory(t *testing.T, wantStatus string, wantAttempts int, wantAlerts string) {
	t.Helper()
	status, attempts, alerts := o.story(t)
	assert.Equal(t, wantStatus, status)
	assert.Equal(t, wantAttempts, attempts)
	assert.Equal(t, wantAlerts, alerts)
}

// From the sale stop to the settlement no step is manual.
func TestADrawIsClosedExternallyFetchedAndSettled(t *testing.T) {
	t.Parallel()
	for _, game := range []string{"lotto-activo", "la-granjita"} { // one trusted source, and two that agree
		o := newOutside(t, game)
		o.closed(t)
		o.until(t, o.at.Add(4*time.Minute))
		o.requireStory(t, models.DrawClosed, 0, "")
		o.until(t, o.at.Add(6*time.Minute))
		o.requireStory(t, models.DrawSettled, 1, "")
		var outside int
		require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM draws WHERE external_closed_at IS NOT NULL AND external_attempts = 1`).Scan(&outside))
		assert.Equal(t, 1, outside)
	}
}

func TestALateResultIsFetchedByTheThirdAttempt(t *testing.T) {
	t.Parallel()
	o := newOutside(t, "lotto-activo")
	o.closed(t)
	o.fault(t, simulators.Fault{Mode: simulators.LotteryLate, DelayMS: int((7 * time.Minute).Milliseconds())})
	o.until(t, o.at.Add(7*time.Minute))
	o.requireStory(t, models.DrawClosed, 2, "")
	o.until(t, o.at.Add(9*time.Minute))
	o.requireStory(t, models.DrawSettled, 3, "")
}

func TestASystemWithoutAnAnswerRaisesAnAlert(t *testing.T) {
	t.Parallel()
	o := newOutside(t, "lotto-activo")
	o.closed(t)
	o.fault(t, simulators.Fault{Mode: simulators.LotterySilent})
	o.until(t, o.at.Add(3*time.Hour))
	_, attempts, alerts := o.story(t)
	assert.Equal(t, 8, attempts)
	assert.Empty(t, alerts)
	o.until(t, o.at.Add(24*time.Hour))
	o.requireStory(t, models.DrawClosed, 9, models.AlertNoResult)
	var kept int
	require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), `SELECT sum(repeats + 1) FROM result_fetches WHERE outcome = 'unavailable'`).Scan(&kept))
	assert.Equal(t, 9, kept, "every attempt is kept")
}

func TestASlowSystemTimesOutAndIsPolledAgain(t *testing.T) {
	t.Parallel()
	o := newOutside(t, "lotto-activo")
	o.closed(t)
	o.fault(t, simulators.Fault{Mode: simulators.LotterySlow, Times: 1, DelayMS: 50_000})
	began := time.Now()
	o.until(t, o.at.Add(5*time.Minute))
	o.work(t)
	o.requireStory(t, models.DrawClosed, 1, "")
	assert.Less(t, time.Since(began), 40*time.Second, "nobody waited for the answer")
	o.until(t, o.at.Add(7*time.Minute))
	o.requireStory(t, models.DrawSettled, 2, "")
}

func TestContradictingSystemsAreLeftToPeople(t *testing.T) {
	t.Parallel()
	o := newOutside(t, "la-granjita")
	o.closed(t)
	o.fault(t, simulators.Fault{Mode: simulators.LotteryContradictory})
	o.until(t, o.at.Add(24*time.Hour))
	o.requireStory(t, models.DrawClosed, 1, models.AlertContradiction)
	proposed, _, err := o.services.draws.Results(t.Context(), testkit.Operator(uuid.MustParse(seed.RootEntityID)), &draws.ResultFilter{DrawID: o.draw, Status: models.ResultProposed, Limit: 10})
	require.NoError(t, err)
	require.Len(t, proposed, 2)
	_, _, err = o.services.draws.Verify(t.Context(), caller.Caller{UserID: uuid.New()}, proposed[0].ID, nil)
	require.NoError(t, err)
	o.work(t)
	status, _, _ := o.story(t)
	assert.Equal(t, models.DrawSettled, status)
}

// A wrong result of an untrusted source waits; the trusted one's answer then contradicts it.
func TestAWrongResultOfAnUntrustedSystemIsNotVerified(t *testing.T) {
	t.Parallel()
	o := newOutside(t, "lotto-activo")
	o.exec(t, `UPDATE games SET api_config = jsonb_set(jsonb_set(api_config, '{sources,1}', api_config #> '{sources,0}' || '{"name": "mirror", "trusted": false}'),
		'{sources,0,result,match,external_id}', '"not {external_id}"') WHERE short_code = 'lotto-activo'`)
	o.closed(t)
	o.fault(t, simulators.Fault{Mode: simulators.LotteryWrong, Source: simulators.SourceMirror})
	o.until(t, o.at.Add(7*time.Minute))
	o.requireStory(t, models.DrawClosed, 2, "")
	o.exec(t, `UPDATE games SET api_config = jsonb_set(api_config, '{sources,0,result,match,external_id}', '"{external_id}"') WHERE short_code = 'lotto-activo'`)
	o.until(t, o.at.Add(24*time.Hour))
	o.requireStory(t, models.DrawClosed, 3, models.AlertContradiction)
}

// Everything was down when the result was due, and the queue has lost its tasks: the sweep of a new process finds it.
func TestAMissedAttemptIsCaughtUpAfterARestart(t *testing.T) {
	t.Parallel()
	o := newOutside(t, "lotto-activo")
	o.clock.Advance(o.at.Sub(o.clock.Now()) - 5*time.Minute)
	o.run(t, tasks.DrawClose{})
	o.exec(t, `DELETE FROM outbox`)
	o.clock.Advance(3 * time.Hour)
	o.restart(t)
	o.run(t, tasks.ResultSweep{})
	o.run(t, tasks.ResultSweep{})
	o.work(t)
	o.requireStory(t, models.DrawSettled, 1, "")
	var outside bool
	require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), `SELECT external_closed_at IS NOT NULL FROM draws`).Scan(&outside))
	assert.True(t, outside)
}
