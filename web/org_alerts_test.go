package web

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"banca/internal/seed"
)

// The page of an entity begins with what is open about it and everything below it; the operator's has the alerts of all draws.
func TestOpenAlertsOfAnEntity(t *testing.T) {
	t.Parallel()
	s := setupStage(t, 2)
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
	s.Exec(t, `UPDATE draw_alerts SET acknowledged_at = now(), acknowledged_by = $1`, seed.ID("user", "admin@banca.test"))
	assert.NotContains(t, s.get(entityPath(seed.CodeAgency)).Body.String(), ofSold, "it is not open any more")

	s.enter(t, "socio@banca.test")
	s.Exec(t, `UPDATE draw_alerts SET acknowledged_at = NULL, acknowledged_by = NULL`)
	assert.NotContains(t, s.get(entityPath(seed.CodeAgency)).Body.String(), ofSold, "the list of alerts is the operator's")
}
