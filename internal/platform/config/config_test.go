package config

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := parse(nil)
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:8080", c.HTTP.Addr)
	assert.Equal(t, "http://127.0.0.1:8080", c.HTTP.PublicURL)
	assert.Equal(t, 500, c.HTTP.RateLimitRequests)
	assert.Equal(t, 50_000, c.HTTP.RateLimitSite)
	assert.Equal(t, 15*time.Minute, c.HTTP.RateLimitWindow)
	assert.Equal(t, "America/Caracas", c.Business.Zone.String())
	assert.Equal(t, "banca", c.Objects.Bucket)
	assert.Equal(t, "banca-private", c.Objects.PrivateBucket)
	assert.NoError(t, c.Validate(ModeDev))
}

func TestPublicURL(t *testing.T) {
	t.Parallel()
	for environment, want := range map[[2]string]string{
		{"HTTP_ADDR", ":9000"}:                       "http://localhost:9000",
		{"HTTP_ADDR", "0.0.0.0:9000"}:                "http://localhost:9000",
		{"HTTP_ADDR", "[::1]:9000"}:                  "http://[::1]:9000",
		{"PUBLIC_URL", "https://banca.example.com/"}: "https://banca.example.com",
		{"TLS_CERT_FILE", "cert.pem"}:                "https://127.0.0.1:8080",
	} {
		variables := map[string]string{environment[0]: environment[1]}
		if environment[0] == "TLS_CERT_FILE" {
			variables["TLS_KEY_FILE"] = "key.pem"
		}
		c, err := parse(variables)
		require.NoError(t, err)
		assert.Equal(t, want, c.HTTP.PublicURL)
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{"BANK_ALLOWED_IPS": "203.0.113.7, 10.1.2.3/8,::ffff:198.51.100.1"})
	require.NoError(t, err)
	assert.Equal(t, []netip.Prefix{
		netip.MustParsePrefix("203.0.113.7/32"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("198.51.100.1/32"),
	}, c.Bank.AllowedIPs)
}

func TestBadValuesAreNamedAndNotRepeated(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"RATE_LIMIT_REQUESTS", "RATE_LIMIT_WINDOW", "BUSINESS_TIMEZONE", "BANK_ALLOWED_IPS", "TRUSTED_PROXIES",
		"DATABASE_MAX_CONNS", "DATABASE_REPLICA_MAX_CONNS", "DATABASE_REPLICA_MAX_LAG", "ARCHIVE_AFTER_MONTHS", "BCRYPT_COST", "ACCESS_TOKEN_TTL", "DRAW_DAYS_AHEAD", "HTTP_ADDR", "SIM_LOTTERY_ADDR", "PUBLIC_URL",
		"API_BASE_PATH", "CORS_ALLOWED_ORIGINS", "JWT_SECRET", "MESSAGING_DRIVER", "LOG_LEVEL", "LOG_FORMAT", "S3_PUBLIC_URL",
		"S3_ENDPOINT", "S3_SIGNED_ENDPOINT", "MESSAGING_URL",
		"TLS_ADDR", "TLS_CERT_FILE", "TLS_KEY_FILE", "BANK_WEBHOOK_AUTH_TOKEN", "BANK_WEBHOOK_AUTH_TOKEN_NEXT", "BANK_CURRENCY", "BANK_UNMATCHED",
		"BANK_REQUIRE_TLS", "BANK_OPEN_DEPOSITS", "BANK_HOLD", "BANK_REQUEST_EXPIRY", "BANK_CALL_LIMIT", "BANK_CALL_WINDOW", "BANK_REFUSED_LIMIT",
		"BANK_REFUSED_WINDOW", "BANK_EVENT_RETENTION", "BANK_PAYLOAD_RETENTION", "LOTTERY_SOURCES", "LOTTERY_SECRETS", "LOTTERY_TIMEOUT", "RESULT_POLL_DELAYS",
		"EXPORT_RETENTION", "RATES_URL", "RATES_PAIRS", "RATES_TIMEOUT", "RATES_MAX_CHANGE", "SIM_RATES_ADDR",
		"ASSISTANT_MODELS", "ASSISTANT_KEYS", "ASSISTANT_FIRST_BYTE_TIMEOUT", "ASSISTANT_IDLE_TIMEOUT", "ASSISTANT_CALL_TIMEOUT", "ASSISTANT_DAILY_TOKENS", "MESSAGING_RETENTION", "ASSISTANT_RETENTION", "SIM_MODELS_ADDR",
	} {
		_, err := parse(map[string]string{name: "hunter2"})
		require.Error(t, err, name)
		assert.Contains(t, err.Error(), name)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

// Origins are exact: a pattern would open the API to several sites, and an invalid origin would match none without an
// error.
func TestOriginsAreExact(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{"CORS_ALLOWED_ORIGINS": "https://pos.example.com,http://127.0.0.1:3000"})
	require.NoError(t, err)
	assert.Equal(t, []string{"https://pos.example.com", "http://127.0.0.1:3000"}, c.HTTP.AllowedOrigins)
	for _, origin := range []string{"*", "https://*", "https://*.example.com", "https://pos.example.com,*"} {
		_, err := parse(map[string]string{"CORS_ALLOWED_ORIGINS": origin})
		require.ErrorContains(t, err, "* is not allowed", origin)
	}
	for _, origin := range []string{"null", "pos.example.com", "https://pos.example.com/", "https://pos.example.com/app", "https://user@pos.example.com", "file://"} {
		_, err := parse(map[string]string{"CORS_ALLOWED_ORIGINS": origin})
		require.ErrorContains(t, err, "CORS_ALLOWED_ORIGINS must list origins", origin)
	}
}

// Addresses hold neither credentials, which errors would print, nor a path, which would be ignored or, in the upper
// case of a receipt's QR code, not be found.
func TestAddressesOfServersHaveNoCredentialsOrPath(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"PUBLIC_URL", "S3_ENDPOINT", "S3_SIGNED_ENDPOINT"} {
		for _, address := range []string{
			"https://user:hunter2@host", "https://host/hunter2", "https://host?hunter2", "https://host#hunter2", "https://hunter2 host", "ftp://host",
		} {
			_, err := parse(map[string]string{name: address})
			require.ErrorContains(t, err, name, address)
			assert.NotContains(t, err.Error(), "hunter2")
		}
		_, err := parse(map[string]string{name: "https://host:9000/"})
		require.NoError(t, err, name)
	}
}

func TestThePrivateBucketMustDifferFromThePublicOne(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{"S3_BUCKET": "shop", "S3_PRIVATE_BUCKET": "papers"})
	require.NoError(t, err)
	assert.Equal(t, "papers", c.Objects.PrivateBucket)
	_, err = parse(map[string]string{"S3_BUCKET": "shop", "S3_PRIVATE_BUCKET": "shop"})
	require.ErrorContains(t, err, "S3_PRIVATE_BUCKET")
}

func TestBounds(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{"RATE_LIMIT_REQUESTS": "700"})
	require.NoError(t, err)
	assert.Equal(t, 70_000, c.HTTP.RateLimitSite)
	_, err = parse(map[string]string{"RATE_LIMIT_SITE_REQUESTS": "499"})
	require.ErrorContains(t, err, "RATE_LIMIT_SITE_REQUESTS")
	_, err = parse(map[string]string{"RATE_LIMIT_REQUESTS": "0", "MAX_TICKET_LINES": "251", "BCRYPT_COST": "31"})
	require.ErrorContains(t, err, "RATE_LIMIT_REQUESTS")
	require.ErrorContains(t, err, "MAX_TICKET_LINES")
	require.ErrorContains(t, err, "BCRYPT_COST")
}

func TestValidateNamesEverythingMissing(t *testing.T) {
	t.Parallel()
	full := map[string]string{
		"DATABASE_URL": "postgres://u:p@db/banca", "REDIS_URL": "redis://cache", "S3_ENDPOINT": "https://s3.example.com",
		"PUBLIC_URL": "https://banca.example.com", "S3_ACCESS_KEY": "k", "S3_SECRET_KEY": "s", "JWT_SECRET": strings.Repeat("0123456789abcdef", 2),
	}
	c, err := parse(full)
	require.NoError(t, err)
	require.NoError(t, c.Validate("api"))

	c, err = parse(map[string]string{"MESSAGING_DRIVER": "evolution"})
	require.NoError(t, err)
	err = c.Validate("worker")
	for name := range full {
		require.ErrorContains(t, err, name)
	}
	require.ErrorContains(t, err, "MESSAGING_API_KEY")
	require.NoError(t, c.Validate(ModeDev))
	require.ErrorContains(t, c.Validate(ModeServe), "DATABASE_URL, OBJECTS_DIR (or S3_ENDPOINT with its keys), REDIS_URL")
	require.EqualError(t, c.Validate(ModeMigrate), "config: `banca migrate` needs DATABASE_URL to be set")
	require.EqualError(t, c.Validate(ModeBuckets), "config: `banca buckets` needs S3_ENDPOINT, S3_ACCESS_KEY, S3_SECRET_KEY to be set")
}

// A long signing key of one letter is as weak as a short one.
func TestASigningKeyIsRandom(t *testing.T) {
	t.Parallel()
	_, err := parse(map[string]string{"JWT_SECRET": strings.Repeat("a", 36)})
	require.ErrorContains(t, err, "JWT_SECRET must be random")
}

func TestSecretsAreNotPrinted(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{"JWT_SECRET": strings.Repeat("hunter2.", 4), "DATABASE_URL": "postgres://u:hunter2.@db"})
	require.NoError(t, err)
	encoded, err := json.Marshal(c.Auth)
	require.NoError(t, err)
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%+v %#v", c, c), string(encoded), c.Auth.JWTSecret.LogValue().String()} {
		assert.NotContains(t, text, "hunter2")
	}
	assert.Equal(t, strings.Repeat("hunter2.", 4), c.Auth.JWTSecret.Reveal())
}

// Every setting is in .env.example with a comment and its default, and nothing else is.
func TestExampleIsInStep(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../.env.example")
	require.NoError(t, err)
	lines := strings.Split(string(raw), "\n")
	listed := map[string]string{}
	for i, line := range lines {
		name, value, is := strings.Cut(line, "=")
		if !is || strings.HasPrefix(line, "#") {
			continue
		}
		assert.NotContains(t, listed, name, "twice")
		assert.True(t, strings.HasPrefix(lines[i-1], "# "), "%s has no comment", name)
		listed[name] = value
	}
	defaults := map[string]string{}
	for _, v := range variables(reflect.TypeFor[Config](), "") {
		assert.NotContains(t, defaults, v.name, "twice")
		defaults[v.name] = v.fallback
	}
	assert.Equal(t, defaults, listed)
}

// Errors are mapped from field to variable by name, so names of fields must not repeat.
func TestFieldNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, v := range variables(reflect.TypeFor[Config](), "") {
		assert.NotContains(t, seen, v.field, v.name)
		seen[v.field] = v.name
	}
}

func TestLoadReadsTheEnvironment(t *testing.T) {
	t.Setenv("MAX_TICKET_LINES", "7")
	c, err := Load()
	require.NoError(t, err)
	assert.Equal(t, 7, c.Business.MaxTicketLines)
}

func TestLotterySourcesAndTheirSecrets(t *testing.T) {
	t.Parallel()
	c, err := parse(map[string]string{
		"LOTTERY_SOURCES": "official=https://lottery.example/v1?,mirror=http://127.0.0.1:9", "LOTTERY_SECRETS": "official=hunter2=hunter2",
		"LOTTERY_ALLOWED_HOSTS": "a.example,b.example:8443",
	})
	require.NoError(t, err)
	assert.Equal(t, "http://127.0.0.1:9", c.Lottery.LotterySources["mirror"])
	assert.Equal(t, map[string]string{"official": "hunter2=hunter2"}, c.Lottery.SecretTexts())
	encoded, err := json.Marshal(c.Lottery)
	require.NoError(t, err)
	for _, text := range []string{fmt.Sprintf("%v %+v %#v", c, c, c), string(encoded)} {
		assert.NotContains(t, text, "hunter2")
	}
	for _, hosts := range []string{"https://a.example", "a.example/x", "user@a.example", "a b"} {
		_, err := parse(map[string]string{"LOTTERY_ALLOWED_HOSTS": hosts})
		require.ErrorContains(t, err, "LOTTERY_ALLOWED_HOSTS", hosts)
	}
}
