package test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/target"
	"banca/internal/dev/trial"
)

// chaosFaults are those of the short run, one of each kind, at targets that are always in use. An api is killed and not a worker, because what
// a killed worker had begun is begun again after a minute; `make chaos` kills both.
func chaosFaults() []string {
	return []string{
		"kill:api-1", "redis-flush", "disk:redis", "redis-tail", "redis-failover", "messages-away", "objects-away", "postgres-crash", "net-cut:api-1/postgres",
		"pause:worker-1", "clock:api-2", "net-hang:api-2/redis", "net-slow:api-1/postgres", "postgres-failover", "net-reset:worker-2/redis",
	}
}

// Two processes of each role lose their servers, their network and their lives while clients sell, cancel, deposit, pay by
// bank and collect prizes. Nothing is lost and nothing happens twice: what Postgres and the gateway hold is what the clients
// were answered. `make chaos` is the long form.
func TestNothingIsLostInChaos(t *testing.T) {
	target.Only(t, target.Chaos)
	t.Parallel()
	var out bytes.Buffer
	err := trial.Chaos(t.Context(), trial.ChaosOptions{
		Options: trial.Options{
			DataDir: testkit.Dir(t), Seed: 15, Environment: []string{commandVariable + "=1"}, Sellers: 3, Pause: 500 * time.Millisecond, Round: 8 * time.Second, Out: &out,
		},
		Plan: chaosFaults(), Gap: 200 * time.Millisecond, Short: true, Insist: testkit.WaitTimeout,
	})
	t.Log(out.String())
	require.NoError(t, err)
}
