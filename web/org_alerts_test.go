package web

import (
	"html"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"banca/internal/setup/seed"
)

// The page of an entity begins with what is open about it and everything below it; the operator's has the alerts of all draws.
func TestOpenAlertsOfAnEntity(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	s.count(t)
	sold := s.idOf(t, `SELECT d.draw_id::text FROM draw_totals d JOIN entity_paths p ON p.id = d.path_id WHERE p.path LIKE '%' || $1::text || '%' LIMIT 1`, seed.ID("entity", seed.CodeAgency))
	unsold := s.idOf(t, `SELECT d.id::text FROM draws d WHERE NOT EXISTS (SELECT 1 FROM draw_totals x WHERE x.draw_id = d.id) LIMIT 1`)
	for kind, draw := range map[string]string{"contradiction": sold, "malformed": unsold} {
		s.Exec(t, `INSERT INTO draw_alerts (id, draw_id, kind, detail, first_at, last_at) VALUES ($1, $2, $3, '', now(), now()) ON CONFLICT DO NOTHING`, uuid.New(), draw, kind)
	}
	s.Exec(t, `UPDATE message_logs SET status = 'failed', waiting = false WHERE entity_id = $1`, seed.ID("entity", seed.CodeTicketPoint))
	const ofSold, ofUnsold, messages = "Las fuentes no coinciden", "Una fuente envió una respuesta que no se puede usar", "de la última semana no se pud"
	agency := s.get(entityPath(seed.CodeAgency)).Body.String()
	assert.Contains(t, agency, "Alertas abiertas")
	assert.Contains(t, agency, `href="`+drawsPath+`/`+sold+`"`)
	assert.Contains(t, agency, ofSold)
	assert.NotContains(t, agency, ofUnsold, "nothing was sold on that draw")
	assert.Contains(t, agency, messages)
	assert.Contains(t, agency, `href="/admin/messages?entity=`+seed.CodeAgency)
	assert.NotContains(t, s.get(entityPath("GRU-101")).Body.String(), messages, "the messages are of another branch")
	operator := s.get(orgPath + "/" + rootID.String()).Body.String()
	assert.Contains(t, operator, ofSold)
	assert.Contains(t, operator, ofUnsold)
	s.failClosings(t, `draw_id = '`+sold+`'`)
	assert.Contains(t, s.get(entityPath(seed.CodeAgency)).Body.String(), "1 sorteo no se cerró en official")
	s.Exec(t, `UPDATE draw_alerts SET acknowledged_at = now(), acknowledged_by = $1`, seed.ID("user", "admin@banca.test"))
	assert.NotContains(t, s.get(entityPath(seed.CodeAgency)).Body.String(), ofSold, "it is not open any more")

	s.enter(t, "socio@banca.test")
	s.Exec(t, `UPDATE draw_alerts SET acknowledged_at = NULL, acknowledged_by = NULL`)
	assert.NotContains(t, s.get(entityPath(seed.CodeAgency)).Body.String(), ofSold, "the list of alerts is the operator's")
}

// failClosings adds the alerts of draws that an external system refused to close. where selects the draws.
func (s *testbed) failClosings(t *testing.T, where string) {
	t.Helper()
	s.Exec(t, `INSERT INTO draw_alerts (id, draw_id, kind, detail, first_at, last_at)
		SELECT gen_random_uuid(), d.draw_id, 'close_failed', 'source official: LOTTERY_REFUSED: the lottery system refuses the request: status 404', $1, $1
		FROM (SELECT id AS draw_id, status, draw_time FROM draws) d WHERE `+where, s.Clock.Now())
}

// Draws that an external system does not close for one cause are one row of the start page and of the list of alerts, which leads to their alerts. The
// cause is in the language of the reader.
func TestAlertsOfOneCauseAreOneRow(t *testing.T) {
	t.Parallel()
	s := setupTestbed(t, 2)
	s.Exec(t, `DELETE FROM draw_alerts`)
	s.failClosings(t, `draw_id IN (SELECT id FROM draws WHERE status = 'settled' ORDER BY draw_time DESC LIMIT 8)`)
	other := s.idOf(t, `SELECT id::text FROM draws WHERE NOT EXISTS (SELECT 1 FROM draw_alerts a WHERE a.draw_id = draws.id) LIMIT 1`)
	s.Exec(t, `INSERT INTO draw_alerts (id, draw_id, kind, detail, first_at, last_at) VALUES ($1, $2, 'differs', 'derived: 23, verified: 26', $3, $3)`, uuid.New(), other, s.Clock.Now())
	const list = drawsPath + "/alerts?cause=source+official%3A+LOTTERY_REFUSED+404"
	for language, texts := range map[string][]string{
		spanish: {"8 sorteos no se cerraron en official desde 7:42 pm: rechaza la solicitud (404)", "official: rechaza la solicitud (404)", "Según el otro juego sale 23; el verificado es 26", "1 alerta de sorteos"},
		english: {"8 draws were not closed in official since 7:42 pm: refuses the request (404)", "official: refuses the request (404)", "The base game gives 23; the verified one is 26", "1 alert"},
	} {
		start := html.UnescapeString(s.get(home + "?lang=" + language).Body.String())
		assert.Equal(t, 1, strings.Count(start, texts[0]))
		assert.Contains(t, start, list)
		assert.Contains(t, start, texts[3], "the others are counted without them")
		all := html.UnescapeString(s.get(drawsPath + "/alerts?lang=" + language).Body.String())
		assert.Equal(t, 1, strings.Count(all, texts[0]))
		assert.Contains(t, all, list)
		assert.Equal(t, 8, strings.Count(all, texts[1]+"<details"), "each alert stays in the list")
		assert.Contains(t, all, texts[2])
		of := html.UnescapeString(s.get(list + "&lang=" + language).Body.String())
		assert.Equal(t, 8, strings.Count(of, texts[1]+"<details"))
		assert.NotContains(t, of, texts[2])
	}
	s.Exec(t, `UPDATE draw_alerts SET acknowledged_at = now(), acknowledged_by = $1`, seed.ID("user", "admin@banca.test"))
	assert.Equal(t, http.StatusOK, s.get(list).Code)
	assert.NotContains(t, s.get(list).Body.String(), "filter.wrong")
	assert.NotContains(t, s.get(home).Body.String(), "no se cerraron")
}
