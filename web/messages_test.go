package web

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/simulators"
	"banca/internal/messaging"
	"banca/internal/messaging/connections"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/internal/setup/seed"
	"banca/storage"
)

const gatewayKey = "a-very-secret-key"

// messagePanel is a panel whose connections lead to a simulated gateway. Its tests are the worker.
type messagePanel struct {
	*bankPanel

	gateway     *simulators.Gateway
	address     string // of the gateway
	messages    *messaging.Service
	connections *connections.Service
	point       uuid.UUID
}

func setupMessages(t *testing.T) *messagePanel {
	t.Helper()
	p := &messagePanel{bankPanel: setupBank(t), point: seed.ID("entity", seed.CodeTicketPoint)}
	p.messages, p.connections = messagesOf(t, p.env, org.New(p.env.PG.Gorm, org.Options{}))
	p.gateway = simulators.NewGateway(simulators.GatewayConfig{APIKey: gatewayKey, Instance: "seeded", Clock: clock.System{}})
	server := httptest.NewServer(p.gateway)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	p.address = server.URL
	p.enter(t, "admin@banca.test")
	return p
}

// simulate sets a switch of the gateway.
func (p *messagePanel) simulate(t *testing.T, path string, body map[string]any) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	answer, err := http.Post(p.address+path, "application/json", strings.NewReader(string(raw)))
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Less(t, answer.StatusCode, 300, path)
}

func (p *messagePanel) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := p.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// queue queues a message of the ticket point.
func (p *messagePanel) queue(t *testing.T, recipient string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	require.NoError(t, pgx.BeginFunc(t.Context(), p.env.PG.Pool, func(tx pgx.Tx) error {
		_, err := p.messages.QueueTx(t.Context(), tx, &messaging.Outgoing{ID: id, EntityID: p.point, Kind: "payment", Recipient: recipient, Body: "Pago recibido:\n<b>10,00</b> Bs"})
		return err
	}))
	return id
}

// fail inserts messages of the ticket point that failed.
func (p *messagePanel) fail(t *testing.T, n int, status, code string) {
	t.Helper()
	ids := make(storage.UUIDs, n)
	for i := range ids {
		ids[i] = uuid.Must(uuid.NewV7())
	}
	p.exec(t, `INSERT INTO message_logs (id, entity_id, recipient, body, status, error_code, attempts, channel_id)
		SELECT id, $1, '+58414' || lpad(n::text, 7, '0'), 'x', $2, $3, 1, '00000000-0000-0000-0000-000000000000' FROM unnest($4::uuid[]) WITH ORDINALITY u (id, n)`, p.point, status, code, ids)
}

// work is the worker: it sends what is queued and not waiting, and runs what was asked for.
func (p *messagePanel) work(t *testing.T) {
	t.Helper()
	for _, sql := range []string{`SELECT id FROM message_resends WHERE finished_at IS NULL`, `SELECT id FROM message_logs WHERE status = 'queued' AND NOT waiting`} {
		rows, err := p.env.PG.Pool.Query(t.Context(), sql)
		require.NoError(t, err)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		require.NoError(t, err)
		for _, id := range ids {
			if strings.Contains(sql, "resends") {
				require.NoError(t, p.messages.RunResend(t.Context(), id))
				continue
			}
			_ = p.messages.Send(t.Context(), id) // an error that is retried by the queue
		}
	}
}

// connect makes a connection of an entity through the form and returns its page.
func (p *messagePanel) connect(t *testing.T, code, instance string) string {
	t.Helper()
	const form = messagesPath + "/connections/new?driver=evolution"
	to, _ := p.send(t, form, form, http.StatusSeeOther, url.Values{
		"entity": {code}, "name": {"WhatsApp " + instance}, "per_minute": {"30"}, "p_base_url": {p.address}, "p_instance": {instance}, "p_api_key": {gatewayKey},
	})
	page, _, _ := strings.Cut(to, "?")
	return page
}

func TestAConnectionIsMadeInThePanel(t *testing.T) {
	t.Parallel()
	p := setupMessages(t)
	const list, form = messagesPath + "/connections", messagesPath + "/connections/new?driver=evolution"
	assert.Contains(t, p.get(list).Body.String(), "Ninguna entidad tiene una conexión propia")
	assert.Contains(t, p.get(messagesPath+"/connections/new").Body.String(), "driver=evolution")
	assert.Contains(t, p.get(messagesPath+"/connections/new?driver=nonsense").Body.String(), "driver=evolution", "a choice")

	_, body := p.send(t, form, form, http.StatusUnprocessableEntity, url.Values{
		"entity": {seed.CodeTicketPoint}, "per_minute": {"many"}, "p_base_url": {"gopher://x"}, "p_instance": {"banca"}, "p_api_key": {gatewayKey}, "p_other": {"x"},
	})
	assert.Contains(t, body, `value="gopher://x"`, "what was typed stays")
	assert.NotContains(t, body, gatewayKey, "but for secrets")
	for _, id := range []string{"h-per_minute", "h-p_base_url"} {
		assert.Regexp(t, `class="hint wrong" id="`+id+`"`, body)
	}
	p.send(t, form, form, http.StatusNotFound, url.Values{"entity": {"NOWHERE"}, "p_base_url": {p.address}, "p_instance": {"banca"}, "p_api_key": {gatewayKey}})

	page := p.connect(t, seed.CodeTicketPoint, "point")
	shown := p.get(page).Body.String()
	assert.Contains(t, shown, "Espera el escaneo")
	assert.Contains(t, shown, "/messaging/webhooks/"+strings.TrimPrefix(page, list+"/"))
	assert.NotContains(t, shown, gatewayKey)
	w := p.get(page + "/qr")
	require.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "image/png", w.Header().Get("Content-Type"))
	_, body = p.send(t, form, form, http.StatusConflict, url.Values{"entity": {seed.CodeTicketPoint}, "p_base_url": {p.address}, "p_instance": {"again"}, "p_api_key": {gatewayKey}})
	assert.Contains(t, body, "ya tiene una conexión")

	p.send(t, page, page+"/settings", http.StatusSeeOther, url.Values{"name": {"La <b>Fortuna"}, "per_minute": {"45"}, "p_base_url": {p.address}, "p_instance": {"point"}, "p_api_key": {""}})
	_, body = p.send(t, page, page+"/settings", http.StatusUnprocessableEntity, url.Values{"name": {"X"}, "per_minute": {"0"}, "p_api_key": {"a new secret key"}})
	assert.NotContains(t, body, "a new secret key")
	shown = p.get(list).Body.String()
	assert.Contains(t, shown, "La &lt;b&gt;Fortuna")
	all := p.get(list + "?show=all").Body.String()
	assert.Contains(t, all, "Conexión del sistema")
	for reason, want := range map[string]string{
		"not sent: the server cannot be reached, or ended the connection": "no se envió: el servidor no responde, o cortó la conexión",
		"no QR code was scanned in time":                                  "nadie escaneó el código QR a tiempo",
		"closed: Forbidden":                                               "se cerró: Forbidden",
		"the session is FAILED":                                           "la sesión está FAILED",
		"the account is banned: closed":                                   "Bloqueada por WhatsApp: se cerró",
		"what a provider says":                                            "what a provider says",
	} {
		p.exec(t, `UPDATE messaging_connections SET reason = $2 WHERE id = $1`, strings.TrimPrefix(page, list+"/"), reason)
		assert.Contains(t, p.get(page).Body.String(), `<p class="faint">`+want+`</p>`)
	}
	p.connect(t, seed.CodeOperator, "operator")
	assert.Contains(t, p.get(list+"?show=all").Body.String(), "Hereda de ")
	assert.Contains(t, p.get(list+"?state=banned").Body.String(), "Ninguna conexión coincide")

	p.send(t, page, page+"/delete", http.StatusSeeOther, nil)
	assert.Equal(t, http.StatusNotFound, p.get(page).Code)
}

func TestAFailedMessageIsResentInThePanel(t *testing.T) {
	t.Parallel()
	p := setupMessages(t)
	p.fail(t, 1, "failed", "RECIPIENT")
	p.fail(t, 1, "unknown", "UNKNOWN_OUTCOME")
	failed, unknown := p.follow(t, messagesPath+"?status=failed", messagesPath+"/"), p.follow(t, messagesPath+"?status=unknown", messagesPath+"/")
	body := p.get(failed).Body.String()
	assert.Contains(t, body, "El número no recibe WhatsApp")
	assert.Contains(t, body, "Corrija el teléfono")
	p.send(t, failed, failed+"/resend", http.StatusSeeOther, nil)
	_, body = p.send(t, failed, failed+"/resend", http.StatusConflict, nil)
	assert.Contains(t, body, "ya va en camino")
	assert.Contains(t, body, "Por enviar", "its state of now")

	_, body = p.send(t, unknown, unknown+"/resend", http.StatusUnprocessableEntity, nil)
	assert.Contains(t, body, "Marque que entiende")
	assert.Contains(t, p.get(unknown).Body.String(), "No se sabe", "nothing was sent again")
	p.send(t, unknown, unknown+"/resend", http.StatusSeeOther, url.Values{"sure": {"yes"}})

	id := p.queue(t, "+584141234567")
	body = p.get(messagesPath + "/" + id.String()).Body.String()
	assert.Contains(t, body, "Pago recibido:\n&lt;b&gt;10,00")
	state := messagesPath + "/" + id.String() + "/state"
	seen := body[strings.Index(body, "/state?seen=")+len("/state?seen="):]
	seen = seen[:strings.IndexByte(seen, '"')]
	assert.Equal(t, http.StatusNoContent, p.get(state+"?seen="+seen).Code)
	p.work(t)
	assert.Contains(t, p.get(state+"?seen="+seen).Body.String(), "Enviado")
	assert.Equal(t, http.StatusNotFound, p.get(messagesPath+"/"+id.String()+"/picture").Code, "it has none")
}

func TestMessagesAreFilteredInThePanel(t *testing.T) {
	t.Parallel()
	p := setupMessages(t)
	p.fail(t, 60, "failed", "RECIPIENT")
	p.fail(t, 3, "unknown", "UNKNOWN_OUTCOME")
	id := p.queue(t, "+584149876543").String()
	for query, want := range map[string]bool{
		"": true, "?status=queued": true, "?status=read": false, "?kind=payment": true, "?kind=receipt": false, "?recipient=0414-9876543": true, "?recipient=%2B584149876543": true,
		"?recipient=x": false, "?entity=" + seed.CodeTicketPoint: true, "?entity=" + url.QueryEscape("Taquilla ("+seed.CodeTicketPoint+")"): true, "?code=RECIPIENT": false,
		"?ticket=" + uuid.NewString(): false, "?channel=" + uuid.NewString(): false, "?from=2099-01-01": false, "?to=2000-01-01": false, "?status=nonsense": false,
	} {
		w := p.get(messagesPath + query)
		require.Equal(t, http.StatusOK, w.Code, query)
		assert.Equal(t, want, strings.Contains(w.Body.String(), messagesPath+"/"+id+`"`), query)
	}
	for query, text := range map[string]string{"?entity=NOWHERE": "Esa entidad no existe", "?ticket=NOWHERE": "icket"} {
		w := p.get(messagesPath + query)
		require.Equal(t, http.StatusOK, w.Code, query)
		assert.Contains(t, w.Body.String(), text, query)
	}
	assert.Contains(t, p.get(messagesPath).Body.String(), "1–50 de 64")
	assert.Contains(t, p.get(messagesPath+"?page=2").Body.String(), "51–64 de 64")
	assert.Contains(t, p.get(messagesPath+"?format=csv").Body.String(), "+584149876543")
	assert.Contains(t, p.get(messagesPath+"/news?after="+id).Body.String(), "Al día")
	p.queue(t, "+584149876544")
	assert.Contains(t, p.get(messagesPath+"/news?after="+id).Body.String(), "1 mensaje nuevo")

	body := p.get(messagesPath + "/undelivered").Body.String()
	assert.Contains(t, body, "code=RECIPIENT&amp;status=failed")
	assert.Contains(t, body, "Pregunte al cliente")
	assert.Contains(t, p.get(messagesPath+"/undelivered?to=2000-01-01").Body.String(), "Todo en orden")
	assert.Equal(t, http.StatusOK, p.get(messagesPath+"/undelivered?entity=NOWHERE").Code)
}

func TestManyMessagesAreResentInThePanel(t *testing.T) {
	t.Parallel()
	p := setupMessages(t)
	p.fail(t, 700, "failed", "CHANNEL_DOWN")
	p.fail(t, 40, "failed", "RECIPIENT")
	p.fail(t, 5, "unknown", "UNKNOWN_OUTCOME")
	at := messagesPath + "/resends"
	body := p.get(at + "?code=CHANNEL_DOWN").Body.String()
	assert.Contains(t, body, "700 mensajes de este filtro")
	assert.Contains(t, p.get(at).Body.String(), "740 mensajes")
	assert.Contains(t, p.get(at+"?code=AUTH").Body.String(), "No hay nada que reenviar")
	assert.Equal(t, http.StatusOK, p.get(at+"?entity=NOWHERE").Code)
	form := url.Values{"key": {uuid.NewString()}}
	to, _ := p.send(t, at, at+"?code=CHANNEL_DOWN", http.StatusSeeOther, form)
	again, _ := p.send(t, at, at+"?code=CHANNEL_DOWN", http.StatusSeeOther, form)
	assert.Equal(t, to, again, "sent twice")
	page, _, _ := strings.Cut(to, "?")
	body = p.get(page).Body.String()
	assert.Contains(t, body, "0 de 700")
	assert.Contains(t, body, page+"/progress")
	p.exec(t, `UPDATE message_logs SET status = 'delivered' WHERE id IN (SELECT id FROM message_logs WHERE error_code = 'CHANNEL_DOWN' LIMIT 2)`)
	p.work(t)
	body = p.get(page + "/progress").Body.String()
	assert.Contains(t, body, "698 mensajes")
	assert.Contains(t, body, "2 mensajes no se reenviaron")
	assert.NotContains(t, body, "hx-get")

	_, body = p.send(t, at, at+"?status=unknown", http.StatusUnprocessableEntity, url.Values{"key": {uuid.NewString()}})
	assert.Contains(t, body, "Marque que entiende")
	p.send(t, at, at+"?status=unknown", http.StatusSeeOther, url.Values{"key": {uuid.NewString()}, "sure": {"yes"}})
	_, body = p.send(t, at, at+"?code=AUTH", http.StatusConflict, url.Values{"key": {uuid.NewString()}})
	assert.Contains(t, body, "Ya no hay nada que reenviar")
	assert.Contains(t, p.get(at).Body.String(), page, "earlier resends")
}
