package catalog

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/models"
)

func (o *operations) registerCatalog() {
	tags := []string{"Catalogue"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-games", Method: http.MethodGet, Path: "/games", Tags: tags,
		Summary: "Games with what can be bet on them",
	}, kit.Can(auth.CatalogRead), o.listGames, catalog.ErrGameNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-game-elements", Method: http.MethodGet, Path: "/games/{id}/elements", Tags: tags,
		Summary: "What can be drawn in a game",
	}, kit.Can(auth.CatalogRead), o.listElements, catalog.ErrGameNotFound)
}

type game struct {
	ID              uuid.UUID `json:"id"`
	CategoryID      uuid.UUID `json:"category_id"`
	Category        string    `json:"category" doc:"code of the category" example:"ANIMALITOS"`
	Name            string    `json:"name"`
	ShortCode       string    `json:"short_code"`
	Position        int       `json:"position"`
	Status          string    `json:"status" enum:"active,suspended,inactive"`
	LogoURL         *string   `json:"logo_url"`
	SaleStopSeconds *int      `json:"sale_stop_seconds" doc:"how long before a draw its sales stop; null means as its entity sets"`
	SaleStopTime    *int      `json:"sale_stop_time" doc:"the same as sale_stop_seconds"`
	RuleVersion     int       `json:"rule_version"`
	BetTypes        []betType `json:"bet_types" nullable:"false"`
}

type betType struct {
	Type           string                 `json:"type" example:"straight"`
	Payout         string                 `json:"payout" doc:"times the stake" example:"60"`
	ElementPayouts map[string]string      `json:"element_payouts,omitempty" doc:"payouts of elements that pay otherwise, by code"`
	MinStake       map[string]kit.Decimal `json:"min_stake,omitempty" doc:"by code of the currency; * is any other"`
	MaxStake       map[string]kit.Decimal `json:"max_stake,omitempty" doc:"by code of the currency; * is any other"`
	catalog.BetBounds
	Draws int `json:"draws,omitempty" doc:"consecutive draws a bet runs over"`
}

type gameElement struct {
	ID           uuid.UUID `json:"id"`
	GameID       uuid.UUID `json:"game_id"`
	Code         string    `json:"code" doc:"text: 0 and 00 are different" example:"05"`
	Name         string    `json:"name" example:"León"`
	DisplayValue string    `json:"display_value"`
	ImageURL     *string   `json:"image_url"`
	Position     int       `json:"position"`
	Status       string    `json:"status" enum:"active,retired" doc:"a retired one cannot be bet on"`
}

func (o *operations) listGames(ctx context.Context, _ caller.Caller, in *struct{ kit.PageParams }) (*kit.List[game], error) {
	games, err := o.catalog.Games(ctx)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(kit.PageOf(games, &in.PageParams), gameBody), &in.PageParams, int64(len(games))), nil
}

type elementsInput struct {
	kit.PageParams
	ID     uuid.UUID `path:"id"`
	Status string    `query:"status" enum:"active,all" default:"active" doc:"all lists the retired ones too"`
}

func (o *operations) listElements(ctx context.Context, _ caller.Caller, in *elementsInput) (*kit.List[gameElement], error) {
	all, err := o.catalog.Elements(ctx, in.ID, in.Status == "all")
	if err != nil {
		return nil, err
	}
	page := kit.Map(kit.PageOf(all, &in.PageParams), func(e catalog.Element) gameElement { return elementBody(in.ID, &e) })
	return kit.ListOf(page, &in.PageParams, int64(len(all))), nil
}

func elementBody(gameID uuid.UUID, e *catalog.Element) gameElement {
	status := models.ElementActive
	if e.Retired {
		status = models.ElementRetired
	}
	return gameElement{
		ID: e.ID, GameID: gameID, Code: e.Code, Name: e.Name, DisplayValue: e.Display, ImageURL: kit.Optional(e.ImageURL), Position: e.Position, Status: status,
	}
}

func gameBody(g *catalog.Game) game {
	b := game{
		ID: g.ID, CategoryID: g.CategoryID, Category: g.Category, Name: g.Name, ShortCode: g.ShortCode, Position: g.Position,
		Status: g.Status, LogoURL: kit.Optional(g.LogoURL), RuleVersion: g.RuleVersion,
		BetTypes: kit.Map(g.BetTypes(), func(name string) betType { return betTypeBody(g.Rule(name)) }),
	}
	if g.SaleStop != nil {
		seconds := int(*g.SaleStop / time.Second)
		b.SaleStopSeconds, b.SaleStopTime = &seconds, &seconds
	}
	return b
}
