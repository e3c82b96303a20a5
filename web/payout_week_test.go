package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
)

// The review of a payout says what the change would have meant with the sales of the last seven days, as the tickets themselves have them.
func TestTheEffectOfAPayoutOnTheSalesOfTheWeek(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	s.header["Accept-Language"] = "en"
	today := fixture.TenTomorrow().In(fixture.Caracas).Format("2006-01-02")
	const sold = `SELECT i.game_id::text FROM ticket_items i JOIN tickets t ON t.id = i.ticket_id JOIN currencies c ON c.id = t.currency_id
		WHERE c.code = 'VES' AND t.status <> 'cancelled' AND (t.created_at AT TIME ZONE 'America/Caracas')::date BETWEEN $1::date - 7 AND $1::date - 1
		GROUP BY 1 ORDER BY sum(i.amount) DESC LIMIT 1`
	game := s.idOf(t, sold, today)
	amount := float64(s.Number(t, strings.Replace(strings.Replace(sold, "SELECT i.game_id::text", "SELECT sum(i.amount)::bigint", 1), "GROUP BY 1", "AND i.game_id = $2 GROUP BY i.game_id", 1), today, game)) / 100
	require.Positive(t, amount)
	animals := float64(s.Number(t, `SELECT count(*) FROM game_elements WHERE game_id = $1`, game))
	at := "/admin/games/" + game + "/payouts"
	form := typedForm(t, s.get(at).Body.String(), at)
	before, err := strconv.ParseFloat(form.Get("payout.straight"), 64)
	require.NoError(t, err)
	w := s.do(http.MethodPost, at, with(form, url.Values{"payout.straight": {strconv.FormatFloat(before-2, 'f', -1, 64)}, "action": {"review"}}))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	said := regexp.MustCompile(`([0-9,.]+) Bs were sold of this game\. With the change the house would have had (?:between [^ ]+ Bs and )?([^ ]+) Bs on average`).FindStringSubmatch(w.Body.String())
	require.NotNil(t, said, w.Body.String())
	number := func(text string) float64 {
		n, err := strconv.ParseFloat(strings.NewReplacer(",", "", "&#43;", "", "+", "").Replace(text), 64)
		require.NoError(t, err, text)
		return n
	}
	assert.InDelta(t, amount, number(said[1]), 0.001)
	assert.InDelta(t, amount*2/animals, number(said[2]), 0.011, "two stakes less for each of %v animals", animals)
}
