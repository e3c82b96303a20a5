package notices

import (
	"context"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
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

// decided is a ticket whose prize a decision changed, with its buyer.
type decided struct {
	ID, EntityID, CurrencyID uuid.UUID
	Serial                   string
	Total, Prize             money.Amount
	ExpiresAt                time.Time
	Name, Phone              string
	At                       time.Time // of the decision
}

const decidedColumns = `t.id, t.entity_id, t.currency_id, t.serial_code, t.total, t.prize, t.expires_at, k.name, k.phone, coalesce(t.settled_at, $1)`

const buyersOfTickets = `JOIN customers c ON c.id = t.customer_id JOIN customers k ON k.id = coalesce(c.merged_into, c.id)`

// winnersSQL finds the winning tickets of a decision whose buyers have a telephone. Its first condition uses the index
// of the decision's instant.
const winnersSQL = `SELECT ` + decidedColumns + ` FROM tickets t ` + buyersOfTickets + `
	WHERE t.status IN ('won', 'paid') AND t.settled_at = $1 AND t.id < $2 AND t.status = 'won' AND k.phone IS NOT NULL
	ORDER BY t.settled_at DESC, t.id DESC LIMIT $3`

// losersSQL finds the tickets that lost their prize by a correction. A paid ticket keeps its state: the ticket point
// clears the difference with the buyer, without a message.
const losersSQL = `SELECT ` + decidedColumns + ` FROM (SELECT DISTINCT ticket_id FROM winning_lines WHERE annulled_at = $1 AND ticket_id < $2) l
	JOIN tickets t ON t.id = l.ticket_id ` + buyersOfTickets + `
	WHERE t.status IN ('lost', 'pending') AND k.phone IS NOT NULL ORDER BY t.id DESC LIMIT $3`

// prizes notifies the buyers whose prize differs from the last delivered version.
func (s *Service) prizes(ctx context.Context, decidedAt time.Time) error {
	if wanted, err := s.anyWants(ctx, "prizes"); err != nil || !wanted {
		return err
	}
	for _, sql := range []string{winnersSQL, losersSQL} {
		if err := s.prizesOf(ctx, sql, decidedAt); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) prizesOf(ctx context.Context, sql string, decidedAt time.Time) error {
	for before := uuid.Max; ; {
		list, err := storage.Collect(ctx, s.PG.Pool, "decided tickets", pgx.RowToStructByPos[decided], sql, decidedAt, before, batch)
		if err != nil {
			return err
		}
		if err := s.notifyBuyers(ctx, list); err != nil || len(list) < batch {
			return err
		}
		before = list[len(list)-1].ID
	}
}

// prizeKinds are the kinds of messages about the prize of a ticket.
func prizeKinds() kinds {
	return kinds{
		first: models.MessagePrize, corrected: models.MessagePrizeCorrected, withdrawn: models.MessagePrizeWithdrawn,
	}
}

func (s *Service) notifyBuyers(ctx context.Context, list []decided) error {
	ids := make([]uuid.UUID, len(list))
	for i := range list {
		ids[i] = list[i].ID
	}
	updates := make([]*update, len(list))
	for i := range list {
		t := &list[i]
		currency, err := s.Ledger.AnyCurrency(ctx, t.CurrencyID.String())
		if err != nil {
			return err
		}
		updates[i] = &update{
			notice: notice{Outgoing: messaging.Outgoing{
				EntityID: t.EntityID, TicketID: t.ID, About: t.ID, Version: t.At.UnixMicro(),
				Content: PrizeContent(t.Prize), Recipient: t.Phone,
			}},
			of: messaging.Subject{About: t.ID}, kinds: prizeKinds(),
			with: func(_ templates.Language, before string) templates.Values { return s.prizeValues(t, &currency, before) },
		}
	}
	return s.sync(ctx, query{about: ids}, updates)
}

func (s *Service) prizeValues(t *decided, c *ledger.Currency, before string) templates.Values {
	return templates.Values{
		templates.FieldCustomer: t.Name, templates.FieldSerial: t.Serial, templates.FieldTotal: c.Local(t.Total),
		templates.FieldPrize:   c.Local(t.Prize),
		templates.FieldBefore:  c.Local(prizeOf(before)),
		templates.FieldExpires: t.ExpiresAt.In(s.Zone).Format(dayFormat),
		templates.FieldLink:    s.PublicURL + "/t/" + t.Serial,
	}
}

// PrizeContent is the content of a message about a prize.
func PrizeContent(a money.Amount) string {
	if a == 0 {
		return nothing
	}
	return strconv.FormatInt(int64(a), 10)
}

// prizeOf reads PrizeContent.
func prizeOf(content string) money.Amount {
	a, _ := strconv.ParseInt(content, 10, 64) // an error means nothing, which is zero
	return money.Amount(a)
}
