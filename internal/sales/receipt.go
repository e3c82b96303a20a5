package sales

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
)

// Receipt draws the receipt of a ticket in the caller's scope in its current state, in a format, and returns it
// with its media type. It prints the validation code for a caller who may see it. Errors: tickets.ErrNotFound,
// receipts.ErrFormat.
func (s *Service) Receipt(ctx context.Context, by caller.Caller, id uuid.UUID, format string) ([]byte, string, error) {
	t, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, "", err
	}
	return s.draw(ctx, t, format)
}

// Reprint draws a receipt as [Service.Receipt] does, marked as a copy, and records that in the activity log. Errors: as of Receipt.
func (s *Service) Reprint(ctx context.Context, by caller.Caller, id uuid.UUID, format string) ([]byte, string, error) {
	t, err := s.Get(ctx, by, id)
	if err != nil {
		return nil, "", err
	}
	doc, err := s.document(ctx, t)
	if err != nil {
		return nil, "", err
	}
	doc.Copy = true
	raw, mediaType, err := s.Renderer.Render(doc, format)
	if err != nil {
		return nil, "", err
	}
	err = s.PG.InTx(ctx, func(tx pgx.Tx) error {
		return activity.RecordPgxTx(ctx, tx, activity.Entry{
			Action: activity.TicketsReprint, EntityID: t.EntityID, Target: t.ID.String(),
		})
	})
	return raw, mediaType, err
}

// Copy draws the receipt of a ticket as [Service.Find] returns it, as a picture: without the validation code of a ticket that is not the caller's own. Errors:
// tickets.ErrNotFound.
func (s *Service) Copy(ctx context.Context, by caller.Caller, id uuid.UUID) ([]byte, string, error) {
	t, err := s.Find(ctx, by, id)
	if err != nil {
		return nil, "", err
	}
	return s.draw(ctx, t, receipts.FormatPNG1)
}

func (s *Service) draw(ctx context.Context, t *Ticket, format string) ([]byte, string, error) {
	doc, err := s.document(ctx, t)
	if err != nil {
		return nil, "", err
	}
	return s.Renderer.Render(doc, format)
}

// document returns the content of the receipt, with all texts formatted.
func (s *Service) document(ctx context.Context, t *Ticket) (*receipts.Document, error) {
	chain, err := s.Org.Chain(ctx, t.EntityID)
	if err != nil {
		return nil, err
	}
	printing := chain.Printing()
	return &receipts.Document{
		Logo:  s.logo(ctx, &printing),
		Title: printing.Title, Subtitle: printing.Subtitle, Header: printing.Header, Footer: printing.Footer,
		SerialCode: t.SerialCode, ValidationCode: t.ValidationCode,
		IssuedAt: t.CreatedAt.In(s.Options.Zone).Format("02/01/2006 03:04 PM"), Seller: chain.Self().Code,
		Games: s.receiptGames(t), Total: t.Total.FormatLocal(t.Currency.Digits), Unit: t.Currency.Unit(),
		QR: s.ticketAddress(t), Cancelled: t.cancelled(),
	}, nil
}

// ticketAddress returns the address in the QR code. In upper case it needs fewer modules; the route accepts it.
func (s *Service) ticketAddress(t *Ticket) string {
	return strings.ToUpper(s.Options.PublicURL) + "/T/" + t.SerialCode
}

// receiptGames groups the lines by game and draw, in the order they were sold.
func (s *Service) receiptGames(t *Ticket) []receipts.Game {
	var games []receipts.Game
	for _, g := range t.Grouped() {
		game := receipts.Game{Name: g.Name}
		for _, d := range g.Draws {
			label := d.Time.In(s.Options.Zone).Format("02/01 03:04 PM") + "  #" + d.Number
			draw := receipts.Draw{Label: label}
			for _, l := range d.Lines {
				draw.Lines = append(draw.Lines, receiptLine(l, t.Currency.Digits))
			}
			game.Draws = append(game.Draws, draw)
		}
		games = append(games, game)
	}
	return games
}

func receiptLine(l Line, digits int) receipts.Line {
	line := receipts.Line{Amount: l.Amount.FormatLocal(digits), BetType: betLabel(l.BetType)}
	codes, names := strings.Split(l.Selection, ","), strings.Split(l.Name, ", ")
	for i, code := range codes {
		e := receipts.Element{Code: code}
		if len(names) == len(codes) && names[i] != code {
			e.Name = names[i]
		}
		line.Elements = append(line.Elements, e)
	}
	return line
}

// betLabel returns the printed name of a bet type, or "" for the default bets straight and triple.
func betLabel(betType string) string {
	b := catalog.BetTypeOf(betType)
	if b == nil || b.Plain() {
		return ""
	}
	return b.Label
}

// GameGroup is the part of a ticket on one game.
type GameGroup struct {
	ID    uuid.UUID
	Name  string
	Code  string
	Draws []DrawGroup
}

// DrawGroup is the part of a ticket on one draw.
type DrawGroup struct {
	ID     uuid.UUID
	Number string
	Time   time.Time
	Result string // as of Line
	Lines  []Line
}

// Grouped returns the lines by game and draw, both in the order of their first line.
func (t *Ticket) Grouped() []GameGroup {
	var groups []GameGroup
	for _, l := range t.Lines {
		g := find(groups, func(g *GameGroup) bool { return g.ID == l.GameID })
		if g == nil {
			groups = append(groups, GameGroup{ID: l.GameID, Name: l.GameName, Code: l.GameCode})
			g = &groups[len(groups)-1]
		}
		d := find(g.Draws, func(d *DrawGroup) bool { return d.ID == l.DrawID })
		if d == nil {
			g.Draws = append(g.Draws, DrawGroup{ID: l.DrawID, Number: l.DrawNumber, Time: l.DrawTime, Result: l.Result})
			d = &g.Draws[len(g.Draws)-1]
		}
		d.Lines = append(d.Lines, l)
	}
	return groups
}

func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}
