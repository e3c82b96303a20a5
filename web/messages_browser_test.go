package web

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

func has(text string) string { return `document.body.innerText.includes("` + text + `")` }

// A connection is made by the form, its code is scanned while the page is open, and the page says so by itself. A test message goes through it.
func TestAConnectionIsScannedInTheBrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupMessages(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + messagesPath + "/connections")
	tab.Follow(".head .actions a")
	tab.Follow(`a[href$="driver=evolution"]`)
	tab.Fill("#name", "WhatsApp de la taquilla")
	tab.Fill("#entity", seed.CodeTicketPoint)
	tab.Fill("#p_base_url", p.address)
	tab.Fill("#p_instance", "browser")
	tab.Fill("#p_api_key", gatewayKey)
	tab.Follow("form.card button[type=submit]")
	tab.Until(`document.querySelector(".qr img")?.naturalWidth > 0`)
	tab.Until(`/0:[0-5]\d/.test(document.querySelector(".qr .countdown").textContent)`)

	p.simulate(t, "/_scan", map[string]any{"protocol": "evolution", "account": "browser"})
	tab.Until(`document.querySelector("#link .state").textContent === "Conectada" && !document.querySelector(".qr")`)
	tab.Fill("#t-phone", "0414-7654321")
	tab.Follow(`form[action$="/test"] button`)
	tab.Until(has("Por enviar"))
	p.work(t)
	tab.Until(`document.querySelector("#state .state").textContent === "Enviado"`)
	require.Len(t, p.gateway.Outbox("584147654321"), 1)

	tab.Visit(server + messagesPath + "/connections?lang=en")
	tab.Follow(".whole")
	tab.Click("#logout > summary")
	tab.Follow("#logout dialog button[type=submit]")
	tab.Until(has("The telephone is unlinked."))
	tab.Click(".head .menu > summary")
	tab.Click("#delete > summary")
	tab.Follow("#delete dialog button[type=submit]")
	tab.Until(has("The connection is deleted."))
}

// A channel that goes down pauses, its message waits, and it is sent by itself when the provider is back.
func TestAChannelGoesDownAndComesBackInTheBrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupMessages(t)
	page := p.connect(t, seed.CodeTicketPoint, "shaky")
	p.simulate(t, "/_scan", map[string]any{"protocol": "evolution", "account": "shaky"})
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + page)
	tab.Until(has("Conectada"))

	p.simulate(t, "/_break", map[string]any{"protocol": "evolution", "account": "shaky", "state": "disconnected"})
	id := p.queue(t, "+584141112233")
	p.work(t)
	tab.Visit(server + messagesPath + "/" + id.String())
	tab.Until(has("Espera a la conexión"))
	beside := tab.Another()
	beside.Visit(server + page)
	beside.Until(has("En pausa: espera 1 mensaje"))
	assert.Empty(t, p.gateway.Outbox("584141112233"))

	p.simulate(t, "/_mend", map[string]any{"protocol": "evolution", "account": "shaky"})
	p.exec(t, `UPDATE messaging_channels SET paused_until = now() - interval '1 second'`)
	require.NoError(t, p.messages.Sweep(t.Context()))
	p.work(t)
	tab.Until(`document.querySelector("#state .state").textContent === "Enviado"`)
	beside.Until(`!` + has("En pausa"))
	require.Len(t, p.gateway.Outbox("584141112233"), 1)
}

// Failed messages are sent again: one on its page, one whose outcome is not known after a tick, and many by a filter after a dry run.
func TestMessagesAreResentInTheBrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupMessages(t)
	p.fail(t, 600, "failed", "CHANNEL_DOWN")
	p.fail(t, 1, "failed", "RECIPIENT")
	p.fail(t, 1, "unknown", "UNKNOWN_OUTCOME")
	failed, unknown := p.follow(t, messagesPath+"?code=RECIPIENT", messagesPath+"/"), p.follow(t, messagesPath+"?status=unknown", messagesPath+"/")
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + failed)
	tab.Click("#resend > summary")
	tab.Follow("#resend dialog button[type=submit]")
	tab.Until(has("se enviará otra vez"))
	p.work(t)
	tab.Until(`document.querySelector("#state .state").textContent === "Enviado"`)

	tab.Visit(server + unknown)
	tab.Click("#resend > summary")
	tab.Expect("422 POST")
	tab.Follow("#resend dialog button[type=submit]")
	tab.Until(has("Marque que entiende"))
	tab.Click("#resend input[type=checkbox]")
	tab.Follow("#resend dialog button[type=submit]")
	tab.Until(has("se enviará otra vez"))

	tab.Visit(server + messagesPath + "/undelivered")
	tab.Follow(`a[href*="/resends?code=CHANNEL_DOWN"]`)
	tab.Until(has("600 mensajes de este filtro"))
	tab.Follow("section.card form button[type=submit]")
	tab.Until(has("0 de 600"))
	p.work(t)
	tab.Until(has("volvieron a la cola 600 mensajes"))
}

// Every page of messages fits a phone and a small screen in both languages and colour schemes.
func TestTheMessagePagesInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupMessages(t)
	long := strings.Repeat("Agencia La Fortuna de los Llanos ", 3)
	p.exec(t, `UPDATE entities SET name = $2 WHERE id = $1`, p.point, long)
	p.fail(t, 60, "failed", "RECIPIENT")
	p.fail(t, 2, "unknown", "UNKNOWN_OUTCOME")
	page := p.connect(t, seed.CodeTicketPoint, "wide")
	id, _ := uuid.Parse(page[strings.LastIndexByte(page, '/')+1:])
	p.exec(t, `INSERT INTO messaging_channels (channel_id, failures, paused_at, paused_until, kind, reason) VALUES ($1, 3, now(), now() + interval '5 minutes', 'channel_down', $2)
		ON CONFLICT (channel_id) DO UPDATE SET paused_until = excluded.paused_until, reason = excluded.reason`,
		id, "the account "+strings.Repeat("x", 200))
	p.exec(t, `UPDATE messaging_connections SET code = 'ABCD-EFGH', reason = $2 WHERE id = $1`, id, strings.Repeat("reason ", 40))
	p.exec(t, `UPDATE message_logs SET error_text = $1`, strings.Repeat("x", 300))
	to, _ := p.send(t, messagesPath+"/resends", messagesPath+"/resends?code=RECIPIENT", 303, map[string][]string{"key": {uuid.NewString()}})
	resend, _, _ := strings.Cut(to, "?")
	tab, server := enterInBrowser(t, p.engine)
	pages := []string{
		messagesPath, messagesPath + "?status=failed&code=RECIPIENT", p.follow(t, messagesPath+"?status=unknown", messagesPath+"/"), messagesPath + "/undelivered",
		messagesPath + "/resends?status=unknown", resend, messagesPath + "/connections", messagesPath + "/connections?show=all", messagesPath + "/connections/new",
		messagesPath + "/connections/new?driver=cloud", messagesPath + "/connections/new?driver=evolution", page,
	}
	for size, resize := range map[string]func(){"360": tab.Narrow, "1280": tab.Wide} {
		resize()
		for i, at := range pages {
			tab.Scheme([]string{"light", "dark"}[i%2])
			tab.Visit(server + at)
			assert.Empty(t, chromium.Value[[]string](tab, overflowing), "%s %s", at, size)
		}
	}
	tab.Visit(server + messagesPath + "?lang=en")
	for _, at := range pages {
		tab.Visit(server + at)
		assert.NotRegexp(t, `\b(message|connection|parameter|driver|resends?|undelivered)\.[a-z]`, chromium.Value[string](tab, `document.querySelector("main").innerText`), at)
	}
}
