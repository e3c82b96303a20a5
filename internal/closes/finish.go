package closes

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
	"banca/tasks"
	"banca/tasks/outbox"
)

// CloseRequest closes an open day.
type CloseRequest struct {
	ID             uuid.UUID
	Cash           Cash   // of a ticket point
	OpeningCash    string // "" leaves it as it is
	Note           string
	IdempotencyKey string
}

// meaning returns what the request asks for; the order of the counts does not change it.
func (r *CloseRequest) meaning() idempotency.Meaning {
	return idempotency.Of("close-day", r.Cash.meaning(r.ID.String(), r.Note, idempotency.Decimal(r.OpeningCash))...)
}

// Close closes an open day of an entity in the caller's scope with the cash that was counted. Errors: ErrNotFound,
// ErrClosed, ErrFuture, ErrEarlierOpen, ErrPending, ErrMissing, ErrCash, ErrNote, risk.ErrUnavailable, and errors of
// idempotency.
func (s *Service) Close(ctx context.Context, by caller.Caller, req *CloseRequest) (*Close, bool, error) {
	open, err := s.stored(ctx, by, req.ID)
	if err != nil {
		return nil, false, err
	}
	key, err := idempotency.KeyOf(open.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: req.meaning()}
	replay := func(ctx context.Context, _ *idempotency.Answer) (*Close, error) { return s.Get(ctx, by, req.ID) }
	return idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Close, error) {
		f, err := s.finishing(ctx, by, open, req)
		if err != nil {
			return nil, err
		}
		f.use = use
		var closed *Close
		err = s.PG.Retried(ctx, func(tx pgx.Tx) (err error) {
			if err := s.closeTx(ctx, tx, f); err != nil {
				return err
			}
			closed, err = s.rowTx(ctx, tx, f.ID)
			return err
		})
		return closed, err
	})
}

// finishing is a validated request to close a day.
type finishing struct {
	Close

	cash *counted      // nil if none was counted
	open *money.Amount // nil leaves the opening cash
	note string
	user uuid.UUID // Nil for the task
	use  idempotency.Use
}

func (s *Service) finishing(ctx context.Context, by caller.Caller, open *Close, req *CloseRequest) (*finishing, error) {
	f := &finishing{Close: *open, note: strings.TrimSpace(req.Note), user: by.UserID}
	if utf8.RuneCountInString(f.note) > maxNote || !models.Storable(f.note) {
		return nil, ErrNote
	}
	if open.Above() {
		if len(req.Cash.Counts) > 0 || len(req.Cash.Means) > 0 || req.Cash.Other != "" || req.OpeningCash != "" {
			return nil, ErrCash.WithDetails(apperr.Line("NO_CASH", "only ticket points count cash").At("cash"))
		}
		return f, nil
	}
	var err error
	if f.cash, err = count(&req.Cash, open.Currency); err != nil {
		return nil, err
	}
	if f.cash.means, err = s.countMeans(ctx, &req.Cash, &open.Currency); err != nil {
		return nil, err
	}
	if req.OpeningCash != "" {
		cash, err := openingCash(req.OpeningCash, open.Currency)
		if err != nil {
			return nil, err
		}
		f.open = &cash
	}
	if open.Status == Closed {
		return nil, ErrClosed
	}
	chain, err := s.Org.Chain(ctx, open.EntityID)
	if err != nil {
		return nil, err
	}
	self := chain.Self()
	return f, s.awaitDecided(ctx, &self)
}

// closeTx closes an open day, and stores the key of the request.
func (s *Service) closeTx(ctx context.Context, tx pgx.Tx, f *finishing) error {
	var err error
	if f.Above() {
		err = s.closeAboveTx(ctx, tx, f)
	} else {
		err = s.closePointTx(ctx, tx, f)
	}
	if err != nil {
		return err
	}
	if err := enqueueNotice(ctx, tx, f.ID); err != nil {
		return err
	}
	if f.user != uuid.Nil {
		if err := record(ctx, tx, activity.ClosesClose, &f.Close, f.details()); err != nil {
			return err
		}
	}
	return f.use.StoreTx(ctx, tx, &idempotency.Answer{Response: f.ID[:]})
}

// enqueueNotice writes the task for the message of a close.
func enqueueNotice(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	row, err := outbox.NewRow(tasks.NoticeClose{CloseID: id})
	if err != nil {
		return err
	}
	return outbox.EnqueueTx(ctx, tx, row)
}

// details returns the details of the entry in the activity log.
func (f *finishing) details() map[string]any {
	details := map[string]any{}
	if f.cash != nil {
		details["counted_cash"] = f.cash.total.Format(f.Currency.Digits)
		details["expected_cash"] = f.ExpectedCash().Format(f.Currency.Digits)
	}
	return details
}

// closePointTx closes an open day of a ticket point.
func (s *Service) closePointTx(ctx context.Context, tx pgx.Tx, f *finishing) error {
	if err := lockTx(ctx, tx, f.EntityID); err != nil {
		return err
	}
	if err := s.mayClose(ctx, tx, &f.Close); err != nil {
		return err
	}
	after, err := lastOf(ctx, tx, f.WalletID, businessday.Day{})
	if err != nil {
		return err
	}
	if err := s.inOrder(ctx, tx, &f.Close, &after); err != nil {
		return err
	}
	now, err := storage.DecisionTime(ctx, tx, s.Clock)
	if err != nil {
		return err
	}
	if f.Day.After(businessday.Of(now, s.Zone)) {
		return ErrFuture
	}
	seen, err := s.read(ctx, tx, f.WalletID, f.Day, &after)
	if err != nil {
		return err
	}
	f.Totals, f.Means, f.PreviousID = seen.Totals, seen.Means, after.ID
	if f.cash != nil {
		f.Means = withCounts(seen.Means, f.cash.means)
	}
	return f.writeTx(ctx, tx, s.endOf(f.Day), seen.Seen, now)
}

// endOf is the end of a business day.
func (s *Service) endOf(day businessday.Day) time.Time {
	_, to := day.Bounds(s.Zone)
	return to
}

// mayClose reads the row under the lock. Errors: ErrClosed.
func (s *Service) mayClose(ctx context.Context, tx pgx.Tx, c *Close) error {
	var status string
	if err := tx.QueryRow(ctx, `SELECT status, opening_cash FROM daily_closes WHERE id = $1`, c.ID).Scan(&status, &c.OpeningCash); err != nil {
		return fmt.Errorf("read close: %w", err)
	}
	if status == Closed {
		return ErrClosed
	}
	return nil
}

// inOrder returns ErrEarlierOpen if an earlier day of the wallet is open or has events, and ErrClosed if a later one
// is closed.
func (s *Service) inOrder(ctx context.Context, tx pgx.Tx, c *Close, after *last) error {
	if after.ID != uuid.Nil && !after.Day.Before(c.Day) {
		return ErrClosed
	}
	var earliest *businessday.Day
	err := tx.QueryRow(ctx, `SELECT min(day) FROM daily_closes WHERE entity_id = $1 AND currency_id = $2 AND status = 'open'`, c.EntityID, c.Currency.ID).Scan(&earliest)
	if err != nil {
		return fmt.Errorf("open days: %w", err)
	}
	first, err := s.firstUncovered(ctx, tx, c.WalletID, after)
	if err != nil {
		return err
	}
	if !first.IsZero() && (earliest == nil || first.Before(*earliest)) {
		earliest = &first
	}
	if earliest != nil && earliest.Before(c.Day) {
		return ErrEarlierOpen.WithDetails(apperr.Line("DAY_OPEN", "the day "+earliest.String()+" is open", "day", earliest.String()).At("day"))
	}
	return nil
}

// writeTx writes the closed row. ends and seen are set for a ticket point.
func (f *finishing) writeTx(ctx context.Context, tx pgx.Tx, ends time.Time, seen string, now time.Time) error {
	if f.open != nil {
		f.OpeningCash = *f.open
	}
	var total *money.Amount
	counts := []Count{}
	if f.cash != nil {
		total, counts = &f.cash.total, f.cash.counts
	}
	var endsAt *time.Time
	if seen != "" {
		endsAt = &ends
	}
	t := &f.Totals
	_, err := tx.Exec(ctx, `UPDATE daily_closes SET status = 'closed', opening_cash = $2, sales = $3, voids = $4, refunds = $5, prizes = $6, commissions = $7, participations = $24, deposits = $8,
			withdrawals = $9, tickets = $10, voided = $11, refunded = $12, paid = $13, late_events = $14, late_net = $15, counted_cash = $16, counts = $17,
			note = $18, previous_id = $19, seen = nullif($20, '')::pg_snapshot, ends_at = $21, closed_by = $22, closed_at = $23, not_cash = $25, means = nullif($26::jsonb, 'null')
		WHERE id = $1`, f.ID, f.OpeningCash, t.Sales, t.Voids, t.Refunds, t.Prizes, t.Commissions, t.Deposits, t.Withdrawals, t.Tickets, t.Voided, t.Refunded, t.Paid,
		t.LateEvents, t.LateNet, total, counts, f.note, models.Optional(f.PreviousID), seen, endsAt, models.Optional(f.user), now, t.Participations, t.NotCash, f.Means)
	if err != nil {
		return fmt.Errorf("close day: %w", err)
	}
	return nil
}
