// Package tabs has the pages that are tabs of each other in several areas, and the field that the filters of draws share.
package tabs

import (
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/choices"
	"banca/web/admin/parts/currency"
	"banca/web/kit"
)

// Parameters of the views of draws.
const (
	Date = "date"
	Game = "game"
)

// Draws are the views of draws.
func Draws() *kit.Tabs {
	return &kit.Tabs{Title: "draws.views", Keeps: []string{Date, Game, currency.Param}, Without: map[string]string{models.RoleTaquilla: links.Exposure}, Pages: []kit.MenuLink{
		{Title: "draws.tab.board", Path: links.Draws + "/board"}, {Title: "results.title", Path: links.Draws + "/results"},
		{Title: "draws.tab.list", Path: links.Draws}, {Title: "exposure.title", Path: links.Exposure},
	}}
}

// Reports are the reports.
func Reports() *kit.Tabs {
	page := func(title, path string) kit.MenuLink { return kit.MenuLink{Title: title, Path: links.Reports + path} }
	return &kit.Tabs{Title: "reports.title", Keeps: []string{"entity", "from", "to", currency.Param, "category", Game}, Pages: []kit.MenuLink{
		page("reports.tab.sales", "/sales"), page("participation.title", "/participation"), page("reports.levels", "/levels"), page("reports.waterfall", "/waterfall"),
		page("reports.tab.balances", "/balances"), page("reports.tab.expired", "/expired-prizes"), page("reports.files", "/files"),
	}}
}

// GameField is the field for the game of a draw.
func GameField(r *kit.Request, from choices.GameLister) (kit.FilterField, error) {
	games, err := choices.Games(r, from)
	return kit.SelectField(Game, "label.game", games), err
}
