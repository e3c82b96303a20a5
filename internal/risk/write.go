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
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

// LimitRequest is a limit as asked for.
type LimitRequest struct {
	EntityID   uuid.UUID // Nil for the caller's
	Currency   string
	CategoryID uuid.UUID // Nil for any, and so on
	GameID     uuid.UUID
	DrawID     uuid.UUID
	Element    string
	BetType    string
	Metric     string
	Base       string // decimal in the currency
	Pct        string // percent of the draw's sales at the entity, "" for none
	Reason     string
}

// Bounds of a limit.
const (
	maxElement   = 8
	maxPct       = 1_000_000
	percentDigit = 2
)

// Draft returns a limit as Create would make it, unsaved. Errors: as Create's, except ErrLimitExists and ErrSetAbove.
func (k *Keeper) Draft(ctx context.Context, by caller.Caller, req *LimitRequest) (*Limit, error) {
	entity, err := k.entityOf(ctx, by, req.EntityID)
	if err != nil {
		return nil, err
	}
	chain, err := k.Org.Chain(ctx, entity)
	if err != nil {
		return nil, err
	}
	currency, err := k.Ledger.Currency(ctx, req.Currency)
	if err != nil {
		return nil, err
	}
	base, pct, err := k.check(ctx, req, currency.Digits)
	if err != nil {
		return nil, err
	}
	return &Limit{
		EntityID: entity, EntityPath: chain.Path(), Currency: currency, CategoryID: req.CategoryID, GameID: req.GameID, DrawID: req.DrawID,
		Element: req.Element, BetType: req.BetType, Metric: req.Metric, Base: base, Pct: pct, Reason: req.Reason,
		SetBy: by.EntityID, SetByPath: by.Scope.Path(),
	}, nil
}

// Create creates a limit. One that names a draw is effective at once, others within limitExpiry. Errors:
// ErrInvalidLimit with details, ErrLimitExists, ErrSetAbove, org.ErrEntityNotFound, ledger.ErrCurrencyNotFound,
// ErrUnavailable.
func (k *Keeper) Create(ctx context.Context, by caller.Caller, req *LimitRequest) (*Limit, error) {
	l, err := k.Draft(ctx, by, req)
	if err != nil {
		return nil, err
	}
	id, now := uuid.Must(uuid.NewV7()), k.engine.clock.Now().Truncate(time.Microsecond)
	var made *Limit
	err = k.change(ctx, l.DrawID, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO risk_limits (id, entity_id, currency_id, category_id, game_id, draw_id,
			element, bet_type, metric, base, pct_bps, reason, created_by, set_by, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''), nullif($8, ''), $9, $10, $11, $12, $13, $14, $15, $15)`,
			id, l.EntityID, l.Currency.ID, models.Optional(l.CategoryID), models.Optional(l.GameID),
			models.Optional(l.DrawID), l.Element, l.BetType, l.Metric, l.Base, l.Pct, l.Reason, by.UserID,
			l.SetBy, now)
		if err != nil {
			return fmt.Errorf("create limit: %w", err)
		}
		if made, err = limitBy(ctx, tx, `l.id = $1`, id); err != nil {
			return err
		}
		if err := requireTighter(ctx, tx, by, made); err != nil {
			return err
		}
		return record(ctx, tx, activity.RiskCreate, made)
	})
	if err != nil {
		return nil, err
	}
	k.publish(ctx, made)
	return made, nil
}

// check parses the amounts and names invalid fields.
func (k *Keeper) check(
	ctx context.Context, req *LimitRequest, digits int,
) (base money.Amount, pct money.BasisPoints, err error) {
	var wrong []apperr.Detail
	refuse := func(bad bool, location string, message apperr.Message) {
		if bad {
			wrong = append(wrong, apperr.Detail{Location: location, Message: message})
		}
	}
	req.Reason = strings.TrimSpace(req.Reason)
	base, pct = amounts(req.Base, req.Pct, digits, refuse)
	refuse(
		req.Metric != models.MetricStake && req.Metric != models.MetricLiability, "metric",
		"must be stake or liability",
	)
	refuse(req.BetType != "" && !slices.Contains(catalog.BetTypeNames(), req.BetType), "bet_type", "is not a bet type")
	refuse(len(req.Element) > maxElement || strings.Contains(req.Element, ","), "element", "is not a valid code")
	refuse(utf8.RuneCountInString(req.Reason) > maxReason, "reason", "is too long")
	if req.DrawID != uuid.Nil {
		_, err := k.Catalog.Draw(ctx, req.DrawID)
		refuse(err != nil, "draw_id", "is not a draw")
	}
	if req.GameID != uuid.Nil {
		_, err := k.Catalog.Game(ctx, req.GameID)
		refuse(err != nil, "game_id", "is not a game")
	}
	if req.CategoryID != uuid.Nil {
		var there bool
		if err := k.engine.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM game_categories WHERE id = $1)`, req.CategoryID).Scan(&there); err != nil {
			return 0, 0, fmt.Errorf("category: %w", err)
		}
		refuse(!there, "category_id", "is not a category")
	}
	if wrong != nil {
		return 0, 0, ErrInvalidLimit.WithDetails(wrong...)
	}
	return base, pct, nil
}

func amounts(
	baseText, pctText string, digits int, refuse func(bad bool, location string, message apperr.Message),
) (money.Amount, money.BasisPoints) {
	base, err := money.ParseOrZero(baseText, digits)
	refuse(err != nil, "base", "must be an amount of the currency, at least zero")
	var pct money.Amount
	if pctText != "" {
		pct, err = money.ParseOrZero(pctText, percentDigit)
		refuse(err != nil || pct > maxPct, "pct", "must be a percentage with at most two decimals")
	}
	return base, money.BasisPoints(pct)
}

// DraftChange returns a limit as Change would make it, unsaved. Errors: ErrLimitNotFound, ErrInvalidLimit with details.
func (k *Keeper) DraftChange(
	ctx context.Context, by caller.Caller, id uuid.UUID, baseText, pctText, reason string,
) (*Limit, error) {
	l, err := k.Limit(ctx, by, id)
	if err != nil {
		return nil, err
	}
	var wrong []apperr.Detail
	refuse := func(bad bool, location string, message apperr.Message) {
		if bad {
			wrong = append(wrong, apperr.Detail{Location: location, Message: message})
		}
	}
	l.Base, l.Pct = amounts(baseText, pctText, l.Currency.Digits, refuse)
	l.Reason = strings.TrimSpace(reason)
	refuse(utf8.RuneCountInString(l.Reason) > maxReason, "reason", "is too long")
	if wrong != nil {
		return nil, ErrInvalidLimit.WithDetails(wrong...)
	}
	if !l.SetAbove(by) {
		l.SetBy, l.SetByPath = by.EntityID, by.Scope.Path()
	}
	return l, nil
}

// Change changes the amounts of a limit; its subject stays. What was set above the caller can be made tighter only.
// Errors: as Create's, and ErrLimitNotFound.
func (k *Keeper) Change(
	ctx context.Context, by caller.Caller, id uuid.UUID, baseText, pctText, reason string,
) (*Limit, error) {
	draft, err := k.DraftChange(ctx, by, id, baseText, pctText, reason)
	if err != nil {
		return nil, err
	}
	var changed *Limit
	err = k.change(ctx, draft.DrawID, func(tx pgx.Tx) error {
		current, err := limitBy(ctx, tx, `l.id = $1 FOR UPDATE OF l`, id)
		if err != nil {
			return err
		}
		if raised := *current; draft.Base > current.Base || draft.Pct > current.Pct {
			raised.Base, raised.Pct = draft.Base, draft.Pct
			if err := requireTighter(ctx, tx, by, &raised); err != nil {
				return err
			}
		}
		_, err = tx.Exec(ctx, `UPDATE risk_limits SET base = $2, pct_bps = $3, reason = $4, set_by = $5,
			updated_at = $6 WHERE id = $1`,
			id, draft.Base, draft.Pct, draft.Reason, models.Optional(current.setter(by)), k.engine.clock.Now())
		if err != nil {
			return fmt.Errorf("change limit: %w", err)
		}
		if changed, err = limitBy(ctx, tx, `l.id = $1`, id); err != nil {
			return err
		}
		return record(ctx, tx, activity.RiskUpdate, changed)
	})
	if err != nil {
		return nil, err
	}
	k.publish(ctx, changed)
	return changed, nil
}

// Remove takes a limit away. Errors: ErrLimitNotFound, ErrSetAbove, ErrUnavailable.
func (k *Keeper) Remove(ctx context.Context, by caller.Caller, id uuid.UUID) error {
	_, err := k.remove(ctx, by, id, activity.RiskDelete, false)
	return err
}

// QueueLimit adds to a batch a limit of all that is sold at an entity, in a currency, unless it exists: of a new
// platform.
func QueueLimit(b *pgx.Batch, id, entity, currency uuid.UUID, metric string, base money.Amount) {
	b.Queue(`INSERT INTO risk_limits (id, entity_id, currency_id, metric, base) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`, id, entity, currency, metric, base)
}
