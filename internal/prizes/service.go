package prizes

import (
	"context"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/internal/platform/ratelimit"
	"banca/internal/platform/realtime"
	"banca/internal/receipts"
	"banca/storage"
)

// Deps are the dependencies of the Service.
type Deps struct {
	PG       *storage.Postgres
	Org      *org.Service
	Catalog  *catalog.Service
	Ledger   *ledger.Service
	Guesses  *ratelimit.Guesses // of validation codes
	Renderer *receipts.Renderer // of slips
	Clock    clock.Clock
	Events   realtime.Publisher // published when tickets change, after the commit; nil for none
	Zone     *time.Location     // of business days
}

// Service pays prizes.
type Service struct{ Deps }

// New returns the service.
func New(d Deps) *Service {
	if d.Events == nil {
		d.Events = realtime.Discard{}
	}
	return &Service{Deps: d}
}

// payTimeout bounds a payment with everything it waits for.
const payTimeout = 15 * time.Second

// updated publishes a ticket's state to the devices of the entity that sold it.
func (s *Service) updated(ctx context.Context, ticket, entity uuid.UUID, status string) {
	s.Events.Publish(ctx, realtime.Entity(entity), realtime.EventOf(s.Clock.Now(), realtime.UpdatedTicket{TicketID: ticket, Status: status}))
}

// translate maps an error of Postgres, and any failure that a client must not see, to an error that a client may see.
func translate(err error) error {
	if err == nil {
		return nil
	}
	return ledger.Refusal(err)
}
