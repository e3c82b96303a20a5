package sales

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/idempotency"
	"banca/internal/tickets"
	"banca/models"
	"banca/tasks/outbox"
)

// queueTickets inserts the tickets of sales with their lines.
func queueTickets(b *pgx.Batch, list []*pendingSale) {
	rows, n := make([]*models.Ticket, len(list)), 0
	for i, p := range list {
		rows[i] = &p.ticket
		n += len(p.quote.lines)
	}
	tickets.QueueInsert(b, rows)
	lines := tickets.NewLines(n)
	for _, p := range list {
		for i := range p.quote.lines {
			l := &p.quote.lines[i]
			lines.Add(p.ticket.ID, i, &tickets.Line{
				DrawID: l.DrawID, GameID: l.GameID, BetType: l.BetType, Selection: l.Selection,
				Amount: int64(l.Amount), Payout: int64(l.Payout), Prize: int64(l.PotentialPrize),
				RuleVersion: l.game.RuleVersion, Rates: l.rates.text,
			})
		}
	}
	lines.Queue(b)
}

// queueKeys stores the keys of the sales that have one.
func queueKeys(b *pgx.Batch, list []*pendingSale) {
	var keys []uuid.UUID
	var answers []*idempotency.Answer
	for _, p := range list {
		if p.use.Key != uuid.Nil {
			keys, answers = append(keys, p.use.Key), append(answers, p.answer())
		}
	}
	idempotency.QueueStore(b, keys, answers)
}

func queueOutbox(b *pgx.Batch, list []*pendingSale) {
	rows := make([]outbox.Row, 0, len(list))
	for _, p := range list {
		rows = append(rows, p.outbox...)
	}
	outbox.QueueInsert(b, rows)
}

// encodeCuts encodes the cuts of a partial sale, so that a repeat gets the same answer; nil for a full sale.
func encodeCuts(cuts []Cut) []byte {
	if len(cuts) == 0 {
		return nil
	}
	raw, err := json.Marshal(cuts)
	if err != nil { // integers and text always encode
		return nil
	}
	return raw
}

func decodeCuts(raw []byte) ([]Cut, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	var cuts []Cut
	return cuts, json.Unmarshal(raw, &cuts)
}

// distinct sorts ids and drops repeats.
func distinct(ids []uuid.UUID) []uuid.UUID {
	slices.SortFunc(ids, func(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(ids)
}
