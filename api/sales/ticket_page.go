package sales

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strings"
	"time"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/catalog"
	"banca/internal/sales"
	"banca/internal/tickets"
	"banca/models"
)

// States on the page that no ticket has.
const (
	unknownTicket = "unknown" // no ticket has the serial
	limitedTicket = "limited" // the client has used up its limit of requests
	expiredTicket = "expired" // won, and not collected in time
)

// pendingRefresh is how often, in seconds, the page of a ticket without all results asks again.
const pendingRefresh = 60

// shownTicket is a ticket on its page. Texts that are empty are left out.
type shownTicket struct {
	Status, Serial      string
	House               string
	Logo                template.URL // of its PNG
	Sold, Until         string       // instants; Until is the end of the time in which a prize is paid
	Point, Phone, Place string
	Games               []shownGame
	Refresh             int // seconds; 0 for never
}

type shownGame struct {
	Name  string
	Draws []shownDraw
}

type shownDraw struct {
	Time, Result string
	Bets         []shownBet
}

type shownBet struct {
	Text string
	Won  bool
}

// ticketPage answers a browser with the page of a ticket.
func (o *operations) ticketPage(ctx context.Context, serial string) (*kit.Content, error) {
	language := middleware.Language(ctx)
	public, err := o.sales.PublicOf(ctx, serial)
	if errors.Is(err, tickets.ErrNotFound) {
		return o.page.show(language, &shownTicket{Status: unknownTicket})
	}
	if err != nil {
		return nil, err
	}
	return o.page.show(language, shownOf(public, o.Clock.Now(), o.Zone))
}

// shownOf returns what the page shows of a ticket: no amounts, because whoever is near sees the screen.
func shownOf(p *sales.Public, now time.Time, zone *time.Location) *shownTicket {
	const instant = "02/01/2006 3:04 pm"
	t := p.Ticket
	shown := &shownTicket{
		Status: t.Status, Serial: t.SerialCode, House: p.House, Point: p.Point, Phone: p.Phone, Place: p.Place, Sold: t.CreatedAt.In(zone).Format(instant),
		Logo: kit.PictureURL(p.Logo),
	}
	switch {
	case t.Status == models.TicketWon && !now.Before(t.ExpiresAt):
		shown.Status = expiredTicket
	case t.Status == models.TicketWon:
		shown.Until = t.ExpiresAt.In(zone).Format(instant)
	case t.Status == models.TicketPending:
		shown.Refresh = pendingRefresh
	}
	for _, g := range t.Grouped() {
		game := shownGame{Name: g.Name}
		for _, d := range g.Draws {
			draw := shownDraw{Time: d.Time.In(zone).Format(instant), Result: d.Result}
			for i := range d.Lines {
				draw.Bets = append(draw.Bets, shownBet{Text: betText(&d.Lines[i]), Won: d.Lines[i].Prize > 0})
			}
			game.Draws = append(game.Draws, draw)
		}
		shown.Games = append(shown.Games, game)
	}
	return shown
}

// betText is a bet with its codes, their names and what is not the plain bet of its game.
func betText(l *sales.Line) string {
	text := strings.ReplaceAll(l.Selection, ",", " ")
	if l.Name != "" && l.Name != l.Selection {
		text += " " + l.Name
	}
	if b := catalog.BetTypeOf(l.BetType); b != nil && !b.Plain() {
		text += " " + b.Label
	}
	return text
}

// show renders the page of a ticket in a language. An unknown serial is not repeated.
func (p *TicketPage) show(language string, t *shownTicket) (*kit.Content, error) {
	text := func(key string) string { return problem.Text(language, "page."+key, nil) }
	title := text("ticket")
	if t.Status == limitedTicket {
		title = ""
	}
	out, err := p.Render(language, struct {
		*shownTicket

		Language, Title, State, Hint, Result, SoldAt, Results string
	}{
		shownTicket: t, Language: language, Title: title, State: text("ticket." + t.Status),
		Hint:   problem.Text(language, "page.ticket."+t.Status+".hint", map[string]string{"until": t.Until}),
		Result: text("ticket.result"), SoldAt: text("ticket.sold"), Results: text("results.all"),
	})
	switch t.Status {
	case unknownTicket:
		out.Status = http.StatusNotFound
	case limitedTicket:
		out.Status = http.StatusTooManyRequests
	}
	return out, err
}
