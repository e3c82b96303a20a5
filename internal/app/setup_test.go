package app

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/config"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/setup"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/models/migrations"
)

func opened(t *testing.T, env *testkit.Env) *App {
	t.Helper()
	cfg := settings(env)
	cfg.Business.MaxTicketLines, cfg.Business.DrawDaysAhead = 10, 2
	a, err := Open(t.Context(), cfg, config.Mode(RoleAPI), env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	var selling sync.WaitGroup
	running, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	selling.Go(func() { a.services.sales.Run(running) })
	t.Cleanup(func() { stop(); selling.Wait() })
	return a
}

// sell sells a ticket of one line at a ticket point, in a draw that is open for hours.
func (a *App) sell(t *testing.T, by caller.Caller, point uuid.UUID, currency string) *sales.Sold {
	t.Helper()
	var draw string
	require.NoError(t, a.stores.pg.Pool.QueryRow(t.Context(), `SELECT d.id FROM draws d JOIN games g ON g.id = d.game_id
		WHERE g.short_code = 'lotto-activo' AND d.sale_stop_at > now() + interval '2 hours' ORDER BY d.draw_time LIMIT 1`).Scan(&draw))
	sold, err := a.services.sales.Sell(t.Context(), by, &sales.SellRequest{
		EntityID: point, Currency: currency, IdempotencyKey: uuid.NewString(),
		Items: []sales.Item{{DrawID: draw, BetType: catalog.BetStraight, Selection: []string{"5"}, Amount: "10.00"}},
	})
	require.NoError(t, err)
	return sold
}

func request() *setup.Request {
	return &setup.Request{
		Operator: "Banca Nueva", Code: "BN", Games: []string{"lotto-activo"},
		Admin: auth.NewUser{Email: "dueno@banca.example", Name: "Ana", Password: setup.NewPassword()},
	}
}

// From an empty migrated database to the first login and the first ticket.
func TestFromAnEmptyDatabaseToATicket(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a := opened(t, env)
	ctx, r := t.Context(), request()
	weak := *r
	weak.Admin.Password = "12345678"
	_, err := a.Initialise(ctx, &weak)
	require.ErrorIs(t, err, auth.ErrWeakPassword)

	admin, err := a.Initialise(ctx, r)
	require.NoError(t, err)
	_, _, err = a.services.auth.Login(ctx, auth.Credentials{Email: r.Admin.Email, Password: r.Admin.Password}, auth.Client{})
	require.NoError(t, err)
	root, err := a.services.org.Root(ctx)
	require.NoError(t, err)
	require.Equal(t, root, admin.EntityID)
	_, err = a.Initialise(ctx, r)
	require.ErrorIs(t, err, auth.ErrHasUsers)

	by := testkit.Operator(root, auth.EntitiesWrite, auth.SalesSell)
	by.UserID = admin.ID
	point, err := a.services.org.Create(ctx, by, &org.NewEntity{ParentID: root, Type: models.EntityTicketPoint, Name: "Taquilla", Code: "T1", Status: models.StatusActive})
	require.NoError(t, err)
	var currency uuid.UUID
	require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT id FROM currencies WHERE code = 'VES'`).Scan(&currency))
	wallets, err := a.services.ledger.MainWallets(ctx, currency, point.ID)
	require.NoError(t, err)
	_, err = env.PG.Pool.Exec(ctx, `UPDATE wallets SET credit_limit = $2 WHERE id = $1`, wallets[0], money.Amount(100_00))
	require.NoError(t, err)
	a.sell(t, by, point.ID, "VES")
	var unlimited bool
	require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT unlimited FROM wallets WHERE entity_id = $1 AND kind = 'main'`, root).Scan(&unlimited))
	require.True(t, unlimited, "the operator pays prizes without a credit limit")
	a.requireSound(t)
}

// Two that set up at the same time make one operator and one administrator.
func TestSettingUpTwiceAtOnce(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a := opened(t, env)
	errs := make([]error, 2)
	var both sync.WaitGroup
	for i := range errs {
		both.Go(func() {
			r := request()
			r.Admin.Email = strings.Repeat("a", i+1) + "@banca.example"
			_, errs[i] = a.Initialise(t.Context(), r)
		})
	}
	both.Wait()
	require.NotEqual(t, errs[0] == nil, errs[1] == nil, "%v", errs)
	var entities, users int
	require.NoError(t, env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM entities), (SELECT count(*) FROM users)`).Scan(&entities, &users))
	require.Equal(t, []int{1, 1}, []int{entities, users})
}

// What follows the commit of a setup does not fail it: `banca init` would not show the only password.
func TestASetupIsDoneOnceItIsCommitted(t *testing.T) {
	t.Parallel()
	a, r := opened(t, testkit.New(t)), request()
	a.services.setup.Done = func(context.Context) error { return errors.New("no draws now") }
	admin, err := a.Initialise(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, r.Admin.Email, admin.Email)
}

// A process that opened before the setup and ran after it has the former zone, and starts again.
func TestASetupWhileAProcessStarts(t *testing.T) {
	t.Parallel()
	a, r := opened(t, testkit.New(t)), request()
	r.Zone = "America/Bogota"
	_, err := a.Initialise(t.Context(), r)
	require.NoError(t, err)
	running, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	require.ErrorIs(t, a.followSetup(running), ErrZoneChanged)
}

// verify names the accounts whose password is public.
func TestVerifyNamesSeededPasswords(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	a := opened(t, env)
	require.NoError(t, a.Seed(t.Context()))
	warned := func() string {
		var out bytes.Buffer
		require.NoError(t, a.Verify(t.Context(), &out), out.String())
		return out.String()
	}
	require.Contains(t, warned(), "warn    admin@banca.test has the password of the seed, which is public\n")
	hash, err := auth.HashPassword("una frase larga", 4)
	require.NoError(t, err)
	_, err = env.PG.Pool.Exec(t.Context(), `UPDATE users SET password_hash = $2 WHERE id = $1`, seed.ID("user", "admin@banca.test"), hash)
	require.NoError(t, err)
	report := warned()
	require.NotContains(t, report, "admin@banca.test")
	require.Contains(t, report, "taquilla@banca.test has the password")
}

// requireSound counts what the tasks count and verifies every invariant.
func (a *App) requireSound(t *testing.T) {
	t.Helper()
	for folded := 1; folded > 0; {
		var err error
		folded, err = a.services.ledger.Fold(t.Context())
		require.NoError(t, err)
	}
	var last int64
	require.NoError(t, a.stores.pg.Pool.QueryRow(t.Context(), `SELECT max(xid) FROM transactions`).Scan(&last))
	require.Eventually(t, func() bool {
		require.NoError(t, a.services.ledger.CountDays(t.Context()))
		require.NoError(t, a.services.rollup.Advance(t.Context()))
		var position int64
		require.NoError(t, a.stores.pg.Pool.QueryRow(t.Context(), `SELECT min(position) FROM feeds`).Scan(&position))
		return position > last
	}, testkit.WaitTimeout, 100*time.Millisecond)
	var out bytes.Buffer
	require.NoError(t, a.Verify(t.Context(), &out), out.String())
}

// renumbering returns the upward half of the migration that gives the operator an id in place of another one.
func renumbering(t *testing.T, from, to string) string {
	t.Helper()
	text, err := fs.ReadFile(migrations.FS, "0078_operator_without_zero_id.sql")
	require.NoError(t, err)
	up, _, found := strings.Cut(string(text), "ALTER TABLE entities ADD CONSTRAINT")
	require.True(t, found)
	return strings.NewReplacer("'"+uuid.Nil.String()+"'", "'"+from+"'", "gen_random_uuid()", "'"+to+"'").Replace(up)
}

// A database whose operator has the zero id has sold; the migration gives the operator an id, and the books are sound.
func TestTheOperatorGetsAnID(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	ctx := t.Context()
	exec := func(sql string) {
		t.Helper()
		_, err := env.PG.Pool.Exec(ctx, sql)
		require.NoError(t, err)
	}
	require.NoError(t, opened(t, env).Seed(ctx))
	exec(`ALTER TABLE entities DROP CONSTRAINT entities_id_given`)
	exec(renumbering(t, seed.RootEntityID, uuid.Nil.String()))

	before := opened(t, env)
	root, err := before.services.org.Root(ctx)
	require.NoError(t, err)
	require.Equal(t, uuid.Nil, root)
	seller := func(a *App, root uuid.UUID) caller.Caller {
		by, err := a.services.seeded(ctx, root, seed.Users()[0].Email)
		require.NoError(t, err)
		return by
	}
	for range 3 {
		before.sell(t, seller(before, root), seed.ID("entity", seed.CodeTicketPoint), "VES")
	}
	require.Eventually(t, func() bool {
		require.NoError(t, before.services.rollup.Advance(ctx))
		var counted bool
		require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM daily_totals WHERE entity_id = $1)`, uuid.Nil).Scan(&counted))
		return counted
	}, testkit.WaitTimeout, 100*time.Millisecond)
	var out bytes.Buffer
	require.ErrorIs(t, before.Verify(ctx, &out), ErrBroken)

	exec(renumbering(t, uuid.Nil.String(), uuid.NewString()))
	after := opened(t, env)
	root, err = after.services.org.Root(ctx)
	require.NoError(t, err)
	require.NotEqual(t, uuid.Nil, root)
	after.sell(t, seller(after, root), seed.ID("entity", seed.CodeTicketPoint), "VES")
	after.requireSound(t)
	var left int
	require.NoError(t, env.PG.Pool.QueryRow(ctx, `SELECT count(*) FROM entities WHERE path LIKE '%' || $1 || '%'`, uuid.Nil.String()).Scan(&left))
	require.Zero(t, left)
}

// A process that is stopped while it looks for its setup ends without an error.
func TestAStopDuringTheSetupIsNoError(t *testing.T) {
	t.Parallel()
	a := opened(t, testkit.New(t))
	stopped, stop := context.WithCancel(t.Context())
	stop()
	require.NoError(t, a.announceSetup(stopped))
	require.NoError(t, a.followSetup(stopped))
}
