package messaging_test

import (
	"context"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/dev/testkit"
	"banca/internal/messaging"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/channel/httpcall"
	"banca/internal/messaging/evolution"
	"banca/internal/messaging/logdriver"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	customer = "+584141234567"
	apiKey   = "k3y"
)

// bundle is a service whose channel leads to a simulated gateway.
type bundle struct {
	*testkit.Env
	*messaging.Service

	gateway *simulators.Gateway
	base    messaging.Deps
	entity  uuid.UUID
	path    string
}

// evolutionAt is a channel of the gateway at base.
func evolutionAt(base string) channel.Channel {
	return channel.Channel{Driver: "evolution", Parameters: map[string]string{"base_url": base, "instance": "banca", "api_key": apiKey}}
}

// quick bounds the attempts of a driver, so that a gateway that hangs costs seconds.
type quick struct{ channel.Driver }

func (q quick) Send(ctx context.Context, c channel.Channel, m channel.Message) (channel.Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	return q.Driver.Send(ctx, c, m)
}

// setup returns a bundle; change may adjust the service's configuration.
func setup(t *testing.T, change ...func(*messaging.Deps)) *bundle {
	t.Helper()
	b := &bundle{Env: testkit.New(t), gateway: simulators.NewGateway(simulators.GatewayConfig{APIKey: apiKey, Instance: "banca", Clock: clock.System{}})}
	server := httptest.NewServer(b.gateway)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	config := messaging.Deps{
		Pool:    b.PG.Pool,
		Commits: b.PG.Commits,
		Org:     org.New(b.PG.Gorm, org.Options{}),
		Routes:  messaging.NewStaticRoute(evolutionAt(server.URL)),
		Drivers: channel.ByName(quick{evolution.New(httpcall.New([]string{"127.0.0.1"}, nil))}, logdriver.New(b.Log)),
		Clock:   clock.System{},
		Log:     b.Log,
	}
	for _, c := range change {
		c(&config)
	}
	b.Service, b.base = b.start(t, config), config
	b.entity, b.path = b.addEntity(t, "/")
	return b
}

// start returns a service that shares the statements of concurrent tasks until the test ends.
func (b *bundle) start(t *testing.T, config messaging.Deps) *messaging.Service {
	t.Helper()
	s := messaging.New(config)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { s.RunTasks(ctx) })
	t.Cleanup(func() { stop(); running.Wait() })
	return s
}

// addEntity inserts an entity below the path of another.
func (b *bundle) addEntity(t *testing.T, above string) (id uuid.UUID, path string) {
	t.Helper()
	id = uuid.New()
	path = above + id.String() + "/"
	_, err := b.PG.Pool.Exec(t.Context(), `INSERT INTO entities (id, entity_type, name, code, path) VALUES ($1, 'AGENCY', 'x', $2, $3)`,
		id, id.String(), path)
	require.NoError(t, err)
	return id, path
}

// queue queues the receipt of a new ticket.
func (b *bundle) queue(t *testing.T) uuid.UUID {
	t.Helper()
	id, created := b.queueFor(t, b.entity, uuid.New())
	require.True(t, created)
	return id
}

func (b *bundle) queueFor(t *testing.T, entity, ticket uuid.UUID) (id uuid.UUID, created bool) {
	t.Helper()
	created, err := b.queueMessage(t, &messaging.Outgoing{
		EntityID: entity, TicketID: ticket, Kind: models.MessageReceipt, Recipient: customer, Body: "Su recibo", ImageURL: "http://127.0.0.1/r.png",
	})
	require.NoError(t, err)
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT id FROM message_logs WHERE ticket_id = $1 AND kind = 'receipt'`, ticket).Scan(&id))
	return id, created
}

func (b *bundle) queueMessage(t *testing.T, m *messaging.Outgoing) (created bool, err error) {
	t.Helper()
	err = pgx.BeginFunc(t.Context(), b.PG.Pool, func(tx pgx.Tx) error {
		n, err := b.QueueTx(t.Context(), tx, m)
		created = n == 1
		return err
	})
	return created, err
}

// get returns a message with its attempts.
func (b *bundle) get(t *testing.T, id uuid.UUID) messaging.Detail {
	t.Helper()
	detail, err := b.Get(t.Context(), testkit.Within(b.path), id)
	require.NoError(t, err)
	return detail
}

// exec runs SQL of the test's own.
func (b *bundle) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := b.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// config returns the configuration of the service with a change.
func (b *bundle) config(change func(*messaging.Deps)) messaging.Deps {
	c := b.base
	change(&c)
	return c
}

// endPauses lets the pauses of all channels be over and sweeps, which asks their providers.
func (b *bundle) endPauses(t *testing.T) {
	t.Helper()
	b.exec(t, "UPDATE messaging_channels SET paused_until = now() - interval '1 second' WHERE paused_until IS NOT NULL")
	require.NoError(t, b.Sweep(t.Context()))
}

func (b *bundle) sendTasks(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), "SELECT count(*) FROM outbox WHERE kind = 'message.send'").Scan(&n))
	return n
}

// driverFunc is a driver of a test's own.
type driverFunc func(ctx context.Context, m channel.Message) (channel.Receipt, error)

func (f driverFunc) Name() string { return "evolution" }

func (f driverFunc) Parameters() []channel.Parameter { return nil }

func (f driverFunc) Send(ctx context.Context, _ channel.Channel, m channel.Message) (channel.Receipt, error) {
	return f(ctx, m)
}

func (f driverFunc) State(context.Context, channel.Channel) (channel.Link, error) {
	return channel.Link{State: channel.Open}, nil
}

// with replaces the driver.
func with(f driverFunc) func(*messaging.Deps) {
	return func(c *messaging.Deps) { c.Drivers = channel.ByName(f) }
}
