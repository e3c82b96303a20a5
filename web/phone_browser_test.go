package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/target"
)

// dataTop is the distance of the first row of a list, or of the sums above it, from the top of the page; -1 on a page without a filter or rows.
const dataTop = `(() => {
	const rows = document.querySelector("main > form.filter ~ .found > .summed, main > form.filter ~ :is(.table, .tiles, .card, .chart, .panel, .spaced, .facts, #day, #risk)")
	return rows ? Math.round(rows.getBoundingClientRect().top + scrollY) : -1
})()`

// lowTargets are the links and buttons outside of sentences that a finger misses: 21 px above or below the middle, another element is hit.
const lowTargets = `Array.from(document.querySelectorAll(
	".bar :is(a, button, summary, input), main :is(button, .button, .chips a, nav a, td > a:not(.whole), td button, td summary, .pager a)")).filter(e => {
	if (!e.checkVisibility() || e.closest("details:not([open]) > :not(summary), dialog, .sr")) return false
	e.scrollIntoView({block: "center", inline: "center"})
	const box = e.getBoundingClientRect(), x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2, y = (box.top + box.bottom) / 2
	if (box.height >= 44 || box.width < 1) return false
	return [-21, 21].some(d => { const hit = document.elementFromPoint(x, y + d); return !hit || !(e.contains(hit) || hit.closest("label")?.contains(e)) })
}).map(e =>  e.tagName + "." + e.className + " " + e.textContent.trim().slice(0, 40) + " in " + (e.parentElement.className || e.parentElement.tagName))`

// nearTop is where the first row of a list begins on a phone, in pixels from the top of the page. Pages with more above it are in lowerData, with the reason.
const nearTop = 150

func lowerData() map[string]int {
	const path, views, week, title, head, rows = 178, 230, 278, 186, 240, 258
	return map[string]int{
		"/admin/messages":       week, // with the connection that is paused
		"/admin/closes/missing": path, "/admin/messages/undelivered": head, "/admin/messages/resends": path, "/admin/messages/texts": title,
		"/admin/draws/board": rows, "/admin/exposure": views, "/admin/draws": views, "/admin/draws/results": views, // with a title above the tabs; the board with its hours and symbols
		"/admin/weekly": week, "/admin/organisation": head, "/admin/closes/balance": week, "/admin/reports/participation": week,
		"/admin/reports/sales": week, "/admin/reports/sales/tickets": week, "/admin/reports/levels": week, "/admin/reports/waterfall": week,
		"/admin/reports/balances": week, "/admin/reports/expired-prizes": week, // whose titles name the entity and the period
	}
}

// few is how many stops of the tour there are to one that a test visits, except in `make pages`.
const few = 3

// On a phone the first row of a list is near the top, and its links and buttons are high enough for a finger.
func TestListsOnAPhone(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	s := setupTestbed(t, 2)
	tab, server := enterInBrowser(t, s.engine)
	tab.Narrow()
	seen := 0
	for i, stop := range s.tour(t) {
		if strings.Contains(stop.route, ":") || stop.route == galleryPath || i%few != 0 && !target.Runs(target.Pages) {
			continue
		}
		tab.Visit(server + stop.address)
		top := chromium.Value[int](tab, dataTop)
		if top < 0 {
			continue
		}
		seen++
		bound, excepted := lowerData()[stop.route]
		if !excepted {
			bound = nearTop
		}
		assert.LessOrEqual(t, top, bound, stop.address)
		assert.Empty(t, chromium.Value[[]string](tab, lowTargets), stop.address)
	}
	require.Greater(t, seen, 5)
}
