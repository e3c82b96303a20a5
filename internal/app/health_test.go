package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/ledger"
	"banca/internal/platform/config"
	"banca/internal/platform/health"
)

func dependencies(s *health.Snapshot) map[string]string {
	all := map[string]string{}
	for _, d := range s.Dependencies {
		all[d.Name] = d.Status
	}
	return all
}

// Every group of figures is read from the real stores.
func TestTheMonitorReadsEverything(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	cfg := settings(env)
	cfg.SetVersion("1.2.3")
	a, err := Open(t.Context(), cfg, config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	a.stores.objects = env.Objects
	require.NoError(t, a.services.ledger.RecordVerification(t.Context(), ledger.VerifyOutcome{Took: time.Second, Checks: 80, Warnings: 1}))
	a.health.Sample(t.Context())
	s := a.health.Snapshot()
	assert.Equal(t, map[string]string{"postgres": health.OK, "schema": health.OK, "redis": health.OK, "objects": health.OK}, dependencies(s))
	for _, known := range s.Known {
		assert.False(t, known.Failed, known.Name)
		assert.False(t, known.At.IsZero(), known.Name)
	}
	assert.Len(t, s.Sales.Minutes, 60)
	assert.Len(t, s.Queues.Queues, 8)
	assert.Equal(t, int64(80), s.Ledger.Checks)
	assert.WithinDuration(t, time.Now(), s.Ledger.VerifiedAt, time.Minute)
	assert.Positive(t, s.Database.Size)
	assert.Positive(t, s.Disk.Size)
	assert.GreaterOrEqual(t, s.Versions.Schema, int64(55))
	assert.NotEmpty(t, s.Versions.Postgres)
	assert.NotEmpty(t, s.Versions.Redis)
	assert.Equal(t, "1.2.3", s.Process.Version)
	assert.NotNil(t, s.Outbox)
	assert.NotNil(t, s.Draws)
	assert.NotNil(t, s.Bank)
	assert.NotNil(t, s.Messages)
	assert.NotNil(t, s.Models)
	var codes []string
	for _, p := range s.Problems {
		if p.Code != "disk" { // of the machine that tests
			codes = append(codes, p.Code)
		}
	}
	assert.Equal(t, []string{"workers", "scheduler"}, codes, "neither runs in this test")
}

// The monitor goes on while stores are away or hang, and sees that they are back.
func TestTheMonitorWithoutItsStores(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	postgres, redis := testkit.StartPostgres(t), testkit.StartRedis(t)
	cfg := settings(env)
	cfg.Postgres.DatabaseURL, cfg.Redis.RedisURL = config.Secret(postgres.URL()), config.Secret(redis.URL())
	a, err := Open(t.Context(), cfg, config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	sample := func() *health.Snapshot {
		begin := time.Now()
		a.health.Sample(t.Context())
		assert.Less(t, time.Since(begin), 9*time.Second, "no check outlasts its timeout for long")
		return a.health.Snapshot()
	}
	s := sample()
	assert.Equal(t, map[string]string{"postgres": health.OK, "schema": health.OK, "redis": health.OK, "objects": health.Failed}, dependencies(s))
	size := s.Database.Size

	redis.Pause()
	s = sample()
	assert.Equal(t, map[string]string{"postgres": health.OK, "schema": health.OK, "redis": health.Failed, "objects": health.Failed}, dependencies(s))
	assert.Equal(t, health.ReasonTimeout, s.Dependencies[1].Reason)
	redis.Resume()

	postgres.Kill()
	s = sample()
	assert.Equal(t, map[string]string{"postgres": health.Failed, "schema": health.Failed, "redis": health.OK, "objects": health.Failed}, dependencies(s))
	assert.Equal(t, size, s.Database.Size, "what was known stays")
	assert.Equal(t, "dependency.postgres", s.Problems[0].Code)
	postgres.Start()
	require.Eventually(t, func() bool { return dependencies(sample())["postgres"] == health.OK }, testkit.WaitTimeout, 10*time.Millisecond)
}
