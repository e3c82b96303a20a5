package prizes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/tickets"
	"banca/models"
	"banca/storage"
)

// Detail is a ticket with everything about its prize, whether it has won or not.
type Detail struct {
	Prize
	Lines       []WinningLine // annulled ones too
	Payments    []Payment     // newest first
	Differences []Difference  // newest first
}

// WinningLine is a line that won by a result, or had won until that was corrected.
type WinningLine struct {
	LineNo     int
	Game       string
	DrawID     uuid.UUID // of the draw that decided it
	DrawNumber string
	DrawTime   time.Time
	Result     string // the result: value, sign, wildcard, flags
	ResultText string // the result with the name of its value
	Version    int    // of the result
	BetType    string
	Selection  string
	Name       string
	Stake      money.Amount
	Prize      money.Amount
	AnnulledAt time.Time // zero while it counts

	gameID uuid.UUID
}

// differencesShown bounds the differences of one ticket.
const differencesShown = 100

// Get returns a ticket of the caller's subtree with everything about its prize. Errors: tickets.ErrNotFound,
// months.ErrArchived.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Detail, error) {
	rows, err := s.PG.Pool.Query(
		ctx, `SELECT `+prizeColumns+fromPrizes+` WHERE t.id = $1 AND e.path LIKE $2`, id, by.Scope.Pattern(),
	)
	if err != nil {
		return nil, fmt.Errorf("prize: %w", err)
	}
	d := &Detail{}
	if d.Prize, err = pgx.CollectExactlyOneRow(rows, s.scanPrize); err != nil {
		if errors.Is(err, pgx.ErrNoRows) {
			return nil, s.absent(ctx, id)
		}
		return nil, fmt.Errorf("prize: %w", err)
	}
	if d.Lines, err = s.winningLines(ctx, id); err != nil {
		return nil, err
	}
	if d.Payments, err = payments(ctx, s.PG.Pool, `p.ticket_id = $1`, id); err != nil {
		return nil, err
	}
	for i := range d.Payments {
		p := &d.Payments[i]
		err := s.PG.Pool.QueryRow(ctx, `SELECT u.name, e.name FROM users u JOIN entities e ON e.id = u.entity_id WHERE u.id = $1`, p.PaidBy).
			Scan(&p.Payer, &p.PayerEntity)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) {
			return nil, fmt.Errorf("payer: %w", err)
		}
	}
	d.Differences, _, err = s.Differences(ctx, by, &DifferenceFilter{TicketID: id, Limit: differencesShown})
	return d, err
}

// BySerial finds a ticket of the caller's subtree by its serial code. Errors: tickets.ErrNotFound.
func (s *Service) BySerial(ctx context.Context, by caller.Caller, serial string) (uuid.UUID, error) {
	type found struct{ ID uuid.UUID }
	t, err := one[found](ctx, s.PG.Pool, tickets.ErrNotFound, `SELECT t.id FROM tickets t JOIN entities e ON e.id = t.entity_id
		WHERE t.serial_code = $1 AND e.path LIKE $2`, serial, by.Scope.Pattern())
	if err != nil {
		return uuid.Nil, translate(err)
	}
	return t.ID, nil
}

func (s *Service) winningLines(ctx context.Context, id uuid.UUID) ([]WinningLine, error) {
	list, err := storage.Collect(ctx, s.PG.Pool, "winning lines", func(row pgx.CollectableRow) (l WinningLine, err error) {
		var annulledAt *time.Time
		err = row.Scan(
			&l.LineNo, &l.Game, &l.gameID, &l.DrawID, &l.DrawNumber, &l.DrawTime, &l.Result, &l.Version, &l.BetType,
			&l.Selection, &l.Stake, &l.Prize, &annulledAt,
		)
		l.DrawTime, l.AnnulledAt = l.DrawTime.UTC(), models.Instant(annulledAt)
		return l, err
	}, `SELECT l.line_no, g.name, g.id, l.draw_id, d.draw_number, d.draw_time,
		concat_ws(' ', nullif(r.value, ''), nullif(r.sign, ''), nullif(r.wildcard, ''), nullif(array_to_string(r.flags, ' '), '')), r.version,
		i.bet_type, i.selection, i.amount, l.prize, l.annulled_at
		FROM winning_lines l JOIN ticket_lines i ON i.ticket_id = l.ticket_id AND i.line_no = l.line_no
		JOIN draws d ON d.id = l.draw_id JOIN games g ON g.id = d.game_id JOIN results r ON r.id = l.result_id
		WHERE l.ticket_id = $1 ORDER BY l.line_no, l.created_at, r.version`, id)
	if err != nil {
		return nil, err
	}
	for i := range list {
		game, err := s.Catalog.Game(ctx, list[i].gameID)
		if err != nil {
			return nil, err
		}
		list[i].Name, list[i].ResultText = game.NameOf(list[i].Selection), game.ResultText(list[i].Result)
	}
	return list, nil
}
