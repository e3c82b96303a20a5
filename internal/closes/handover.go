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
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// Handover is the drawer of a ticket point that passes from one cashier to the next within a day.
type Handover struct {
	ID       uuid.UUID
	CloseID  uuid.UUID
	Expected money.Amount // cash when it was counted
	Counted  money.Amount
	Counts   []Count
	Means    []Means // besides cash
	Note     string
	GivenBy  uuid.UUID
	Giver    string // name
	GivenAt  time.Time
	TakenBy  uuid.UUID // Nil while it waits
	Taker    string
	TakenAt  time.Time // zero while it waits
}

// Variance is the counted cash less the expected one.
func (h *Handover) Variance() money.Amount { return h.Counted - h.Expected }

// HandOverRequest gives the counted drawer of an open day to the next cashier.
type HandOverRequest struct {
	CloseID        uuid.UUID
	Cash           Cash
	Note           string
	IdempotencyKey string
}

func (r *HandOverRequest) meaning() idempotency.Meaning {
	return idempotency.Of("hand-over", r.Cash.meaning(r.CloseID.String(), r.Note)...)
}

// HandOver records the counted drawer of an open day of a ticket point until the next cashier takes it. The expected
// cash is taken at the same moment: sales in progress are awaited, as by Close. Nothing is booked, and selling goes
// on. Errors: ErrNotFound, ErrClosed, ErrNoDrawer, ErrWaiting, ErrPending, ErrCash, ErrNote, and errors of
// idempotency.
func (s *Service) HandOver(ctx context.Context, by caller.Caller, req *HandOverRequest) (*Handover, bool, error) {
	open, err := s.stored(ctx, by, req.CloseID)
	if err != nil {
		return nil, false, err
	}
	key, err := idempotency.KeyOf(open.EntityID, req.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: req.meaning()}
	replay := func(ctx context.Context, first *idempotency.Answer) (*Handover, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return handoverOf(ctx, s.PG.Pool, id)
	}
	h, again, err := idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Handover, error) { return s.give(ctx, by, open, req, use) })
	if err != nil {
		return nil, false, err
	}
	return h, again, s.nameMeans(ctx, h.Means)
}

func (s *Service) give(
	ctx context.Context, by caller.Caller, open *Close, req *HandOverRequest, use idempotency.Use,
) (*Handover, error) {
	note := strings.TrimSpace(req.Note)
	switch {
	case open.Above():
		return nil, ErrNoDrawer
	case open.Status == Closed:
		return nil, ErrClosed
	case utf8.RuneCountInString(note) > maxNote || !models.Storable(note):
		return nil, ErrNote
	}
	cash, err := count(&req.Cash, open.Currency)
	if err != nil {
		return nil, err
	}
	if cash.means, err = s.countMeans(ctx, &req.Cash, &open.Currency); err != nil {
		return nil, err
	}
	chain, err := s.Org.Chain(ctx, open.EntityID)
	if err != nil {
		return nil, err
	}
	self := chain.Self()
	if err := s.awaitDecided(ctx, &self); err != nil {
		return nil, err
	}
	var given *Handover
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		h := &Handover{ID: uuid.Must(uuid.NewV7()), CloseID: open.ID, Counted: cash.total, Counts: cash.counts, Means: cash.means, Note: note, GivenBy: by.UserID}
		if err := s.giveTx(ctx, tx, open, h); err != nil {
			return err
		}
		if err := use.StoreTx(ctx, tx, &idempotency.Answer{Response: h.ID[:]}); err != nil {
			return err
		}
		given, err = handoverOf(ctx, tx, h.ID)
		return err
	})
	return given, err
}

// giveTx writes a drawer under the lock of the day, with the cash that is expected now. Errors: ErrClosed, ErrWaiting.
func (s *Service) giveTx(ctx context.Context, tx pgx.Tx, open *Close, h *Handover) error {
	if err := lockTx(ctx, tx, open.EntityID); err != nil {
		return err
	}
	current, err := s.rowTx(ctx, tx, open.ID)
	if err != nil {
		return err
	}
	if current.Status == Closed {
		return ErrClosed
	}
	var waits bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM cash_handovers WHERE close_id = $1 AND taken_at IS NULL)`, open.ID).Scan(&waits); err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	if waits {
		return ErrWaiting
	}
	now, err := storage.DecisionTime(ctx, tx, s.Clock)
	if err != nil {
		return err
	}
	h.Expected, h.Means = current.ExpectedCash(), withCounts(current.Means, h.Means)
	_, err = tx.Exec(ctx, `INSERT INTO cash_handovers (id, close_id, expected_cash, counted_cash, counts, note, given_by, given_at, means) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9::jsonb, 'null'))`,
		h.ID, h.CloseID, h.Expected, h.Counted, h.Counts, h.Note, h.GivenBy, now, h.Means)
	if err != nil {
		return fmt.Errorf("hand over: %w", err)
	}
	digits := current.Currency.Digits
	return record(ctx, tx, activity.ClosesHandOver, current, map[string]any{
		"counted_cash": h.Counted.Format(digits), "expected_cash": h.Expected.Format(digits),
	})
}

// TakeOverRequest takes the drawer of a handover.
type TakeOverRequest struct{ CloseID, ID uuid.UUID }

// TakeOver completes a handover by the cashier who takes the drawer. A repeat by the same cashier changes nothing.
// Errors: ErrNotFound, ErrHandoverNotFound, ErrTaken, ErrOwnDrawer, ErrClosed.
func (s *Service) TakeOver(ctx context.Context, by caller.Caller, req TakeOverRequest) (*Handover, error) {
	open, err := s.stored(ctx, by, req.CloseID)
	if err != nil {
		return nil, err
	}
	var taken *Handover
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if err := lockTx(ctx, tx, open.EntityID); err != nil {
			return err
		}
		h, err := handoverOf(ctx, tx, req.ID)
		switch {
		case err != nil:
			return err
		case h.CloseID != open.ID:
			return ErrHandoverNotFound
		case h.TakenBy == by.UserID:
			taken = h
			return nil
		case h.TakenBy != uuid.Nil:
			return ErrTaken
		case h.GivenBy == by.UserID:
			return ErrOwnDrawer
		}
		if err := s.mayClose(ctx, tx, open); err != nil {
			return err
		}
		now, err := storage.DecisionTime(ctx, tx, s.Clock)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `UPDATE cash_handovers SET taken_by = $2, taken_at = $3 WHERE id = $1`, h.ID, by.UserID, now); err != nil {
			return fmt.Errorf("take over: %w", err)
		}
		if taken, err = handoverOf(ctx, tx, h.ID); err != nil {
			return err
		}
		return record(ctx, tx, activity.ClosesTakeOver, open, map[string]any{
			"counted_cash": h.Counted.Format(open.Currency.Digits),
		})
	})
	if err != nil {
		return nil, err
	}
	return taken, s.nameMeans(ctx, taken.Means)
}

const handoverColumns = `h.id, h.close_id, h.expected_cash, h.counted_cash, h.counts, h.note, h.given_by, coalesce(g.name, ''), h.given_at, h.taken_by, coalesce(t.name, ''), h.taken_at, h.means
	FROM cash_handovers h LEFT JOIN users g ON g.id = h.given_by LEFT JOIN users t ON t.id = h.taken_by`

func scanHandover(row pgx.CollectableRow) (Handover, error) {
	var h Handover
	var taker uuid.NullUUID
	var takenAt *time.Time
	err := row.Scan(
		&h.ID, &h.CloseID, &h.Expected, &h.Counted, &h.Counts, &h.Note, &h.GivenBy, &h.Giver, &h.GivenAt, &taker,
		&h.Taker, &takenAt, &h.Means,
	)
	h.GivenAt, h.TakenBy, h.TakenAt = h.GivenAt.UTC(), taker.UUID, models.Instant(takenAt)
	return h, err
}

// handoverOf reads a handover. Errors: ErrHandoverNotFound.
func handoverOf(ctx context.Context, db storage.Querier, id uuid.UUID) (*Handover, error) {
	return storage.One(ctx, db, "handover", ErrHandoverNotFound, scanHandover,
		`SELECT `+handoverColumns+` WHERE h.id = $1`, id)
}

// Handovers returns the handovers of a close in the caller's scope, the first one first. Errors: ErrNotFound.
func (s *Service) Handovers(ctx context.Context, by caller.Caller, closeID uuid.UUID) ([]Handover, error) {
	if _, err := s.stored(ctx, by, closeID); err != nil {
		return nil, err
	}
	return s.handovers(ctx, closeID)
}

// maxHandovers bounds the handovers of a day that are shown.
const maxHandovers = 100

func (s *Service) handovers(ctx context.Context, closeID uuid.UUID) ([]Handover, error) {
	list, err := storage.Collect(ctx, s.PG.Pool, "handovers", scanHandover,
		`SELECT `+handoverColumns+` WHERE h.close_id = $1 ORDER BY h.given_at, h.id LIMIT $2`, closeID,
		maxHandovers)
	for i := 0; err == nil && i < len(list); i++ {
		err = s.nameMeans(ctx, list[i].Means)
	}
	return list, err
}
