package assistant

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/auth"
	"banca/internal/businessday"
	"banca/internal/clock"
	"banca/internal/completion"
	"banca/internal/idempotency"
	"banca/storage"
)

// Bounds of the assistant.
const (
	maxQuestion   = 2_000 // characters
	maxTitle      = 120
	maxMessages   = 200 // of a conversation
	maxUnfinished = 3   // of a user
	maxRounds     = 6   // turns of a model in an answer
	maxCalls      = 12  // tools in an answer
	maxHistory    = 6   // messages of the conversation that a model sees
	maxPast       = 3_000
	maxAttempts   = 2
	maxRunning    = 4     // runs in a process: models are slow, and other tasks wait for the same workers
	maxTokens     = 1_500 // of a turn
	toolTimeout   = 15 * time.Second
	beat          = 700 * time.Millisecond // a run looks for a request to stop
	alive         = 20 * time.Second       // a run without a beat for so long is dead
	lost          = 10 * time.Minute       // an unfinished message without a beat for so long has failed
	writeTimeout  = 10 * time.Second
)

// Models continue conversations: *completion.Chain.
type Models interface {
	Complete(ctx context.Context, t *completion.Turn) (*completion.Answer, error)
}

// Deps are the dependencies of a Service. All are required, but for Budgets and Wake.
type Deps struct {
	PG     *storage.Postgres
	Redis  redis.UniversalClient
	Auth   *auth.Service
	Models Models
	Tools  []Tool
	Clock  clock.Clock
	Zone   *time.Location // of business days
	Log    *slog.Logger
	// DailyTokens is the budget of an entity in a business day; Budgets has those of single entities.
	DailyTokens int64
	Budgets     map[uuid.UUID]int64
	Wake        func() // wakes relays after a commit
}

// Service answers questions.
type Service struct {
	Deps

	keys    idempotency.Locks
	places  chan struct{} // of runs at the same time in this process
	schemas schemas
	closing chan struct{}
	close   sync.Once
}

// New returns the service. An error is a mistake in the schema of a tool.
func New(d Deps) (*Service, error) {
	compiled, err := compile(d.Tools)
	if err != nil {
		return nil, err
	}
	if d.Wake == nil {
		d.Wake = func() {}
	}
	return &Service{Deps: d, schemas: compiled, closing: make(chan struct{}), places: make(chan struct{}, maxRunning)}, nil
}

// today returns the business day of now.
func (s *Service) today() businessday.Day { return businessday.Of(s.Clock.Now(), s.Zone) }

// Close ends the streams of readers, so that the server can end; they connect again elsewhere.
func (s *Service) Close() { s.close.Do(func() { close(s.closing) }) }

// Closing is closed when streams must end.
func (s *Service) Closing() <-chan struct{} { return s.closing }
