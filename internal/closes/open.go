package closes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// OpenRequest opens the day of an entity in a currency.
type OpenRequest struct {
	EntityID       uuid.UUID       // the caller's own entity if Nil
	Currency       string          // id or code
	Day            businessday.Day // today if zero
	OpeningCash    string          // "" leaves it as it is
	IdempotencyKey string
}

// oldest bounds the days that can be opened.
const oldest = 366

// Open returns the open day of an entity in the caller's scope, and opens it if it is not. Opening an open day sets
// its opening cash. Errors: ErrEntityNotFound, ledger.ErrCurrencyNotFound, ErrFuture, ErrTooOld, ErrClosed, ErrCash,
// and errors of idempotency.
func (s *Service) Open(ctx context.Context, by caller.Caller, req *OpenRequest) (*Close, bool, error) {
	entity := req.EntityID
	if entity == uuid.Nil {
		entity = by.EntityID
	}
	o, err := s.opening(ctx, by, entity, req)
	if err != nil {
		return nil, false, err
	}
	key, err := idempotency.KeyOf(entity, req.IdempotencyKey)
	if err != nil {
		return nil, false, err
	}
	use := idempotency.Use{Key: key, Meaning: idempotency.Of("open-day", entity.String(), o.currency.ID.String(), o.day.String(), idempotency.Decimal(req.OpeningCash))}
	replay := func(ctx context.Context, first *idempotency.Answer) (*Close, error) {
		id, err := first.ID()
		if err != nil {
			return nil, err
		}
		return s.Get(ctx, by, id)
	}
	c, again, err := idempotency.Once(ctx, s.PG.Pool, use, replay, func() (*Close, error) {
		var opened *Close
		err := s.PG.Retried(ctx, func(tx pgx.Tx) error {
			id, err := s.openTx(ctx, tx, o)
			if err != nil {
				return err
			}
			if opened, err = s.rowTx(ctx, tx, id); err != nil {
				return err
			}
			return use.StoreTx(ctx, tx, &idempotency.Answer{Response: id[:]})
		})
		return opened, err
	})
	if err != nil {
		return nil, false, err
	}
	list := []Close{*c}
	return &list[0], again, s.withhold(ctx, by, list)
}

// opening is a validated request.
type opening struct {
	entity   org.Node
	currency ledger.Currency
	wallet   uuid.UUID // Nil for an entity above ticket points
	day      businessday.Day
	cash     *money.Amount // nil leaves it
	user     uuid.UUID     // Nil for the task
}

func (s *Service) opening(ctx context.Context, by caller.Caller, entity uuid.UUID, req *OpenRequest) (*opening, error) {
	chain, err := s.Org.Chain(ctx, entity)
	if errors.Is(err, org.ErrEntityNotFound) || err == nil && !by.Scope.Contains(chain.Path()) {
		return nil, ErrEntityNotFound
	}
	if err != nil {
		return nil, err
	}
	o := &opening{entity: chain.Self(), day: req.Day, user: by.UserID}
	if o.currency, err = s.Ledger.AnyCurrency(ctx, req.Currency); err != nil {
		return nil, err
	}
	today := s.today()
	if o.day.IsZero() {
		o.day = today
	}
	switch {
	case o.day.After(today):
		return nil, ErrFuture
	case o.day.DaysUntil(today) > oldest:
		return nil, ErrTooOld
	}
	if req.OpeningCash != "" {
		cash, err := openingCash(req.OpeningCash, o.currency)
		if err != nil {
			return nil, err
		}
		o.cash = &cash
	}
	if o.entity.Type != models.EntityTicketPoint {
		return o, nil
	}
	wallets, err := s.Ledger.MainWallets(ctx, o.currency.ID, o.entity.ID)
	if err != nil {
		return nil, err
	}
	o.wallet = wallets[0]
	return o, nil
}

// openTx returns the id of the open row of a day, and inserts it if there is none. Errors: ErrClosed.
func (s *Service) openTx(ctx context.Context, tx pgx.Tx, o *opening) (uuid.UUID, error) {
	if err := lockTx(ctx, tx, o.entity.ID); err != nil {
		return uuid.Nil, err
	}
	if closed, err := closedFrom(ctx, tx, o); err != nil || closed {
		return uuid.Nil, errors.Join(err, closedError(closed))
	}
	now, err := storage.DecisionTime(ctx, tx, s.Clock)
	if err != nil {
		return uuid.Nil, err
	}
	return insertOpen(ctx, tx, o, now)
}

func closedError(closed bool) error {
	if closed {
		return ErrClosed
	}
	return nil
}

// closedFrom reports whether the day or a later one is closed.
func closedFrom(ctx context.Context, db storage.RowQuerier, o *opening) (closed bool, err error) {
	err = db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM daily_closes WHERE entity_id = $1 AND currency_id = $2 AND day >= $3 AND status = 'closed')`,
		o.entity.ID, o.currency.ID, o.day).Scan(&closed)
	if err != nil {
		return false, fmt.Errorf("closed days: %w", err)
	}
	return closed, nil
}

// insertOpen inserts the open row of a day, or sets the opening cash of the one that exists, and returns its id.
func insertOpen(ctx context.Context, tx pgx.Tx, o *opening, now time.Time) (id uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `INSERT INTO daily_closes AS c (id, entity_id, currency_id, wallet_id, day, opening_cash, opened_by, opened_at)
		VALUES ($1, $2, $3, $4, $5, coalesce($6::bigint, 0), $7, $8)
		ON CONFLICT (entity_id, currency_id, day) DO UPDATE SET opening_cash = coalesce($6::bigint, c.opening_cash) RETURNING id`,
		uuid.Must(uuid.NewV7()), o.entity.ID, o.currency.ID, models.Optional(o.wallet), o.day, o.cash, models.Optional(o.user), now).Scan(&id)
	if err != nil {
		return uuid.Nil, fmt.Errorf("open day: %w", err)
	}
	return id, nil
}
