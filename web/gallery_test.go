package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/gallery"
	"banca/web/kit"
)

// The gallery shows every component in development, and is no page otherwise.
func TestTheGalleryIsServedInDevelopmentOnly(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.enter(t, "admin@banca.test")
	assert.Equal(t, http.StatusNotFound, p.get("/admin/_components").Code)

	deps := depsOf(t, p.env, p.auth)
	deps.Areas = []kit.Area{gallery.Area()}
	panel, err := New(deps)
	require.NoError(t, err)
	p.engine = gin.New()
	panel.Register(p.engine)
	for query, has := range map[string]string{
		"?lang=es":       `<td class="number" data-title="Monto">1.234.567,89<svg class="databar"`,
		"?lang=en":       `<td class="number" data-title="Amount">1,234,567.89<svg class="databar"`,
		"?state=empty":   `<p class="empty">`,
		"?state=refused": `role="alert"`,
	} {
		w := p.get("/admin/_components" + query)
		assert.Equal(t, http.StatusOK, w.Code)
		assert.Contains(t, w.Body.String(), has)
		assert.NotRegexp(t, `>\s*[a-z]+\.[a-z_.]+\s*<|%!`, w.Body.String(), query)
	}
	wrong := p.get("/admin/_components?lang=es&date=2026-13-01&state=other&q=Ana").Body.String()
	assert.Equal(t, 2, strings.Count(wrong, "Este valor no es válido"), "a value that filters nothing is said")
	assert.Contains(t, wrong, `href="/admin/_components?date=2026-13-01&amp;lang=es&amp;state=other" title="Quitar este filtro">Nombre: Ana ✕</a>`)
	assert.Contains(t, p.get("/admin/_components?lang=es&date="+time.Now().UTC().Format(time.DateOnly)).Body.String(), `aria-current="true">Hoy</a>`)
	assert.Contains(t, p.get("/admin/_components?lang=es").Body.String(), `<td class="none" data-title="Última vez">—</td>`, "a missing value")
	assert.Contains(t, p.get("/admin/_components").Body.String(), `<form method="post" action="/admin/_components"><input type="hidden" name="form_token" value="`+p.token(t, home))
	assert.Contains(t, p.get("/admin/_components").Body.String(), `<rect width="100.00%" height="100%" rx="2"/>`)
	assert.Contains(t, p.get("/admin/_components/progress?done=500").Body.String(), `hx-get="/admin/_components/progress?done=750"`)
	assert.Contains(t, p.get("/admin/_components/news?count=2&lang=es").Body.String(), `<a href="/admin/_components">2 nuevas`)
	assert.Equal(t, `<option value="9 Águila"></option>`, p.get("/admin/_components/suggest?q=AGUI").Body.String())
	assert.Contains(t, p.get("/admin/_components").Body.String(),
		`<input id="wrong" name="wrong" value="a b" maxlength="40" spellcheck="false" aria-describedby="h-wrong" aria-invalid="true"><p class="hint wrong" id="h-wrong">`)
}
