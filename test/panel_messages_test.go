package test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

// gatewayKey is the key of the simulated gateway.
func (p *platform) gatewayKey() string {
	p.t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.dir, dataDir, "secrets"))
	require.NoError(p.t, err)
	secrets := map[string]string{}
	require.NoError(p.t, json.Unmarshal(raw, &secrets))
	return secrets["messaging-api-key"]
}

// simulate sets a switch of the simulated gateway.
func (p *platform) simulate(path string, body map[string]any) {
	p.t.Helper()
	require.Equal(p.t, http.StatusOK, p.post("http://"+p.gateway+path, "", body, "").status)
}

// A connection is made and scanned in the panel, and the provider's webhooks reach it: a test message is delivered, waits while the account is
// unlinked, and is sent by itself when it is linked again.
func panelMessages(p *panel) {
	t := p.t
	account := map[string]any{"protocol": "evolution", "account": "panel"}
	p.enter("/admin/messages/connections/new?driver=evolution")
	p.tab.Fill("#entity", seed.CodeOtherPoint)
	p.tab.Fill("#p_base_url", "http://"+p.gateway)
	p.tab.Fill("#p_instance", "panel")
	p.tab.Fill("#p_api_key", p.gatewayKey())
	p.tab.Follow("form.card button[type=submit]")
	p.confirm()
	connection := p.where()
	state := func(text string) {
		p.tab.Until(`document.querySelector("section.card .state").textContent === "` + text + `"`)
	}
	p.tab.Until(`document.querySelector(".qr img")?.naturalWidth > 0`)
	p.simulate("/_scan", account)
	state("Connected")

	test := func(phone string) {
		p.visit(connection)
		p.tab.Fill("#t-phone", phone)
		p.tab.Follow(`form[action$="/test"] button`)
		p.confirm()
	}
	test("0414-5550001")
	state("Delivered")
	require.Contains(t, p.tab.Text(".story"), "The provider reports")

	p.simulate("/_break", map[string]any{"protocol": "evolution", "account": "panel", "state": "disconnected"})
	p.visit(connection)
	state("Disconnected")
	test("0414-5550002")
	state("Waits for the channel")
	require.Empty(t, p.outbox("584145550002"))
	p.simulate("/_mend", account)
	state("Delivered")
	require.Len(t, p.outbox("584145550002"), 1)
	require.Equal(t, 0, browser.Value[int](p.tab, `document.querySelectorAll(".problem").length`))
}
