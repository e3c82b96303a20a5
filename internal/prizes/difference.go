package prizes

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// States of a difference.
const (
	DifferenceOpen       = "open"
	DifferenceSettled    = "settled"
	DifferenceWrittenOff = "written_off"
	DifferenceVoid       = "void"
)

// DifferenceStates lists the states of a difference.
func DifferenceStates() []string {
	return []string{DifferenceOpen, DifferenceSettled, DifferenceWrittenOff, DifferenceVoid}
}

// Difference is a paid prize that a correction made wrong.
type Difference struct {
	ID        uuid.UUID
	TicketID  uuid.UUID
	Serial    string
	PaymentID uuid.UUID
	ResultID  uuid.UUID // of the correction
	EntityID  uuid.UUID
	Entity    string
	Currency  ledger.Currency
	Paid      money.Amount
	Due       money.Amount
	Status    string
	CreatedAt time.Time
	ClosedAt  time.Time
	ClosedBy  uuid.UUID
	Note      string
}

// Overpaid returns the amount that the point must give back, negative for an amount owed to the customer.
func (d *Difference) Overpaid() money.Amount { return d.Paid - d.Due }

// DifferenceFilter selects differences; zero fields select all.
type DifferenceFilter struct {
	EntityID uuid.UUID
	Below    uuid.UUID // the entity or one above it
	TicketID uuid.UUID
	Status   string
	Limit    int
	Offset   int
}

const differenceColumns = `x.id, x.ticket_id, t.serial_code, x.paid_prize_id, x.result_id, x.entity_id, e.name, c.id, c.code, c.name, c.symbol, c.digits, c.status,
	x.paid, x.due, x.status, x.created_at, x.closed_at, x.closed_by, x.note`

const fromDifferences = ` FROM prize_differences x JOIN tickets t ON t.id = x.ticket_id JOIN entities e ON e.id = x.entity_id JOIN currencies c ON c.id = x.currency_id`

func scanDifference(row pgx.CollectableRow) (Difference, error) {
	var d Difference
	var closedAt *time.Time
	var closedBy uuid.NullUUID
	err := row.Scan(&d.ID, &d.TicketID, &d.Serial, &d.PaymentID, &d.ResultID, &d.EntityID, &d.Entity, &d.Currency.ID, &d.Currency.Code, &d.Currency.Name,
		&d.Currency.Symbol, &d.Currency.Digits, &d.Currency.Status, &d.Paid, &d.Due, &d.Status, &d.CreatedAt, &closedAt, &closedBy, &d.Note)
	d.CreatedAt, d.ClosedAt, d.ClosedBy = d.CreatedAt.UTC(), models.Instant(closedAt), closedBy.UUID
	return d, err
}

// Differences returns the differences a filter selects, newest first, and how many there are.
func (s *Service) Differences(ctx context.Context, by caller.Caller, f *DifferenceFilter) ([]Difference, int64, error) {
	w := &storage.Where{}
	if err := s.within(ctx, by, w, "x.entity_id"); err != nil {
		return nil, 0, err
	}
	if f.EntityID != uuid.Nil {
		w.And(`x.entity_id = ` + w.Arg(f.EntityID))
	}
	if f.Below != uuid.Nil {
		w.And(`e.path LIKE (SELECT above.path || '%' FROM entities above WHERE above.id = ` + w.Arg(f.Below) + `)`)
	}
	if f.TicketID != uuid.Nil {
		w.And(`x.ticket_id = ` + w.Arg(f.TicketID))
	}
	if f.Status != "" {
		w.And(`x.status = ` + w.Arg(f.Status))
	}
	listing := &storage.Listing{Columns: differenceColumns, From: fromDifferences, Where: w, Order: `x.created_at DESC, x.id DESC`}
	list, total, err := storage.List(ctx, s.PG.Pool, listing, scanDifference, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list differences: %w", err)
	}
	return list, total, nil
}

// Difference returns one of the caller's subtree. Errors: ErrDifferenceNotFound.
func (s *Service) Difference(ctx context.Context, by caller.Caller, id uuid.UUID) (*Difference, error) {
	return differenceBy(ctx, s.PG.Pool, `x.id = $1 AND e.path LIKE $2`, id, by.Scope.Pattern())
}

func differenceBy(ctx context.Context, q storage.Querier, where string, args ...any) (*Difference, error) {
	list, err := storage.Collect(ctx, q, "difference", scanDifference,
		`SELECT `+differenceColumns+fromDifferences+` WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrDifferenceNotFound
	}
	return &list[0], nil
}

// Resolve closes a difference by booking the prize due: in one transaction the old payment is reversed and the prize
// due, if any, is paid. The point's wallet must cover the overpaid amount; else the difference stays open. Errors:
// ErrDifferenceNotFound, ErrDifferenceClosed, ErrDisputed, ErrNotVerified, ledger.ErrInsufficientBalance,
// apperr.ErrStore, idempotency.ErrUnknownOutcome.
func (s *Service) Resolve(ctx context.Context, by caller.Caller, id uuid.UUID) (*Difference, error) {
	d, err := s.Difference(ctx, by, id)
	if err != nil {
		return nil, translate(err)
	}
	root, err := s.rootWallet(ctx, d.Currency.ID)
	if err != nil {
		return nil, translate(err)
	}
	ctx = context.WithoutCancel(ctx)
	timed, cancel := context.WithTimeout(ctx, payTimeout)
	defer cancel()
	r := &reversal{user: by.UserID, reason: "difference settled", id: uuid.Must(uuid.NewV7())}
	err = s.PG.Retried(timed, func(tx pgx.Tx) error { return s.resolveTx(timed, tx, d, root, r) })
	if err != nil {
		err = s.outcomeOf(ctx, d.TicketID, r.id, err)
	}
	if err != nil {
		return nil, err
	}
	s.updated(ctx, d.TicketID, d.EntityID, r.status)
	return s.closed(ctx, by, id)
}

// closed reads a difference after it was closed.
func (s *Service) closed(ctx context.Context, by caller.Caller, id uuid.UUID) (*Difference, error) {
	d, err := s.Difference(ctx, by, id)
	return d, translate(err)
}

func (s *Service) resolveTx(ctx context.Context, tx pgx.Tx, d *Difference, root uuid.UUID, r *reversal) error {
	h, now, err := s.openDifference(ctx, tx, d)
	if err != nil {
		return err
	}
	r.at = now
	if err := h.undisputed(ctx, tx); err != nil {
		return err
	}
	w, err := entitlementOf(ctx, tx, h.ID)
	if err != nil {
		return err
	}
	if !w.Decided {
		return waits(ctx, tx, h.ID, s.Zone)
	}
	payment := &Payment{
		ID: uuid.Must(uuid.NewV7()), TransactionID: uuid.Must(uuid.NewV7()), TicketID: h.ID, EntityID: h.EntityID,
		WalletID: h.WalletID,
		Currency: d.Currency, Amount: w.Prize, PaidBy: r.user, PaidAt: now,
	}
	var posted []ledger.Transaction
	if d.Paid > 0 {
		booking, err := s.reverse(ctx, tx, h, r)
		if err != nil {
			return err
		}
		posted = append(posted, *booking)
	} else {
		payment.TransactionID = r.id // identifies the transaction for outcomeOf
	}
	if w.Prize > 0 {
		posted = append(posted, payment.transaction(root))
	}
	if err := s.Ledger.PostTx(ctx, tx, []uuid.UUID{h.WalletID}, posted...); err != nil {
		return err
	}
	if d.Paid > 0 {
		if err := r.close(ctx, tx); err != nil {
			return err
		}
	}
	if r.status, err = tickets.UnpayTx(ctx, tx, h.ID, w.Decided, w.Prize); err != nil {
		return err
	}
	if w.Prize > 0 {
		r.status = models.TicketPaid
		if err := payment.insert(ctx, tx); err != nil {
			return err
		}
		if err := tickets.PayTx(ctx, tx, h.ID); err != nil {
			return err
		}
	}
	return s.closeDifference(ctx, tx, h, d, DifferenceSettled, r.user, now, "")
}

// WriteOff closes a difference without a booking: the operator bears an overpaid amount, which only users of the
// operator decide, or an owed one was not collected. Errors: ErrDifferenceNotFound, ErrDifferenceClosed,
// ErrOperatorOnly, ErrNoteMissing, ErrTextTooLong.
func (s *Service) WriteOff(ctx context.Context, by caller.Caller, id uuid.UUID, note string) (*Difference, error) {
	note, err := checkText(note)
	if err != nil {
		return nil, err
	}
	if note == "" {
		return nil, ErrNoteMissing
	}
	d, err := s.Difference(ctx, by, id)
	if err != nil {
		return nil, translate(err)
	}
	err = s.PG.Retried(ctx, func(tx pgx.Tx) error {
		h, now, err := s.openDifference(ctx, tx, d)
		if err != nil {
			return err
		}
		if d.Overpaid() > 0 && !by.IsOperator() {
			return ErrOperatorOnly
		}
		return s.closeDifference(ctx, tx, h, d, DifferenceWrittenOff, by.UserID, now, note)
	})
	if err != nil {
		return nil, translate(err)
	}
	return s.closed(ctx, by, id)
}

// openDifference holds the ticket of a difference and reads that again. Errors: ErrDifferenceClosed.
func (s *Service) openDifference(ctx context.Context, tx pgx.Tx, d *Difference) (*held, time.Time, error) {
	h, err := hold(ctx, tx, d.TicketID)
	if err != nil {
		return nil, time.Time{}, err
	}
	again, err := differenceBy(ctx, tx, `x.id = $1`, d.ID)
	if err != nil {
		return nil, time.Time{}, err
	}
	if again.Status != DifferenceOpen {
		return nil, time.Time{}, ErrDifferenceClosed
	}
	*d = *again
	return h, s.Clock.Now().Truncate(time.Microsecond), nil
}

func (s *Service) closeDifference(
	ctx context.Context, tx pgx.Tx, h *held, d *Difference, status string, user uuid.UUID, now time.Time, note string,
) error {
	_, err := tx.Exec(
		ctx, `UPDATE prize_differences SET status = $2, closed_at = $3, closed_by = $4, note = $5 WHERE id = $1`, d.ID,
		status, now, user, note,
	)
	if err != nil {
		return fmt.Errorf("close difference: %w", err)
	}
	action := activity.PrizesSettled
	if status == DifferenceWrittenOff {
		action = activity.PrizesWrittenOff
	}
	return s.record(ctx, tx, action, &h.ticket, map[string]any{
		"serial_code": h.Serial, "difference_id": d.ID, "paid": d.Paid.Format(d.Currency.Digits),
		"due":      d.Due.Format(d.Currency.Digits),
		"currency": d.Currency.Code, "note": note,
	})
}
