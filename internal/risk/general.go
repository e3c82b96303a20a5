package risk

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// General is a limit on every selection of every draw at an entity.
type General struct {
	Entity   uuid.UUID
	Currency ledger.Currency
	Metric   string
	Base     money.Amount
}

// isGeneral selects such limits.
const isGeneral = `l.category_id IS NULL AND l.game_id IS NULL AND l.draw_id IS NULL AND l.element IS NULL AND l.bet_type IS NULL`

// Generals returns the bases of the general limits in a currency, by entity and metric.
func (k *Keeper) Generals(ctx context.Context, q storage.Querier, currency ledger.Currency) (map[General]money.Amount, error) {
	rows, err := q.Query(ctx, `SELECT l.entity_id, l.metric, l.base FROM risk_limits l WHERE l.currency_id = $1 AND `+isGeneral, currency.ID)
	if err != nil {
		return nil, fmt.Errorf("general limits: %w", err)
	}
	limits := map[General]money.Amount{}
	g := General{Currency: currency}
	var base money.Amount
	_, err = pgx.ForEachRow(rows, []any{&g.Entity, &g.Metric, &base}, func() error {
		limits[g] = base
		return nil
	})
	return limits, err
}

// PutGeneralsTx makes or changes general limits in the caller's transaction, which may have created the entities. They
// are effective within limitExpiry; after the commit the caller calls ForgetLimits. A percentage stays. Errors:
// ErrSetAbove.
func (k *Keeper) PutGeneralsTx(ctx context.Context, by caller.Caller, tx pgx.Tx, list []General) error {
	limited, err := limitedTx(ctx, tx, list)
	if err != nil {
		return err
	}
	b := &pgx.Batch{}
	var entries []activity.Entry
	for i := range list {
		g := &list[i]
		if limited[g.Entity] { // its other limits may refuse this one
			if err := k.putGeneralTx(ctx, by, tx, g); err != nil {
				return err
			}
			continue
		}
		l := &Limit{ID: uuid.Must(uuid.NewV7()), EntityID: g.Entity, Currency: g.Currency, Metric: g.Metric, Base: g.Base}
		b.Queue(addGeneral, l.ID, g.Entity, g.Currency.ID, g.Metric, g.Base, by.UserID, by.EntityID)
		entries = append(entries, entryOf(activity.RiskCreate, l))
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("general limits: %w", err)
	}
	return activity.RecordAllTx(ctx, tx, entries)
}

// addGeneral makes a general limit.
const addGeneral = `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, created_by, set_by) VALUES ($1, $2, $3, $4, $5, $6, $7)`

// limitedTx returns which of the entities have limits.
func limitedTx(ctx context.Context, tx pgx.Tx, list []General) (map[uuid.UUID]bool, error) {
	var entities storage.UUIDs
	for i := range list {
		entities = append(entities, list[i].Entity)
	}
	ids, err := storage.Collect(ctx, tx, "entities with limits", pgx.RowTo[uuid.UUID],
		`SELECT DISTINCT entity_id FROM risk_limits WHERE entity_id = ANY ($1::uuid[])`, entities)
	limited := make(map[uuid.UUID]bool, len(ids))
	for _, id := range ids {
		limited[id] = true
	}
	return limited, err
}

func (k *Keeper) putGeneralTx(ctx context.Context, by caller.Caller, tx pgx.Tx, g *General) error {
	action := activity.RiskUpdate
	found, err := limitBy(ctx, tx, `l.entity_id = $1 AND l.currency_id = $2 AND l.metric = $3 AND `+isGeneral, g.Entity, g.Currency.ID, g.Metric)
	switch {
	case errors.Is(err, ErrLimitNotFound):
		action = activity.RiskCreate
		id := uuid.Must(uuid.NewV7())
		_, err = tx.Exec(ctx, addGeneral, id, g.Entity, g.Currency.ID, g.Metric, g.Base, by.UserID, by.EntityID)
		if err == nil {
			found, err = limitBy(ctx, tx, `l.id = $1`, id)
		}
		if err == nil {
			err = requireTighter(ctx, tx, by, found)
		}
	case err == nil && found.Base == g.Base:
		return nil
	case err == nil:
		setter := found.setter(by)
		raised := g.Base > found.Base
		if found.Base = g.Base; raised {
			err = requireTighter(ctx, tx, by, found)
		}
		if err == nil {
			_, err = tx.Exec(ctx, `UPDATE risk_limits SET base = $2, set_by = $3, updated_at = clock_timestamp() WHERE id = $1`,
				found.ID, g.Base, models.Optional(setter))
		}
	}
	if err != nil {
		return fmt.Errorf("general limit: %w", err)
	}
	return record(ctx, tx, action, found)
}

// ForgetLimits drops cached limits, after a change that PutGeneralsTx has committed.
func (k *Keeper) ForgetLimits() { k.engine.ForgetLimits() }
