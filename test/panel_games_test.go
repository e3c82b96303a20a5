package test

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/setup/seed"
)

const gamesPath = "/admin/games"

func seededGame(code string) string { return gamesPath + "/" + seed.ID("game", code).String() }

// panelGames changes a game as an administrator does: its grid, a picture, its rules, its draws.
func panelGames(p *panel) {
	t := p.t
	p.enter(gamesPath)
	require.Contains(t, p.tab.Text("main"), "Lotto Activo")
	at := seededGame("loto-chaima")
	p.visit(at)
	require.Contains(t, p.tab.Text(".tokens"), "Ballena")

	p.visit(at + "/payouts")
	p.tab.Fill("#payout\\.straight", "900")
	p.tab.Follow(`main .row button[value="review"]`)
	require.Contains(t, p.tab.Text("main .problem"), "some bets pay more than they take in")
	p.tab.Fill("#force_reason", "a promotion")
	p.tab.Follow(`main button[value="do"]`)
	p.confirm()
	require.Equal(t, "The changes were saved.", p.tab.Text(".notice"))
	rules, err := json.Marshal(p.platform.get("/games/"+seed.ID("game", "loto-chaima").String(), p.login(panelUser)).data()["betting_rules"])
	require.NoError(t, err)
	require.Contains(t, string(rules), `"reason":"a promotion"`)
	require.Contains(t, string(rules), `"payout":"900"`)

	p.visit(at + "/elements/00")
	p.tab.Upload("#file", redSquare(p))
	p.tab.Follow(`button[value="picture"]`)
	require.Equal(t, "The changes were saved.", p.tab.Text(".notice"))
	p.visit(at)
	p.tab.Until(`document.querySelector(".tokens img").complete`)
	require.Equal(t, 64, browser.Value[int](p.tab, `document.querySelector(".tokens img").naturalWidth`), "the picture is shown from here")

	day := time.Now().UTC().AddDate(0, 0, 40).Format(time.DateOnly)
	p.visit(at + "/draws?day=" + day)
	p.open("details.confirm")
	p.tab.Fill("#lines", "09:00 A1\n12:30 A2")
	p.tab.Follow(`button[value="plan"]`)
	require.Equal(t, "The day is planned.", p.tab.Text(".notice"))
	require.Contains(t, strings.Join(p.texts("tbody td.mono"), " "), "A1 A2")
	require.Contains(t, p.tab.Text("#day"), "planned by hand")
}

func redSquare(p *panel) string {
	img := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	for i := range 300 * 300 {
		img.SetNRGBA(i%300, i/300, color.NRGBA{R: 200, A: 255})
	}
	var out bytes.Buffer
	require.NoError(p.t, png.Encode(&out, img))
	file := filepath.Join(p.t.TempDir(), "red.png")
	require.NoError(p.t, os.WriteFile(file, out.Bytes(), 0o600))
	return file
}

// Everything can be done without scripts, and every page fits a phone, light and dark.
func panelGamesOnAPhone(p *panel) {
	t := p.t
	p.tab.NoScripts()
	p.enter(gamesPath + "/new")
	p.tab.Narrow()
	p.tab.Fill("#name", "Ñandú Activo")
	p.tab.Fill("#short_code", "nandu-activo")
	p.tab.Follow("main form button")
	p.confirm()
	require.Equal(t, "The game was created.", p.tab.Text(".notice"))
	made := browser.Value[string](p.tab, `location.pathname`)
	at := seededGame("la-granjita")
	for _, path := range []string{
		gamesPath, gamesPath + "?q=nothing", gamesPath + "/new", gamesPath + "/categories", made, made + "/draws", at, at + "/draws", at + "/elements/00", seededGame("triple-zulia"),
	} {
		p.visit(path)
		light := requireInOrder(t, p, path, "light")
		require.NotEqual(t, light, requireInOrder(t, p, path, "dark"), path)
	}
}
