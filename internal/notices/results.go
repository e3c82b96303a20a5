package notices

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/messaging"
	"banca/internal/messaging/templates"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// Times after a day in which its results are sent, and corrected.
const (
	stale          = 6 * time.Hour
	staleCorrected = 7 * 24 * time.Hour
)

// maxResults bounds the results in a message, in characters; a longer list is cut at a line.
const maxResults = 2_900

// results sends the results of a draw's day, once all draws of the day are decided, to the customers who bought a
// ticket on that day. After a correction it also notifies recipients of other results.
func (s *Service) results(ctx context.Context, draw uuid.UUID) error {
	if wanted, err := s.anyWants(ctx, "results"); err != nil || !wanted {
		return err
	}
	d, err := s.dayOf(ctx, draw)
	if err != nil || !d.over {
		return err
	}
	if err := s.resultsOf(ctx, d); err != nil || d.text == "" {
		return err
	}
	wanting, err := s.wantingSellers(ctx, d.day)
	if err != nil || len(wanting) == 0 {
		return err
	}
	return s.notifyPlayers(ctx, wanting, d)
}

// wantingSellers lists the entities that sold a ticket to a customer on a day and send results.
func (s *Service) wantingSellers(ctx context.Context, day businessday.Day) (wanting storage.UUIDs, err error) {
	sellers, err := s.sellersOf(ctx, day)
	if err != nil {
		return nil, err
	}
	for _, seller := range sellers {
		wanted, err := s.Texts.Wanted(ctx, seller, templates.Results)
		if err != nil {
			return nil, err
		}
		if wanted {
			wanting = append(wanting, seller)
		}
	}
	return wanting, nil
}

// dayResults are the results of a business day.
type dayResults struct {
	day       businessday.Day
	over      bool // all draws are decided, and the day is not long past
	corrected bool // the result of the draw that was decided replaces another one
	text      string
	version   int64 // the instant of the newest result, in microseconds
}

// dayOf returns the business day of a draw.
func (s *Service) dayOf(ctx context.Context, draw uuid.UUID) (*dayResults, error) {
	d := &dayResults{}
	var at time.Time
	err := s.PG.Pool.QueryRow(ctx, `SELECT d.draw_time, r.supersedes IS NOT NULL FROM draws d LEFT JOIN results r ON r.id = d.result_id WHERE d.id = $1`, draw).Scan(&at, &d.corrected)
	if errors.Is(err, pgx.ErrNoRows) {
		return d, nil // it was deleted
	}
	if err != nil {
		return nil, fmt.Errorf("day of draw: %w", err)
	}
	d.day = businessday.Of(at, s.Zone)
	from, to := d.day.Bounds(s.Zone)
	late := stale
	if d.corrected {
		late = staleCorrected
	}
	if s.Clock.Now().After(to.Add(late)) {
		return d, nil
	}
	err = s.PG.Pool.QueryRow(ctx, `SELECT NOT EXISTS (SELECT 1 FROM draws WHERE draw_time >= $1 AND draw_time < $2 AND status NOT IN ('settled', 'suspended'))`, from, to).Scan(&d.over)
	if err != nil {
		return nil, fmt.Errorf("draws of day: %w", err)
	}
	return d, nil
}

// resultsOf lists the results of the day by game.
func (s *Service) resultsOf(ctx context.Context, d *dayResults) error {
	from, to := d.day.Bounds(s.Zone)
	var list resultList
	var game, value string
	var at, verified time.Time
	err := storage.Each(ctx, s.PG.Pool, "results of day", []any{&game, &at, &value, &verified}, func() error {
		list.add(game, at.In(s.Zone).Format("3:04 PM")+" "+value)
		d.version = max(d.version, verified.UnixMicro())
		return nil
	}, `SELECT g.name, d.draw_time, concat_ws(' ', r.value, nullif(e.name, r.value), nullif(r.sign, ''), nullif(r.wildcard, ''), nullif(array_to_string(r.flags, ' '), '')),
			r.verified_at
		FROM draws d JOIN games g ON g.id = d.game_id JOIN results r ON r.id = d.result_id LEFT JOIN game_elements e ON e.game_id = d.game_id AND e.code = r.value
		WHERE d.draw_time >= $1 AND d.draw_time < $2 AND d.status = 'settled' ORDER BY g.position, g.name, d.draw_time, d.id`, from, to)
	if err != nil {
		return err
	}
	d.text = list.text.String()
	return nil
}

// resultList is a list of results by game. Results that do not fit are left out from the first one on.
type resultList struct {
	text strings.Builder
	game string
	full bool
}

func (l *resultList) add(game, line string) {
	if game != l.game {
		line = game + "\n" + line
	}
	if l.game = game; l.text.Len() > 0 {
		line = "\n" + line
	}
	if l.full {
		return
	}
	if l.full = utf8.RuneCountInString(l.text.String())+utf8.RuneCountInString(line) > maxResults; l.full {
		line = "\n…"
	}
	l.text.WriteString(line)
}

// sellersOf lists the entities that sold a ticket to a customer on a day.
func (s *Service) sellersOf(ctx context.Context, day businessday.Day) ([]uuid.UUID, error) {
	from, to := day.Bounds(s.Zone)
	return storage.Collect(ctx, s.PG.Pool, "sellers of day", pgx.RowTo[uuid.UUID],
		`SELECT DISTINCT entity_id FROM tickets WHERE created_at >= $1 AND created_at < $2 AND customer_id IS NOT NULL AND status <> 'cancelled'`, from, to)
}

// player is a customer who bought a ticket on a day, with one of the tickets and its seller.
type player struct {
	OperatorID  uuid.UUID
	EntityID    uuid.UUID
	Name, Phone string
	TicketID    uuid.UUID
}

// playersSQL reads the tickets of the day once for all sellers. A buyer at several
// sellers gets one message, from the seller of the first ticket that may send it.
const playersSQL = `SELECT DISTINCT ON (operator, phone) operator, entity_id, name, phone, id FROM (
		SELECT split_part(e.path, '/', 2)::uuid AS operator, t.entity_id, k.name, k.phone, t.id
		FROM tickets t JOIN entities e ON e.id = t.entity_id ` + buyersOfTickets + `
		WHERE t.created_at >= $2 AND t.created_at < $3 AND t.entity_id = ANY($1) AND t.status <> 'cancelled' AND k.phone IS NOT NULL AND k.opt_out_at IS NULL) bought
	ORDER BY operator, phone, id`

func (s *Service) notifyPlayers(ctx context.Context, sellers storage.UUIDs, d *dayResults) error {
	from, to := d.day.Bounds(s.Zone)
	players, err := storage.Collect(ctx, s.PG.Pool, "players of day", pgx.RowToStructByPos[player], playersSQL, sellers, from, to)
	if err != nil {
		return err
	}
	for part := range slices.Chunk(players, batch) {
		if err := s.notifyPart(ctx, part, d); err != nil {
			return err
		}
	}
	return nil
}

// notifyPart notifies some of the players. A recipient of results of the day gets corrections only.
func (s *Service) notifyPart(ctx context.Context, players []player, d *dayResults) error {
	about, phones := map[uuid.UUID]bool{}, make([]string, len(players))
	list := make([]*update, len(players))
	sum := sha256.Sum256([]byte(d.text))
	digest := hex.EncodeToString(sum[:])
	all := kinds{first: models.MessageResults}
	if d.corrected {
		all.corrected = models.MessageResultsCorrected
	}
	for i, p := range players {
		day := aboutDay(d.day.String(), p.OperatorID)
		about[day], phones[i] = true, p.Phone
		list[i] = &update{
			notice: notice{Outgoing: messaging.Outgoing{
				EntityID: p.EntityID, TicketID: p.TicketID, About: day, Version: d.version, Content: digest,
				Recipient: p.Phone,
			}},
			of: messaging.Subject{About: day, Recipient: p.Phone}, kinds: all,
			with: func(templates.Language, string) templates.Values {
				return templates.Values{
					templates.FieldCustomer: p.Name, templates.FieldDay: d.day.Format(dayFormat),
					templates.FieldResults: d.text,
				}
			},
		}
	}
	return s.sync(ctx, query{slices.Collect(maps.Keys(about)), phones}, list)
}
