package test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/target"
	"banca/internal/platform/clock"
	"banca/models"
	"banca/scheduler"
)

const (
	machinesSales   = 240
	machinesSellers = 6
	machinesLimit   = 9_000 // minor units on one selection; the sales ask for more
	machinesStake   = "1.00"
	statusLimit     = 433 // a limit refuses the sale
)

// machines are two machines, each with an api, a worker and a scheduler, over one PgBouncer before Postgres, one object
// store, one gateway of messages and a Redis of several servers.
type machines struct {
	t       *testing.T
	env     *testkit.Env
	all     [2]*platform
	gateway *simulators.Gateway
	redis   string
}

func startMachines(t *testing.T, redisURL string) *machines {
	t.Helper()
	target.Only(t, target.Machines) // storage, internal/risk and scheduler test the parts in every run
	m := &machines{t: t, env: testkit.New(t), redis: redisURL}
	bouncer := testkit.StartPgBouncer(t, m.env, 16)
	m.gateway = simulators.NewGateway(simulators.GatewayConfig{APIKey: onceKey, Instance: "banca", Clock: clock.System{}})
	server := httptest.NewServer(m.gateway)
	t.Cleanup(server.Close)
	for i := range m.all {
		p := newPlatform(t)
		p.env = append(m.env.ObjectSettings(),
			"DATABASE_URL="+bouncer.URL, "DATABASE_DIRECT_URL="+m.env.PostgresURL, "REDIS_URL="+redisURL,
			"MESSAGING_URL="+server.URL, "MESSAGING_API_KEY="+onceKey, "MESSAGING_INSTANCE=banca", "MESSAGING_PER_MINUTE=100000", "RATE_LIMIT_REQUESTS=1000000")
		p.start()
		m.all[i] = p
	}
	return m
}

// insist repeats a request at one machine after the other, as a point of sale behind a proxy does.
func (m *machines) insist(i int, do func(p *platform) answer, statuses ...int) answer {
	for end := time.Now().Add(2 * testkit.WaitTimeout); ; i++ {
		a := do(m.all[i%len(m.all)])
		if slices.Contains(statuses, a.status) {
			return a
		}
		passing := a.status == 0 || a.status == http.StatusServiceUnavailable || a.status == http.StatusUnauthorized
		if !passing || time.Now().After(end) {
			assert.Fail(m.t, "refused", "%d %s", a.status, a.raw)
			return a
		}
		time.Sleep(pauseOnFails)
	}
}

// sellThrough sells on two selections of a draw while faults happen, and returns the numbers of the buyers whose ticket
// was sold.
func (m *machines) sellThrough(token, draw string, faults func(sold func() int64)) map[string]bool {
	var next, done atomic.Int64
	var mu sync.Mutex
	buyers := map[string]bool{}
	var sellers sync.WaitGroup
	for range machinesSellers {
		sellers.Go(func() {
			for i := next.Add(1); i <= machinesSales; i = next.Add(1) {
				selection := []string{"7", "8"}[i%2]
				a := m.insist(int(i), func(p *platform) answer {
					return p.post("/sales/tickets", token, map[string]any{
						"currency": "VES", "customer": map[string]string{"name": "Cliente", "phone": fmt.Sprintf("0414%07d", 7_000_000+i)},
						"items": []map[string]any{{"draw_id": draw, "bet_type": "straight", "selection": selection, "amount": machinesStake}},
					}, fmt.Sprintf("machines-%d", i))
				}, http.StatusCreated, statusLimit)
				if a.status == http.StatusCreated {
					mu.Lock()
					buyers[fmt.Sprintf("58414%07d", 7_000_000+i)] = true
					mu.Unlock()
				}
				done.Add(1)
			}
		})
	}
	faults(done.Load)
	sellers.Wait()
	return buyers
}

// walk sells, kills a server of Redis and a machine meanwhile, and requires that nothing is lost, doubled or sold beyond
// its limit.
func (m *machines) walk(failOver func(draw string)) {
	t := m.t
	token := m.all[0].login("taquilla@banca.test")
	draw := m.all[0].openDraw(token)
	m.sockets(token, draw)
	_, err := m.env.PG.Pool.Exec(t.Context(), `INSERT INTO risk_limits (id, entity_id, currency_id, draw_id, element, metric, base)
		SELECT gen_random_uuid(), e.id, c.id, $1, '7', 'stake', $2 FROM entities e, currencies c WHERE e.parent_id IS NULL AND c.code = 'VES'`, draw, machinesLimit)
	require.NoError(t, err)
	_, err = m.env.PG.Pool.Exec(t.Context(), `UPDATE draws SET risk_rev = risk_rev + 1 WHERE id = $1`, draw)
	require.NoError(t, err)
	until := func(sold func() int64, n int64) {
		require.Eventually(t, func() bool { return sold() >= n }, 4*testkit.WaitTimeout, 10*time.Millisecond)
	}
	buyers := m.sellThrough(token, draw, func(sold func() int64) {
		until(sold, machinesSales/4)
		failOver(draw)
		until(sold, machinesSales/2)
		m.all[1].kill()
		until(sold, machinesSales*3/4)
		m.all[1].start()
	})
	m.requireTickets(draw, buyers)
	m.requireMessages(buyers)
	m.requireOneLeader()
	m.sockets(token, draw)
	for _, p := range m.all {
		require.NoError(t, p.interrupt())
	}
	requireSoundOn(t, m.env.PostgresURL, m.redis)
}

// requireTickets requires one ticket for each buyer, and exactly the limit on the selection that has one.
func (m *machines) requireTickets(draw string, buyers map[string]bool) {
	var tickets int
	var limited, free int64
	require.NoError(m.t, m.env.PG.Pool.QueryRow(m.t.Context(), `SELECT count(DISTINCT t.id), coalesce(sum(l.amount) FILTER (WHERE l.selection = '7'), 0)::bigint,
		coalesce(sum(l.amount) FILTER (WHERE l.selection = '8'), 0)::bigint
		FROM tickets t JOIN ticket_lines l ON l.ticket_id = t.id WHERE l.draw_id = $1 AND l.selection IN ('7', '8')`, draw).Scan(&tickets, &limited, &free))
	assert.Len(m.t, buyers, tickets)
	assert.EqualValues(m.t, machinesLimit, limited)
	assert.EqualValues(m.t, machinesSales/2*100, free)
}

// requireMessages requires one message for each buyer. A machine that was killed while it sent leaves the outcome of few
// unknown; none is sent twice.
func (m *machines) requireMessages(buyers map[string]bool) {
	missing := func() (n int) {
		for number := range buyers {
			if len(m.gateway.Outbox(number)) == 0 {
				n++
			}
		}
		return n
	}
	unknown := func() (n int) {
		require.NoError(m.t, m.env.PG.Pool.QueryRow(m.t.Context(), `SELECT count(*) FROM message_logs WHERE status = $1`, models.MessageUnknown).Scan(&n))
		return n
	}
	assert.Eventually(m.t, func() bool { return missing() <= unknown() }, 4*time.Minute, 500*time.Millisecond)
	for number := range buyers {
		assert.LessOrEqual(m.t, len(m.gateway.Outbox(number)), 1, number)
	}
}

// requireOneLeader requires one scheduler to lead, and no tick to be there twice.
func (m *machines) requireOneLeader() {
	require.Eventually(m.t, func() bool {
		leads, err := scheduler.Leads(m.t.Context(), m.env.PG.Pool)
		return err == nil && leads
	}, testkit.WaitTimeout, 50*time.Millisecond)
	var sessions int
	require.NoError(m.t, m.env.PG.Pool.QueryRow(m.t.Context(), `SELECT count(*) FROM pg_stat_activity
		WHERE datname = current_database() AND application_name = 'banca-scheduler'`).Scan(&sessions))
	assert.Equal(m.t, 2, sessions, "one leads, one waits")
}

// sockets requires a device at the first machine to hear of a ticket that the second one sells.
func (m *machines) sockets(token, draw string) {
	t, first, second := m.t, m.all[0], m.all[1]
	finger := fmt.Sprintf("fingerprint-%d", time.Now().UnixNano())
	made := first.post("/auth/devices", token, map[string]any{"name": "Caja " + finger[len(finger)-6:], "fingerprint": finger}, "")
	require.Equal(t, http.StatusCreated, made.status, string(made.raw))
	device, _ := made.data()["id"].(string)
	valid := first.post("/auth/devices/validate", token, map[string]any{"deviceId": device, "fingerprint": finger}, "")
	require.Equal(t, http.StatusOK, valid.status, string(valid.raw))
	session, _ := valid.data()["id"].(string)
	address := "http://" + first.addr + "/ws?" + url.Values{"deviceId": {device}, "sessionId": {session}}.Encode()
	ws, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + token}}}) //nolint:bodyclose // it has none
	require.NoError(t, err)
	defer func() { _ = ws.CloseNow() }()
	sold := second.sell(token, draw, finger)
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	ticket, _ := sold.data()["id"].(string)
	await(t, ws, "ticket.updated", "ticket_id", ticket)
}

// Two machines over PgBouncer and a Redis Cluster of three masters, one of which dies with its replica promoted.
func TestMachinesOnACluster(t *testing.T) {
	cluster := clusterOf(t)
	m := startMachines(t, cluster.URL)
	m.walk(func(draw string) { cluster.FailOver(t, "risk:{"+draw+"}:n") })
}

// Two machines over PgBouncer and the master of three sentinels, which dies.
func TestMachinesOnSentinel(t *testing.T) {
	target.Only(t, target.Machines) // storage, internal/risk and scheduler test the parts in every run
	servers := testkit.StartSentinels(t)
	m := startMachines(t, servers.URL)
	m.walk(func(string) { servers.FailOver(t) })
}

func clusterOf(t *testing.T) *testkit.RedisCluster {
	t.Helper()
	target.Only(t, target.Machines) // storage, internal/risk and scheduler test the parts in every run
	return testkit.StartRedisCluster(t, true)
}
