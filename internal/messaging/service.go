package messaging

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/pace"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/realtime"
)

// Bounds of an attempt. It ends before the task's own timeout, and the lease outlasts both, so that a lease
// that has expired belongs to a worker that was killed or cut off.
const (
	sendTimeout        = 30 * time.Second
	saveTimeout        = 5 * time.Second
	defaultLease       = 75 * time.Second
	defaultMaxAge      = 48 * time.Hour
	defaultRetention   = 180 * 24 * time.Hour
	defaultMaxAttempts = 20 // with the task's delays about an hour of a gateway that is away
	// longestRetry is the longest wait for which a failed attempt's own task runs again. A longer one uses up no
	// attempt.
	longestRetry = 5 * time.Minute
)

// Deps are the dependencies and settings of the Service.
type Deps struct {
	Pool    *pgxpool.Pool
	Commits *pgxpool.Pool // of statements with fixed plans, for those that runs of message.send share; default Pool
	Org     *org.Service
	Routes  Routes
	Drivers map[string]channel.Driver // by Channel.Driver
	Clock   clock.Clock
	Log     *slog.Logger
	// Wake is called after a commit that wrote tasks: outbox.Notifier.Wake, or nil to leave it to the poll.
	Wake func()
	// Codes writes the text of one-time codes, which are not kept with their messages; nil where none are sent.
	Codes CodeSource
	// Events are published when a message changes its status, after the commit; nil for none.
	Events realtime.Publisher
	// Pacer spreads messages over time; nil for no limit.
	Pacer *pace.Pacer
	// RecipientLane is the pace of messages to one recipient on one channel; its key is set by the service.
	RecipientLane pace.Lane
	// Obsolete returns of each message why it must not be sent; nil if every message may be sent.
	Obsolete ObsoleteSource
	// MaxAge bounds the age of a message, counted from the last time it was queued; default 48 h.
	MaxAge time.Duration
	// MaxAttempts bounds the attempts of a message, counted from the last resend; default 20.
	MaxAttempts int
	// Retention of messages; default 180 days.
	Retention time.Duration
	// Lease bounds an attempt before its outcome counts as unknown; default 75 s.
	Lease time.Duration
}

// CodeSource returns the message of a one-time code, or an error when it must not be sent any more.
type CodeSource func(ctx context.Context, messageID uuid.UUID) (CodeMessage, error)

// CodeMessage is the text of a one-time code's message, and the provider's template for it, nil without one.
type CodeMessage struct {
	Body     string
	Template *channel.Template
}

// ObsoleteSource returns of each queued message why it must not be sent.
type ObsoleteSource func(ctx context.Context, list []Queued) ([]Obsolete, error)

// Obsolete is the code of the reason why a message must not be sent, such as TICKET_CANCELLED, or "". Err is the error of a
// message of which that cannot be decided.
type Obsolete struct {
	Code string
	Err  error
}

// Queued is a queued message.
type Queued struct {
	ID        uuid.UUID
	EntityID  uuid.UUID
	TicketID  uuid.UUID // zero without one
	Kind      string
	Recipient string
	Content   string // Outgoing.Content
}

// Service queues, sends and lists messages.
type Service struct {
	deps   Deps
	keys   idempotency.Locks
	groups *groups
}

// New returns a service.
func New(deps Deps) *Service {
	deps.MaxAttempts = cmp.Or(deps.MaxAttempts, defaultMaxAttempts)
	deps.Lease = cmp.Or(deps.Lease, defaultLease)
	deps.Commits = cmp.Or(deps.Commits, deps.Pool)
	deps.MaxAge = cmp.Or(deps.MaxAge, defaultMaxAge)
	deps.Retention = cmp.Or(deps.Retention, defaultRetention)
	if deps.Events == nil {
		deps.Events = realtime.Discard{}
	}
	if deps.Wake == nil {
		deps.Wake = func() {}
	}
	s := &Service{deps: deps}
	s.groups = s.newGroups()
	return s
}
