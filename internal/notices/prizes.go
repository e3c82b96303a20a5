package notices

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/internal/money"
	"banca/models"
)

// batch bounds the messages of one transaction.
const batch = 200

// Draw is the handler of notice.draw.
func (s *Service) Draw(ctx context.Context, draw uuid.UUID, decidedAt time.Time) error {
	if err := s.prizes(ctx, decidedAt); err != nil {
		return err
	}
	return s.results(ctx, draw)
}

// winner is a ticket that won, with its buyer.
type winner struct {
	ID, EntityID, CurrencyID uuid.UUID
	Serial                   string
	Total, Prize             money.Amount
	ExpiresAt                time.Time
	Name, Phone              string
}

// winnersSQL finds the tickets that a decision made winners, those of buyers with a telephone. Their instant is that of the decision, and its first
// condition is that of the index.
const winnersSQL = `SELECT t.id, t.entity_id, t.currency_id, t.serial_code, t.total, t.prize, t.expires_at, k.name, k.phone
	FROM tickets t JOIN customers c ON c.id = t.customer_id JOIN customers k ON k.id = coalesce(c.merged_into, c.id)
	WHERE t.status IN ('won', 'paid') AND t.settled_at = $1 AND t.id < $2 AND t.status = 'won' AND k.phone IS NOT NULL
	ORDER BY t.settled_at DESC, t.id DESC LIMIT $3`

// prizes tells the winners of a decision.
func (s *Service) prizes(ctx context.Context, decidedAt time.Time) error {
	if wanted, err := s.anyWants(ctx, "prizes"); err != nil || !wanted {
		return err
	}
	for before := uuid.Max; ; {
		rows, err := s.PG.Pool.Query(ctx, winnersSQL, decidedAt, before, batch)
		if err != nil {
			return fmt.Errorf("winners: %w", err)
		}
		list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[winner])
		if err != nil {
			return fmt.Errorf("winners: %w", err)
		}
		if err := s.tellWinners(ctx, list); err != nil || len(list) < batch {
			return err
		}
		before = list[len(list)-1].ID
	}
}

func (s *Service) tellWinners(ctx context.Context, list []winner) error {
	notices := make([]*notice, len(list))
	for i := range list {
		w := &list[i]
		currency, err := s.Ledger.AnyCurrency(ctx, w.CurrencyID.String())
		if err != nil {
			return err
		}
		notices[i] = &notice{
			Outgoing: messaging.Outgoing{EntityID: w.EntityID, TicketID: w.ID, About: w.ID, Kind: models.MessagePrize, Recipient: w.Phone},
			values: func(templates.Language) templates.Values {
				return templates.Values{
					templates.FieldCustomer: w.Name, templates.FieldSerial: w.Serial, templates.FieldTotal: amount(&currency, w.Total), templates.FieldPrize: amount(&currency, w.Prize),
					templates.FieldExpires: w.ExpiresAt.In(s.Zone).Format(dayFormat), templates.FieldLink: s.PublicURL + "/t/" + w.Serial,
				}
			},
		}
	}
	return s.queue(ctx, notices...)
}
