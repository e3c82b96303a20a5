package sales

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/cache"
	"banca/internal/platform/clock"
	"banca/internal/platform/groupcommit"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/months"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/storage"
)

// Deps are the dependencies of the Service.
type Deps struct {
	PG       *storage.Postgres
	Org      *org.Service
	Catalog  *catalog.Service
	Ledger   *ledger.Service
	Risk     Limits
	Messages Messages
	Texts    Texts
	Renderer *receipts.Renderer
	Objects  Objects
	Clock    clock.Clock
	Guesses  *ratelimit.Guesses // of references of mobile payments
	Log      *slog.Logger
	Wake     func()                      // wakes the outbox relay after a commit
	Events   realtime.Publisher          // receives an event after the commit of a change of a ticket; nil discards events
	Archive  Archive                     // finds tickets of archived months; nil where there are none
	Identify func(at time.Time) Identity // returns the identity of a ticket that is sold at an instant; nil means a random one
	Options  Options
}

// Limits counts sales against limits: *risk.Service, or a no-op where the commit stage is measured alone.
type Limits interface { //nolint:interfacebloat // every call of sales on the risk engine; no part of it has a use alone
	Reserve(ctx context.Context, req *risk.Request) (*risk.Reservation, error)
	Confirm(ctx context.Context, list ...*risk.Reservation) error
	Release(ctx context.Context, list ...*risk.Reservation) error
	Holds(ctx context.Context, key uuid.UUID, draws []uuid.UUID) (bool, error)
	BeginCancellation(ctx context.Context, id uuid.UUID, chain org.Chain, currency string, lines []risk.SoldLine) (
		*risk.Cancellation, error,
	)
	Apply(ctx context.Context, c *risk.Cancellation) error
	Drop(ctx context.Context, c *risk.Cancellation) error
	Available(ctx context.Context, chain org.Chain, currency risk.Currency, lines []risk.Line) ([]risk.Remaining, error)
}

// Messages queues messages to a ticket's buyer, in the caller's transaction.
type Messages interface {
	QueueTx(ctx context.Context, tx pgx.Tx, list ...*messaging.Outgoing) (created int, err error)
	// WithdrawReceiptTx takes the receipt of a cancelled ticket out of the queue. left reports whether it was, or may
	// have been, sent.
	WithdrawReceiptTx(ctx context.Context, tx pgx.Tx, ticket uuid.UUID) (left bool, err error)
}

// Texts writes the texts of messages: *templates.Service.
type Texts interface {
	Compose(ctx context.Context, r *templates.Request) (*templates.Message, error)
}

// Objects stores a receipt's picture and returns its public address: *storage.Objects.
type Objects interface {
	Put(ctx context.Context, key, contentType string, body []byte) (publicURL string, err error)
}

// Archive finds tickets that are no longer in the tables: *months.Archive.
type Archive interface {
	Ticket(ctx context.Context, id uuid.UUID) (*months.Ticket, error)
	BySerial(ctx context.Context, serial string, in func(sold time.Time) bool) (uuid.UUID, error)
}

// Options are the settings of the domain.
type Options struct {
	MaxLines        int            // of one ticket
	Zone            *time.Location // of business days
	PublicURL       string         // where GET /t/{serial} is reached from outside
	PaymentCurrency string         // code of the currency that buyers can pay in by bank; "" for none

	PictureSecret []byte // key of the names of pictures

	// Timeout bounds everything before a commit, and the commit; 0 means 5 s. Tests of many concurrent sales on few
	// cores need a longer one.
	Timeout time.Duration
}

// Service sells, reads and cancels tickets.
type Service struct {
	Deps
	group     groupcommit.Committer[*pendingSale]
	toDraw    groupcommit.Calls[uuid.UUID, soldTicket] // reads of tickets for their pictures
	drawn     groupcommit.Calls[*picture, struct{}]    // writes of pictures
	confirmer *confirmer
	keys      idempotency.Locks
	logos     cache.Cache[string, *receipts.Logo]
}

// New returns the service. Sales under load are committed only while Run is running.
func New(deps Deps) *Service {
	if deps.Events == nil {
		deps.Events = realtime.Discard{}
	}
	if deps.Identify == nil {
		deps.Identify = newIdentity
	}
	if deps.Options.Timeout == 0 {
		deps.Options.Timeout = defaultTimeout
	}
	s := &Service{Deps: deps, logos: newLogos()}
	s.group = s.newGroup(groupLimits())
	s.toDraw = groupcommit.NewCalls("sold tickets", s.readSold, s.Clock)
	s.drawn = groupcommit.NewCalls("pictures", s.storePictures, s.Clock)
	s.confirmer = newConfirmer(s.Risk, s.Log)
	return s
}

// RunTasks serves the statements that runs of receipt.render share until ctx ends.
func (s *Service) RunTasks(ctx context.Context) {
	var running sync.WaitGroup
	running.Go(func() { s.toDraw.Run(ctx) })
	running.Go(func() { s.drawn.Run(ctx) })
	running.Wait()
}

// Run serves group commits and confirmations until ctx ends, then finishes the queued ones.
func (s *Service) Run(ctx context.Context) {
	var confirming sync.WaitGroup
	confirming.Go(s.confirmer.run)
	s.group.Run(ctx)
	s.confirmer.close() // after the last batch
	confirming.Wait()
}
