package weekly

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
	"banca/internal/platform/recent"
	"banca/internal/prizes"
	"banca/internal/receipts"
	"banca/internal/rollup"
	"banca/storage"
)

// Deps are the dependencies of the Service. All are required.
type Deps struct {
	PG       *storage.Postgres
	Org      *org.Service
	Ledger   *ledger.Service
	Prizes   *prizes.Service
	Totals   *rollup.Service
	Renderer *receipts.Renderer
	Clock    clock.Clock
	Zone     *time.Location // of business days
}

// Service drafts, confirms and reads weekly settlements, and registers their payments.
type Service struct {
	Deps

	running *recent.Answers[runningKey, *Running]
}

// New returns the service.
func New(deps Deps) *Service {
	return &Service{Deps: deps, running: recent.New[runningKey, *Running](keptRunning)}
}

// grace is how long after its end a week is drafted at the earliest. A transaction that is dated in the week has
// ended by then.
const grace = time.Hour

// over reports whether a week has ended and its totals are complete.
func (s *Service) over(ctx context.Context, week businessday.Day) (bool, error) {
	_, end := week.AddDays(6).Bounds(s.Zone)
	if s.Clock.Now().Before(end.Add(grace)) {
		return false, nil
	}
	return s.Totals.Counted(ctx, end)
}

// thisWeek returns the Monday of the current week.
func (s *Service) thisWeek() businessday.Day { return Monday(businessday.Of(s.Clock.Now(), s.Zone)) }

// lockTx takes the lock of the settlements in a currency.
func lockTx(ctx context.Context, tx pgx.Tx, currency uuid.UUID) error {
	return storage.LockWeekly.TakeKeys(ctx, tx, storage.Key(currency))
}

// record adds an entry about a settlement to the activity log.
func record(ctx context.Context, tx pgx.Tx, action activity.Action, s *Settlement, details map[string]any) error {
	details["week"], details["currency"] = s.Week.String(), s.Currency.Code
	return activity.RecordPgxTx(ctx, tx, activity.Entry{
		Action: action, EntityID: s.EntityID, Target: s.ID.String(), Details: details,
	})
}

// inCurrency completes the currencies of settlements.
func (s *Service) inCurrency(ctx context.Context, list []Settlement) error {
	return ledger.FillCurrencies(ctx, s.Ledger, list, func(st *Settlement) *ledger.Currency { return &st.Currency })
}
