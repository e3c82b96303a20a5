package risk

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/internal/drawstate"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/realtime"
	"banca/storage"
)

// KeeperDeps are the dependencies of a Keeper other than the engine.
type KeeperDeps struct {
	Org     *org.Service
	Catalog *catalog.Service
	Ledger  *ledger.Service
	Events  realtime.Publisher // published after the commit; nil for none
}

// Keeper lists and changes limits. The engine only reads them.
type Keeper struct {
	KeeperDeps

	engine *Service
}

// NewKeeper returns the keeper of an engine's limits.
func NewKeeper(engine *Service, d KeeperDeps) *Keeper {
	if d.Events == nil {
		d.Events = realtime.Discard{}
	}
	return &Keeper{engine: engine, KeeperDeps: d}
}

// Limit is a limit with the names that pages and answers show.
type Limit struct {
	ID         uuid.UUID
	EntityID   uuid.UUID
	Entity     string
	EntityType string
	EntityPath string
	Currency   ledger.Currency
	CategoryID uuid.UUID // Nil means any; so do the next ones
	GameID     uuid.UUID
	DrawID     uuid.UUID
	Element    string
	BetType    string
	Metric     string
	Base       money.Amount
	Pct        money.BasisPoints
	Reason     string
	CreatedBy  uuid.UUID // Nil for a seeded limit
	SetBy      uuid.UUID // the entity whose user set it; Nil for the operator
	SetByPath  string    // its path; "" for Nil
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// LimitFilter selects limits; zero fields select all.
type LimitFilter struct {
	EntityID uuid.UUID
	DrawID   uuid.UUID
	GameID   uuid.UUID
	Level    string // entity type
	Element  string
	Blocks   bool   // of elements in a draw only
	Currency string // code. Of limits that differ in their currencies and amounts only, it selects the one in this currency, or the first one
	Limit    int
	Offset   int
}

const limitColumns = `l.id, l.entity_id, e.name, e.entity_type, e.path, c.id, c.code, c.name, c.symbol, c.digits, c.status, l.category_id, l.game_id, l.draw_id,
	coalesce(l.element, ''), coalesce(l.bet_type, ''), l.metric, l.base, l.pct_bps, l.reason, l.created_by, l.set_by, coalesce(s.path, ''), l.created_at, l.updated_at`

const fromLimits = ` FROM risk_limits l JOIN entities e ON e.id = l.entity_id JOIN currencies c ON c.id = l.currency_id
	LEFT JOIN entities s ON s.id = l.set_by`

// isBlock is blocks in SQL.
const isBlock = `l.draw_id IS NOT NULL AND l.element IS NOT NULL AND l.bet_type IS NULL AND l.base = 0 AND l.pct_bps = 0`

func scanLimit(row pgx.CollectableRow) (Limit, error) {
	var l Limit
	var category, game, draw, by, setBy uuid.NullUUID
	err := row.Scan(&l.ID, &l.EntityID, &l.Entity, &l.EntityType, &l.EntityPath, &l.Currency.ID, &l.Currency.Code, &l.Currency.Name, &l.Currency.Symbol,
		&l.Currency.Digits, &l.Currency.Status, &category, &game, &draw, &l.Element, &l.BetType, &l.Metric, &l.Base,
		&l.Pct, &l.Reason, &by, &setBy, &l.SetByPath, &l.CreatedAt, &l.UpdatedAt)
	l.CategoryID, l.GameID, l.DrawID, l.CreatedBy, l.SetBy = category.UUID, game.UUID, draw.UUID, by.UUID, setBy.UUID
	l.CreatedAt, l.UpdatedAt = l.CreatedAt.UTC(), l.UpdatedAt.UTC()
	return l, err
}

// where selects the limits of a filter in the caller's scope.
func (f *LimitFilter) where(by caller.Caller) *storage.Where {
	w := &storage.Where{}
	w.And(`e.path LIKE ` + w.Arg(by.Scope.Pattern()))
	if f.EntityID != uuid.Nil {
		w.And(`l.entity_id = ` + w.Arg(f.EntityID))
	}
	if f.DrawID != uuid.Nil {
		w.And(`l.draw_id = ` + w.Arg(f.DrawID))
	}
	if f.GameID != uuid.Nil {
		w.And(`l.game_id = ` + w.Arg(f.GameID))
	}
	if f.Level != "" {
		w.And(`e.entity_type = ` + w.Arg(f.Level))
	}
	if f.Element != "" {
		w.And(`l.element = ` + w.Arg(f.Element))
	}
	if f.Blocks {
		w.And(isBlock)
	}
	if f.Currency != "" {
		code := w.Arg(f.Currency)
		w.And(`(c.code = ` + code + ` OR NOT EXISTS (SELECT FROM risk_limits o JOIN currencies oc ON oc.id = o.currency_id
			WHERE o.entity_id = l.entity_id AND o.metric = l.metric AND (oc.code = ` + code + ` OR oc.code < c.code)
			AND (o.category_id, o.game_id, o.draw_id, o.element, o.bet_type)
				IS NOT DISTINCT FROM (l.category_id, l.game_id, l.draw_id, l.element, l.bet_type)))`)
	}
	return w
}

// Limits returns the limits a filter selects, by entity, and how many there are. Limits that differ in their currencies
// and amounts only are next to each other.
func (k *Keeper) Limits(ctx context.Context, by caller.Caller, f *LimitFilter) ([]Limit, int64, error) {
	listing := &storage.Listing{
		Columns: limitColumns, From: fromLimits, Where: f.where(by), Order: `e.path, l.draw_id NULLS FIRST, l.category_id NULLS FIRST,
			l.game_id NULLS FIRST, l.element NULLS FIRST, l.bet_type NULLS FIRST, l.metric, c.code`,
	}
	list, total, err := storage.List(ctx, k.engine.pg.Pool, listing, scanLimit, f.Limit, f.Offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list limits: %w", err)
	}
	return list, total, nil
}

// Limit returns one limit of the caller's subtree. Errors: ErrLimitNotFound.
func (k *Keeper) Limit(ctx context.Context, by caller.Caller, id uuid.UUID) (*Limit, error) {
	return limitBy(ctx, k.engine.pg.Pool, `l.id = $1 AND e.path LIKE $2`, id, by.Scope.Pattern())
}

func limitBy(ctx context.Context, q storage.Querier, where string, args ...any) (*Limit, error) {
	return storage.One(ctx, q, "limit", ErrLimitNotFound, scanLimit,
		`SELECT `+limitColumns+fromLimits+` WHERE `+where, args...)
}

// change changes limits that name a draw, or none (Nil). The change is effective at once in every process: the draw's
// sales are locked out while the revision of its limits is raised, first in Redis, so that no process sells on cached
// limits, and then by the commit. A failed commit leaves Redis ahead, which the next sale detects and repairs.
func (k *Keeper) change(ctx context.Context, draw uuid.UUID, fn func(tx pgx.Tx) error) error {
	err := k.engine.pg.InTx(ctx, func(tx pgx.Tx) error {
		if draw == uuid.Nil {
			return fn(tx)
		}
		if err := storage.LockDraws(ctx, tx, []uuid.UUID{draw}); err != nil {
			return err
		}
		rev, err := drawstate.RaiseRevisionTx(ctx, tx, draw)
		if err != nil {
			return err
		}
		if err := k.engine.announce(ctx, draw, rev); err != nil {
			return ErrUnavailable.WithCause(err)
		}
		return fn(tx)
	})
	if k.engine.ForgetLimits(); err == nil {
		return nil
	}
	if storage.Violates(err, "risk_limits_scope") {
		return ErrLimitExists.WithCause(err)
	}
	return err
}

// announce writes a revision into the counts of a draw. Absent counts get it when they are rebuilt.
func (s *Service) announce(ctx context.Context, draw uuid.UUID, rev int64) error {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	key := keysOf(draw)[0]
	there, err := s.redis.Exists(ctx, key).Result()
	if err != nil || there == 0 {
		return err
	}
	return s.redis.HSet(ctx, key, revField, rev).Err()
}

// publish tells the subtree of an entity that limits of the entity changed.
func (k *Keeper) publish(ctx context.Context, l *Limit) {
	k.Events.Publish(
		ctx, realtime.Below(l.EntityPath),
		realtime.EventOf(k.engine.clock.Now(), realtime.ChangedLimits{EntityID: l.EntityID, DrawID: l.DrawID}),
	)
}

// record adds an entry about a limit to the activity log, as the last statement of its transaction.
func record(ctx context.Context, tx pgx.Tx, action activity.Action, l *Limit) error {
	return activity.RecordPgxTx(ctx, tx, entryOf(action, l))
}

func entryOf(action activity.Action, l *Limit) activity.Entry {
	details := map[string]any{
		"currency": l.Currency.Code, "metric": l.Metric, "base": l.Base.Format(l.Currency.Digits),
		"pct": money.Amount(l.Pct).Format(2), "reason": l.Reason,
		"element": l.Element, "bet_type": l.BetType,
	}
	for name, id := range map[string]uuid.UUID{"draw_id": l.DrawID, "game_id": l.GameID, "category_id": l.CategoryID} {
		if id != uuid.Nil {
			details[name] = id
		}
	}
	return activity.Entry{Action: action, EntityID: l.EntityID, Target: l.ID.String(), Details: details}
}
