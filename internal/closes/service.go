package closes

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/receipts"
	"banca/storage"
)

// Sales knows the sales in progress: *risk.Service.
type Sales interface {
	// Undecided counts the sales of an entity that are reserved and neither committed nor given up.
	Undecided(ctx context.Context, seller *org.Node) (int, error)
}

// Deps are the dependencies of the Service.
type Deps struct {
	PG       *storage.Postgres
	Org      *org.Service
	Ledger   *ledger.Service
	Sales    Sales
	Renderer *receipts.Renderer
	Clock    clock.Clock
	Zone     *time.Location // of business days

	// PendingWait bounds how long a close waits for sales in progress; 0 means two seconds.
	PendingWait time.Duration
}

// Service opens, closes and reads the days of entities.
type Service struct{ Deps }

const (
	defaultPendingWait = 2 * time.Second
	pollInterval       = 50 * time.Millisecond
)

// New returns the service.
func New(deps Deps) *Service {
	if deps.PendingWait == 0 {
		deps.PendingWait = defaultPendingWait
	}
	return &Service{Deps: deps}
}

// today returns the current business day.
func (s *Service) today() businessday.Day { return businessday.Of(s.Clock.Now(), s.Zone) }

// lockTx takes the lock of the closes of entities.
func lockTx(ctx context.Context, tx pgx.Tx, entities ...uuid.UUID) error {
	keys := make([]int32, len(entities))
	for i, id := range entities {
		keys[i] = storage.Key(id)
	}
	return storage.LockClose.TakeKeys(ctx, tx, keys...)
}

// awaitDecided waits until no sale of a ticket point is in progress. Errors: ErrPending.
func (s *Service) awaitDecided(ctx context.Context, seller *org.Node) error {
	waiting, cancel := context.WithTimeout(ctx, s.PendingWait)
	defer cancel()
	for {
		n, err := s.Sales.Undecided(ctx, seller)
		if err != nil || n == 0 {
			return err
		}
		if clock.Sleep(waiting, pollInterval) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return ErrPending
		}
	}
}

// record adds an entry about a close to the activity log.
func record(ctx context.Context, tx pgx.Tx, action activity.Action, c *Close, details map[string]any) error {
	details["day"], details["currency"] = c.Day.String(), c.Currency.Code
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: c.EntityID, Target: c.ID.String(), Details: details,
	})
}

// inCurrency completes the currencies of closes.
func (s *Service) inCurrency(ctx context.Context, list []Close) error {
	for i := range list {
		if err := s.nameMeans(ctx, list[i].Means); err != nil {
			return err
		}
	}
	return ledger.FillCurrencies(ctx, s.Ledger, list, func(c *Close) *ledger.Currency { return &c.Currency })
}
