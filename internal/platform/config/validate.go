package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Mode is the subcommand a configuration is for.
type Mode string

// Modes with fewer settings: ModeDev brings its own servers and secrets, ModeMigrate opens the database alone, and
// ModeBuckets the object store alone. Every other mode needs all of them given; ModeServe runs every role in one process.
const (
	ModeDev     Mode = "dev"
	ModeServe   Mode = "serve"
	ModeMigrate Mode = "migrate"
	ModeBuckets Mode = "buckets"
)

// requirement is a variable that a mode needs.
type requirement struct {
	name string
	set  bool
}

// minSecret is the length below which a signing key could be searched (RFC 7518, 3.2: the hash's size).
const minSecret = 32

// mostTicketLines is the greatest length of a ticket whose receipt can be drawn, whatever its lines.
const mostTicketLines = 250

// Validate reports every variable that a mode needs and that is empty, in one error.
func (c *Config) Validate(mode Mode) error {
	if mode == ModeDev {
		return nil
	}
	database := []requirement{{"DATABASE_URL", c.Postgres.DatabaseURL != ""}}
	objects := []requirement{
		{"S3_ENDPOINT", c.Objects.Endpoint != ""},
		{"S3_ACCESS_KEY", c.Objects.AccessKey != ""},
		{"S3_SECRET_KEY", c.Objects.SecretKey != ""},
	}
	process := []requirement{
		{"REDIS_URL", c.Redis.RedisURL != ""},
		{"PUBLIC_URL", !c.HTTP.derivedURL}, // of receipts and cookies: an address of this machine would be wrong without a word
		{"JWT_SECRET", c.Auth.JWTSecret != ""},
		{"MESSAGING_URL", c.Messaging.GatewayURL != "" || c.Messaging.DriverIn(mode) != DriverEvolution},
		{"MESSAGING_INSTANCE", c.Messaging.Instance != "" || c.Messaging.DriverIn(mode) != DriverEvolution},
		{"MESSAGING_API_KEY", c.Messaging.APIKey != "" || c.Messaging.DriverIn(mode) != DriverEvolution},
	}
	required := slices.Concat(database, process)
	switch {
	case c.ObjectsDir != "":
	case !objects[0].set && !objects[1].set && !objects[2].set && mode == ModeServe:
		required = slices.Concat(database, []requirement{{"OBJECTS_DIR (or S3_ENDPOINT with its keys)", false}}, process)
	default:
		required = slices.Concat(database, objects, process)
	}
	switch mode {
	case ModeMigrate:
		required = database
	case ModeBuckets:
		required = objects
	default: // every other command opens all stores
	}
	var missing []string
	for _, r := range required {
		if !r.set {
			missing = append(missing, r.name)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("config: `banca %s` needs %s to be set", mode, strings.Join(missing, ", "))
	}
	return nil
}

// check refuses values that are readable but make no sense; it never repeats one.
func (c *Config) check() error {
	problems := slices.Concat(c.checkBounds(), c.checkText())
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = errors.New("config: " + p)
	}
	return errors.Join(errs...)
}

func (c *Config) checkBounds() []string {
	const (
		day  = 24 * time.Hour
		year = 365 * day
	)
	return slices.Concat(
		within("RATE_LIMIT_REQUESTS", c.HTTP.RateLimitRequests, 1, 1_000_000),
		within("RATE_LIMIT_DEVICE_REQUESTS", c.HTTP.RateLimitDevice, 1, 1_000_000),
		within("RATE_LIMIT_PANEL_REQUESTS", c.HTTP.RateLimitPanel, 1, 1_000_000),
		within("RATE_LIMIT_SITE_REQUESTS", c.HTTP.RateLimitSite, c.HTTP.RateLimitRequests, siteLimits*1_000_000),
		within("MESSAGING_PER_MINUTE", c.Messaging.PerMinute, 0, 100_000),
		within("MESSAGING_RECIPIENT_PER_MINUTE", c.Messaging.RecipientPerMinute, 0, 100_000),
		within("MESSAGING_RETENTION", c.Messaging.MessageRetention, 30*day, 20*year),
		within("RATE_LIMIT_WINDOW", c.HTTP.RateLimitWindow, time.Second, day),
		within("RATE_LIMIT_TIMEOUT", c.HTTP.RateLimitTimeout, time.Millisecond, time.Minute),
		within("IMAGE_MEMORY_MIB", c.HTTP.ImageMemory, 16, 16_384),
		within("DATABASE_MAX_CONNS", c.Postgres.MaxConns, 2, 1_000),
		within("DATABASE_REPLICA_MAX_CONNS", c.Postgres.ReplicaConns, 1, 1_000),
		within("ARCHIVE_AFTER_MONTHS", c.Postgres.ArchiveAfter, 0, 600),
		within("DATABASE_REPLICA_MAX_LAG", c.Postgres.ReplicaLag, 2*time.Second, time.Hour),
		within("ACCESS_TOKEN_TTL", c.Auth.AccessTokenTTL, time.Second, day),
		within("SECOND_PERSON_WAIT", c.Auth.SecondPersonWait, 0, 30*day),
		within("REFRESH_TOKEN_TTL", c.Auth.RefreshTokenTTL, c.Auth.AccessTokenTTL, year),
		within("BCRYPT_COST", c.Auth.BcryptCost, 4, 16),
		within("DRAW_DAYS_AHEAD", c.Business.DrawDaysAhead, 0, 60),
		within("SALE_STOP", c.Business.SaleStop, 0, day),
		within("MAX_TICKET_LINES", c.Business.MaxTicketLines, 1, mostTicketLines),
		within("BANK_HOLD", c.Bank.Hold, time.Minute, day),
		within("BANK_REQUEST_EXPIRY", c.Bank.RequestExpiry, time.Minute, 30*day),
		within("BANK_CALL_LIMIT", c.Bank.CallLimit, 1, 100_000_000),
		within("BANK_CALL_WINDOW", c.Bank.CallWindow, time.Second, time.Hour),
		within("BANK_REFUSED_LIMIT", c.Bank.RefusedLimit, 1, 1_000_000),
		within("BANK_REFUSED_WINDOW", c.Bank.RefusedWindow, time.Second, day),
		within("BANK_EVENT_RETENTION", c.Bank.EventRetention, day, 20*year),
		within("BANK_PAYLOAD_RETENTION", c.Bank.PayloadRetention, time.Hour, c.Bank.EventRetention),
		within("REALTIME_MAX_CONNECTIONS", c.HTTP.MaxConnections, 1, 100_000),
		within("LOTTERY_TIMEOUT", c.Lottery.LotteryTimeout, 100*time.Millisecond, 20*time.Second),
		within("EXPORT_RETENTION", c.Exports.ExportRetention, time.Hour, 90*day),
		within("RATES_TIMEOUT", c.Rates.RatesTimeout, 100*time.Millisecond, 20*time.Second),
		within("RATES_MAX_CHANGE", c.Rates.MaxChange, 1, 1_000),
		within("ASSISTANT_FIRST_BYTE_TIMEOUT", c.Assistant.FirstByte, time.Second, time.Minute),
		within("ASSISTANT_IDLE_TIMEOUT", c.Assistant.Silence, time.Second, time.Minute),
		within("ASSISTANT_CALL_TIMEOUT", c.Assistant.CallTimeout, time.Second, 2*time.Minute),
		within("ASSISTANT_DAILY_TOKENS", int(c.Assistant.DailyTokens), 0, 1_000_000_000),
		within("WORKER_CONCURRENCY", c.Worker.Concurrency, 1, 1_000),
		within("WORKER_WAITING", c.Worker.Waiting, 1, 10_000),
		within("QUEUE_CHECK_INTERVAL", c.Worker.QueueCheckInterval, 10*time.Millisecond, time.Minute),
		within("OUTBOX_POLL_INTERVAL", c.Worker.OutboxPollInterval, 10*time.Millisecond, time.Minute),
	)
}

func (c *Config) checkText() []string {
	var p []string
	refuse := func(bad bool, problem string) {
		if bad {
			p = append(p, problem)
		}
	}
	refuse(!isAddr(c.HTTP.Addr), "HTTP_ADDR must be host:port")
	refuse(!isAddr(c.Simulator.GatewayAddr), "SIM_GATEWAY_ADDR must be host:port")
	refuse(!isAddr(c.Simulator.LotteryAddr), "SIM_LOTTERY_ADDR must be host:port")
	refuse(!isAddr(c.Simulator.RatesAddr), "SIM_RATES_ADDR must be host:port")
	refuse(!isAddr(c.Simulator.ModelsAddr), "SIM_MODELS_ADDR must be host:port")
	p = append(p, c.Assistant.check()...)
	refuse(c.Rates.RatesURL != "" && !isHTTP(c.Rates.RatesURL), "RATES_URL must be https://host/path")
	refuse(len(c.Rates.Pairs) == 0 || len(c.Rates.Pairs) > 16 || slices.ContainsFunc(c.Rates.Pairs, notPair), "RATES_PAIRS must list 1 to 16 pairs such as USD/VES, separated by commas")
	refuse(notOrigin(c.HTTP.PublicURL), "PUBLIC_URL must be an http or https address without a path")
	refuse(c.Objects.Endpoint != "" && notOrigin(c.Objects.Endpoint), "S3_ENDPOINT must be an http or https address without a path")
	refuse(c.Objects.SignedEndpoint != "" && notOrigin(c.Objects.SignedEndpoint), "S3_SIGNED_ENDPOINT must be an http or https address without a path")
	refuse(c.Telemetry.OpsAddr != "" && !isAddr(c.Telemetry.OpsAddr), "OPS_ADDR must be host:port")
	refuse(c.Telemetry.TraceEndpoint != "" && notOrigin(c.Telemetry.TraceEndpoint), "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address without a path")
	refuse(c.Telemetry.TraceRatio < 0 || c.Telemetry.TraceRatio > 1, "TRACE_RATIO must be 0 to 1")
	refuse(c.HTTP.TLSAddr != "" && !isAddr(c.HTTP.TLSAddr), "TLS_ADDR must be host:port")
	refuse((c.HTTP.TLSCertFile == "") != (c.HTTP.TLSKeyFile == ""), "TLS_CERT_FILE and TLS_KEY_FILE belong together")
	refuse(c.HTTP.TLSAddr != "" && c.HTTP.TLSCertFile == "", "TLS_ADDR needs TLS_CERT_FILE and TLS_KEY_FILE")
	refuse(notToken(c.Bank.WebhookToken), "BANK_WEBHOOK_AUTH_TOKEN must be a UUID")
	refuse(notToken(c.Bank.NextWebhookToken), "BANK_WEBHOOK_AUTH_TOKEN_NEXT must be a UUID")
	refuse(!isCurrency(c.Bank.BankCurrency), "BANK_CURRENCY must be three capital letters")
	refuse(c.Bank.Unmatched != UnmatchedReject && c.Bank.Unmatched != UnmatchedAccept, "BANK_UNMATCHED must be reject or accept")
	refuse(c.Objects.ObjectPublicURL != "" && !isHTTP(c.Objects.ObjectPublicURL), "S3_PUBLIC_URL must be an http or https address")
	refuse(c.Messaging.GatewayURL != "" && !isHTTP(c.Messaging.GatewayURL), "MESSAGING_URL must be an http or https address")
	refuse(slices.ContainsFunc(c.Messaging.PrivateHosts, notHost), "MESSAGING_PRIVATE_HOSTS must list hosts such as evolution:8080")
	for _, base := range c.Lottery.LotterySources {
		refuse(!isHTTP(base), "LOTTERY_SOURCES must be name=https://host/path, separated by commas")
	}
	refuse(slices.ContainsFunc(c.Lottery.LotteryHosts, notHost), "LOTTERY_ALLOWED_HOSTS must list hosts such as lottery.example.com:8443")
	refuse(len(c.Business.PollDelays) > 20 || slices.ContainsFunc(c.Business.PollDelays, notDelay), "RESULT_POLL_DELAYS must be at most 20 waits between 10s and 24h")
	refuse(!isBasePath(c.HTTP.BasePath), "API_BASE_PATH must be empty or begin with a slash and not end with one")
	refuse(slices.ContainsFunc(c.HTTP.AllowedOrigins, isWildcard), "CORS_ALLOWED_ORIGINS must name every origin in full, * is not allowed")
	refuse(slices.ContainsFunc(c.HTTP.AllowedOrigins, notOrigin), "CORS_ALLOWED_ORIGINS must list origins such as https://pos.example.com")
	refuse(c.Auth.JWTSecret != "" && len(c.Auth.JWTSecret) < minSecret, fmt.Sprintf("JWT_SECRET must have at least %d bytes", minSecret))
	refuse(len(c.Auth.JWTSecret) >= minSecret && distinct(c.Auth.JWTSecret.Reveal()) < minDistinct, fmt.Sprintf("JWT_SECRET must be random: it has fewer than %d different characters", minDistinct))
	refuse(!slices.Contains([]string{"", DriverEvolution, DriverLog}, c.Messaging.Driver), "MESSAGING_DRIVER must be evolution or log")
	refuse(!slices.Contains([]string{"debug", "info", "warn", "error"}, c.Log.Level), "LOG_LEVEL must be debug, info, warn or error")
	refuse(!slices.Contains([]string{"text", "json"}, c.Log.Format), "LOG_FORMAT must be text or json")
	refuse(c.ObjectsDir != "" && c.Objects.Endpoint != "", "OBJECTS_DIR and S3_ENDPOINT are two stores: leave one of them empty")
	refuse(c.Objects.PrivateBucket == c.Objects.Bucket, "S3_PRIVATE_BUCKET must be another bucket than S3_BUCKET")
	refuse(c.Objects.Bucket == "" || c.DataDir == "", "S3_BUCKET and DATA_DIR must not be blank")
	return p
}

// check names the variables of the assistant that do not fit each other.
func (a *Assistant) check() []string {
	const most = 8
	var p []string
	names := map[string]bool{}
	for i := range a.AssistantModels {
		m := &a.AssistantModels[i]
		if names[m.Name] || m.Name == "" || m.Model == "" || !isHTTP(m.URL) {
			p = append(p, "ASSISTANT_MODELS must be models with a name of their own, url and model")
		}
		names[m.Name] = true
	}
	if len(a.AssistantModels) > most {
		p = append(p, "ASSISTANT_MODELS must be at most 8 models")
	}
	for name := range a.AssistantKeys {
		if !names[name] {
			p = append(p, "ASSISTANT_KEYS must name models of ASSISTANT_MODELS, as name=key, separated by commas")
		}
	}
	p = append(p, within("ASSISTANT_RETENTION", a.ChatRetention, 24*time.Hour, 10*365*24*time.Hour)...)
	return p
}

// minDistinct is the least number of different characters of a signing key. A random key of 32
// hexadecimal digits has fewer in less than one of ten million cases.
const minDistinct = 8

func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}

// within names a variable whose value is out of bounds.
func within[T int | int32 | time.Duration](name string, value, least, most T) []string {
	if value >= least && value <= most {
		return nil
	}
	return []string{fmt.Sprintf("%s must be between %v and %v", name, least, most)}
}

// notToken reports a token of the bank that is set and no UUID, 36 characters.
func notToken(token Secret) bool {
	const length = 36
	_, err := uuid.Parse(token.Reveal())
	return token != "" && (err != nil || len(token) != length)
}

func isCurrency(code string) bool {
	const length = 3
	return len(code) == length && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// notPair reports a text that is no pair of two currencies.
func notPair(text string) bool {
	base, quote, _ := strings.Cut(text, "/")
	return !isCurrency(base) || !isCurrency(quote) || base == quote
}

func isAddr(text string) bool {
	_, port, err := net.SplitHostPort(text)
	return err == nil && port != ""
}

func isHTTP(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil
}

// notDelay reports a wait between two attempts that is too short to be one, or longer than a day.
func notDelay(d time.Duration) bool { return d < 10*time.Second || d > 24*time.Hour }

// notHost reports a text that is no bare host with an optional port.
func notHost(text string) bool {
	u, err := url.Parse("https://" + text)
	return err != nil || text == "" || u.Host != text
}

func isBasePath(text string) bool {
	return text == "" || (strings.HasPrefix(text, "/") && !strings.HasSuffix(text, "/") && !strings.ContainsAny(text, "{}:*?#"))
}

func isWildcard(origin string) bool { return strings.Contains(origin, "*") }

func notOrigin(text string) bool {
	u, err := url.Parse(text)
	return err != nil || !isHTTP(text) || u.Path != "" || u.RawQuery != "" || u.Fragment != ""
}
