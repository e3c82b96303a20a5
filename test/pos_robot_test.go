package test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/bench"
	"banca/internal/dev/embedded"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
	"banca/storage"
)

// Variables of `make robot`: the tickets of the robot, the sales a second of all sellers beside it, 0 for as many as are answered, and a file for a
// profile of the page's processor time.
const (
	robotTickets = "BANCA_ROBOT_TICKETS"
	robotPace    = "BANCA_ROBOT_PACE"
	robotProfile = "BANCA_ROBOT_PROFILE"
)

const (
	robotShort   = 12 // tickets of a run without the variable
	robotSellers = 32
	robotSlow    = 8.0 // sales a second of all sellers in a short run
	robotSeed    = 20261125

	robotWithin = 300 * time.Millisecond // from the key to the outcome, 95 of 100 sales
)

// A robot sells by keys at the point of sale while other sellers sell through the API. Every ticket of the database is one of the page's journal and
// the other way round, and every invariant holds.
func TestPointOfSaleRobot(t *testing.T) {
	tickets, pace, full := robotShort, robotSlow, os.Getenv(robotTickets) != ""
	if full {
		var err error
		tickets, err = strconv.Atoi(os.Getenv(robotTickets))
		require.NoError(t, err)
		pace, err = strconv.ParseFloat(os.Getenv(robotPace), 64)
		require.NoError(t, err)
	} else {
		t.Parallel()
		target.Only(t, target.Long)
	}
	browser.Need(t)
	testbed := startRobotTestbed(t, full)
	r := &robot{counter: &counter{panel: &panel{platform: testbed.platform, tab: browser.Open(t)}, at: testbed.addr}, testbed: testbed, rng: rand.New(rand.NewPCG(robotSeed, 0))}
	stop, err := bench.Beside{Clients: robotSellers, Pace: pace}.Start(t.Context(), testbed.pg, testbed.addr)
	require.NoError(t, err)
	r.begin()
	watch := r.measure()
	stopProfile := func() {}
	if file := os.Getenv(robotProfile); file != "" {
		stopProfile = r.tab.Profile(file)
	}
	begin := time.Now()
	for len(r.sales) < tickets && !t.Failed() {
		r.ticket()
	}
	took := time.Since(begin)
	watch.report(took, len(r.sales))
	stopProfile()
	beside, err := stop()
	require.NoError(t, err)
	t.Logf("%d sellers beside it: %d tickets, %.0f/s, p50 %s, p95 %s; %d refused", robotSellers, beside.Tickets, beside.Rate, beside.P50.Round(time.Millisecond), beside.P95.Round(time.Millisecond), beside.Refused)
	t.Logf("robot: %+v", r.did)
	assert.Positive(t, beside.Tickets)
	if full {
		assert.Zero(t, beside.Refused)
		watch.requireLimits()
	}
	r.requireTickets()
	r.requirePrinted()
	r.tab.Visit("about:blank")
	require.NoError(t, testbed.interrupt())
	requireSoundOn(t, testbed.postgres, testbed.redis)
}

// robotTestbed is a platform and its database.
type robotTestbed struct {
	*platform
	pg              *storage.Postgres
	postgres, redis string
}

// startRobotTestbed starts a platform, for figures on a Postgres of its own that writes to the disk, else on that of the tests.
func startRobotTestbed(t *testing.T, figures bool) *robotTestbed {
	t.Helper()
	s := &robotTestbed{platform: newEmptyPlatform(t)}
	if figures {
		log := slog.New(slog.DiscardHandler)
		stack, err := embedded.Start(t.Context(), embedded.Options{DataDir: testkit.Dir(t), Logger: log, SkipS3: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, stack.Stop(context.WithoutCancel(t.Context()))) })
		s.postgres, s.redis = stack.PostgresURL, stack.RedisURL
		s.pg, err = storage.OpenPostgres(t.Context(), storage.PostgresOptions{URL: stack.PostgresURL, MaxConns: 4, Logger: log})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.pg.Close()) })
	} else {
		env := testkit.New(t)
		s.pg, s.postgres, s.redis = env.PG, env.PostgresURL, env.RedisURL
	}
	s.env = []string{
		"DATABASE_URL=" + s.postgres, "REDIS_URL=" + s.redis, "ACCESS_TOKEN_TTL=12h",
		"RATE_LIMIT_REQUESTS=1000000", "RATE_LIMIT_PANEL_REQUESTS=1000000",
	}
	s.start()
	return s
}
