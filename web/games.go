package web

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/models"
)

// gamesPath is where the catalogue's part of the panel lies.
const gamesPath = "/admin/games"

func (w *Web) registerGames(g *gin.RouterGroup) {
	g.GET("", w.gamesList)
	g.GET("/pictures/:name", w.gamePicture)
	g.GET("/categories", w.gameCategories)
	g.GET("/:id", w.gamePage)
	g.GET("/:id/draws", w.gameDraws)
	g.GET("/:id/elements/:code", w.gameElement)
	write := g.Group("", w.may(auth.CatalogWrite), w.house)
	write.GET("/new", w.newGame)
	write.POST("/new", w.sameForm, w.createGame)
	w.guard(write, "/categories", "/save", w.saveCategory)
	w.guard(write, "/categories", "/delete", w.deleteCategory)
	w.guard(write, "/:id", "/facts", w.saveGameFacts)
	w.guard(write, "/:id", "/fields/:field", w.saveGameField)
	w.guard(write, "/:id", "/status", w.setGameStatus)
	w.guard(write, "/:id", "/delete", w.deleteGame)
	w.guard(write, "/:id", "/elements", w.addGameElements)
	w.guard(write, "/:id/draws", "/plan", w.planDay)
	for _, action := range []struct {
		page, action string
		do           gin.HandlerFunc
	}{{"/:id", "/logo", w.saveGameLogo}, {"/:id/elements/:code", "/save", w.saveGameElement}} {
		w.guardUpload(write, action.page, action.action, action.do)
	}
}

// guardUpload is guard for a form with a file. A file cannot wait for a confirmation, so the user chooses it again.
func (w *Web) guardUpload(g *gin.RouterGroup, page, action string, do gin.HandlerFunc) {
	upload := g.Group("", func(c *gin.Context) {
		if c.Request.Method == http.MethodPost && strings.HasPrefix(c.ContentType(), "multipart/") {
			w.limitUpload(c)
		}
	})
	w.guard(upload, page, action, do)
}

// house admits users of the root entity: all sellers share the catalogue.
func (w *Web) house(c *gin.Context) {
	if p := &visitOf(c).principal; !p.AtRoot() {
		w.refuse(c, http.StatusForbidden, "code.FORBIDDEN")
	}
}

// editsGames reports whether the visitor may change the catalogue.
func editsGames(c *gin.Context) bool {
	p := &visitOf(c).principal
	return p.May(auth.CatalogWrite) && p.AtRoot()
}

// gamesMenu is the catalogue's part of the side.
func (w *Web) gamesMenu(p *auth.Principal) []menuLink {
	if w.deps.Catalog == nil || !p.May(auth.CatalogRead) {
		return nil
	}
	return []menuLink{{Title: "games.title", Path: gamesPath}, {Title: "categories.title", Path: gamesPath + "/categories"}}
}

// gamesListPage is the list of games.
type gamesListPage struct {
	Filter     url.Values
	Categories []string
	Statuses   []string
	Games      []*catalog.Game
	Edits      bool
}

func gameStatuses() []string {
	return []string{models.StatusActive, models.StatusSuspended, models.StatusInactive}
}

func (w *Web) gamesList(c *gin.Context) {
	ctx := c.Request.Context()
	all, err := w.deps.Catalog.Games(ctx)
	if err != nil {
		w.fail(c, err)
		return
	}
	page := &gamesListPage{Filter: c.Request.URL.Query(), Statuses: gameStatuses(), Edits: editsGames(c)}
	if page.Categories, err = w.deps.Catalog.Categories(ctx); err != nil {
		w.fail(c, err)
		return
	}
	page.Games = slices.DeleteFunc(slices.Clone(all), func(g *catalog.Game) bool { return !fits(g, page.Filter) })
	if c.Query(formatParam) == formatCSV {
		w.gamesCSV(c, page.Games)
		return
	}
	p := &pager{CSV: csvAddress(c.Request.URL), From: min(1, int64(len(page.Games))), To: int64(len(page.Games)), Total: int64(len(page.Games))}
	w.show(c, http.StatusOK, "games", &view{Page: page, Pager: p})
}

// fits reports whether a game fits the filter of the address.
func fits(g *catalog.Game, f url.Values) bool {
	text := strings.ToLower(strings.TrimSpace(f.Get("q")))
	return (f.Get("category") == "" || f.Get("category") == g.Category) && (f.Get("status") == "" || f.Get("status") == g.Status) &&
		(text == "" || strings.Contains(strings.ToLower(g.Name), text) || strings.Contains(strings.ToLower(g.ShortCode), text))
}

func (w *Web) gamesCSV(c *gin.Context, games []*catalog.Game) {
	rows := make([][]string, len(games))
	for i, g := range games {
		rows[i] = []string{strconv.Itoa(g.Position), g.ShortCode, g.Name, g.Category, g.Status, strconv.Itoa(len(g.Elements)), strings.Join(g.BetTypes(), " "), strconv.Itoa(g.RuleVersion)}
	}
	w.sendCSV(c, "games", []string{"label.place", "label.code", "label.name", "label.category", "label.state", "label.elements", "label.bet_types", "label.rule_version"}, rows)
}

// gamePicture serves a small picture from here: a page may load nothing from elsewhere.
func (w *Web) gamePicture(c *gin.Context) {
	raw, err := w.deps.Catalog.SmallPicture(c.Request.Context(), c.Param("name"))
	if err != nil {
		w.stop(c, err)
		return
	}
	c.Header("Cache-Control", "private, max-age=31536000, immutable") // its name is its content
	c.Data(http.StatusOK, "image/png", raw)
}

// Picture is the address of a picture in the panel; empty for none.
func (v *view) Picture(url string) string {
	if name := catalog.PictureName(url); name != "" {
		return gamesPath + "/pictures/" + name
	}
	return ""
}

// newGamePage is the form that makes a game.
type newGamePage struct {
	Form       url.Values
	Categories []catalog.Category
	Wrong      map[string]bool
}

func (w *Web) newGame(c *gin.Context) { w.showNewGame(c, http.StatusOK, "", url.Values{}, nil) }

func (w *Web) showNewGame(c *gin.Context, status int, problem string, form url.Values, wrong map[string]bool) {
	all, err := w.deps.Catalog.AllCategories(c.Request.Context())
	if err != nil {
		w.fail(c, err)
		return
	}
	w.show(c, status, "game-new", &view{Page: &newGamePage{Form: form, Categories: all, Wrong: wrong}, Problem: problem})
}

func (w *Web) createGame(c *gin.Context) {
	if !w.confirmed(c) {
		return
	}
	form := typed(c)
	name, code := form.Get("name"), form.Get("short_code")
	ch := &catalog.GameChange{Name: &name, ShortCode: &code}
	if id, err := uuid.Parse(form.Get("category")); err == nil {
		ch.CategoryID = &id
	}
	made, err := w.deps.Catalog.CreateGame(c.Request.Context(), ch)
	if err == nil {
		w.done(c, gamesPath+"/"+made.ID.String(), "game.created")
		return
	}
	wrong := refusedFields(err, "")
	if refusalCode(err) == catalog.ErrGameExists.Code {
		wrong["short_code"] = true
	}
	w.explain(c, err, func(status int, words string) { w.showNewGame(c, status, words, form, wrong) })
}
