package assistant

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/auth"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/completion"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/places"
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

// Deps are the dependencies of a Service. All are required, but for Wake.
type Deps struct {
	PG     *storage.Postgres
	Redis  redis.UniversalClient
	Auth   *auth.Service
	Models Models
	Tools  []Tool
	Clock  clock.Clock
	Zone   *time.Location // of business days
	Log    *slog.Logger
	Tokens func(ctx context.Context, entity uuid.UUID) (int64, error) // budget of an entity in a business day
	Wake   func()                                                     // wakes relays after a commit

	Retention time.Duration // of conversations
}

// Service answers questions.
type Service struct {
	Deps

	keys    idempotency.Locks
	places  chan struct{} // of runs at the same time in this process
	schemas schemas
	readers *places.Places // of answers that are being written
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
	return &Service{Deps: d, schemas: compiled, closing: make(chan struct{}), places: make(chan struct{}, maxRunning), readers: places.New(maxReaders, ownReaders)}, nil
}

// today returns the current business day.
func (s *Service) today() businessday.Day { return businessday.Of(s.Clock.Now(), s.Zone) }

// Close ends the streams of readers, so that the server can end; they connect again elsewhere.
func (s *Service) Close() { s.close.Do(func() { close(s.closing) }) }
