package web

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
)

// The log of requests is filtered and followed to its end.
func TestRequestsAreFollowedToTheEndInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	const count = 130
	logRequests(t, p.env, count)
	tab, server := enterInBrowser(t, p.engine)
	tab.Visit(server + "/admin/requests")
	shown := 0
	for pages := 1; ; pages++ {
		require.LessOrEqual(t, pages, 3)
		shown += chromium.Value[int](tab, `document.querySelectorAll(".table tbody tr:not(.group)").length`)
		if !chromium.Value[bool](tab, `document.querySelector("a[rel=next]") !== null`) {
			break
		}
		tab.Follow("a[rel=next]")
	}
	assert.Equal(t, count, shown, "each request once")

	tab.Choose("#class", "5") // at once
	tab.Until(`document.querySelectorAll(".table tbody tr:not(.group)").length === 1`)
	assert.Equal(t, []string{"GET /reports/sales"}, chromium.Value[[]string](tab, `Array.from(document.querySelectorAll(".table tbody td:nth-child(2)"), e => e.innerText.trim())`))
	assert.Equal(t, "5", chromium.Value[string](tab, `document.querySelector("#class").value`), "the filter stays")
	tab.Choose("#class", "")
	tab.Choose("#method", "POST")
	tab.Fill("#path", "/sales")
	tab.Until(`Array.from(new Set(Array.from(document.querySelectorAll(".table tbody td:nth-child(2)"), e => e.innerText.trim()))).join() === "POST /sales/tickets"`)
	tab.Fill("#path", "/nothing")
	tab.Until(`document.querySelector("main").textContent.includes("Ninguna petición coincide")`)
	assert.Equal(t, "path /nothing ?method=POST&path=%2Fnothing", chromium.Value[string](tab, `document.activeElement.id + " " + document.activeElement.value + " " + location.search`), "the focus and what is typed stay")
	assert.False(t, chromium.Value[bool](tab, `document.querySelector("form.filter button[type=submit]").checkVisibility()`), "it is for browsers without scripts")
}
