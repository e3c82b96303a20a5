package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/seed"
)

// The start page has the figures of the part of the organisation that the user sees, and what waits for those who may do it.
func TestTheStartPageShowsTheDay(t *testing.T) {
	t.Parallel()
	p := setupReports(t)
	p.enterAs(t, "admin@banca.test")
	page := p.get(home + "?lang=es").Body.String()
	for _, text := range []string{"2.369,02", "Superagencia Oriente", "Lotto Activo", "La Granjita", "Próximos cierres", `data-left="`, "Todo en orden|sin resultado|sin cerrar", "Venta por hora", "100,00"} {
		assert.Regexp(t, text, page)
	}
	assert.NotRegexp(t, `>\s*[a-z]+\.[a-z_.]+\s*<|%!`, page)
	dollars := p.get(home + "?currency=USD").Body.String()
	assert.Contains(t, dollars, "Hoy aún no se ha vendido")
	assert.NotContains(t, dollars, "2.369,02")
	assert.Equal(t, http.StatusOK, p.get(home+"?currency=nothing").Code)

	p.enterAs(t, "socio@banca.test")
	partner := p.get(home).Body.String()
	assert.Contains(t, partner, "1.869,02", "of the own agency")
	assert.NotContains(t, partner, "2.369,02")
	assert.NotContains(t, partner, "Superagencia Oriente")
	p.enterAs(t, "taquilla@banca.test")
	w := p.get(home)
	require.Equal(t, http.StatusOK, w.Code)
	assert.NotContains(t, w.Body.String(), seed.CodeOtherAgency)
	assert.NotContains(t, w.Body.String(), "sin conciliar")
}
