package risk

import (
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/singleflight"

	"banca/internal/org"
	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
	"banca/internal/platform/money"
	"banca/storage"
)

const (
	// callTimeout is the default bound of one call to Redis on the sale's path: a slower one counts as unreachable.
	callTimeout = time.Second
	// CommitWithin is how long after its reservation a sale may still begin to commit.
	CommitWithin = 10 * time.Second
	// staleAfter is the age at which the sweep settles a reservation; well above CommitWithin.
	staleAfter = 30 * time.Second
	// keepCounts is how long after a draw its counts stay in Redis.
	keepCounts = 7 * 24 * time.Hour
)

// Line is one bet to be checked: its stake, its selection and its prize.
type Line struct {
	Item       int // position in the request the caller answers, for refusals
	DrawID     uuid.UUID
	GameID     uuid.UUID
	CategoryID uuid.UUID
	BetType    string
	Selection  string // canonical
	Stake      money.Amount
	Payout     money.Payout
	Prize      money.Amount // Payout of Stake
	MinStake   money.Amount // the least stake that a partial acceptance may have
}

// key names the selection in counts.
func (l *Line) key() string { return keyOf(l.BetType, l.Selection) }

func keyOf(betType, selection string) string { return betType + "|" + selection }

// Currency holds the properties of a currency that the engine needs.
type Currency struct {
	ID     uuid.UUID
	Code   string
	Digits int
}

// Request asks for the stakes of one ticket.
type Request struct {
	TicketID uuid.UUID
	Key      uuid.UUID // idempotency key of the sale; Nil for none
	Chain    org.Chain // the seller with its ancestors
	Currency Currency
	Lines    []Line
	Partial  bool // accept smaller stakes instead of refusing
	Recheck  bool // an earlier reservation was stale: first compare the counts with Postgres
}

// Reservation holds the granted stakes. Accepted is the stake of each line, in the order of the request.
type Reservation struct {
	TicketID uuid.UUID
	Epochs   map[uuid.UUID]int64 // of each draw, to be checked again when committing
	Accepted []money.Amount
	Cuts     []Cut
	At       time.Time
}

// Cut names the limit that reduced a line.
type Cut struct {
	Line      int
	Level     string // entity type
	Metric    string
	Limit     money.Amount
	Sold      money.Amount
	Available money.Amount // stake that would still fit
}

// Service is the risk engine.
type Service struct {
	pg      *storage.Postgres
	redis   redis.UniversalClient
	clock   clock.Clock
	nodes   *nodes
	table   cache.Cache[struct{}, limitTable]
	flight  *singleflight.Group
	timeout time.Duration // of one call to Redis
}

// New returns the risk engine over a single Redis, Sentinel, or a cluster; it connects on first use.
func New(pg *storage.Postgres, client redis.UniversalClient, clk clock.Clock) *Service {
	return &Service{
		pg: pg, redis: client, clock: clk,
		nodes: newNodes(client, callTimeout), table: newLimitCache(), flight: &singleflight.Group{},
		timeout: callTimeout,
	}
}

// WithTimeout sets the bound of one call to Redis, a second by default, and returns s. It must be called before s is
// used. Tests of many concurrent requests on few cores need a longer one.
func (s *Service) WithTimeout(timeout time.Duration) *Service {
	s.timeout, s.nodes = timeout, newNodes(s.redis, timeout)
	return s
}

// ForgetLimits drops cached limits, after a change in this process.
func (s *Service) ForgetLimits() { s.table.InvalidateAll() }

// keysOf returns the two keys of a draw; the hash tag keeps them on one node of a cluster.
func keysOf(draw uuid.UUID) []string {
	tag := "risk:{" + draw.String() + "}"
	return []string{tag + ":n", tag + ":r"}
}
