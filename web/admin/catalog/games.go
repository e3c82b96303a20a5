// Package catalog has the pages of games: their facts and rules, elements, draws and categories.
package catalog

import (
	"embed"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/sheet"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path           = links.Games
	categoriesPath = path + "/categories"
	picturesPath   = path + "/pictures"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	sources []string // names of the configured sources of results

	list       kit.List[gameRow, listPage]
	new        kit.Page[newPage]
	categories kit.List[catalog.Category, categoriesPage]
	game       kit.Page[gamePage]
	element    kit.Page[elementPage]
	calendar   kit.Page[calendarPage]
}

// Area returns the pages of games. All sellers share the catalogue, so its changes are the operator's.
func Area(s *services.Services, sources []string) kit.Area {
	p := &pages{Services: s, sources: sources}
	p.list = kit.List[gameRow, listPage]{
		Template: "games", File: "games", Link: func(g *gameRow) string { return path + "/" + g.ID.String() }, Columns: columns(true), ColumnsOf: columnsOf, Empty: "games.none", Unpaged: true, Rows: p.rows, Filter: p.filter, Page: listPageOf,
	}
	p.new = kit.Page[newPage]{Template: "new", Load: p.loadNew}
	p.categories = kit.List[catalog.Category, categoriesPage]{
		Template: "categories", Columns: categoryColumns(), Empty: "categories.none", Unpaged: true, Rows: p.categoryRows, Page: p.categoriesPageOf,
	}
	p.game = kit.Page[gamePage]{Template: "game", Load: p.loadGame}
	p.element = kit.Page[elementPage]{Template: "element", Load: p.loadElement}
	p.calendar = kit.Page[calendarPage]{Template: "draws", Load: p.loadCalendar}
	return kit.Area{Templates: templates, Guide: "panel#games", Funcs: functions(), Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	const game, draws, element = path + "/:id", path + "/:id/draws", path + "/:id/elements/:code"
	read, write := kit.Can(auth.CatalogRead), kit.Can(auth.CatalogWrite).Operator()
	change := write.Sensitive()
	routes := []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.draws", "games.title"),
		kit.Get(picturesPath+"/:name", read, p.picture),
		kit.Get(categoriesPath, read, p.showCategories).Menu("nav.draws", "categories.title"),
		kit.Action(categoriesPath, "/save", change, p.saveCategory),
		kit.Action(categoriesPath, "/delete", change, p.deleteCategory),
		kit.Get(path+"/new", write, p.new.Show),
		kit.Post(path+"/new", change, p.create),
		kit.Get(game, read, p.game.Show),
		kit.Action(game, "/facts", change, p.saveFacts),
		kit.Action(game, "/status", change, p.setStatus),
		kit.Action(game, "/delete", change, p.delete),
		kit.Action(game, "/logo", change, p.saveLogo).Upload(),
		kit.Action(game, "/elements", change, p.addElements),
		kit.Get(element, read, p.element.Show),
		kit.Action(element, "/save", change, p.saveElement).Upload(),
		kit.Get(draws, read, p.showCalendar),
		kit.Action(draws, "/plan", change, p.planDay),
	}
	return append(routes, p.editRoutes(game, write)...)
}

// edits reports whether the caller may change the catalogue.
func edits(r *kit.Request) bool { return r.May(auth.CatalogWrite) && r.Caller.IsOperator() }

// listPage is what the list of games shows besides its rows.
type listPage struct{ Edits bool }

func statuses() []string {
	return []string{models.StatusActive, models.StatusSuspended, models.StatusInactive}
}

// gameRow is a game with the name of its category.
type gameRow struct {
	*catalog.Game

	category string
}

func (p *pages) rows(r *kit.Request, _ kit.Window) ([]gameRow, int64, error) {
	all, err := p.Catalog.Games(r.Context())
	if err != nil {
		return nil, 0, err
	}
	categories, err := p.Catalog.AllCategories(r.Context())
	if err != nil {
		return nil, 0, err
	}
	names := make(map[uuid.UUID]string, len(categories))
	for i := range categories {
		names[categories[i].ID] = categories[i].Name
	}
	filter := r.URL().Query()
	var rows []gameRow
	for _, g := range all {
		if fits(g, filter) {
			rows = append(rows, gameRow{g, names[g.CategoryID]})
		}
	}
	return rows, int64(len(rows)), nil
}

func listPageOf(r *kit.Request, _ []gameRow) (*listPage, error) {
	return &listPage{Edits: edits(r)}, nil
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	categories, err := p.Catalog.AllCategories(r.Context())
	choices := kit.OptionsOf(categories, func(c catalog.Category) (value, text string) { return c.Code, c.Name })
	search := kit.TextField("q", "label.name_or_code", 100)
	search.Kind = "search"
	return &kit.Filter{Fields: []kit.FilterField{
		search, kit.SelectField("category", "label.category", choices), kit.SelectField("status", "label.state", r.States("game", statuses()...)),
	}}, err
}

// fits reports whether a game fits the filter of the address.
func fits(g *catalog.Game, f url.Values) bool {
	text := strings.ToLower(strings.TrimSpace(f.Get("q")))
	return (f.Get("category") == "" || f.Get("category") == g.Category) && (f.Get("status") == "" || f.Get("status") == g.Status) &&
		(text == "" || strings.Contains(strings.ToLower(g.Name), text) || strings.Contains(strings.ToLower(g.ShortCode), text))
}

// columnsOf are the columns of rows, with the column of logos where a game has one.
func columnsOf(rows []gameRow) []kit.Column[gameRow] {
	return columns(slices.ContainsFunc(rows, func(g gameRow) bool { return g.LogoURL != "" }))
}

func columns(logos bool) []kit.Column[gameRow] {
	list := []kit.Column[gameRow]{
		kit.TextColumn("label.name", func(g *gameRow) string { return g.Name }).Wrapped(),
		kit.MonoColumn("label.code", func(g *gameRow) string { return g.ShortCode }).FileOnly(),
		kit.TextColumn("label.category", func(g *gameRow) string { return g.category }).Styled(func(*gameRow) string { return "bare" }),
		kit.StateColumn("game", func(g *gameRow) string { return g.Status }),
		kit.CountColumn("label.elements", func(g *gameRow) int { return len(g.Elements) }).OnWide(),
		kit.WordColumn("label.bet_types", func(v *kit.View, g *gameRow) string { return betsOf(v, g.Game) }).Wrapped().OnWide(),
		kit.WordColumn("edit.times", func(v *kit.View, g *gameRow) string { return timesText(v, g.Schedule().Times) }).Wrapped(),
		kit.CountColumn("label.place", func(g *gameRow) int { return g.Position }).FileOnly(),
		{Title: "label.rule_version", File: func(g *gameRow) sheet.Cell { return sheet.Integer(int64(g.RuleVersion)) }},
	}
	if logos {
		list = slices.Insert(list, 1, kit.Column[gameRow]{Cell: func(v *kit.View, g *gameRow) kit.Cell { return v.Part("logo", g.LogoURL) }})
	}
	return list
}

// betsOf lists the bets of a game.
func betsOf(v *kit.View, g *catalog.Game) string {
	var names []string
	for _, bet := range g.BetTypes() {
		names = append(names, v.T("bet."+bet))
	}
	return strings.Join(names, ", ")
}

// newPage is the form of a new game.
type newPage struct{ Form *kit.Form }

func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	all, err := p.Catalog.AllCategories(r.Context())
	if err != nil {
		return nil, err
	}
	games, err := p.Catalog.GameTitles(r.Context())
	options := kit.OptionsOf(games, func(g catalog.GameTitle) (value, text string) { return g.ID.String(), g.Name })
	return &newPage{Form: newForm(&newGame{}, all, append([]kit.Option{{Text: r.T("games.copy.none")}}, options...))}, err
}

// newGame is a game as it is typed.
type newGame struct {
	catalog.GameChange

	Copy uuid.UUID // the game whose category, elements and rules it gets; Nil for none
}

// newForm is the form of a new game.
func newForm(g *newGame, categories []catalog.Category, games []kit.Option) *kit.Form {
	copied := kit.ChoiceInput("copy", "games.copy", games).WithRule("games.copy.hint", true).Into(&g.Copy)
	return kit.NewForm(append([]kit.Input{copied}, gameInputs(&g.GameChange, categories)...)...)
}

func (p *pages) create(r *kit.Request) error {
	typed := &newGame{}
	newForm(typed, nil, nil).Take(r)
	made, err := p.Catalog.CopyGame(r.Context(), typed.Copy, &typed.GameChange)
	if err == nil {
		return r.Done(path+"/"+made.ID.String(), "game.created")
	}
	return p.new.ShowRefusal(r, err, func(page *newPage) { page.Form.FillFrom(r).RefuseBy(err, "") })
}
