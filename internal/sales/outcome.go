package sales

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/storage"
)

// outcomeRows are what the results made of a ticket.
type outcomeRows struct {
	results []resultRow
	winners []winnerRow
	sellers []sellerRow
}

// resultRow is the verified result of a draw.
type resultRow struct {
	DrawID uuid.UUID
	Result string // value, sign, wildcard, flags
}

// winnerRow is a line that has won, by one of its draws.
type winnerRow struct {
	LineNo int
	Prize  int64
}

type sellerRow struct{ Name string }

// addOutcome adds the results of the draws of a ticket, what each line has won and the name of its seller, in one round trip. A window bet may have
// won on a later draw than its own.
func (s *Service) addOutcome(ctx context.Context, t *Ticket) error {
	draws := make(storage.UUIDs, len(t.Lines))
	for i := range t.Lines {
		draws[i] = t.Lines[i].DrawID
	}
	var rows outcomeRows
	b := &pgx.Batch{}
	collect(b.Queue(`SELECT draw_id, concat_ws(' ', nullif(value, ''), nullif(sign, ''), nullif(wildcard, ''), nullif(array_to_string(flags, ' '), '')) AS result
		FROM results WHERE draw_id = ANY ($1::uuid[]) AND status = 'verified'`, draws), &rows.results)
	collect(b.Queue(`SELECT line_no, prize FROM winning_lines WHERE ticket_id = $1 AND annulled_at IS NULL`, t.ID), &rows.winners)
	collect(b.Queue(`SELECT name FROM users WHERE id = $1`, t.UserID), &rows.sellers)
	if err := s.PG.Pool.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("outcome of ticket: %w", err)
	}
	for _, seller := range rows.sellers {
		t.SoldBy = seller.Name
	}
	return s.applyOutcome(ctx, t, &rows)
}

// applyOutcome writes the rows into the lines.
func (s *Service) applyOutcome(ctx context.Context, t *Ticket, rows *outcomeRows) error {
	results, prizes := make(map[uuid.UUID]string, len(rows.results)), make(map[int]money.Amount, len(rows.winners))
	for _, r := range rows.results {
		results[r.DrawID] = r.Result
	}
	for _, w := range rows.winners {
		prizes[w.LineNo] = money.Amount(w.Prize)
	}
	for i := range t.Lines {
		l := &t.Lines[i]
		l.Prize = prizes[l.Number]
		if result := results[l.DrawID]; result != "" {
			game, err := s.Catalog.Game(ctx, l.GameID)
			if err != nil {
				return err
			}
			l.Result = game.ResultText(result)
		}
	}
	return nil
}
