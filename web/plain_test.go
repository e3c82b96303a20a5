package web

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const plainPath = counterPath + "/form"

// The form without scripts sells once, however often it is sent, and keeps what was typed beside the reason of a refusal.
func TestTheFormWithoutScriptsSells(t *testing.T) {
	t.Parallel()
	s := setupReports(t)
	s.enterAs(t, "taquilla@banca.test")
	page := s.get(plainPath + "?lang=es").Body.String()
	draws := regexp.MustCompile(`name="draw" value="([0-9a-f-]{36})"`).FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, draws)
	key := func(page string) string {
		return regexp.MustCompile(`name="key" value="([0-9a-f-]{36})"`).FindStringSubmatch(page)[1]
	}
	tickets := func() int64 { return s.Number(t, `SELECT count(*) FROM tickets`) }
	before := tickets()
	send := func(fields url.Values) *httptest.ResponseRecorder {
		fields.Set(tokenField, s.token(t, plainPath))
		return s.do(http.MethodPost, plainPath, fields)
	}
	form := url.Values{"key": {key(page)}, "currency": {"VES"}, "draw": {draws[0][1]}, "bet": {"straight"}, "lines": {"05 20\n\n18 12,50\n"}}

	wrong := maps.Clone(form)
	wrong.Set("lines", "05 20\nburro")
	w := send(wrong)
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Contains(t, w.Body.String(), "No se entiende «burro»")
	assert.Contains(t, w.Body.String(), "05 20")
	wrong.Set("lines", "05 20\n77 1")
	w = send(wrong)
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Regexp(t, `<b>77 1</b>: .*77`, w.Body.String())
	assert.NotEqual(t, form.Get("key"), key(w.Body.String()), "another request has another key")
	require.Equal(t, before, tickets())

	w = send(form)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body.String())
	ticket := w.Header().Get("Location")
	assert.Equal(t, ticket, send(form).Header().Get("Location"))
	require.Equal(t, before+1, tickets())
	sold := s.get(ticket).Body.String()
	assert.Contains(t, sold, "VENDIDO")
	assert.Contains(t, sold, "32,50")

	s.enterAs(t, "socio@banca.test")
	assert.Equal(t, http.StatusForbidden, s.get(plainPath).Code)
}

func TestThePageForCashiersToPrint(t *testing.T) {
	t.Parallel()
	s := setupBank(t)
	s.enter(t, "taquilla@banca.test")
	for language, text := range map[string]string{"es": "No entregue ni cobre", "en": "Hand over nothing"} {
		page := s.get(counterPath + "/help?lang=" + language).Body.String()
		assert.Contains(t, page, text)
		assert.Contains(t, page, "F12")
		assert.NotRegexp(t, `>\s*pos\.[a-z._]+`, page)
	}
}
