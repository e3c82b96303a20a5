package connections_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/secrets"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	oldKey = "old:MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
	newKey = "new:YWJjZGVmZ2hpamFiY2RlZmdoaWphYmNkZWZnaGlqYWI="
	apiKey = "a-very-secret-key"
)

// provider is a driver whose provider is in memory.
type provider struct {
	mu       sync.Mutex
	link     channel.Link
	err      error
	webhook  string // of the last connection
	secret   string
	deleted  int
	received channel.Report
}

// set sets what the provider answers.
func (p *provider) set(l channel.Link, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.link, p.err = l, err
}

func (p *provider) Name() string { return "fake" }

func (p *provider) Parameters() []channel.Parameter {
	return []channel.Parameter{
		{Name: "base_url", Kind: channel.KindURL, Required: true, Max: 200},
		{Name: "api_key", Kind: channel.KindText, Secret: true, Required: true, Min: 4, Max: 100},
		{Name: "webhook_secret", Kind: channel.KindText, Secret: true, Generated: true, Min: 16, Max: 100},
	}
}

func (p *provider) Send(context.Context, channel.Channel, channel.Message) (channel.Receipt, error) {
	return channel.Receipt{}, errors.New("not here")
}

func (p *provider) State(context.Context, channel.Channel) (channel.Link, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.link, p.err
}

func (p *provider) Connect(_ context.Context, c channel.Channel, webhookURL string) (channel.Link, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.webhook, p.secret = webhookURL, c.Get("webhook_secret")
	return p.link, p.err
}

func (p *provider) Logout(context.Context, channel.Channel) error { return p.err }

func (p *provider) Delete(context.Context, channel.Channel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deleted++
	return p.err
}

func (p *provider) Challenge(_ channel.Channel, query url.Values) (string, bool) {
	return query.Get("challenge"), query.Get("challenge") != ""
}

func (p *provider) Receive(c channel.Channel, header http.Header, body []byte, _ time.Time) (channel.Report, error) {
	switch {
	case header.Get("X-Secret") != c.Get("webhook_secret"):
		return channel.Report{}, channel.ErrSignature
	case strings.HasPrefix(string(body), "garbage"):
		return channel.Report{}, channel.ErrWebhook
	}
	return p.received, nil
}

type bundle struct {
	*testkit.Env
	*connections.Service

	provider *provider
	root     entity
	agency   entity // below root
	point    entity // below agency
	mu       sync.Mutex
	changes  []channel.Change
}

type entity struct {
	id   uuid.UUID
	path string
}

func (e entity) caller() caller.Caller {
	c := testkit.Within(e.path)
	c.EntityID = e.id
	return c
}

func keys(t *testing.T, text string) *secrets.Keyring {
	t.Helper()
	k, err := secrets.Parse(text)
	require.NoError(t, err)
	return k
}

func setup(t *testing.T, keyring string) *bundle {
	t.Helper()
	b := &bundle{Env: testkit.New(t), provider: &provider{link: channel.Link{State: channel.ShowsQR, QR: []byte("png"), ExpiresAt: time.Now().Add(time.Minute)}}}
	b.root = b.addEntity(t, "OPERATOR", "/")
	b.agency = b.addEntity(t, "AGENCY", b.root.path)
	b.point = b.addEntity(t, "TICKET_POINT", b.agency.path)
	b.Service = b.service(t, keyring)
	return b
}

// service returns another process with other keys.
func (b *bundle) service(t *testing.T, keyring string) *connections.Service {
	t.Helper()
	s := connections.New(connections.Deps{
		PG: b.PG, Org: org.New(b.PG.Gorm, org.Options{}), Drivers: channel.ByName(b.provider), Keys: keys(t, keyring),
		Configured: channel.Channel{Driver: "log"}, PerMinute: 600, WebhookURL: "https://banca.example/messaging/webhooks/", Clock: clock.System{}, Log: b.Log,
	})
	s.Changed = func(_ context.Context, c channel.Change) error {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.changes = append(b.changes, c)
		return nil
	}
	return s
}

func (b *bundle) addEntity(t *testing.T, kind, above string) entity {
	t.Helper()
	id := uuid.New()
	path := above + id.String() + "/"
	parent := "NULL"
	if above != "/" {
		parent = "'" + strings.Split(strings.Trim(above, "/"), "/")[strings.Count(above, "/")-2] + "'"
	}
	_, err := b.PG.Pool.Exec(t.Context(), `INSERT INTO entities (id, entity_type, name, code, path, parent_id, status) VALUES ($1, $2, $3, $3, $4, `+parent+`, 'active')`,
		id, kind, id.String(), path)
	require.NoError(t, err)
	return entity{id, path}
}

func (b *bundle) wish(e entity) *connections.Wish {
	return &connections.Wish{EntityID: e.id, Driver: "fake", Parameters: map[string]string{"base_url": "https://gateway.example", "api_key": apiKey}}
}

// routeOf returns the route of an entity's messages.
func routeOf(t *testing.T, s *connections.Service, id uuid.UUID) (channel.Route, error) {
	t.Helper()
	found, err := s.Find(t.Context(), []uuid.UUID{id})
	require.NoError(t, err)
	return found[id].Route, found[id].Err
}
