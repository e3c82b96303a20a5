package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/catalog"
	"banca/models"
)

// addGameElements adds the typed elements, one per line: code, name and, if it differs, the display text, separated
// by semicolons.
func (w *Web) addGameElements(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	text := c.PostForm("lines")
	grid := &catalog.Grid{}
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		parts := strings.SplitN(strings.TrimSpace(line), ";", 3)
		for len(parts) < 3 {
			parts = append(parts, "")
		}
		grid.Elements = append(grid.Elements, catalog.ElementSpec{Code: strings.TrimSpace(parts[0]), Name: parts[1], Display: parts[2]})
	}
	_, err := w.deps.Catalog.AddElements(c.Request.Context(), id, grid)
	w.settleGame(c, id, err, func(page *gameView) { page.Open, page.New = "elements", text })
}

// elementPage is an element with its form.
type elementPage struct {
	Game models.Game
	catalog.Element
	Edits   bool
	Details []apperr.Detail
	Wrong   map[string]bool
}

func (w *Web) gameElement(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showElement(c, id, http.StatusOK, "", nil)
	}
}

func (w *Web) showElement(c *gin.Context, id uuid.UUID, status int, problem string, change func(*elementPage)) {
	ctx := c.Request.Context()
	row, err := w.deps.Catalog.GameRow(ctx, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	all, err := w.deps.Catalog.Elements(ctx, id, true)
	if err != nil {
		w.stop(c, err)
		return
	}
	for _, e := range all {
		if e.Code != c.Param("code") {
			continue
		}
		page := &elementPage{Game: *row, Element: e, Edits: editsGames(c)}
		if change != nil {
			change(page)
		}
		w.show(c, status, "game-element", &view{Page: page, Problem: problem})
		return
	}
	w.stop(c, catalog.ErrElement)
}

// saveGameElement changes an element: its facts, its picture, or whether it can be bet on.
func (w *Web) saveGameElement(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	ch := &catalog.ElementChange{}
	code := c.Param("code")
	switch action := c.PostForm("action"); action {
	case models.ElementRetired, models.ElementActive:
		ch.Retired = new(action == models.ElementRetired)
	case "remove":
		ch.NoImage = true
	case "picture":
		raw, err := uploaded(c)
		if err != nil || len(raw) == 0 {
			w.showElement(c, id, http.StatusBadRequest, w.words[visitOf(c).language]["games.file.again"], nil)
			return
		}
		ch.Image = raw
	default:
		position, err := strconv.Atoi(c.PostForm("position"))
		if err != nil {
			position = -1 // which is refused with its field
		}
		ch.Name, ch.Display, ch.Position = new(c.PostForm("name")), new(c.PostForm("display")), &position
	}
	_, err := w.deps.Catalog.UpdateElement(c.Request.Context(), id, code, ch)
	if err == nil {
		w.done(c, gamesPath+"/"+id.String()+"/elements/"+code, "game.saved")
		return
	}
	w.explain(c, err, func(status int, words string) {
		w.showElement(c, id, status, words, func(page *elementPage) {
			page.Details, page.Wrong = apperr.From(err).Details, refusedFields(err, "elements[0].")
			if ch.Name != nil {
				page.Name, page.Display = *ch.Name, *ch.Display
			}
		})
	})
}
