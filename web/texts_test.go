package web

import (
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/messaging/templates"
	"banca/internal/setup/seed"
)

const (
	textsPath   = "/admin/messages/texts"
	receiptText = textsPath + "/receipt/es"
)

func TestTextsOfMessages(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	body := p.get(textsPath).Body.String()
	assert.Contains(t, body, "Recibo")
	assert.Contains(t, body, "Del sistema")
	assert.NotContains(t, body, "texts.")
	assert.Contains(t, body, receiptText+`"`)
	assert.NotContains(t, p.get(textsPath+"?language=en").Body.String(), receiptText+`"`)

	body = p.get(receiptText).Body.String()
	assert.Contains(t, body, "Ticket 7K2M9QXW4TPH · Bs 150,00")
	assert.Contains(t, body, `data-insert="{serial}"`)
	form := url.Values{"body": {"Hola <b>{cliente}</b>: {serial}"}, "provider_name": {"recibo"}, "provider_language": {"es"}, "provider_values": {"serial, {total}"}}
	_, body = p.send(t, receiptText, receiptText+"/preview", 200, form)
	assert.Contains(t, body, "Hola &lt;b&gt;María Pérez&lt;/b&gt;: 7K2M9QXW4TPH")
	assert.Contains(t, body, "<li>Bs 150,00</li>")
	assert.Contains(t, p.get(receiptText).Body.String(), "Del sistema", "a preview saves nothing")

	_, body = p.send(t, receiptText, receiptText+"/preview", 200, url.Values{"body": {"Hola {clave}"}})
	assert.Contains(t, body, "El campo del carácter 6 no existe. Hay: {cliente}, {serial}")
	_, body = p.send(t, receiptText, receiptText+"/save", 422, url.Values{"body": {"Hola {cliente}"}})
	assert.Contains(t, body, "Falta el campo {serial}.")
	assert.Contains(t, body, "Hola {cliente}", "what was typed stays")

	p.send(t, receiptText, receiptText+"/save", 303, form)
	body = p.get(receiptText).Body.String()
	assert.Contains(t, body, "Propio")
	assert.Contains(t, body, "serial, total")
	assert.Contains(t, body, "Diferencia con el texto heredado")
	_, body = p.send(t, receiptText, receiptText+"/save", 409, form)
	assert.Contains(t, body, "Otra persona cambió este texto", "the form had no version")

	var version string
	require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT version::text FROM message_templates`).Scan(&version))
	p.send(t, receiptText, receiptText+"/inherit", 303, url.Values{"version": {version}})
	assert.Contains(t, p.get(receiptText).Body.String(), "Del sistema")
	assert.Equal(t, 404, p.get(textsPath+"/receipt/fr").Code)
	assert.Equal(t, 404, p.get(receiptText+"?entity=NINGUNA").Code)
	assert.Contains(t, p.get(textsPath+"?entity=NINGUNA").Body.String(), "Nada coincide con este filtro")
	missing := regexp.MustCompile(`>\s*[a-z]+\.[a-z_.]+\s*<|%!`)
	for _, purpose := range templates.Purposes() {
		at := textsPath + "/" + string(purpose) + "/"
		for _, language := range []string{english, spanish} {
			for _, address := range []string{textsPath + "?", at + "en?", at + "es?entity=" + seed.CodeTicketPoint + "&"} {
				assert.NotRegexp(t, missing, p.get(address+"lang="+language).Body.String(), address)
			}
		}
	}
}

// A text is inherited by the entities below, whose pages say from whom.
func TestInheritedTextsInThePanel(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	p.send(t, receiptText, receiptText+"/save", 303, url.Values{"body": {"De la banca: {serial}"}})
	point := "?entity=" + seed.CodeTicketPoint
	body := p.get(receiptText + point).Body.String()
	assert.Contains(t, body, "Heredado")
	assert.Contains(t, body, "De la banca: 7K2M9QXW4TPH")
	p.send(t, receiptText+point, receiptText+"/save"+point, 303, url.Values{"body": {"De la taquilla: {serial}"}})
	body = p.get(receiptText + point).Body.String()
	assert.Contains(t, body, "De la banca: {serial}", "the difference")
	assert.Contains(t, body, "De la taquilla: {serial}")
	assert.Contains(t, p.get(receiptText).Body.String(), "De la banca: 7K2M9QXW4TPH")
}

// The preview follows what is typed, and a placeholder is put where the text is being written.
func TestTextsInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + textsPath)
	tab.Follow(`tbody a.whole[href$="/cancellation/es"]`)
	tab.Fill("#body", "Anulado: ")
	tab.Until(`document.querySelector("#preview").textContent.includes("Falta el campo {serial}.")`)
	tab.Click(`button[data-insert="{serial}"]`)
	tab.Until(`document.querySelector("#body").value === "Anulado: {serial}"`)
	tab.Until(`document.querySelector("#preview .bubble")?.textContent === "Anulado: 7K2M9QXW4TPH"`)
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
	tab.Follow(`main form button[type=submit]:not([formaction])`)
	assert.Contains(t, tab.Text("main"), "Texto guardado")
	assert.Contains(t, tab.Text("main"), "Propio")
	tab.Narrow()
	assert.Empty(t, chromium.Value[[]string](tab, overflowing)) // which opens what can be opened
	tab.Wide()
	tab.Visit(server + textsPath + "/cancellation/es")
	tab.Click("#inherit > summary")
	tab.Until(`document.querySelector("#inherit > dialog").matches(":modal")`)
	tab.Follow("#inherit button.grave")
	assert.Contains(t, tab.Text("main"), "La entidad vuelve a usar el texto heredado")
	tab.Visit(server + textsPath)
	for _, resize := range []func(){tab.Narrow, tab.Wide} {
		resize()
		assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	}
}
