package web

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
)

// The figures of the start page change where they are, without loading the page again. A page whose stream has ended says so, and goes on by itself.
func TestTheStartPageIsKeptUpToDateInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupReports(t)
	tab, server := enterInBrowser(t, p.engine)
	tab.Wide()
	tab.Visit(server + home)
	tab.Until(`document.querySelector(".stream").innerText === "Al día"`)
	require.Contains(t, tab.Text("#figures"), "2.369,02")
	chromium.Value[bool](tab, `document.querySelector("#figures .figure").mark = true`)
	p.Exec(t, `UPDATE daily_totals SET sold = sold + 100000 WHERE sold > 0`)
	tab.Until(`!document.querySelector("#figures").innerText.includes("2.369,02")`)
	assert.True(t, chromium.Value[bool](tab, `document.querySelector("#figures .figure").mark`), "the element stays")
	assert.Equal(t, 1, chromium.Value[int](tab, `document.querySelectorAll("#figures .figure.changed, #figures .figure .changed").length > 0 ? 1 : 0`))
	assert.Positive(t, chromium.Value[int](tab, `document.querySelectorAll("[data-left]").length`), "countdowns go on")
}

// The stream of a page is for those who may open the page, and ends with the process.
func TestTheStreamOfAPageNeedsASession(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	assert.Equal(t, http.StatusSeeOther, p.get(home+"/live").Code, "to the login")
	p.enter(t, "admin@banca.test")
	server := httptest.NewServer(p.engine)
	t.Cleanup(server.Close)
	p.web.Close() // a stream sends once, and ends
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+home+"/live", http.NoBody)
	require.NoError(t, err)
	for _, c := range p.cookies {
		r.AddCookie(c)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Equal(t, "text/event-stream", answer.Header.Get("Content-Type"))
	assert.Contains(t, string(body), "event: parts")
	assert.Contains(t, string(body), `"figures":"`)
	assert.NotContains(t, string(body), "<html")
	assert.Equal(t, http.StatusNotFound, p.get(customersPath+"/live").Code, "a page without a stream")
}

// A user follows ten pages at most, and leaves the others to other users.
func TestAUserFollowsTenPages(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	server := httptest.NewServer(p.engine)
	t.Cleanup(server.Close)
	follow := func() int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+home+"/live", http.NoBody)
		require.NoError(t, err)
		for _, c := range p.cookies {
			r.AddCookie(c)
		}
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		t.Cleanup(func() { _ = answer.Body.Close() })
		return answer.StatusCode
	}
	p.enter(t, "admin@banca.test")
	for range 10 {
		require.Equal(t, http.StatusOK, follow())
	}
	require.Equal(t, http.StatusServiceUnavailable, follow())
	clear(p.cookies)
	p.enter(t, "socio@banca.test")
	require.Equal(t, http.StatusOK, follow())
}
