package test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/setup/seed"
)

// collected is a log that is written and read at the same time.
type collected struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *collected) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

func (c *collected) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}

// The secrets of settings that the test gives, and those that its requests send.
const (
	secretJWT        = "jwt-key-of-this-run-4b1f9c27d3e84f0a"
	secretSource     = "lottery-secret-of-this-run-77aa"
	secretConnection = "connection-key-of-this-run-19cd"
	secretPassword   = "Contraseña-de-la-corrida-8831"
	secretWrong      = "wrong-password-of-this-run-5512"
	secretMisplaced  = "token-at-a-wrong-place-3307-5b0c9d2e41f86a7340cc"
	secretDocument   = "V17345902" // the identity that the bank sends
)

// secretWalk uses a platform with known secrets and returns those that it met, by what they are.
func secretWalk(t *testing.T, p *platform) map[string]string {
	t.Helper()
	found := map[string]string{
		"JWT_SECRET": secretJWT, "LOTTERY_SECRETS": secretSource, "a connection's key": secretConnection, "a password": secretPassword,
		"a wrong password": secretWrong, "a misplaced token": secretMisplaced, "the bank's token": p.bankToken(), "the gateway's key": p.gatewayKey(),
	}
	a := p.post("/auth/login", "", map[string]string{"email": "admin@banca.test", "password": "banca-dev"}, "")
	require.Equal(t, http.StatusOK, a.status, string(a.raw))
	for _, name := range []string{"access_token", "refresh_token", "client_token"} {
		if token, _ := a.data()[name].(string); token != "" {
			found[name] = token
		}
	}
	refresh := found["refresh_token"]
	require.NotEmpty(t, refresh)
	p.post("/auth/login", "", map[string]string{"email": "admin@banca.test", "password": secretWrong}, "")
	a = p.post("/auth/refresh", "", map[string]string{"refresh_token": refresh}, "")
	require.Equal(t, http.StatusOK, a.status, string(a.raw))
	found["the second access token"], _ = a.data()["access_token"].(string)
	found["the second refresh token"], _ = a.data()["refresh_token"].(string)
	admin := found["the second access token"]
	require.Equal(t, http.StatusOK, p.post("/auth/confirm", admin, map[string]string{"password": "banca-dev"}, "").status)

	p.get("/no/such/path/"+secretMisplaced, admin)
	p.get("/games?access_token="+secretMisplaced, admin)
	p.get("/ws?token="+secretMisplaced, "")
	p.get("/games", secretMisplaced)
	p.post("/auth/login?password="+secretMisplaced, "", map[string]string{"password": secretWrong, "unknown": secretMisplaced}, "")

	a = p.post("/users", admin, map[string]any{
		"entity_id": seed.ID("entity", seed.CodeTicketPoint), "name": "Prueba", "role": "TAQUILLA", "auth_method": "whatsapp", "identifier": "prueba-secretos", "phone": "+584140001199",
		"password": secretPassword,
	}, "")
	if a.status != http.StatusCreated {
		t.Log(string(a.raw))
	}
	p.post("/auth/codes", "", map[string]string{"identifier": "prueba-secretos"}, "")
	if code := p.sentCode("584140001199"); code != "" {
		found["a one-time code"] = code
	}
	a = p.post("/messaging/connections", admin, map[string]any{
		"driver": "evolution", "entity_id": seed.ID("entity", seed.CodeOtherPoint), "name": "secretos",
		"parameters": map[string]string{"base_url": "http://" + p.gateway, "instance": "secretos", "api_key": secretConnection},
	}, "")
	require.Equal(t, http.StatusCreated, a.status, string(a.raw))

	cashier := p.login("taquilla@banca.test")
	found["a cashier's token"] = cashier
	sold := p.sell(cashier, p.openDraw(cashier), "secrets-1")
	require.Equal(t, http.StatusCreated, sold.status, string(sold.raw))
	require.Equal(t, 384, p.receiptPicture(cashier, sold.header.Get("Location")))
	require.Equal(t, http.StatusOK, p.post(sold.header.Get("Location")+"/cancel", cashier, nil, "").status)

	p.bank("/BancoConsulta", map[string]any{"IdCliente": secretDocument, "Monto": "1.00", "TelefonoComercio": "04141112233"})
	found["a panel's cookie"] = p.panelCookie()
	return found
}

// sentCode waits for a one-time code that the simulated gateway sent to a number.
func (p *platform) sentCode(number string) (code string) {
	p.t.Helper()
	digits := regexp.MustCompile(`\b\d{6}\b`)
	require.Eventually(p.t, func() bool {
		code = digits.FindString(fmt.Sprint(p.outbox(number)))
		return code != ""
	}, testkit.WaitTimeout, 50*time.Millisecond)
	return code
}

// panelCookie logs in to the panel and returns its cookie.
func (p *platform) panelCookie() string {
	p.t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(p.t, err)
	client := &http.Client{Jar: jar}
	form := func() string {
		res, err := client.Get("http://" + p.addr + "/admin/login")
		require.NoError(p.t, err)
		defer func() { _ = res.Body.Close() }()
		page := &bytes.Buffer{}
		_, err = page.ReadFrom(res.Body)
		require.NoError(p.t, err)
		match := regexp.MustCompile(`name="form_token" value="([^"]*)"`).FindStringSubmatch(page.String())
		require.NotNil(p.t, match)
		return match[1]
	}
	res, err := client.PostForm("http://"+p.addr+"/admin/login", url.Values{"form_token": {form()}, "identifier": {"admin@banca.test"}, "password": {"banca-dev"}})
	require.NoError(p.t, err)
	require.NoError(p.t, res.Body.Close())
	address, err := url.Parse("http://" + p.addr + "/admin")
	require.NoError(p.t, err)
	for _, cookie := range jar.Cookies(address) {
		if strings.Contains(cookie.Name, "session") {
			return cookie.Value
		}
	}
	require.Fail(p.t, "the panel gave no cookie of a session")
	return ""
}

// A platform that logs everything is used with known secrets, also wrong ones and at wrong places: none is in its log, in any table
// but where it belongs, or in Redis but as a digest.
func TestSecretsAreKeptNowhere(t *testing.T) {
	t.Parallel()
	env := testkit.New(t)
	log := &collected{}
	p := newPlatform(t)
	p.errors = log
	p.env = []string{
		"DATABASE_URL=" + env.PostgresURL, "REDIS_URL=" + env.RedisURL, "JWT_SECRET=" + secretJWT, "LOG_LEVEL=debug",
		"LOTTERY_SOURCES=other=http://127.0.0.1:9/", "LOTTERY_SECRETS=other=" + secretSource,
	}
	p.start()
	secrets := secretWalk(t, p)
	require.NoError(t, p.interrupt())

	require.NotEmpty(t, log.String())
	places := tables(t, env.PostgresURL)
	places["the log"] = log.String()
	places["Redis"] = redisContent(t, env.Redis)
	require.Contains(t, places["table request_logs"], "/auth/login")
	for what, secret := range secrets {
		require.GreaterOrEqual(t, len(secret), 6, what)
		for place, text := range places {
			if what == "a one-time code" && !codeCounts(place) {
				continue
			}
			assert.NotContains(t, text, secret, "%s has %s", place, what)
		}
	}
	for _, place := range []string{"the log", "table request_logs", "table activity_log", "table outbox", "table outbox_sent", "table outbox_dead", "Redis"} {
		assert.NotContains(t, places[place], secretDocument, "%s has the identity that the bank sent", place)
	}
}

// codeCounts says whether six digits are found at a place by more than chance: ids and amounts have as many.
func codeCounts(place string) bool { return place == "the log" || place == "table request_logs" }

// tables returns the rows of each table as text.
func tables(t *testing.T, address string) map[string]string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer func() { assert.NoError(t, conn.Close(context.WithoutCancel(t.Context()))) }()
	rows, err := conn.Query(t.Context(), "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition")
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.Greater(t, len(names), 40)
	found := map[string]string{}
	for _, name := range names {
		var text string
		// Columns of bytes are read as text too: encode writes what is no text as escapes.
		sql := fmt.Sprintf("SET bytea_output = escape; SELECT coalesce(string_agg(t::text, E'\\n'), '') FROM (SELECT * FROM %s LIMIT 20000) t", pgx.Identifier{name}.Sanitize())
		results, err := conn.PgConn().Exec(t.Context(), sql).ReadAll()
		require.NoError(t, err, name)
		text = string(results[len(results)-1].Rows[0][0])
		found["table "+name] = text
	}
	return found
}

// redisContent returns all keys with their values as text.
func redisContent(t *testing.T, client redis.UniversalClient) string {
	t.Helper()
	all := &strings.Builder{}
	keys := client.Scan(t.Context(), 0, "*", 1000).Iterator()
	for keys.Next(t.Context()) {
		key := keys.Val()
		var value any
		switch kind := client.Type(t.Context(), key).Val(); kind {
		case "string":
			value = client.Get(t.Context(), key).Val()
		case "hash":
			value = client.HGetAll(t.Context(), key).Val()
		case "list":
			value = client.LRange(t.Context(), key, 0, -1).Val()
		case "set":
			value = client.SMembers(t.Context(), key).Val()
		case "zset":
			value = client.ZRange(t.Context(), key, 0, -1).Val()
		}
		fmt.Fprintln(all, key, value)
	}
	require.NoError(t, keys.Err())
	require.NotEmpty(t, all.String())
	return all.String()
}
