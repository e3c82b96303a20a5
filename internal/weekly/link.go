package weekly

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/storage"
)

// LinkRequest names a movement that pays a settlement.
type LinkRequest struct {
	ID             uuid.UUID
	MovementID     uuid.UUID
	IdempotencyKey string
}

// Link registers a movement as a payment of a settlement: a deposit, withdrawal or transfer between a wallet of the
// entity or below it and another wallet, which is counted in the payments of the next week. Errors: ErrNotFound,
// ErrNotAbove, ErrUnconfirmed, ErrNoPayment, ErrLinked, and errors of idempotency.
func (s *Service) Link(ctx context.Context, by caller.Caller, req *LinkRequest) (*Settlement, bool, error) {
	found, err := s.payable(ctx, by, req.ID)
	if err != nil {
		return nil, false, err
	}
	meaning := idempotency.Of("link payment of weekly settlement", req.ID.String(), req.MovementID.String())
	return s.once(ctx, by, found, req.IdempotencyKey, meaning, func(use idempotency.Use) (*Settlement, error) {
		if found.Status == Draft {
			return nil, ErrUnconfirmed
		}
		p := &payment{found: found, movement: req.MovementID, user: by.UserID, use: use}
		return s.change(ctx, p, activity.SettlementsPay, func(tx pgx.Tx) error {
			if err := s.paysTx(ctx, tx, found, p.movement); err != nil {
				return err
			}
			return s.linkTx(ctx, tx, p)
		})
	})
}

// Unlink takes back the registration of a payment; the movement stays. Errors: ErrNotFound, ErrNotAbove,
// ErrNotLinked, and errors of idempotency.
func (s *Service) Unlink(ctx context.Context, by caller.Caller, req *LinkRequest) (*Settlement, bool, error) {
	found, err := s.payable(ctx, by, req.ID)
	if err != nil {
		return nil, false, err
	}
	meaning := idempotency.Of("unlink payment of weekly settlement", req.ID.String(), req.MovementID.String())
	return s.once(ctx, by, found, req.IdempotencyKey, meaning, func(use idempotency.Use) (*Settlement, error) {
		p := &payment{found: found, movement: req.MovementID, user: by.UserID, use: use}
		return s.change(ctx, p, activity.SettlementsUnlink, func(tx pgx.Tx) error {
			tag, err := tx.Exec(
				ctx, `DELETE FROM weekly_payments WHERE settlement_id = $1 AND transaction_id = $2`, found.ID,
				req.MovementID,
			)
			if err != nil {
				return fmt.Errorf("unlink payment: %w", err)
			}
			if tag.RowsAffected() == 0 {
				return ErrNotLinked
			}
			return nil
		})
	})
}

// payment is the registration of a movement as a payment.
type payment struct {
	found    *Settlement
	movement uuid.UUID
	user     uuid.UUID
	use      idempotency.Use
	after    *Settlement // after the change
}

// linkTx registers a movement under the lock, and adds it to the activity log. A repeat for the same settlement
// changes nothing. Errors: ErrLinked.
func (s *Service) linkTx(ctx context.Context, tx pgx.Tx, p *payment) error {
	var settlement uuid.UUID
	err := tx.QueryRow(ctx, `SELECT settlement_id FROM weekly_payments WHERE entity_id = $1 AND transaction_id = $2`, p.found.EntityID, p.movement).Scan(&settlement)
	switch {
	case err == nil && settlement == p.found.ID:
		return nil
	case err == nil:
		return ErrLinked
	case !errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("find payment: %w", err)
	}
	_, err = tx.Exec(ctx, `INSERT INTO weekly_payments (settlement_id, entity_id, transaction_id, user_id, created_at) VALUES ($1, $2, $3, $4, clock_timestamp())`,
		p.found.ID, p.found.EntityID, p.movement, p.user)
	if err != nil {
		return fmt.Errorf("link payment: %w", err)
	}
	return nil
}

// linkedTx registers the movement that was made for a settlement, with the key of the request. Errors: ErrUndrafted
// if the payments of the next settlement will not count it.
func (s *Service) linkedTx(ctx context.Context, tx pgx.Tx, p *payment, at time.Time) error {
	_, to, err := s.window(ctx, tx, p.found)
	if err != nil {
		return err
	}
	if !at.Before(to) {
		return ErrUndrafted
	}
	if err := s.linkTx(ctx, tx, p); err != nil {
		return err
	}
	return s.changedTx(ctx, tx, p, activity.SettlementsPay)
}

// changedTx stores the key of a request and adds the change to the activity log.
func (s *Service) changedTx(ctx context.Context, tx pgx.Tx, p *payment, action activity.Action) error {
	if err := p.use.StoreTx(ctx, tx, &idempotency.Answer{Response: p.found.ID[:]}); err != nil {
		return err
	}
	var err error
	if p.after, err = s.rowTx(ctx, tx, p.found); err != nil {
		return err
	}
	return record(ctx, tx, action, p.found, map[string]any{"movement": p.movement})
}

// crossing selects the movements m between a wallet of an entity of the path pattern $1 and a wallet outside, in the
// currency $2.
const crossing = `FROM payable_movements m JOIN wallets w ON w.id = m.wallet_id AND w.currency_id = $2 AND NOT m.reversed JOIN entities e ON e.id = w.entity_id AND e.path LIKE $1
	JOIN wallets o ON o.id = m.counterpart_id JOIN entities f ON f.id = o.entity_id AND f.path NOT LIKE $1`

// paysTx checks that a movement may pay a settlement. Errors: ErrNoPayment.
func (s *Service) paysTx(ctx context.Context, tx pgx.Tx, found *Settlement, movement uuid.UUID) error {
	from, to, err := s.window(ctx, tx, found)
	if err != nil {
		return err
	}
	var fits bool
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 `+crossing+` WHERE m.transaction_id = $3 AND m.created_at >= $4 AND m.created_at < $5)`,
		found.Path+"%", found.Currency.ID, movement, from, to).Scan(&fits)
	if err != nil {
		return fmt.Errorf("movement of payment: %w", err)
	}
	if !fits {
		return ErrNoPayment
	}
	return nil
}

// window is the time in which movements pay a settlement: from the end of its week to the end of the week of the next
// settlement. If there is none, it will be of the next week that is drafted, or of a later one.
func (s *Service) window(
	ctx context.Context, db storage.RowQuerier, found *Settlement,
) (from, to time.Time, err error) {
	_, from = found.To().Bounds(s.Zone)
	var next businessday.Day
	err = db.QueryRow(ctx, `SELECT coalesce((SELECT max(week) FROM weekly_settlements WHERE previous_id = $1), (SELECT max(week) + 7 FROM weekly_drafts WHERE currency_id = $2))`,
		found.ID, found.Currency.ID).Scan(&next)
	if err != nil {
		return from, to, fmt.Errorf("next settlement: %w", err)
	}
	_, to = next.AddDays(6).Bounds(s.Zone)
	return from, to, nil
}
