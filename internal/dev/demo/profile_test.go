package demo

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/app"
	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
	"banca/models"
)

const testCost = 4 // the least

// settings configures an app over a test's database.
func settings(env *testkit.Env) *config.Config {
	cfg := &config.Config{}
	cfg.Postgres = config.Postgres{DatabaseURL: config.Secret(env.PostgresURL), MaxConns: 4}
	cfg.Redis.RedisURL = config.Secret(env.RedisURL)
	cfg.Objects = config.Objects{Endpoint: "http://127.0.0.1:1", Bucket: "banca", AccessKey: "k", SecretKey: "s"}
	cfg.Auth = config.Auth{JWTSecret: config.Secret(strings.Repeat("s", 32)), AccessTokenTTL: time.Minute, RefreshTokenTTL: time.Hour, BcryptCost: testCost}
	cfg.Business = config.Business{Zone: time.FixedZone("Caracas", -4*60*60), DrawDaysAhead: 1, SaleStop: 5 * time.Minute}
	cfg.HTTP.PublicURL, cfg.HTTP.RateLimitRequests, cfg.HTTP.RateLimitWindow = "http://127.0.0.1:8080", requests, time.Minute
	cfg.HTTP.RateLimitDevice, cfg.HTTP.RateLimitPanel = requests, requests
	return cfg
}

func testProfile(t *testing.T) *volume.Profile {
	t.Helper()
	hash, err := auth.HashPassword(seed.Password, testCost)
	require.NoError(t, err)
	p, err := Profile(hash)
	require.NoError(t, err)
	return p
}

// The history looks like that of an operator, and every invariant holds on it.
func TestTheHistoryIsBelievableAndSound(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	zone, err := time.LoadLocation("America/Caracas")
	require.NoError(t, err)
	cfg := settings(env)
	cfg.Business.Zone = zone
	a, err := app.Open(t.Context(), cfg, modeSeed, env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.Close()) })
	o := volume.Options{Days: 21, Lines: 21 * 900, Profile: testProfile(t), Progress: io.Discard}
	d := &demonstration{profile: o.Profile, out: io.Discard, Options: Options{Days: o.Days, Lines: o.Lines / o.Days}}
	require.NoError(t, d.fill(t.Context(), a))
	require.NoError(t, a.SeedToday(t.Context(), o))

	number := func(sql string, args ...any) (n float64) {
		t.Helper()
		require.NoError(t, env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n), sql)
		return n
	}
	sold := func(weekday time.Weekday) float64 {
		return number(`SELECT coalesce(sum(total), 0)::float8 FROM tickets WHERE extract(dow FROM created_at AT TIME ZONE $1) = $2
			AND (created_at AT TIME ZONE $1)::date < (now() AT TIME ZONE $1)::date`, zone.String(), int(weekday))
	}
	assert.Less(t, 1.3*sold(time.Monday), sold(time.Saturday), "Monday is weak")

	late := number(`SELECT min(extract(hour FROM t.created_at AT TIME ZONE $1))::float8 FROM tickets t JOIN entities e ON e.id = t.entity_id WHERE e.code = 'TAQ-008'`, zone.String())
	assert.InDelta(t, 13, late, 0, "La Nocturna opens late")
	assert.Zero(t, number(`SELECT count(*) FROM tickets t JOIN entities e ON e.id = t.entity_id WHERE e.code = 'TAQ-016' AND t.created_at > date_trunc('day', now() AT TIME ZONE $1) AT TIME ZONE $1`, zone.String()))

	// As of the last deposit, or of the last Monday noon without one: the others deposit on Monday mornings, and owe a week's sales before.
	const debts = `SELECT -(sum(p.amount) / count(DISTINCT p.wallet_id))::float8 FROM wallet_postings p JOIN transactions x ON x.id = p.transaction_id
		JOIN wallets w ON w.id = p.wallet_id JOIN entities e ON e.id = w.entity_id JOIN entities a ON starts_with(e.path, a.path) AND a.entity_type = 'AGENCY'
		WHERE e.entity_type = 'TICKET_POINT' AND (a.code = $1) = $2
			AND x.created_at <= coalesce((SELECT max(d.created_at) FROM transactions d WHERE d.entity_id = e.id AND d.type IN ('deposit', 'withdrawal')),
				(date_trunc('week', now() AT TIME ZONE $3 - interval '12 hours') + interval '12 hours') AT TIME ZONE $3)`
	assert.Greater(t, number(debts, OwingAgency, true, zone.String()), 2*number(debts, OwingAgency, false, zone.String()), "one agency owes")
	assert.Zero(t, number(`SELECT count(*) FROM transactions x JOIN entities e ON e.id = x.entity_id JOIN entities a ON starts_with(e.path, a.path) WHERE a.code = $1 AND x.type = 'deposit'`, OwingAgency))
	assert.Positive(t, number(`SELECT count(*) FROM transactions WHERE type = 'deposit'`))

	assert.Zero(t, number(`SELECT count(*) FROM tickets WHERE greatest(created_at, cancelled_at, settled_at, expired_at) > now()`))
	assert.Positive(t, number(`SELECT count(*) FROM daily_closes c JOIN entities e ON e.id = c.entity_id WHERE e.entity_type = $1`, models.EntityOperator))
	assert.Positive(t, number(`SELECT count(*) FROM weekly_settlements`))
	var report bytes.Buffer
	require.NoError(t, a.Verify(t.Context(), &report), report.String())
}

// The login page shows one user of each role.
func TestThreeLogins(t *testing.T) {
	t.Parallel()
	p := testProfile(t)
	var roles []string
	for _, l := range Logins(p) {
		roles = append(roles, l.Role)
		assert.Equal(t, seed.Password, l.Password)
		assert.NotEmpty(t, l.Person)
		assert.NotEmpty(t, l.Place)
	}
	assert.Equal(t, []string{models.RoleAdmin, models.RoleSocio, models.RoleTaquilla}, roles)
	points, codes := 0, map[string]bool{}
	p.Each(func(place, _ *volume.Place, depth int) {
		assert.False(t, codes[place.Code], place.Code)
		codes[place.Code] = true
		if place.Below == nil {
			points++
			assert.Equal(t, 3, depth, place.Code)
			assert.NotEmpty(t, place.User.Name, place.Code)
		}
	})
	assert.Equal(t, 40, points)
}
