// Package catalog has the pages of games: their facts and rules, elements, draws and categories.
package catalog

import (
	"embed"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/models"
	"banca/web/kit"
)

const (
	path           = "/admin/games"
	categoriesPath = path + "/categories"
	picturesPath   = path + "/pictures"
)

//go:embed templates
var templates embed.FS

// Deps are the services of the area.
type Deps struct {
	Catalog *catalog.Service
}

type pages struct {
	Deps

	list       kit.List[*catalog.Game, listPage]
	new        kit.Page[newPage]
	categories kit.Page[categoriesPage]
	game       kit.Page[gamePage]
	element    kit.Page[elementPage]
	calendar   kit.Page[calendarPage]
}

// Area returns the pages of games. All sellers share the catalogue, so its changes are the operator's.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	p.list = kit.List[*catalog.Game, listPage]{Template: "games", File: "games", Columns: columns(), Whole: true, Rows: p.rows, Page: p.listPage}
	p.new = kit.Page[newPage]{Template: "new", Load: p.loadNew}
	p.categories = kit.Page[categoriesPage]{Template: "categories", Load: p.loadCategories}
	p.game = kit.Page[gamePage]{Template: "game", Load: p.loadGame}
	p.element = kit.Page[elementPage]{Template: "element", Load: p.loadElement}
	p.calendar = kit.Page[calendarPage]{Template: "draws", Load: p.loadCalendar}
	return kit.Area{Templates: templates, Funcs: functions(), Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	const game, draws, element = path + "/:id", path + "/:id/draws", path + "/:id/elements/:code"
	read, write := kit.Can(auth.CatalogRead), kit.Can(auth.CatalogWrite).Operator()
	change := write.Sensitive()
	return []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.games", "games.title"),
		kit.Get(picturesPath+"/:name", read, p.picture),
		kit.Get(categoriesPath, read, p.categories.Show).Menu("nav.games", "categories.title"),
		kit.Action(categoriesPath, "/save", change, p.saveCategory),
		kit.Action(categoriesPath, "/delete", change, p.deleteCategory),
		kit.Get(path+"/new", write, p.new.Show),
		kit.Post(path+"/new", change, p.create),
		kit.Get(game, read, p.game.Show),
		kit.Action(game, "/facts", change, p.saveFacts),
		kit.Action(game, "/fields/:field", change, p.saveField),
		kit.Action(game, "/status", change, p.setStatus),
		kit.Action(game, "/delete", change, p.delete),
		kit.Action(game, "/logo", change, p.saveLogo).Upload(),
		kit.Action(game, "/elements", change, p.addElements),
		kit.Get(element, read, p.element.Show),
		kit.Action(element, "/save", change, p.saveElement).Upload(),
		kit.Get(draws, read, p.showCalendar),
		kit.Action(draws, "/plan", change, p.planDay),
	}
}

// edits reports whether the caller may change the catalogue.
func edits(r *kit.Request) bool { return r.May(auth.CatalogWrite) && r.Caller.IsOperator() }

// listPage is the list of games.
type listPage struct {
	Filter     url.Values
	Categories []string
	Statuses   []string
	Games      []*catalog.Game
	Edits      bool
}

func statuses() []string {
	return []string{models.StatusActive, models.StatusSuspended, models.StatusInactive}
}

func (p *pages) rows(r *kit.Request, _ kit.Window) ([]*catalog.Game, int64, error) {
	all, err := p.Catalog.Games(r.Context())
	filter := r.Filter()
	games := slices.DeleteFunc(slices.Clone(all), func(g *catalog.Game) bool { return !fits(g, filter) })
	return games, int64(len(games)), err
}

func (p *pages) listPage(r *kit.Request, games []*catalog.Game) (*listPage, error) {
	categories, err := p.Catalog.Categories(r.Context())
	return &listPage{Filter: r.Filter(), Categories: categories, Statuses: statuses(), Games: games, Edits: edits(r)}, err
}

// fits reports whether a game fits the filter of the address.
func fits(g *catalog.Game, f url.Values) bool {
	text := strings.ToLower(strings.TrimSpace(f.Get("q")))
	return (f.Get("category") == "" || f.Get("category") == g.Category) && (f.Get("status") == "" || f.Get("status") == g.Status) &&
		(text == "" || strings.Contains(strings.ToLower(g.Name), text) || strings.Contains(strings.ToLower(g.ShortCode), text))
}

func columns() []kit.Column[*catalog.Game] {
	return []kit.Column[*catalog.Game]{
		{Title: "label.place", Text: func(g **catalog.Game) string { return strconv.Itoa((*g).Position) }},
		{Title: "label.code", Text: func(g **catalog.Game) string { return (*g).ShortCode }},
		{Title: "label.name", Text: func(g **catalog.Game) string { return (*g).Name }},
		{Title: "label.category", Text: func(g **catalog.Game) string { return (*g).Category }},
		{Title: "label.state", Text: func(g **catalog.Game) string { return (*g).Status }},
		{Title: "label.elements", Text: func(g **catalog.Game) string { return strconv.Itoa(len((*g).Elements)) }},
		{Title: "label.bet_types", Text: func(g **catalog.Game) string { return strings.Join((*g).BetTypes(), " ") }},
		{Title: "label.rule_version", Text: func(g **catalog.Game) string { return strconv.Itoa((*g).RuleVersion) }},
	}
}

// newPage is the form of a new game.
type newPage struct {
	Form       url.Values
	Categories []catalog.Category
	Wrong      map[string]bool
}

func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	all, err := p.Catalog.AllCategories(r.Context())
	return &newPage{Form: url.Values{}, Categories: all}, err
}

func (p *pages) create(r *kit.Request) error {
	form := r.Typed()
	name, code := form.Get("name"), form.Get("short_code")
	ch := &catalog.GameChange{Name: &name, ShortCode: &code}
	if id := r.FormID("category"); id != uuid.Nil {
		ch.CategoryID = &id
	}
	made, err := p.Catalog.CreateGame(r.Context(), ch)
	if err == nil {
		return r.Done(path+"/"+made.ID.String(), "game.created")
	}
	return p.new.Again(r, err, func(page *newPage) {
		page.Form, page.Wrong = form, kit.RefusedFields(err, "")
		if apperr.CodeOf(err) == catalog.ErrGameExists.Code {
			page.Wrong["short_code"] = true
		}
	})
}
