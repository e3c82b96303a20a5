package closes

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// maxNamed bounds the entities that ErrMissing names.
const maxNamed = 20

// closeAboveTx closes an open day of an entity above ticket points, and of the entities between, which count no cash.
// Errors: ErrClosed, ErrFuture, ErrEarlierOpen, ErrMissing.
func (s *Service) closeAboveTx(ctx context.Context, tx pgx.Tx, f *finishing) error {
	between, err := above(ctx, tx, f.EntityID)
	if err != nil {
		return err
	}
	if err := lockTx(ctx, tx, between...); err != nil {
		return err
	}
	if err := s.mayClose(ctx, tx, &f.Close); err != nil {
		return err
	}
	if err := followsTx(ctx, tx, &f.Close); err != nil {
		return err
	}
	if err := s.complete(ctx, tx, f); err != nil {
		return err
	}
	now, err := storage.DecisionTime(ctx, tx, s.Clock)
	if err != nil {
		return err
	}
	if f.Day.After(businessday.Of(now, s.Zone)) {
		return ErrFuture
	}
	for _, entity := range between {
		o := &opening{currency: f.Currency, day: f.Day, user: f.user}
		o.entity.ID = entity
		if entity != f.EntityID {
			if skip, err := skipTx(ctx, tx, o); err != nil || skip {
				if err != nil {
					return err
				}
				continue
			}
		}
		id, err := insertOpen(ctx, tx, o, now)
		if err != nil {
			return err
		}
		if err := sumTx(ctx, tx, &summing{close: id, opening: *o, note: f.noteOf(entity)}, now); err != nil {
			return err
		}
	}
	return nil
}

// noteOf is the note of the close of an entity: the typed one for the entity that is closed.
func (f *finishing) noteOf(entity uuid.UUID) string {
	if entity == f.EntityID {
		return f.note
	}
	return ""
}

// above returns an entity and those below it that are not ticket points, the lowest first.
func above(ctx context.Context, db storage.Querier, entity uuid.UUID) ([]uuid.UUID, error) {
	return storage.Collect(ctx, db, "entities of a close", pgx.RowTo[uuid.UUID],
		`SELECT e.id FROM entities e JOIN entities top ON top.id = $1 WHERE e.path LIKE top.path || '%' AND e.entity_type <> 'TICKET_POINT'
		ORDER BY length(e.path) DESC, e.id`, entity)
}

// followsTx returns ErrClosed if a later day of the entity is closed, and ErrEarlierOpen if an earlier one is open.
func followsTx(ctx context.Context, tx pgx.Tx, c *Close) error {
	var later bool
	var earlier *businessday.Day
	err := tx.QueryRow(ctx, `SELECT coalesce(bool_or(day > $3 AND status = 'closed'), false), min(day) FILTER (WHERE day < $3 AND status = 'open')
		FROM daily_closes WHERE entity_id = $1 AND currency_id = $2`, c.EntityID, c.Currency.ID, c.Day).Scan(&later, &earlier)
	switch {
	case err != nil:
		return fmt.Errorf("days of an entity: %w", err)
	case later:
		return ErrClosed
	case earlier != nil:
		return ErrEarlierOpen.WithDetails(apperr.Line("DAY_OPEN", "the day "+earlier.String()+" is open", "day", earlier.String()).At("day"))
	}
	return nil
}

// complete returns ErrMissing with the ticket points below that have not closed the day.
func (s *Service) complete(ctx context.Context, tx pgx.Tx, f *finishing) error {
	var pattern string
	if err := tx.QueryRow(ctx, `SELECT path || '%' FROM entities WHERE id = $1`, f.EntityID).Scan(&pattern); err != nil {
		return fmt.Errorf("path of entity: %w", err)
	}
	list, err := s.missing(ctx, tx, &missingFilter{pattern: pattern, currency: f.Currency.ID, day: f.Day})
	if err != nil || len(list) == 0 {
		return err
	}
	var names []apperr.Detail
	for i := range list[:min(len(list), maxNamed)] {
		names = append(
			names, apperr.Line("NOT_CLOSED", list[i].Entity+" has not closed", "entity", list[i].Entity).At("entities"),
		)
	}
	return ErrMissing.WithDetails(names...)
}

// skipTx reports whether an entity between has nothing to sum, or has closed the day: what its children closed since
// is in its next close.
func skipTx(ctx context.Context, tx pgx.Tx, o *opening) (bool, error) {
	closed, err := closedFrom(ctx, tx, o)
	if err != nil || closed {
		return closed, err
	}
	var parts, open bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 `+from+` WHERE `+unsummed+`),
		EXISTS (SELECT 1 FROM daily_closes WHERE entity_id = $1 AND currency_id = $2 AND day <= $3 AND status = 'open')`,
		o.entity.ID, o.currency.ID, o.day).Scan(&parts, &open)
	if err != nil {
		return false, fmt.Errorf("parts of a close: %w", err)
	}
	return !parts && !open, nil
}

// unsummed is the condition of the closes of the children of $1 in the currency $2 up to the day $3 that no close sums.
const unsummed = `e.parent_id = $1 AND c.currency_id = $2 AND c.day <= $3 AND c.status = 'closed' AND NOT EXISTS (SELECT 1 FROM daily_close_parts p WHERE p.part_id = c.id)`

// summing is an open close of an entity above ticket points.
type summing struct {
	opening

	close uuid.UUID
	note  string
}

// sumTx closes the open row with the closes of the entity's children. A second close of a part violates its key.
func sumTx(ctx context.Context, tx pgx.Tx, sum *summing, now any) error {
	_, err := tx.Exec(ctx, `INSERT INTO daily_close_parts (part_id, close_id) SELECT c.id, $4 `+from+` WHERE `+unsummed,
		sum.entity.ID, sum.currency.ID, sum.day, sum.close)
	if err != nil {
		return fmt.Errorf("parts of a close: %w", err)
	}
	var previous uuid.NullUUID
	err = tx.QueryRow(ctx, `SELECT id FROM daily_closes WHERE entity_id = $1 AND currency_id = $2 AND status = 'closed' ORDER BY day DESC LIMIT 1`,
		sum.entity.ID, sum.currency.ID).Scan(&previous)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("close before: %w", err)
	}
	_, err = tx.Exec(ctx, `UPDATE daily_closes SET status = 'closed', opening_cash = x.opening_cash, sales = x.sales, voids = x.voids, refunds = x.refunds, prizes = x.prizes,
			commissions = x.commissions, participations = x.participations, deposits = x.deposits, withdrawals = x.withdrawals, tickets = x.tickets, voided = x.voided, refunded = x.refunded, paid = x.paid,
			late_events = x.late_events, late_net = x.late_net, counted_cash = x.counted_cash, not_cash = x.not_cash, means = `+partMeans+`, note = $2, previous_id = $3, closed_by = $4, closed_at = $5
		FROM (SELECT `+partSums+` FROM daily_close_parts p JOIN daily_closes c ON c.id = p.part_id WHERE p.close_id = $1) x WHERE id = $1`,
		sum.close, sum.note, models.Optional(previous.UUID), models.Optional(sum.user), now)
	if err != nil {
		return fmt.Errorf("close day of an entity above: %w", err)
	}
	return nil
}

// partSums sums closes c. Cash is counted if all of them counted theirs.
const partSums = `coalesce(sum(c.opening_cash), 0)::bigint AS opening_cash, coalesce(sum(c.sales), 0)::bigint AS sales, coalesce(sum(c.voids), 0)::bigint AS voids,
	coalesce(sum(c.refunds), 0)::bigint AS refunds, coalesce(sum(c.prizes), 0)::bigint AS prizes, coalesce(sum(c.commissions), 0)::bigint AS commissions,
	coalesce(sum(c.participations), 0)::bigint AS participations,
	coalesce(sum(c.deposits), 0)::bigint AS deposits, coalesce(sum(c.withdrawals), 0)::bigint AS withdrawals, coalesce(sum(c.tickets), 0)::bigint AS tickets,
	coalesce(sum(c.voided), 0)::bigint AS voided, coalesce(sum(c.refunded), 0)::bigint AS refunded, coalesce(sum(c.paid), 0)::bigint AS paid,
	coalesce(sum(c.late_events), 0)::bigint AS late_events, coalesce(sum(c.late_net), 0)::bigint AS late_net, coalesce(sum(c.not_cash), 0)::bigint AS not_cash,
	CASE WHEN bool_and(c.counted_cash IS NOT NULL) THEN sum(c.counted_cash)::bigint END AS counted_cash`
