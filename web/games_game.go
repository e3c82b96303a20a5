package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/models"
)

// gameView is a game with everything that can be seen and done about it.
type gameView struct {
	models.Game
	Category   string
	Categories []catalog.Category
	Elements   []catalog.Element
	Retired    []catalog.Element
	Next       []string // statuses it may go to
	Fields     []fieldForm
	Edits      bool
	Forces     bool // the user may let rules stand that pay out more than they take in

	Facts    gameFacts
	Open     string // whose form is shown open: the one with an error
	Details  []apperr.Detail
	New      string // elements that were typed
	Overpaid bool   // the refusal can be forced
}

// fieldForm is a JSON field as a form.
type fieldForm struct {
	Name  string
	Text  string
	Forms bool // it holds bets, and may be forced
}

// gameFacts are the facts of a game as they are typed.
type gameFacts struct {
	Name, ShortCode, Position, SaleStop string
	CategoryID                          string
	Wrong                               map[string]bool
}

func (w *Web) gamePage(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showGame(c, id, http.StatusOK, "", nil)
	}
}

// showGame shows a game's page; change fills a refused form in.
func (w *Web) showGame(c *gin.Context, id uuid.UUID, status int, problem string, change func(*gameView)) {
	page, err := w.gameView(c, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	if change != nil {
		change(page)
	}
	w.show(c, status, "game", &view{Page: page, Problem: problem})
}

func (w *Web) gameView(c *gin.Context, id uuid.UUID) (*gameView, error) {
	ctx := c.Request.Context()
	row, err := w.deps.Catalog.GameRow(ctx, id)
	if err != nil {
		return nil, err
	}
	page := &gameView{Game: *row, Next: catalog.GameStatusesAfter(row.Status), Edits: editsGames(c), Forces: visitOf(c).principal.May(auth.CatalogForce)}
	all, err := w.deps.Catalog.Elements(ctx, id, true)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Retired {
			page.Retired = append(page.Retired, e)
			continue
		}
		page.Elements = append(page.Elements, e)
	}
	if page.Categories, err = w.deps.Catalog.AllCategories(ctx); err != nil {
		return nil, err
	}
	for i := range page.Categories {
		if page.Categories[i].ID == row.CategoryID {
			page.Category = page.Categories[i].Name
		}
	}
	page.Facts = gameFacts{Name: row.Name, ShortCode: row.ShortCode, Position: strconv.Itoa(row.Position), CategoryID: row.CategoryID.String()}
	if row.SaleStopSeconds != nil {
		page.Facts.SaleStop = strconv.Itoa(*row.SaleStopSeconds)
	}
	for _, f := range []struct {
		name string
		raw  []byte
	}{
		{catalog.FieldMechanics, row.Mechanics}, {catalog.FieldRules, row.BettingRules}, {catalog.FieldSchedule, row.ScheduleConfig},
		{catalog.FieldMetadata, row.Metadata}, {catalog.FieldAPI, row.APIConfig},
	} {
		if f.name == catalog.FieldAPI && !page.Edits {
			continue
		}
		page.Fields = append(page.Fields, fieldForm{Name: f.name, Text: indented(f.raw), Forms: f.name == catalog.FieldRules || f.name == catalog.FieldMechanics})
	}
	return page, nil
}

// indented writes a document as people read it.
func indented(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// settleGame redirects to a changed game, or shows it with the refusal.
func (w *Web) settleGame(c *gin.Context, id uuid.UUID, err error, change func(*gameView)) {
	if err == nil {
		w.done(c, gamesPath+"/"+id.String(), "game.saved")
		return
	}
	w.explain(c, err, func(status int, words string) {
		if refusalCode(err) == catalog.ErrGameNotFound.Code {
			w.stop(c, err)
			return
		}
		w.showGame(c, id, status, words, func(page *gameView) {
			page.Details = apperr.From(err).Details
			page.Overpaid = refusalCode(err) == catalog.ErrOverpriced.Code
			change(page)
		})
	})
}

func (w *Web) saveGameFacts(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	form := typed(c)
	facts := gameFacts{
		Name: form.Get("name"), ShortCode: form.Get("short_code"), Position: form.Get("position"), SaleStop: strings.TrimSpace(form.Get("sale_stop")),
		CategoryID: form.Get("category"), Wrong: map[string]bool{},
	}
	ch := &catalog.GameChange{Name: &facts.Name, ShortCode: &facts.ShortCode, SaleStop: new(*int)}
	if category, err := uuid.Parse(facts.CategoryID); err == nil {
		ch.CategoryID = &category
	}
	if position, err := strconv.Atoi(facts.Position); err == nil {
		ch.Position = &position
	}
	if facts.SaleStop != "" {
		seconds, err := strconv.Atoi(facts.SaleStop)
		if err != nil {
			seconds = -1 // which is refused with its field
		}
		*ch.SaleStop = &seconds
	}
	_, err := w.deps.Catalog.UpdateGame(c.Request.Context(), id, ch)
	w.settleGame(c, id, err, func(page *gameView) {
		facts.Wrong = refusedFields(err, "")
		if refusalCode(err) == catalog.ErrGameExists.Code {
			facts.Wrong["short_code"] = true
		}
		page.Facts, page.Open = facts, "facts"
	})
}

// saveGameField changes one JSON field.
func (w *Web) saveGameField(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	field, text := c.Param("field"), c.PostForm("text")
	if _, err := catalog.Schema(field); err != nil {
		w.refuse(c, http.StatusNotFound, "error.missing")
		return
	}
	ch := &catalog.GameChange{Documents: catalog.Documents{field: json.RawMessage(text)}}
	if p := &visitOf(c).principal; p.May(auth.CatalogForce) {
		ch.Force = strings.TrimSpace(c.PostForm("force_reason"))
	}
	_, err := w.deps.Catalog.UpdateGame(c.Request.Context(), id, ch)
	w.settleGame(c, id, err, func(page *gameView) {
		page.Open = field
		for i := range page.Fields {
			if page.Fields[i].Name == field {
				page.Fields[i].Text = text
			}
		}
	})
}

func (w *Web) setGameStatus(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	_, err := w.deps.Catalog.SetGameStatus(c.Request.Context(), id, c.PostForm("status"))
	w.settleGame(c, id, err, func(*gameView) {})
}

func (w *Web) deleteGame(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	err := w.deps.Catalog.DeleteGame(c.Request.Context(), id)
	if err == nil {
		w.done(c, gamesPath, "game.deleted")
		return
	}
	w.settleGame(c, id, err, func(page *gameView) { page.Open = "delete" })
}

// saveGameLogo keeps a picture as the logo, or takes it away.
func (w *Web) saveGameLogo(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	ch := &catalog.GameChange{NoLogo: c.PostForm("remove") != ""}
	if !ch.NoLogo {
		raw, err := uploaded(c)
		if err != nil || len(raw) == 0 {
			words := w.words[visitOf(c).language]["games.file.again"]
			w.showGame(c, id, http.StatusBadRequest, words, func(page *gameView) { page.Open = "logo" })
			return
		}
		ch.Logo = raw
	}
	_, err := w.deps.Catalog.UpdateGame(c.Request.Context(), id, ch)
	w.settleGame(c, id, err, func(page *gameView) { page.Open = "logo" })
}
