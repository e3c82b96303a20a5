package risk

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/models"
)

// maxReason bounds a reason, in characters.
const maxReason = 300

// BlockRequest asks to sell nothing more on an element of a draw.
type BlockRequest struct {
	DrawID   uuid.UUID
	Element  string    // a code as it is bet on: of an animal, a number, a sign
	EntityID uuid.UUID // whose subtree; Nil for the caller's
	Currency string    // id or code; "" for every active one
	Reason   string
}

// Block ends the sale of an element in a draw for an entity's subtree, effective at once: after Block returns no
// process grants a reservation on it. Sold tickets stay sold. Blocking a blocked element changes the reason only. It
// returns one limit per currency. Errors: catalog.ErrDrawNotFound, ErrUnknownElement, ErrReasonMissing,
// ledger.ErrCurrencyNotFound, org.ErrEntityNotFound, ErrUnavailable.
func (k *Keeper) Block(ctx context.Context, by caller.Caller, req *BlockRequest) ([]Limit, error) {
	reason := strings.TrimSpace(req.Reason)
	if reason == "" || utf8.RuneCountInString(reason) > maxReason {
		return nil, ErrReasonMissing
	}
	draw, err := k.Catalog.Draw(ctx, req.DrawID)
	if err != nil {
		return nil, err
	}
	game, err := k.Catalog.Game(ctx, draw.GameID)
	if err != nil {
		return nil, err
	}
	if !canBlock(game, req.Element) {
		return nil, ErrUnknownElement
	}
	entity, err := k.entityOf(ctx, by, req.EntityID)
	if err != nil {
		return nil, err
	}
	currencies, err := k.currenciesOf(ctx, req.Currency)
	if err != nil {
		return nil, err
	}
	var list []Limit
	now := k.engine.clock.Now().Truncate(time.Microsecond)
	err = k.change(ctx, draw.ID, func(tx pgx.Tx) error {
		list = list[:0]
		for i := range currencies {
			id, err := insertBlock(ctx, tx, &Limit{
				EntityID: entity, Currency: currencies[i], GameID: draw.GameID, DrawID: draw.ID, Element: req.Element,
				Reason: reason, CreatedBy: by.UserID, SetBy: by.EntityID, CreatedAt: now,
			}, by.Scope)
			if err != nil {
				return err
			}
			l, err := limitBy(ctx, tx, `l.id = $1`, id)
			if err != nil {
				return err
			}
			list = append(list, *l)
		}
		for i := range list {
			if err := record(ctx, tx, activity.RiskBlock, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	k.publish(ctx, &list[0])
	return list, nil
}

// insertBlock writes the row of a block, or the reason of the one there is, and returns its id. A limit that was set
// above a scope stays so.
func insertBlock(ctx context.Context, tx pgx.Tx, l *Limit, scope caller.Scope) (id uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO risk_limits (id, entity_id, currency_id, game_id, draw_id, element, metric,
		base, reason, created_by, set_by, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11, $11)
		ON CONFLICT (entity_id, currency_id, metric, coalesce(category_id::text, ''), coalesce(game_id::text, ''), coalesce(draw_id::text, ''), coalesce(element, ''), coalesce(bet_type, ''))
		DO UPDATE SET base = 0, pct_bps = 0, reason = excluded.reason, created_by = excluded.created_by,
			updated_at = excluded.updated_at,
			set_by = CASE WHEN $13 OR EXISTS (SELECT FROM entities s WHERE s.id = risk_limits.set_by AND s.path LIKE $12)
				THEN excluded.set_by ELSE risk_limits.set_by END
		RETURNING id`,
		uuid.Must(uuid.NewV7()), l.EntityID, l.Currency.ID, l.GameID, l.DrawID, l.Element, models.MetricStake,
		l.Reason, l.CreatedBy, l.SetBy, l.CreatedAt, scope.Pattern(), scope.IsOperator()).Scan(&id)
	if err != nil {
		return id, fmt.Errorf("block element: %w", err)
	}
	return id, nil
}

// canBlock reports whether an element can be bet on in a game, alone or as a part of a selection.
func canBlock(game *catalog.Game, element string) bool {
	if game.Element(element) != nil {
		return true
	}
	for _, bet := range game.BetTypes() {
		if _, wrong := game.Select(bet, []string{element}); wrong == nil {
			return true
		}
		for _, other := range [][]string{{element, catalog.Signs()[0]}, {"000", element}, {"00", element}} { // a number with a sign
			if selection, wrong := game.Select(bet, other); wrong == nil && holdsElement(selection.Key, element) {
				return true
			}
		}
	}
	return false
}

// entityOf is the entity that is meant, which must be of the caller's subtree.
func (k *Keeper) entityOf(ctx context.Context, by caller.Caller, named uuid.UUID) (uuid.UUID, error) {
	if named == uuid.Nil {
		return by.EntityID, nil
	}
	visible, err := k.Org.InScope(ctx, by, named)
	if err != nil {
		return uuid.Nil, err
	}
	if !visible {
		return uuid.Nil, org.ErrEntityNotFound
	}
	return named, nil
}

// currenciesOf are the currency that is meant, or all active ones.
func (k *Keeper) currenciesOf(ctx context.Context, named string) ([]ledger.Currency, error) {
	if named != "" {
		c, err := k.Ledger.Currency(ctx, named)
		return []ledger.Currency{c}, err
	}
	all, err := k.Ledger.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	active := slices.DeleteFunc(all, func(c ledger.Currency) bool { return c.Status != models.StatusActive })
	if len(active) == 0 {
		return nil, ledger.ErrCurrencyNotFound
	}
	return active, nil
}

// Unblock sells an element of a draw again. Errors: ErrLimitNotFound, ErrSetAbove, ErrUnavailable.
func (k *Keeper) Unblock(ctx context.Context, by caller.Caller, id uuid.UUID) (*Limit, error) {
	return k.remove(ctx, by, id, activity.RiskUnblock, true)
}

// remove takes a limit away.
func (k *Keeper) remove(
	ctx context.Context, by caller.Caller, id uuid.UUID, action activity.Action, block bool,
) (*Limit, error) {
	found, err := k.Limit(ctx, by, id)
	if err != nil {
		return nil, err
	}
	err = k.change(ctx, found.DrawID, func(tx pgx.Tx) error {
		l, err := limitBy(ctx, tx, `l.id = $1 FOR UPDATE OF l`, id)
		if err != nil {
			return err
		}
		if block && !l.blocks() {
			return ErrLimitNotFound
		}
		if l.SetAbove(by) {
			return ErrSetAbove
		}
		if _, err := tx.Exec(ctx, `DELETE FROM risk_limits WHERE id = $1`, id); err != nil {
			return fmt.Errorf("remove limit: %w", err)
		}
		return record(ctx, tx, action, l)
	})
	if err != nil {
		return nil, err
	}
	k.publish(ctx, found)
	return found, nil
}

// blocks reports whether the limit blocks an element of a draw.
func (l *Limit) blocks() bool {
	return l.DrawID != uuid.Nil && l.Element != "" && l.BetType == "" && l.Base == 0 && l.Pct == 0
}
