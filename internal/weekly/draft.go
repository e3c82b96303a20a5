package weekly

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// maxWeeks bounds the weeks that one run of the task drafts.
const maxWeeks = 60

// Due drafts the weeks that are over, in their order, in every active currency. It begins with the last week that is
// over. A currency that fails does not keep the others. It is the task week.settle.
func (s *Service) Due(ctx context.Context) (weeks int, err error) {
	currencies, err := s.Ledger.Currencies(ctx)
	if err != nil {
		return 0, err
	}
	for i := range currencies {
		if currencies[i].Status != models.StatusActive {
			continue
		}
		n, failed := s.dueIn(ctx, &currencies[i])
		weeks, err = weeks+n, errors.Join(err, failed)
	}
	return weeks, err
}

// dueIn drafts the weeks that are over in a currency.
func (s *Service) dueIn(ctx context.Context, currency *ledger.Currency) (weeks int, err error) {
	for range maxWeeks {
		k := key{currency: *currency}
		if k.week, err = nextWeek(ctx, s.PG.Pool, currency.ID, s.thisWeek().AddDays(-7)); err != nil {
			return weeks, err
		}
		err := s.draft(ctx, k, uuid.Nil)
		if errors.Is(err, ErrWeekNotOver) || errors.Is(err, ErrNotNewest) { // another process was faster
			return weeks, nil
		}
		if err != nil {
			return weeks, err
		}
		weeks++
	}
	return weeks, nil
}

// nextWeek returns the week after the last one that was drafted; before the first draft, first.
func nextWeek(
	ctx context.Context, db storage.RowQuerier, currency uuid.UUID, first businessday.Day,
) (businessday.Day, error) {
	var last *businessday.Day
	if err := db.QueryRow(ctx, `SELECT max(week) FROM weekly_drafts WHERE currency_id = $1`, currency).Scan(&last); err != nil {
		return businessday.Day{}, fmt.Errorf("last draft: %w", err)
	}
	if last == nil {
		return first, nil
	}
	return last.AddDays(7), nil
}

// Redraft drafts the newest week again, with the current participations, or the week after it. Errors:
// ErrOperatorOnly, ErrWeek, ErrWeekNotOver, ErrNotNewest, ErrUndrafted, ErrConfirmed, ledger.ErrCurrencyNotFound.
func (s *Service) Redraft(ctx context.Context, by caller.Caller, week businessday.Day, currency string) error {
	if !by.IsOperator() {
		return ErrOperatorOnly
	}
	if Monday(week) != week {
		return ErrWeek
	}
	c, err := s.Ledger.AnyCurrency(ctx, currency)
	if err != nil {
		return err
	}
	return s.draft(ctx, key{week: week, currency: c}, by.UserID)
}

// draft computes the settlements of a week and stores them in place of its drafts. user is Nil for the task, which
// replaces nothing.
func (s *Service) draft(ctx context.Context, k key, user uuid.UUID) error {
	if over, err := s.over(ctx, k.week); err != nil || !over {
		return errors.Join(err, orNotOver(over))
	}
	before, err := lastDraft(ctx, s.PG.Pool, k.currency.ID)
	if err != nil {
		return err
	}
	root, err := s.Org.Root(ctx)
	if err != nil {
		return err
	}
	in, err := s.read(ctx, k, root, (*inputs).ids)
	if err != nil {
		return err
	}
	list := in.compute()
	return s.PG.Retried(ctx, func(tx pgx.Tx) error {
		if err := lockTx(ctx, tx, k.currency.ID); err != nil {
			return err
		}
		if err := s.replaceableTx(ctx, tx, k, user); err != nil {
			return err
		}
		last, err := lastDraft(ctx, tx, k.currency.ID)
		if err != nil {
			return err
		}
		if !last.Equal(before) { // the week before was drafted again meanwhile
			return ErrNotNewest
		}
		now, err := storage.DecisionTime(ctx, tx, s.Clock)
		if err != nil {
			return err
		}
		return s.storeTx(ctx, tx, &week{key: k, root: root, list: list, user: user, at: now})
	})
}

// lastDraft returns when a week was last drafted in a currency; the zero time for never.
func lastDraft(ctx context.Context, db storage.RowQuerier, currency uuid.UUID) (time.Time, error) {
	var at *time.Time
	if err := db.QueryRow(ctx, `SELECT max(drafted_at) FROM weekly_drafts WHERE currency_id = $1`, currency).Scan(&at); err != nil {
		return time.Time{}, fmt.Errorf("last draft: %w", err)
	}
	if at == nil {
		return time.Time{}, nil
	}
	return *at, nil
}

func orNotOver(over bool) error {
	if over {
		return nil
	}
	return ErrWeekNotOver
}

// replaceableTx deletes the drafts of a week. Errors: ErrNotNewest if a later week is drafted, or if the task finds
// the week drafted; ErrUndrafted if another week is the next one; ErrConfirmed.
func (s *Service) replaceableTx(ctx context.Context, tx pgx.Tx, k key, user uuid.UUID) error {
	next, err := nextWeek(ctx, tx, k.currency.ID, s.thisWeek().AddDays(-7))
	if err != nil {
		return err
	}
	var later, known, confirmed bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM weekly_drafts WHERE currency_id = $1 AND week > $2), EXISTS (SELECT 1 FROM weekly_drafts WHERE currency_id = $1 AND week = $2),
		EXISTS (SELECT 1 FROM weekly_settlements WHERE currency_id = $1 AND week = $2 AND confirmed_at IS NOT NULL)`, k.currency.ID, k.week).Scan(&later, &known, &confirmed)
	switch {
	case err != nil:
		return fmt.Errorf("drafts of the week: %w", err)
	case later, known && user == uuid.Nil:
		return ErrNotNewest
	case !known && k.week != next:
		return ErrUndrafted
	case confirmed:
		return ErrConfirmed
	}
	if _, err := tx.Exec(ctx, `DELETE FROM weekly_settlements WHERE currency_id = $1 AND week = $2`, k.currency.ID, k.week); err != nil {
		return fmt.Errorf("delete drafts: %w", err)
	}
	return nil
}

// week is a stored draft of a week.
type week struct {
	key

	root uuid.UUID // the operator
	list []drafted
	user uuid.UUID // Nil for the task
	at   time.Time
}

func (s *Service) storeTx(ctx context.Context, tx pgx.Tx, w *week) error {
	_, err := tx.Exec(ctx, `INSERT INTO weekly_drafts (week, currency_id, drafted_at, drafted_by) VALUES ($1, $2, $3, $4)
		ON CONFLICT (currency_id, week) DO UPDATE SET drafted_at = $3, drafted_by = $4`, w.week, w.currency.ID, w.at, models.Optional(w.user))
	if err != nil {
		return fmt.Errorf("store drafted week: %w", err)
	}
	b := &pgx.Batch{}
	for i := range w.list {
		w.list[i].queueInsert(b, w.at)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("store drafts: %w", err)
	}
	if w.user == uuid.Nil {
		return nil
	}
	of := &Settlement{Week: w.week, Currency: w.currency, EntityID: w.root, ID: w.currency.ID}
	return record(ctx, tx, activity.SettlementsDraft, of, map[string]any{"settlements": len(w.list)})
}

func (d *drafted) queueInsert(b *pgx.Batch, at time.Time) {
	b.Queue(`INSERT INTO weekly_settlements (id, week, entity_id, parent_id, currency_id, sales, prizes, commissions, commissions_above, payments, result, rate, mode, carried, carry_out,
		participation, own_share, adjustments, previous_id, previous, moved, due, drafted_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23)`,
		d.ID, d.Week, d.EntityID, d.ParentID, d.Currency.ID, d.Sales, d.Prizes, d.Commissions, d.CommissionsAbove,
		d.Payments, d.Result(), d.Rate, d.Mode, d.Carried, d.CarryOut,
		d.Participation, d.OwnShare, d.Adjustments, models.Optional(d.PreviousID), d.Previous, d.Moved, d.Due, at)
	for i := range d.adjustments {
		a := &d.adjustments[i]
		b.Queue(`INSERT INTO weekly_adjustments (settlement_id, restates_id, prizes, participation) VALUES ($1, $2, $3, $4)`, d.ID, a.RestatesID, a.Prizes, a.Participation)
	}
}
