// Package config is the one place that reads the environment. Every setting has a variable, a type and a default;
// .env.example lists them all, and a test compares it with the tags here.
//
// Load reads and validates values. Validate checks whether the settings suffice for a subcommand: under `banca-dev
// dev` an empty address selects the embedded server, everywhere else it is an error.
package config

import (
	"maps"
	"net/netip"
	"slices"
	"time"
)

// Config holds every setting of the process.
type Config struct {
	HTTP      HTTP
	Postgres  Postgres
	Redis     Redis
	Objects   Objects `envPrefix:"S3_"`
	Auth      Auth
	Bank      Bank `envPrefix:"BANK_"`
	Business  Business
	Exports   Exports `envPrefix:"EXPORT_"`
	Worker    Worker
	Secrets   Secrets
	Messaging Messaging `envPrefix:"MESSAGING_"`
	Lottery   Lottery   `envPrefix:"LOTTERY_"`
	Rates     Rates     `envPrefix:"RATES_"`
	Assistant Assistant `envPrefix:"ASSISTANT_"`
	Simulator Simulator `envPrefix:"SIM_"`
	Log       Log       `envPrefix:"LOG_"`
	Telemetry Telemetry

	DataDir    string `env:"DATA_DIR" envDefault:"./var"` // of the embedded stack and of generated secrets
	ObjectsDir string `env:"OBJECTS_DIR"`                 // of objects, instead of an S3 store
	ConfigFile string `env:"CONFIG_FILE"`                 // of settings; the environment wins

	version string // of the program; main knows it
}

// SetVersion sets the version of the program, which is no setting.
func (c *Config) SetVersion(version string) { c.version = version }

// Version is the version of the program; "" where it is not known.
func (c *Config) Version() string { return c.version }

// siteLimits is the default of RateLimitSite in limits of an address: several customers of a mobile carrier, of up to
// 65,536 in one IPv6 site, do not refuse the others.
const siteLimits = 100

// HTTP holds the settings of the listener and of the middleware.
type HTTP struct {
	Addr        string `env:"HTTP_ADDR" envDefault:"127.0.0.1:8080"`
	TLSAddr     string `env:"TLS_ADDR"` // where TLS is spoken; empty with a certificate means on Addr
	TLSCertFile string `env:"TLS_CERT_FILE"`
	TLSKeyFile  string `env:"TLS_KEY_FILE"`
	PublicURL   string `env:"PUBLIC_URL"` // an origin, without a slash at its end; derived from Addr when empty

	derivedURL        bool           // PublicURL was not given
	BasePath          string         `env:"API_BASE_PATH"`
	TrustedProxies    []netip.Prefix `env:"TRUSTED_PROXIES"`
	AllowedOrigins    []string       `env:"CORS_ALLOWED_ORIGINS"`
	RateLimitRequests int            `env:"RATE_LIMIT_REQUESTS" envDefault:"500"`
	RateLimitDevice   int            `env:"RATE_LIMIT_DEVICE_REQUESTS"` // as RateLimitRequests when it is not given
	RateLimitPanel    int            `env:"RATE_LIMIT_PANEL_REQUESTS" envDefault:"3000"`
	RateLimitSite     int            `env:"RATE_LIMIT_SITE_REQUESTS"` // 100 times RateLimitRequests when it is not given
	RateLimitWindow   time.Duration  `env:"RATE_LIMIT_WINDOW" envDefault:"15m"`
	RateLimitTimeout  time.Duration  `env:"RATE_LIMIT_TIMEOUT" envDefault:"250ms"` // of one call of Redis
	RunbookURL        string         `env:"RUNBOOK_URL"`                           // of docs/runbook.md where operators read it; empty shows the names of its sections
	RequestRetention  time.Duration  `env:"REQUEST_LOG_RETENTION" envDefault:"720h"`
	ImageMemory       int            `env:"IMAGE_MEMORY_MIB" envDefault:"256"`           // of decoded pictures in this process
	MaxConnections    int            `env:"REALTIME_MAX_CONNECTIONS" envDefault:"10000"` // of devices to this process
}

// Postgres is the database.
type Postgres struct {
	DatabaseURL Secret `env:"DATABASE_URL"`
	DirectURL   Secret `env:"DATABASE_DIRECT_URL"` // of the server itself, where the other is a pooler's
	MaxConns    int32  `env:"DATABASE_MAX_CONNS" envDefault:"24"`

	ReplicaURL   Secret        `env:"DATABASE_REPLICA_URL"`                      // of a streaming standby, for reports
	ReplicaLag   time.Duration `env:"DATABASE_REPLICA_MAX_LAG" envDefault:"10s"` // beyond which reports read the primary
	ReplicaConns int32         `env:"DATABASE_REPLICA_MAX_CONNS" envDefault:"8"`

	ArchiveAfter int `env:"ARCHIVE_AFTER_MONTHS" envDefault:"12"` // whole months of sales that stay in the tables; 0 keeps all
}

// Redis holds the queues and the risk counts.
type Redis struct {
	RedisURL Secret `env:"REDIS_URL"`
}

// PrivateSuffix follows the name of the public bucket in that of the private one, where S3_PRIVATE_BUCKET is empty.
const PrivateSuffix = "-private"

// Objects is the S3 store of receipts, logos and documents.
type Objects struct {
	Endpoint        string `env:"ENDPOINT"`
	AccessKey       Secret `env:"ACCESS_KEY"`
	SecretKey       Secret `env:"SECRET_KEY"`
	Bucket          string `env:"BUCKET" envDefault:"banca"`
	PrivateBucket   string `env:"PRIVATE_BUCKET"`                   // of documents; the other's name with -private when empty
	ObjectPublicURL string `env:"PUBLIC_URL"`                       // where clients read public objects; the endpoint when empty
	ManageBuckets   bool   `env:"MANAGE_BUCKETS" envDefault:"true"` // make the buckets and set their policies at the start; false where `banca buckets` does
	BucketUser      string `env:"APP_USER"`                         // that `banca buckets` lets use the buckets; none when empty
	SignedEndpoint  string `env:"SIGNED_ENDPOINT"`                  // where clients reach the store by signed addresses; the endpoint when empty
}

// Auth holds the settings of authentication and sessions.
type Auth struct {
	JWTSecret       Secret        `env:"JWT_SECRET"`
	AccessTokenTTL  time.Duration `env:"ACCESS_TOKEN_TTL" envDefault:"15m"`
	RefreshTokenTTL time.Duration `env:"REFRESH_TOKEN_TTL" envDefault:"720h"`
	BcryptCost      int           `env:"BCRYPT_COST" envDefault:"12"`

	SecondPersonWait time.Duration `env:"SECOND_PERSON_WAIT" envDefault:"24h"` // 0 turns the check off
}

// Bank protects the two webhooks and sets how payments are treated. Without a token or an allowed address every call
// is refused, so neither is required.
type Bank struct {
	WebhookToken     Secret         `env:"WEBHOOK_AUTH_TOKEN"`
	NextWebhookToken Secret         `env:"WEBHOOK_AUTH_TOKEN_NEXT"` // also accepted while the bank switches
	AllowedIPs       []netip.Prefix `env:"ALLOWED_IPS"`
	RequireTLS       bool           `env:"REQUIRE_TLS" envDefault:"true"` // `banca-dev dev`, which is on loopback, never does
	BankCurrency     string         `env:"CURRENCY" envDefault:"VES"`
	Hold             time.Duration  `env:"HOLD" envDefault:"15m"`
	RequestExpiry    time.Duration  `env:"REQUEST_EXPIRY" envDefault:"24h"`
	OpenDeposits     bool           `env:"OPEN_DEPOSITS" envDefault:"true"`
	Unmatched        string         `env:"UNMATCHED" envDefault:"reject"`
	CallLimit        int            `env:"CALL_LIMIT" envDefault:"600000"`
	CallWindow       time.Duration  `env:"CALL_WINDOW" envDefault:"1m"`
	RefusedLimit     int            `env:"REFUSED_LIMIT" envDefault:"60"`
	RefusedWindow    time.Duration  `env:"REFUSED_WINDOW" envDefault:"1m"`
	EventRetention   time.Duration  `env:"EVENT_RETENTION" envDefault:"8760h"`
	PayloadRetention time.Duration  `env:"PAYLOAD_RETENTION" envDefault:"2160h"`
	SimulatorTargets []string       `env:"SIMULATOR_TARGETS"` // base URLs; empty leaves the event simulator out
}

// The treatments of a payment that fits no request.
const (
	UnmatchedReject = "reject"
	UnmatchedAccept = "accept"
)

// Business holds the operator's rules.
type Business struct {
	Zone           *time.Location `env:"BUSINESS_TIMEZONE" envDefault:"America/Caracas"`
	DrawDaysAhead  int            `env:"DRAW_DAYS_AHEAD" envDefault:"3"`
	SaleStop       time.Duration  `env:"SALE_STOP" envDefault:"5m"`
	MaxTicketLines int            `env:"MAX_TICKET_LINES" envDefault:"200"`
	// PollDelays are the waits between the attempts to fetch a draw's result, the first of which is 5 minutes after it.
	PollDelays []time.Duration `env:"RESULT_POLL_DELAYS" envDefault:"1m,2m,5m,10m,15m,30m,1h,2h"`

	zoneGiven bool // Zone is not the default
}

// ZoneGiven reports whether a setting names the time zone, which then wins over the setup's.
func (b *Business) ZoneGiven() bool { return b.zoneGiven }

// Exports are the files of reports that tasks write.
type Exports struct {
	ExportRetention time.Duration `env:"RETENTION" envDefault:"72h"`
}

// Worker is the pace of the task machinery.
type Worker struct {
	Concurrency        int           `env:"WORKER_CONCURRENCY" envDefault:"10"`
	Waiting            int           `env:"WORKER_WAITING" envDefault:"256"` // of each queue whose tasks wait for the object store or a gateway
	QueueCheckInterval time.Duration `env:"QUEUE_CHECK_INTERVAL" envDefault:"100ms"`
	OutboxPollInterval time.Duration `env:"OUTBOX_POLL_INTERVAL" envDefault:"250ms"`
}

// Messaging is the channel of receipts. An empty driver means evolution against the simulated gateway under
// `banca-dev dev` and log elsewhere, see [Messaging.DriverIn].
type Messaging struct {
	Driver     string `env:"DRIVER"`
	GatewayURL string `env:"URL"`
	Instance   string `env:"INSTANCE"`
	APIKey     Secret `env:"API_KEY"`
	// PrivateHosts are the hosts of gateways that may be in a private network or on this machine, and called without
	// TLS, in addition to the host of URL: host or host:port.
	PrivateHosts       []string      `env:"PRIVATE_HOSTS"`
	PerMinute          int           `env:"PER_MINUTE" envDefault:"600"`          // messages of this channel
	RecipientPerMinute int           `env:"RECIPIENT_PER_MINUTE" envDefault:"20"` // messages to one recipient on one channel
	MessageRetention   time.Duration `env:"RETENTION" envDefault:"4320h"`         // of messages that are not waiting
}

// Secrets are the keys of sealed columns, the newest first: name:key, separated by commas, each key 32 bytes in base64.
type Secrets struct {
	Keys Secret `env:"SECRET_KEYS"`
}

// Lottery is where the external lottery systems are that a game's api_config names, and how they are called.
type Lottery struct {
	LotterySources map[string]string `env:"SOURCES" envKeyValSeparator:"="` // base URLs by the name of the source
	LotterySecrets map[string]Secret `env:"SECRETS" envKeyValSeparator:"="` // by the name of the source
	LotteryHosts   []string          `env:"ALLOWED_HOSTS"`                  // of absolute URLs, in addition to the bases
	LotteryTimeout time.Duration     `env:"TIMEOUT" envDefault:"10s"`
}

// SourceNames are the names of the sources, in order.
func (l *Lottery) SourceNames() []string { return slices.Sorted(maps.Keys(l.LotterySources)) }

// SecretTexts are the secrets as the client of the systems needs them.
func (l *Lottery) SecretTexts() map[string]string {
	texts := make(map[string]string, len(l.LotterySecrets))
	for name, secret := range l.LotterySecrets {
		texts[name] = secret.Reveal()
	}
	return texts
}

// Rates is the source of daily exchange rates. Without an address they are typed.
type Rates struct {
	RatesURL     string        `env:"URL"`
	RatesSecret  Secret        `env:"SECRET"`
	Pairs        []string      `env:"PAIRS" envDefault:"USD/VES"`
	RatesTimeout time.Duration `env:"TIMEOUT" envDefault:"10s"`
	MaxChange    int           `env:"MAX_CHANGE" envDefault:"25"` // percent
}

// Assistant is the AI models that answer questions of users, in the order in which they are tried. Without models the
// assistant shows figures only.
type Assistant struct {
	AssistantModels AssistantModels   `env:"MODELS"`
	AssistantKeys   map[string]Secret `env:"KEYS" envKeyValSeparator:"="` // by the name of the model
	FirstByte       time.Duration     `env:"FIRST_BYTE_TIMEOUT" envDefault:"20s"`
	Silence         time.Duration     `env:"IDLE_TIMEOUT" envDefault:"15s"`
	CallTimeout     time.Duration     `env:"CALL_TIMEOUT" envDefault:"60s"`
	DailyTokens     int64             `env:"DAILY_TOKENS" envDefault:"500000"` // of an entity, unless the operator sets its own
	ChatRetention   time.Duration     `env:"RETENTION" envDefault:"2160h"`     // of conversations
}

// AssistantModels is a JSON array of models.
type AssistantModels []AssistantModel

// AssistantModel is a model at a provider of OpenAI's protocol.
type AssistantModel struct {
	Name        string `json:"name"`        // ours
	URL         string `json:"url"`         // base, such as https://host/v1
	Model       string `json:"model"`       // the provider's name of it
	InputPrice  string `json:"input_price"` // US dollars for a million tokens
	OutputPrice string `json:"output_price"`
	Whole       bool   `json:"whole"` // the provider cannot stream
}

// Simulator is where `banca-dev dev` puts its stand-ins of the outside world; port 0 takes a free one, so
// that two of them run side by side.
type Simulator struct {
	GatewayAddr string `env:"GATEWAY_ADDR" envDefault:"127.0.0.1:0"`
	LotteryAddr string `env:"LOTTERY_ADDR" envDefault:"127.0.0.1:0"`
	RatesAddr   string `env:"RATES_ADDR" envDefault:"127.0.0.1:0"`
	ModelsAddr  string `env:"MODELS_ADDR" envDefault:"127.0.0.1:0"`
}

// Telemetry is what monitors read of a process.
type Telemetry struct {
	OpsAddr       string  `env:"OPS_ADDR"` // of a listener with /healthz, /readyz and /metrics only
	TraceEndpoint string  `env:"OTEL_EXPORTER_OTLP_ENDPOINT"`
	TraceRatio    float64 `env:"TRACE_RATIO" envDefault:"0.05"`
}

// Log is how much is logged and in which form.
type Log struct {
	Level  string `env:"LEVEL" envDefault:"info"`
	Format string `env:"FORMAT" envDefault:"text"`
}

// Drivers of messaging.
const (
	DriverEvolution = "evolution"
	DriverLog       = "log"
)

// DriverIn returns the driver to use in a mode.
func (m Messaging) DriverIn(mode Mode) string {
	switch {
	case m.Driver != "":
		return m.Driver
	case mode == ModeDev:
		return DriverEvolution
	default:
		return DriverLog
	}
}
