package notices

import (
	"context"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/closes"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/internal/platform/phone"
	"banca/internal/weekly"
	"banca/storage"
)

// Deps are the dependencies of the Service. All are required.
type Deps struct {
	PG       *storage.Postgres
	Org      *org.Service
	Ledger   *ledger.Service
	Messages *messaging.Service
	Texts    *templates.Service
	Closes   *closes.Service
	Weekly   *weekly.Service
	Clock    clock.Clock
	Log      *slog.Logger
	Zone     *time.Location // of business days
	Objects  Objects
	// PictureSecret is the key of the names of pictures.
	PictureSecret []byte
	PublicURL     string // where GET /t/{serial} is reached from outside
	Wake          func() // wakes the outbox relay after a commit
}

// Service queues messages about events.
type Service struct{ Deps }

// New returns the service.
func New(d Deps) *Service { return &Service{Deps: d} }

// dayFormat is how dates are written in messages.
const dayFormat = "02/01/2006"

// notice is a message without its text.
type notice struct {
	messaging.Outgoing

	values func(templates.Language) templates.Values
}

// composed completes a notice with its text and reports whether the settings of its entity enable it.
func (s *Service) composed(ctx context.Context, n *notice) (bool, error) {
	text, err := s.Texts.Compose(
		ctx, &templates.Request{EntityID: n.EntityID, Purpose: templates.Purpose(n.Kind), Values: n.values},
	)
	if err != nil || text == nil {
		return false, err
	}
	n.Body, n.Template = text.Body, text.Template
	return true, nil
}

// queueTx queues composed notices.
func (s *Service) queueTx(ctx context.Context, tx pgx.Tx, list []*notice) error {
	for _, n := range list {
		if _, err := s.Messages.QueueTx(ctx, tx, &n.Outgoing); err != nil {
			return err
		}
	}
	return nil
}

// toContact queues a notice with a picture to the contact telephone of its entity, if it has a valid one.
func (s *Service) toContact(ctx context.Context, n *notice, draw func(ctx context.Context) ([]byte, error)) error {
	chain, err := s.Org.Chain(ctx, n.EntityID)
	if err != nil {
		return err
	}
	number, err := phone.Normalise(chain.Self().Phone)
	if err != nil {
		return nil //nolint:nilerr // without a telephone there is no recipient
	}
	n.Recipient = number
	if wanted, err := s.composed(ctx, n); err != nil || !wanted {
		return err
	}
	if err := s.addPicture(ctx, n, draw); err != nil {
		return err
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error { return s.queueTx(ctx, tx, []*notice{n}) })
	if err == nil {
		s.Wake()
	}
	return err
}

// anyWants reports whether any entity enables a setting of messages. It saves most operators the read of tickets.
func (s *Service) anyWants(ctx context.Context, setting string) (yes bool, err error) {
	err = s.PG.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM entities WHERE messaging_settings -> $1 = 'true')`, setting).Scan(&yes)
	return yes, err
}

// aboutDay identifies the messages about a day of an operator.
func aboutDay(day string, operator uuid.UUID) uuid.UUID {
	return uuid.NewSHA1(operator, []byte("day "+day))
}
