package agencies_test

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/agencies"
	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/devices"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/setup/seed"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// rows are the seed without games.
var rows = fixture.Rows{Games: []string{""}}.Template() //nolint:gochecknoglobals // a template of the database

// bundle is a seeded operator and the service.
type bundle struct {
	*fixture.Operator
	agencies *agencies.Service
	admin    caller.Caller
}

func setup(t *testing.T) *bundle {
	t.Helper()
	o := fixture.New(t, rows)
	return &bundle{Operator: o, agencies: service(t, o), admin: fixture.As(fixture.Cashier, auth.Permissions()...)}
}

// service returns the service over the stores of an operator.
func service(t *testing.T, o *fixture.Operator) *agencies.Service {
	t.Helper()
	secret := []byte(strings.Repeat("s", 32))
	users, err := auth.New(o.PG, clock.System{}, auth.Options{
		Secret: secret, AccessTTL: time.Minute, RefreshTTL: time.Hour, BcryptCost: bcrypt.MinCost, Redis: o.Redis, Scope: o.Org.Scope,
	})
	require.NoError(t, err)
	registered, err := devices.New(devices.Deps{PG: o.PG, Clock: clock.System{}, Log: o.Env.Log, Secret: secret})
	require.NoError(t, err)
	return &agencies.Service{PG: o.PG, Org: o.Org, Ledger: o.Ledger, Auth: users, Devices: registered}
}

// request asks for an agency with all parts.
func request() *agencies.Request {
	return &agencies.Request{
		ParentID: fixture.EntityID(seed.CodeSuperAgency),
		Agency:   agencies.Entity{Name: "La Fortuna", Code: "LF", Percent: "15.00"}, Point: agencies.Entity{Name: "Fortuna Centro", Code: "LF-1", Percent: "10.00"},
		Credit:         &agencies.Credit{Currency: "VES", Amount: "1234.56", Reason: "new agency"},
		User:           &auth.NewUser{Name: "Luz", Identifier: "luz", Role: models.RoleTaquilla, Password: "a long secret"},
		Device:         &devices.NewDevice{Name: "Caja", Fingerprint: "huella-de-la-caja"},
		IdempotencyKey: "k1",
	}
}

// state counts the rows that a new agency writes, and their references to each other.
func (b *bundle) state(t *testing.T) string {
	t.Helper()
	return b.Text(t, `SELECT concat_ws(' ', (SELECT count(*) FROM entities), (SELECT count(*) FROM users), (SELECT count(*) FROM account_credentials),
		(SELECT count(*) FROM wallets), (SELECT count(*) FROM credit_limit_changes), (SELECT count(*) FROM devices), (SELECT count(*) FROM device_events),
		(SELECT count(*) FROM activity_logs), (SELECT count(*) FROM idempotency_keys))`)
}

func TestMake(t *testing.T) {
	t.Parallel()
	b := setup(t)
	entries := b.Number(t, `SELECT count(*) FROM activity_logs`)
	made, replayed, err := b.agencies.Make(t.Context(), b.admin, request())
	require.NoError(t, err)
	require.False(t, replayed)
	require.NotEmpty(t, made.Key)
	got := b.Text(t, `SELECT concat_ws(' ', a.code, a.finance_info->'commissions'->0->>'percent', a.status, p.code, p.finance_info->'commissions'->0->>'percent', p.status,
		w.credit_limit, u.identifier, u.role, d.name) FROM entities p JOIN entities a ON a.id = p.parent_id JOIN wallets w ON w.entity_id = p.id
		JOIN users u ON u.entity_id = p.id JOIN devices d ON d.entity_id = p.id WHERE p.id = $1 AND a.id = $2 AND w.id = $3 AND u.id = $4 AND d.id = $5`,
		made.Point, made.Agency, made.Wallet, made.User, made.Device)
	assert.Equal(t, "LF 15.00 active LF-1 10.00 active 123456 luz TAQUILLA Caja", got)
	assert.Equal(t, entries+5, b.Number(t, `SELECT count(*) FROM activity_logs`), "each part has its entry")
	by := b.admin
	by.EntityID = made.Point
	_, err = b.agencies.Devices.VerifyKey(t.Context(), by, made.Key)
	require.NoError(t, err)

	before := b.state(t)
	again, replayed, err := b.agencies.Make(t.Context(), b.admin, request())
	require.NoError(t, err)
	require.True(t, replayed)
	require.Empty(t, again.Key, "the key is known to the first answer only")
	again.Key = made.Key
	require.Equal(t, made, again)
	other := request()
	other.Point.Percent = "9"
	_, _, err = b.agencies.Make(t.Context(), b.admin, other)
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	require.Equal(t, before, b.state(t))
}

// The wallet of the new ticket point is found by the services that cache wallets and chains.
func TestANewAgencyCanSellAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, _, err := b.agencies.Make(t.Context(), b.admin, request())
	require.NoError(t, err)
	_, err = b.Org.Seller(t.Context(), made.Point)
	require.NoError(t, err)
	currency, err := b.Ledger.Currency(t.Context(), "VES")
	require.NoError(t, err)
	wallets, err := b.Ledger.MainWallets(t.Context(), currency.ID, made.Point)
	require.NoError(t, err)
	require.Equal(t, made.Wallet, wallets[0])
}

func TestARefusedPartLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.agencies.Auth.CreateUser(t.Context(), b.admin, &auth.NewUser{EntityID: fixture.RootID, Name: "X", Identifier: "taken", Role: models.RoleTaquilla, Password: "another secret"})
	require.NoError(t, err)
	before := b.state(t)
	for name, tt := range map[string]struct {
		change func(r *agencies.Request)
		part   string
		want   error
	}{
		"parent":               {func(r *agencies.Request) { r.ParentID = uuid.New() }, agencies.PartAgency, org.ErrEntityNotFound},
		"parent of a low type": {func(r *agencies.Request) { r.ParentID = fixture.EntityID(seed.CodeTicketPoint) }, agencies.PartAgency, org.ErrTypeOrder},
		"code of the agency":   {func(r *agencies.Request) { r.Agency.Code = "a b" }, agencies.PartAgency, org.ErrInvalidEntity},
		"taken code":           {func(r *agencies.Request) { r.Agency.Code = seed.CodeAgency }, agencies.PartAgency, org.ErrEntityExists},
		"equal codes":          {func(r *agencies.Request) { r.Point.Code = "lf" }, agencies.PartPoint, org.ErrEntityExists},
		"rate of the agency":   {func(r *agencies.Request) { r.Agency.Percent = "18.01" }, agencies.PartAgency, org.ErrRates},
		"rate of the point":    {func(r *agencies.Request) { r.Point.Percent = "15.01" }, agencies.PartPoint, org.ErrRates},
		"no rate":              {func(r *agencies.Request) { r.Point.Percent = "x" }, agencies.PartPoint, org.ErrInvalidEntity},
		"currency":             {func(r *agencies.Request) { r.Credit.Currency = "XXX" }, agencies.PartCredit, ledger.ErrCurrencyNotFound},
		"reason":               {func(r *agencies.Request) { r.Credit.Reason = "" }, agencies.PartCredit, ledger.ErrMovementInvalid},
		"identifier":           {func(r *agencies.Request) { r.User.Identifier = "l u z" }, agencies.PartUser, auth.ErrInvalidUser},
		"taken identifier":     {func(r *agencies.Request) { r.User.Identifier = "taken" }, agencies.PartUser, auth.ErrUserExists},
		"password":             {func(r *agencies.Request) { r.User.Password = "12345678" }, agencies.PartUser, auth.ErrWeakPassword},
		"fingerprint":          {func(r *agencies.Request) { r.Device.Fingerprint = "short" }, agencies.PartDevice, devices.ErrInvalidDevice},
	} {
		r := request()
		tt.change(r)
		_, _, err := b.agencies.Make(t.Context(), b.admin, r)
		require.ErrorIs(t, err, tt.want, name)
		refused, ok := errors.AsType[agencies.RefusedError](err)
		require.True(t, ok, name)
		require.Equal(t, tt.part, refused[0].Part, name)
		require.Equal(t, before, b.state(t), name)
	}
	several := request()
	several.Agency.Code, several.User.Identifier, several.Device.Name = "a b", "l u z", ""
	_, _, err = b.agencies.Make(t.Context(), b.admin, several)
	refused, _ := errors.AsType[agencies.RefusedError](err)
	require.Len(t, refused, 3, "all invalid parts are named")

	below := fixture.As(fixture.Cashier, auth.Permissions()...)
	below.EntityID = fixture.EntityID(seed.CodeAgency)
	below.Scope = testkit.Scope(b.Text(t, `SELECT path FROM entities WHERE id = $1`, below.EntityID))
	_, _, err = b.agencies.Make(t.Context(), below, request())
	require.ErrorIs(t, err, org.ErrEntityNotFound, "a parent out of scope")
	weaker := fixture.As(fixture.Cashier)
	_, _, err = b.agencies.Make(t.Context(), weaker, request())
	require.ErrorIs(t, err, auth.ErrUserAbove)
	require.Equal(t, before, b.state(t))
	_, _, err = b.agencies.Make(t.Context(), b.admin, request())
	require.NoError(t, err, "a refusal does not use the key up")
}

// An agency whose connection breaks at any statement, the commit included, does not exist.
func TestABrokenAgencyHasNoEffect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	breaker := b.Env.Breaker(t)
	broken := service(t, fixture.Over(b.Env, breaker.PG, b.Redis, b.Clock))
	_, err := broken.Ledger.Currency(t.Context(), "VES") // is in the cache, whose reader does not break
	require.NoError(t, err)
	before := b.state(t)
	var made *agencies.Made
	breaks := breaker.Each(t, func() (err error) {
		made, _, err = broken.Make(t.Context(), b.admin, request())
		return err
	}, func(error) {
		require.Equal(t, before, b.state(t))
	})
	require.Greater(t, breaks, 20)
	require.NotEmpty(t, made.Key)
}

// Requests with one key at once, in two processes: one agency, and every request gets it.
func TestOneKeyAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	other := service(t, b.Process(b.Clock))
	answers := make([]*agencies.Made, 8)
	replays := make([]bool, len(answers))
	var running sync.WaitGroup
	for i := range answers {
		running.Go(func() {
			var err error
			answers[i], replays[i], err = []*agencies.Service{b.agencies, other}[i%2].Make(t.Context(), b.admin, request())
			assert.NoError(t, err)
		})
	}
	running.Wait()
	first := 0
	for i, made := range answers {
		assert.Equal(t, answers[0].Agency, made.Agency)
		assert.Equal(t, replays[i], made.Key == "")
		if !replays[i] {
			first++
		}
	}
	assert.Equal(t, 1, first)
	assert.Equal(t, int64(1), b.Number(t, `SELECT count(*) FROM entities WHERE code = 'LF'`))
}

// Requests with keys of their own at once: one agency, the others are refused.
func TestTwoKeysAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var running sync.WaitGroup
	errs := make([]error, 4)
	for i := range errs {
		running.Go(func() {
			r := request()
			r.IdempotencyKey = uuid.NewString()
			_, _, errs[i] = b.agencies.Make(t.Context(), b.admin, r)
		})
	}
	running.Wait()
	refused := 0
	for _, err := range errs {
		if errors.Is(err, org.ErrEntityExists) {
			refused++
		}
	}
	assert.Equal(t, len(errs)-1, refused, errs)
	assert.Equal(t, int64(1), b.Number(t, `SELECT count(*) FROM users WHERE identifier = 'luz'`))
}
