package web

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/setup/seed"
)

// agencyAdmin makes the user of a partner an administrator of the agency.
func (s *testbed) agencyAdmin(t *testing.T) string {
	t.Helper()
	s.Exec(t, `UPDATE users SET entity_id = $1, role = 'ADMIN' WHERE email = 'socio@banca.test'`, fixture.EntityID(seed.CodeAgency))
	return "socio@banca.test"
}

// A limit and a block that an entity above set have no control that takes them away, for the entity below; what it set itself has.
func TestWhatWasSetAboveHasNoControlToRemoveIt(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	agency, ves := fixture.EntityID(seed.CodeAgency), seed.ID("currency", "VES")
	s.Exec(t, `DELETE FROM risk_limits`)
	draw := s.idOf(t, `SELECT id::text FROM draws WHERE status = 'open' AND sale_stop_at > $1 LIMIT 1`, s.Clock.Now())
	limits, blocks := map[uuid.UUID]string{}, map[uuid.UUID]string{}
	for setter, metric := range map[uuid.UUID]string{rootID: "stake", agency: "liability"} {
		limits[setter], blocks[setter] = uuid.NewString(), uuid.NewString()
		s.Exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, set_by) VALUES ($1, $2, $3, $4, 900000, $5)`, limits[setter], agency, ves, metric, setter)
		s.Exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, draw_id, element, metric, base, set_by) VALUES ($1, $2, $3, $4, $5, 'stake', 0, $6)`,
			blocks[setter], agency, ves, draw, map[string]string{"stake": "7", "liability": "8"}[metric], setter)
	}
	page := func(path string) string {
		w := s.get(path)
		require.Equal(t, http.StatusOK, w.Code, path)
		return w.Body.String()
	}
	for _, c := range []struct {
		user    string
		removes map[uuid.UUID]bool // what it may take away, by its setter
	}{{s.agencyAdmin(t), map[uuid.UUID]bool{agency: true}}, {"admin@banca.test", map[uuid.UUID]bool{rootID: true, agency: true}}} {
		s.enter(t, c.user)
		exposure := page(exposurePath + "/" + draw)
		for _, setter := range []uuid.UUID{rootID, agency} {
			limit := page(limitsPath + "/" + limits[setter])
			assert.Contains(t, limit, limits[setter]+"/change", "it can be made tighter")
			if c.removes[setter] {
				assert.Contains(t, limit, limits[setter]+"/delete", c.user)
				assert.NotContains(t, limit, "Lo puso una entidad superior")
				assert.Contains(t, exposure, `value="`+blocks[setter]+`"`, c.user)
				continue
			}
			assert.NotContains(t, limit, limits[setter]+"/delete", c.user)
			assert.Contains(t, limit, "Lo puso una entidad superior", "with the reason")
			assert.NotContains(t, exposure, `value="`+blocks[setter]+`"`, c.user)
			assert.Contains(t, exposure, "Lo bloqueó una entidad superior")
		}
	}
}

// The operator alone writes a difference of a prize off; an entity settles its own.
func TestOnlyTheOperatorHasTheControlToWriteOff(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	s.Exec(t, `INSERT INTO paid_prizes (id, ticket_id, entity_id, wallet_id, currency_id, amount, transaction_id, paid_by, paid_at)
		SELECT gen_random_uuid(), t.id, t.entity_id, t.wallet_id, t.currency_id, 300, gen_random_uuid(), t.user_id, now()
		FROM tickets t JOIN entities e ON e.id = t.entity_id WHERE t.status = 'lost' AND e.path LIKE '%' || $1::text || '%' LIMIT 1`, fixture.EntityID(seed.CodeAgency).String())
	s.Exec(t, `INSERT INTO prize_differences (id, ticket_id, paid_prize_id, result_id, entity_id, currency_id, paid, due, created_at)
		SELECT gen_random_uuid(), p.ticket_id, p.id, (SELECT id FROM results LIMIT 1), p.entity_id, p.currency_id, p.amount, p.amount - 1, now()
		FROM paid_prizes p WHERE p.amount = 300 LIMIT 1`)
	require.Positive(t, s.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'open'`))
	assert.Contains(t, s.get(differencesPath).Body.String(), "/write-off")
	s.enter(t, s.agencyAdmin(t))
	body := s.get(differencesPath).Body.String()
	assert.Contains(t, body, "/settle")
	assert.NotContains(t, body, "/write-off")
}

// The menu leads to the counter those who sell there.
func TestTheMenuHasTheCounterForTicketPoints(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	for user, sells := range map[string]bool{"admin@banca.test": false, "taquilla@banca.test": true, s.agencyAdmin(t): false} {
		s.enter(t, user)
		body := s.get(drawsPath).Body.String()
		assert.Equal(t, sells, strings.Contains(body, `href="`+counterPath+`"`), user)
		menu, _, _ := strings.Cut(body[strings.Index(body, `<nav class="side"`):], "</nav>")
		assert.Equal(t, sells, strings.Count(menu, "<a href=") == 7, "a cashier's menu has what a cashier works with")
		assert.NotEqual(t, http.StatusForbidden, s.get(counterPath).Code, "the page says why")
	}
}

// The tickets of a draw have the column after the participation only if there is one.
func TestTicketsWithoutAParticipationHaveNoColumnAfterIt(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	after := regexp.MustCompile(`<th[^>]*>(<a[^>]*>)?Caja tras participación`)
	shown := func() (draws int) {
		for draw := range strings.SplitSeq(s.Text(t, `SELECT string_agg(DISTINCT draw_id::text, ' ') FROM ticket_items`), " ") {
			if after.MatchString(s.get(reportsPath + "/sales/tickets?draw=" + draw).Body.String()) {
				draws++
			}
		}
		return draws
	}
	assert.Positive(t, shown())
	s.Exec(t, `UPDATE entities SET finance_info = finance_info - 'participation'`)
	assert.Zero(t, shown())
}
