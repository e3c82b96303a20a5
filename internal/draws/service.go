package draws

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/realtime"
	"banca/internal/platform/recent"
	"banca/internal/receipts"
	"banca/storage"
)

// Deps are the dependencies of the Service.
type Deps struct {
	PG      *storage.Postgres
	Org     *org.Service // of slips
	Catalog *catalog.Service
	Cache   Cache
	Lottery Lottery // nil without external systems
	Refunds Refunder
	// Renderer is of slips.
	Renderer *receipts.Renderer
	Clock    clock.Clock
	Log      *slog.Logger
	Events   realtime.Publisher // receives events after the commit
	Wake     func()             // wakes relays after a commit; may be nil
	Zone     *time.Location     // of games whose schedule has no time zone; default UTC
	// PollDelays are the delays before the second and every further attempt to fetch a result; default
	// DefaultPollDelays.
	PollDelays []time.Duration
	// SecondPersonWait is how long after a user set the credentials of another account both count as one person;
	// 0 disables it.
	SecondPersonWait time.Duration
	Sleep            func(ctx context.Context, d time.Duration) error // default: waits by the system clock
}

// Cache holds the counts of sales.
type Cache interface {
	CloseDraws(ctx context.Context, draws ...uuid.UUID) error
}

// Refunder refunds the sales of a suspended draw, a batch at a time.
type Refunder interface {
	RefundDraw(ctx context.Context, draw uuid.UUID) (tickets int, err error)
}

// Service moves draws through their states.
type Service struct {
	Deps

	won      *recent.Answers[wonKey, map[uuid.UUID]Won]
	frequent *recent.Answers[uuid.UUID, []Frequency]
	public   *recent.Answers[businessday.Day, *PublicDay]
}

// New returns the service.
func New(d Deps) *Service {
	if d.Wake == nil {
		d.Wake = func() {}
	}
	if d.Lottery == nil {
		d.Lottery = noLottery{}
	}
	if d.Zone == nil {
		d.Zone = time.UTC
	}
	if len(d.PollDelays) == 0 {
		d.PollDelays = DefaultPollDelays()
	}
	if d.Sleep == nil {
		d.Sleep = clock.Sleep
	}
	return &Service{
		Deps: d, won: recent.New[wonKey, map[uuid.UUID]Won](wonKept), frequent: recent.New[uuid.UUID, []Frequency](gamesKept),
		public: recent.New[businessday.Day, *PublicDay](PublicDays),
	}
}
