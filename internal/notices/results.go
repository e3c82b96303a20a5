package notices

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/businessday"
	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/models"
	"banca/storage"
)

// stale is how long after a day its results are still told.
const stale = 6 * time.Hour

// maxResults bounds the results in a message, in characters; a longer list is cut at a line.
const maxResults = 2_900

// results tells the results of the day of a draw, if all draws of the day are decided, to the customers who bought a ticket on that day.
func (s *Service) results(ctx context.Context, draw uuid.UUID) error {
	if wanted, err := s.anyWants(ctx, "results"); err != nil || !wanted {
		return err
	}
	day, over, err := s.decidedDay(ctx, draw)
	if err != nil || !over {
		return err
	}
	text, err := s.resultsOf(ctx, day)
	if err != nil || text == "" {
		return err
	}
	sellers, err := s.sellersOf(ctx, day)
	if err != nil {
		return err
	}
	var wanting storage.UUIDs
	for _, seller := range sellers {
		wanted, err := s.Texts.Wanted(ctx, seller, templates.Results)
		if err != nil {
			return err
		}
		if wanted {
			wanting = append(wanting, seller)
		}
	}
	if len(wanting) == 0 {
		return nil
	}
	return s.tellPlayers(ctx, wanting, day, text)
}

// decidedDay returns the business day of a draw, and whether all its draws are decided and it is not long past.
func (s *Service) decidedDay(ctx context.Context, draw uuid.UUID) (day businessday.Day, over bool, err error) {
	var at time.Time
	err = s.PG.Pool.QueryRow(ctx, `SELECT draw_time FROM draws WHERE id = $1`, draw).Scan(&at)
	if errors.Is(err, pgx.ErrNoRows) {
		return day, false, nil // it was deleted
	}
	if err != nil {
		return day, false, fmt.Errorf("day of draw: %w", err)
	}
	day = businessday.Of(at, s.Zone)
	from, to := day.Bounds(s.Zone)
	if s.Clock.Now().After(to.Add(stale)) {
		return day, false, nil
	}
	err = s.PG.Pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT 1 FROM draws WHERE draw_time >= $1 AND draw_time < $2 AND status NOT IN ('settled', 'suspended'))`, from, to).Scan(&over)
	if err != nil {
		return day, false, fmt.Errorf("draws of day: %w", err)
	}
	return day, over, nil
}

// resultsOf lists the results of a day by game.
func (s *Service) resultsOf(ctx context.Context, day businessday.Day) (string, error) {
	from, to := day.Bounds(s.Zone)
	rows, err := s.PG.Pool.Query(ctx, `SELECT g.name, d.draw_time, concat_ws(' ', r.value, nullif(e.name, r.value), nullif(r.sign, ''), nullif(r.wildcard, ''), nullif(array_to_string(r.flags, ' '), ''))
		FROM draws d JOIN games g ON g.id = d.game_id JOIN results r ON r.id = d.result_id LEFT JOIN game_elements e ON e.game_id = d.game_id AND e.code = r.value
		WHERE d.draw_time >= $1 AND d.draw_time < $2 AND d.status = 'settled' ORDER BY g.position, g.name, d.draw_time, d.id`, from, to)
	if err != nil {
		return "", fmt.Errorf("results of day: %w", err)
	}
	var b strings.Builder
	var game, last, value string
	var at time.Time
	full := false // results that do not fit are left out from the first one on
	_, err = pgx.ForEachRow(rows, []any{&game, &at, &value}, func() error {
		line := at.In(s.Zone).Format("3:04 PM") + " " + value
		if game != last {
			line = game + "\n" + line
		}
		if last = game; b.Len() > 0 {
			line = "\n" + line
		}
		if full {
			return nil
		}
		if full = utf8.RuneCountInString(b.String())+utf8.RuneCountInString(line) > maxResults; full {
			line = "\n…"
		}
		b.WriteString(line)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("results of day: %w", err)
	}
	return b.String(), nil
}

// sellersOf lists the entities that sold a ticket to a customer on a day.
func (s *Service) sellersOf(ctx context.Context, day businessday.Day) ([]uuid.UUID, error) {
	from, to := day.Bounds(s.Zone)
	rows, err := s.PG.Pool.Query(ctx, `SELECT DISTINCT entity_id FROM tickets WHERE created_at >= $1 AND created_at < $2 AND customer_id IS NOT NULL AND status <> 'cancelled'`, from, to)
	if err != nil {
		return nil, fmt.Errorf("sellers of day: %w", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	if err != nil {
		return nil, fmt.Errorf("sellers of day: %w", err)
	}
	return list, nil
}

// player is a customer who bought a ticket on a day, with one of the tickets.
type player struct {
	EntityID    uuid.UUID
	Name, Phone string
	TicketID    uuid.UUID
}

// playersSQL reads the tickets of the day once for all sellers.
const playersSQL = `SELECT DISTINCT ON (t.entity_id, k.phone) t.entity_id, k.name, k.phone, t.id
	FROM tickets t JOIN customers c ON c.id = t.customer_id JOIN customers k ON k.id = coalesce(c.merged_into, c.id)
	WHERE t.created_at >= $2 AND t.created_at < $3 AND t.entity_id = ANY($1) AND t.status <> 'cancelled' AND k.phone IS NOT NULL ORDER BY t.entity_id, k.phone, t.id`

func (s *Service) tellPlayers(ctx context.Context, sellers storage.UUIDs, day businessday.Day, results string) error {
	from, to := day.Bounds(s.Zone)
	rows, err := s.PG.Pool.Query(ctx, playersSQL, sellers, from, to)
	if err != nil {
		return fmt.Errorf("players of day: %w", err)
	}
	players, err := pgx.CollectRows(rows, pgx.RowToStructByPos[player])
	if err != nil {
		return fmt.Errorf("players of day: %w", err)
	}
	for len(players) > 0 {
		n := min(batch, len(players))
		notices := make([]*notice, n)
		for i, p := range players[:n] {
			notices[i] = &notice{
				Outgoing: messaging.Outgoing{EntityID: p.EntityID, TicketID: p.TicketID, About: aboutDay(day.String(), p.EntityID), Kind: models.MessageResults, Recipient: p.Phone},
				values: func(templates.Language) templates.Values {
					return templates.Values{templates.FieldCustomer: p.Name, templates.FieldDay: day.Format(dayFormat), templates.FieldResults: results}
				},
			}
		}
		if err := s.queue(ctx, notices...); err != nil {
			return err
		}
		players = players[n:]
	}
	return nil
}
