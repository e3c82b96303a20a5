package draws

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/kit"
	"banca/internal/draws"
	"banca/internal/platform/businessday"
)

// The page shows names as text, and its days beside; a visitor who has the answer gets none again.
func TestThePageOfPublicResults(t *testing.T) {
	t.Parallel()
	p, err := newPublic()
	require.NoError(t, err)
	at := time.Date(2026, 11, 28, 0, 30, 0, 0, time.UTC)
	day := &draws.PublicDay{House: `La <Banca>`, Date: businessday.Date(2026, 11, 27), Today: true, Older: true, Games: []draws.PublicGame{
		{Name: `<script>alert(1)</script>`, Results: []draws.PublicResult{{Time: at, Result: "05 León"}}},
	}}
	body := publicBody(day, time.FixedZone("America/Caracas", -4*60*60))
	assert.Equal(t, publicResult{DrawTime: at, Time: "8:30 pm", Result: "05 León"}, body.Games[0].Results[0])
	for language, want := range map[string]string{"es": "Resultados", "en": "Results"} {
		out, err := p.show(language, day, &body, []byte("logo"))
		require.NoError(t, err)
		page := string(out.Body)
		for _, text := range []string{want, "La &lt;Banca&gt;", "&lt;script&gt;", "05 León", `href="?date=2026-11-26"`, `http-equiv="refresh"`, `src="data:image/png;base64,bG9nbw=="`} {
			assert.Contains(t, page, text)
		}
		assert.NotContains(t, page, "<script>")
		assert.NotContains(t, page, "?date=2026-11-28", "a day to come")
		assert.NotContains(t, out.Policy, "script-src")
		kept := out.KeptFor(keptToday, `"other", W/`+kit.Tag(out.Body))
		assert.Equal(t, http.StatusNotModified, kept.Status)
		assert.Empty(t, kept.Body)
		assert.Equal(t, "public, max-age=20", kept.CacheControl)
		assert.Empty(t, kept.AllowOrigin, "the page is of this site alone")
	}
	day.Today, day.Older, day.Games, body.Games = false, false, nil, nil
	out, err := p.show("es", day, &body, nil)
	require.NoError(t, err)
	assert.Contains(t, string(out.Body), "Todavía no hay resultados")
	assert.Contains(t, string(out.Body), `href="?date=2026-11-28"`)
	assert.NotContains(t, string(out.Body), "refresh")
	assert.NotContains(t, string(out.Body), "<img", "no logo")
	assert.NotContains(t, string(out.Body), `rel="prev"`, "the oldest day")
}

// The script of other sites is small, has its texts in both languages, and writes no markup.
func TestTheWidgetIsSmall(t *testing.T) {
	t.Parallel()
	p, err := newPublic()
	require.NoError(t, err)
	script := string(p.script)
	assert.Less(t, len(script), 10_000)
	assert.Contains(t, script, `"es":{"all":"Ver los resultados"`)
	assert.Contains(t, script, `"en":{`)
	for _, unsafe := range []string{"innerHTML", "insertAdjacentHTML", "eval(", "cookie =", `"texts"`} {
		assert.NotContains(t, script, unsafe)
	}
	assert.Contains(t, script, `credentials: "omit"`)
}
