package sales

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/sales"
	"banca/models"
)

// The page of a ticket says until when a prize is paid, and asks again only while a result may come.
func TestTheStateOfAPublicTicket(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 16, 30, 0, 0, time.UTC)
	zone := time.FixedZone("America/Caracas", -4*60*60)
	won := sales.Line{DrawID: uuid.New(), GameName: "Lotto <Activo>", DrawTime: at, BetType: catalog.BetStraight, Selection: "05", Name: "León", Result: "05 León", Prize: 1}
	lost := won
	lost.Selection, lost.Name, lost.Prize = "123", "123", 0
	for status, want := range map[string]shownTicket{
		models.TicketPending: {Status: models.TicketPending, Refresh: pendingRefresh},
		models.TicketWon:     {Status: models.TicketWon, Until: "29/11/2026 12:30 pm"},
		"late":               {Status: expiredTicket},
		models.TicketPaid:    {Status: models.TicketPaid},
	} {
		ticket := &sales.Ticket{Status: status, SerialCode: "K7QX9M2P4D6A", CreatedAt: at.Add(-time.Hour), ExpiresAt: at.Add(24 * time.Hour), Lines: []sales.Line{won, lost}}
		now := at
		if status == "late" {
			ticket.Status, now = models.TicketWon, ticket.ExpiresAt
		}
		want.Serial, want.House, want.Point, want.Sold = ticket.SerialCode, "La Banca", "Taquilla 1", "28/11/2026 11:30 am"
		want.Games = []shownGame{{Name: "Lotto <Activo>", Draws: []shownDraw{{
			Time: "28/11/2026 12:30 pm", Result: "05 León", Bets: []shownBet{{Text: "05 León", Won: true}, {Text: "123"}},
		}}}}
		want.Logo = "data:image/png;base64,bG9nbw=="
		shown := shownOf(&sales.Public{Ticket: ticket, House: "La Banca", Logo: []byte("logo"), Point: "Taquilla 1"}, now, zone)
		assert.Equal(t, &want, shown, status)
		page, err := NewTicketPage()
		require.NoError(t, err)
		for _, language := range []string{"es", "en"} {
			out, err := page.show(language, shown)
			require.NoError(t, err)
			assert.Contains(t, string(out.Body), "Lotto &lt;Activo&gt;")
			assert.Contains(t, string(out.Body), `<img class="logo" src="data:image/png;base64,bG9nbw=="`)
			assert.Equal(t, want.Refresh > 0, strings.Contains(string(out.Body), `http-equiv="refresh"`), status)
			assert.NotContains(t, string(out.Body), "{until}")
		}
	}
}
