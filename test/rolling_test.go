package test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/embedded"
	"banca/internal/dev/testkit"
	"banca/internal/setup/seed"
)

const (
	rollingDatabase = "banca_rolling"
	rollingSellers  = 4
	rollingSales    = 3 // of each seller after the last restart

	// lastRelease names a program of the last release, which sells first: scripts/upgrade.sh builds it.
	lastRelease = "BANCA_LAST_RELEASE"
)

// fleet is the platform as in production: a process for each role.
type fleet struct {
	t       *testing.T
	address string // of the database
	env     []string
	program string // of the processes that are started next

	mu   sync.Mutex
	apis []string // addresses that clients know
}

// role is a running process of a fleet.
type role struct {
	name string
	addr string // "" if it does not listen
	cmd  *exec.Cmd
}

// newFleet makes stores for a fleet.
func newFleet(t *testing.T, env *testkit.Env) *fleet {
	t.Helper()
	_, err := env.PG.Pool.Exec(t.Context(), "CREATE DATABASE "+rollingDatabase)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := env.PG.Pool.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+rollingDatabase+" WITH (FORCE)")
		assert.NoError(t, err)
	})
	address := databaseOf(t, env, rollingDatabase)
	key := strings.Repeat("rolling-key-0123", 2)
	objects, err := embedded.StartS3(t.Context(), embedded.S3Options{Dir: filepath.Join(testkit.Dir(t), "s3"), AccessKey: "rolling", SecretKey: key})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, objects.Stop(context.WithoutCancel(t.Context()))) })
	program, err := os.Executable()
	require.NoError(t, err)
	return &fleet{t: t, address: address, program: program, env: append(os.Environ(), commandVariable+"=1", "DATABASE_URL="+address, "REDIS_URL="+env.RedisURL,
		"S3_ENDPOINT="+objects.Endpoint(), "S3_ACCESS_KEY=rolling", "S3_SECRET_KEY="+key, "JWT_SECRET="+key,
		"PUBLIC_URL=http://127.0.0.1:8080", "ROOT_ENTITY_ID="+seed.RootEntityID, // a setting of the last release
		"LOG_LEVEL=warn", "BCRYPT_COST=4", "RATE_LIMIT_REQUESTS=1000000", "DATABASE_MAX_CONNS=10")}
}

func (f *fleet) command(name string, more ...string) *exec.Cmd {
	cmd := exec.Command(f.program, name)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(slices.Clone(f.env), more...), os.Stderr, os.Stderr
	return cmd
}

// start starts a process and waits until it is ready, if it tells.
func (f *fleet) start(name string) *role {
	f.t.Helper()
	r := &role{name: name, addr: freeAddr(f.t)}
	variable := "OPS_ADDR"
	if name == "api" {
		variable = "HTTP_ADDR"
	}
	r.cmd = f.command(name, variable+"="+r.addr)
	require.NoError(f.t, r.cmd.Start())
	f.t.Cleanup(func() { _ = r.cmd.Process.Kill() })
	if name != "api" && f.program == os.Getenv(lastRelease) {
		return r
	}
	ready := func() bool { return (&platform{t: f.t, addr: r.addr}).get("/readyz", "").status == http.StatusOK }
	require.Eventually(f.t, ready, testkit.WaitTimeout, 20*time.Millisecond, name)
	if name == "api" {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.apis = append(f.apis, r.addr)
	}
	return r
}

// stop ends a process as an orchestrator does. Clients learn of it afterwards only.
func (f *fleet) stop(r *role) {
	f.t.Helper()
	require.NoError(f.t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(f.t, r.cmd.Wait(), "%s ends without an error", r.name)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apis = slices.DeleteFunc(f.apis, func(addr string) bool { return addr == r.addr })
}

// api returns the address of an api process, another one at each attempt.
func (f *fleet) api(attempt int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.apis[attempt%len(f.apis)]
}

// sellUntil sells one ticket after the other until no more is wanted, and returns the ids by their keys. A request without an answer,
// or with a passing refusal, is repeated with its key at the next api.
func (f *fleet) sellUntil(t *testing.T, seller int, token, draw string, more func(sold int) bool) map[string]string {
	t.Helper()
	sold := map[string]string{}
	for n := 0; more(n); n++ {
		key := fmt.Sprintf("rolling-%d-%d", seller, n)
		attempt := seller
		p := &platform{t: t}
		a := p.insist(func() answer {
			p.addr = f.api(attempt)
			attempt++
			return p.post("/sales/tickets", token, map[string]any{
				"currency": "VES", "customer": map[string]string{"name": "Cliente", "phone": "0414-1234567"},
				"items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": strconv.Itoa(1 + n%36), "amount": "1.00"}},
			}, key)
		}, http.StatusCreated)
		id, _ := a.data()["id"].(string)
		if !assert.NotEmpty(t, id, key) {
			break
		}
		sold[key] = id
	}
	return sold
}

// Each process is replaced in turn while tickets are sold: no sale fails, none is lost or doubled, and each process ends without an
// error. With a program of the last release in BANCA_LAST_RELEASE, that one sells first, the schema changes below it, and its
// processes are replaced by this release's.
func TestRollingRestart(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	f := newFleet(t, env)
	own := f.program
	if last := os.Getenv(lastRelease); last != "" {
		f.program = last
	}
	require.NoError(t, f.command("migrate").Run())
	require.NoError(t, f.command("seed").Run())
	seeded := f.tickets()
	running := []*role{f.start("api"), f.start("api"), f.start("worker"), f.start("scheduler")}
	first := &platform{t: t, addr: running[0].addr}
	token := first.login("taquilla@banca.test")
	draw := first.openDraw(token)

	var replaced atomic.Bool
	var sellers sync.WaitGroup
	sold := make([]map[string]string, rollingSellers)
	for seller := range rollingSellers {
		after := 0
		sellers.Go(func() {
			sold[seller] = f.sellUntil(t, seller, token, draw, func(int) bool {
				if replaced.Load() {
					after++
				}
				return after <= rollingSales
			})
		})
	}
	f.program = own
	require.NoError(t, f.command("migrate").Run())
	for i, old := range running {
		running[i] = f.start(old.name)
		f.stop(old)
	}
	replaced.Store(true)
	sellers.Wait()
	for _, r := range running {
		f.stop(r)
	}

	want := map[string]string{}
	for _, keys := range sold {
		maps.Copy(want, keys)
	}
	stored := f.tickets()
	for key, id := range want {
		require.Contains(t, stored, id, key)
	}
	require.Len(t, stored, len(seeded)+len(want), "tickets that no client knows")
	t.Logf("%d tickets were sold", len(want))
	requireSoundAs(t, env, f.address)
}

// tickets are the ids of all tickets.
func (f *fleet) tickets() []string {
	f.t.Helper()
	conn, err := pgx.Connect(f.t.Context(), f.address)
	require.NoError(f.t, err)
	defer func() { assert.NoError(f.t, conn.Close(context.WithoutCancel(f.t.Context()))) }()
	rows, err := conn.Query(f.t.Context(), "SELECT id::text FROM tickets")
	require.NoError(f.t, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(f.t, err)
	return ids
}

// databaseOf returns the address of another database of the test's server.
func databaseOf(t *testing.T, env *testkit.Env, name string) string {
	t.Helper()
	address, err := url.Parse(env.PostgresURL)
	require.NoError(t, err)
	address.Path = "/" + name
	query := address.Query()
	query.Del("dbname")
	address.RawQuery = query.Encode()
	return address.String()
}
