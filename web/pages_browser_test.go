package web

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/seed"
	chromium "banca/internal/testkit/browser"
)

// Every page fits a phone and a small screen, with all its forms open; the tab itself fails on errors of the page and
// violations of its policy.
func TestThePagesInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p, ticket, draw := setupPrizes(t)
	p.notify(t, "000012345678", "x")
	p.enter(t, "admin@banca.test")
	device, _ := p.addDevice(t)
	w := p.importStatement(t, "2026-01-01,1234,1")
	require.Equal(t, http.StatusSeeOther, w.Code)
	statement, _, _ := strings.Cut(w.Header().Get("Location"), "?")

	tab, server := enterInBrowser(t, p.engine)
	at, game := entityPath(seed.CodeTicketPoint), gamePath("lotto-activo")
	pages := []string{
		prizesPath, prizesPath + "/" + ticket.String(), differencesPath, drawsPath, drawsPath + "/" + draw.String(), exposurePath, exposurePath + "/" + draw.String(),
		gamesPath, gamesPath + "/new", gamesPath + "/categories", game, game + "/draws", game + "/elements/00",
		orgPath, orgPath + "/new", at, at + "/move", "/admin/devices/" + device, "/admin/users/" + seed.ID("user", "taquilla@banca.test").String(),
		"/admin/users/new", accountPath, "/admin/activity", p.follow(t, "/admin/activity", "/admin/activity/"),
		bankPath + "/directory?bank=0134", bankPath + "/simulator", statement, bankPath + "/requests",
		p.follow(t, bankPath+"/payments?list=unreconciled", bankPath+"/payments/"),
	}
	for size, resize := range map[string]func(){"360": tab.Narrow, "1280": tab.Wide} {
		resize()
		for _, page := range pages {
			tab.Visit(server + page)
			assert.Empty(t, chromium.Value[[]string](tab, overflowing), "%s %s", page, size)
		}
	}
}
