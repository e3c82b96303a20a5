package devices_test

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/devices"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

const (
	secret = "0123456789abcdef0123456789abcdef"
	print1 = "fingerprint-of-the-first"
)

// heard records the published events.
type heard struct {
	mu   sync.Mutex
	list []realtime.Audience
}

func (h *heard) Publish(_ context.Context, to realtime.Audience, _ realtime.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, to)
}

// take returns the audiences of the events since the last call.
func (h *heard) take() []realtime.Audience {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}

// bundle is a service over a root with two agencies, the first with a ticket point; each has a user.
type bundle struct {
	*devices.Service
	env   *testkit.Env
	clock *clock.Fake
	news  *heard

	admin   caller.Caller // of the root
	agency  caller.Caller // ADMIN of the first agency
	seller  caller.Caller // TAQUILLA of its ticket point
	foreign caller.Caller // ADMIN of the other agency
}

func setup(t testing.TB) *bundle {
	t.Helper()
	env := testkit.New(t)
	b := &bundle{env: env, clock: clock.NewFake(time.Now()), news: &heard{}}
	var err error
	b.Service, err = devices.New(devices.Deps{PG: env.PG, Clock: b.clock, Log: env.Log, Events: b.news, Secret: []byte(secret)})
	require.NoError(t, err)
	root := b.entity(t, nil, models.EntityOperator, "ROOT")
	agency := b.entity(t, root, models.EntityAgency, "AGE")
	point := b.entity(t, agency, models.EntityTicketPoint, "TAQ")
	other := b.entity(t, root, models.EntityAgency, "OTH")
	b.admin, b.agency = b.user(t, root, models.RoleAdmin), b.user(t, agency, models.RoleAdmin)
	b.seller, b.foreign = b.user(t, point, models.RoleTaquilla), b.user(t, other, models.RoleAdmin)
	return b
}

func (b *bundle) entity(t testing.TB, parent *models.Entity, kind, code string) *models.Entity {
	t.Helper()
	e := &models.Entity{ID: uuid.Must(uuid.NewV7()), EntityType: kind, Name: code, Code: code, Status: models.StatusActive, Path: "/"}
	if parent != nil {
		e.ParentID, e.Path = &parent.ID, parent.Path
	}
	e.Path += e.ID.String() + "/"
	require.NoError(t, b.env.PG.Gorm.Create(e).Error)
	return e
}

// user makes a user with a session that is not over.
func (b *bundle) user(t testing.TB, e *models.Entity, role string) caller.Caller {
	t.Helper()
	p := caller.Caller{UserID: uuid.Must(uuid.NewV7()), EntityID: e.ID, Scope: testkit.Scope(e.Path), Role: role, Name: role + " " + e.Code, Permissions: auth.RolePermissions(role)}
	identifier := p.UserID.String()
	require.NoError(t, b.env.PG.Gorm.Create(&models.User{
		ID: p.UserID, EntityID: e.ID, Identifier: &identifier, Name: p.Name, Role: role, AuthMethod: "password", PasswordHash: "-", Status: models.StatusActive,
	}).Error)
	return b.login(t, p)
}

// login gives a user a session of his own.
func (b *bundle) login(t testing.TB, p caller.Caller) caller.Caller {
	t.Helper()
	p.SessionID = uuid.Must(uuid.NewV7())
	require.NoError(t, b.env.PG.Gorm.Create(&models.UserSession{
		ID: p.SessionID, UserID: p.UserID, TokenHash: p.SessionID.String(), ExpiresAt: b.clock.Now().Add(24 * time.Hour), CreatedAt: b.clock.Now(), RefreshedAt: b.clock.Now(),
	}).Error)
	return p
}

// register adds a device to the seller's ticket point.
func (b *bundle) register(t testing.TB, fingerprint string) devices.Device {
	t.Helper()
	d, _, err := b.Register(t.Context(), b.seller, &devices.NewDevice{Name: "Caja", Fingerprint: fingerprint})
	require.NoError(t, err)
	return d
}

// validate begins a session of the seller.
func (b *bundle) validate(t testing.TB, d devices.Device, fingerprint string) devices.Session {
	t.Helper()
	v, err := b.Validate(t.Context(), b.seller, d.ID, fingerprint)
	require.NoError(t, err)
	return v.Session
}

// session reads a session with the root's scope.
func (b *bundle) session(t testing.TB, id uuid.UUID) devices.Session {
	t.Helper()
	s, err := b.Session(t.Context(), b.admin, id)
	require.NoError(t, err)
	return s
}

func (b *bundle) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := b.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// count asks for one number.
func (b *bundle) count(t testing.TB, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}
