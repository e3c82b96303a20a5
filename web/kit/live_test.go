package kit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestLiveShowsItsStateAndNewRows(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Date(2026, 11, 21, 19, 41, 0, 0, time.UTC))
	fresh := render(t, v, "live", v.Live("news", "/news?a=1&b=2").WithNews(0, "0 nuevas", "/list"))
	assert.Equal(t, `<p class="news live" id="news" role="status" hx-get="/news?a=1&amp;b=2" hx-trigger="every 5s" hx-swap="innerHTML"><span data-lost="Sin conexión desde las 7:41 pm">Al día</span></p>`, fresh)
	news := render(t, v, "live-state", v.Live("news", "").WithNews(3, "3 nuevas "+hostile, "/list"))
	assert.Contains(t, news, `<a href="/list">3 nuevas &#34;&gt;`)
}

func TestCopyWritesItsTextAndButton(t *testing.T) {
	t.Parallel()
	v := spanish(t, time.Time{})
	assert.Contains(t, render(t, v, "copy", v.Copy(hostile)), `data-copy="&#34;&gt;&lt;script&gt;`)
	assert.Contains(t, render(t, v, "copy", v.Copy("K7QX")), `<span class="mono">K7QX</span><button class="quiet" type="button" data-copy="K7QX" data-done="Copiado" data-failed="No se copió" title="Copiar K7QX">Copiar</button><span class="sr" role="status"></span>`)
}
