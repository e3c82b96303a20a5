package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/models"
)

func (a *API) registerCatalog() {
	tags := []string{"Catalogue"}
	handle(a, huma.Operation{
		OperationID: "list-games", Method: http.MethodGet, Path: "/games", Tags: tags,
		Summary: "Games with what can be bet on them",
	}, Can(auth.CatalogRead), a.listGames)
	handle(a, huma.Operation{
		OperationID: "list-game-elements", Method: http.MethodGet, Path: "/games/{id}/elements", Tags: tags,
		Summary: "What can be drawn in a game",
	}, Can(auth.CatalogRead), a.listElements)
	handle(a, huma.Operation{
		OperationID: "get-draw", Method: http.MethodGet, Path: "/draws/{id}", Tags: tags, Summary: "One draw, as it was within the last seconds",
	}, Can(auth.CatalogRead), a.getDraw)
	handle(a, huma.Operation{
		OperationID: "list-draws", Method: http.MethodGet, Path: "/draws", Tags: tags,
		Summary: "Draws by time; an open one can be sold until its sale_stop_at",
	}, Can(auth.CatalogRead), a.listDraws)
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
	Type           string             `json:"type" example:"straight"`
	Payout         string             `json:"payout" doc:"times the stake" example:"60"`
	ElementPayouts map[string]string  `json:"element_payouts,omitempty" doc:"payouts of elements that pay otherwise, by code"`
	MinStake       map[string]Decimal `json:"min_stake,omitempty" doc:"by code of the currency; * is any other"`
	MaxStake       map[string]Decimal `json:"max_stake,omitempty" doc:"by code of the currency; * is any other"`
	MaxPerTicket   int                `json:"max_per_ticket,omitempty" doc:"lines of this type on a ticket"`
	Draws          int                `json:"draws,omitempty" doc:"consecutive draws a bet runs over"`
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

type draw struct {
	ID         uuid.UUID  `json:"id"`
	GameID     uuid.UUID  `json:"game_id"`
	DrawNumber string     `json:"draw_number" doc:"unique per game and business day"`
	DrawTime   time.Time  `json:"draw_time"`
	LocalDate  string     `json:"local_date" format:"date" doc:"its business day"`
	SaleStopAt time.Time  `json:"sale_stop_at" doc:"when sales stop for the caller's entity: as the draw says, else as its game does, else as the entity inherits"`
	Explicit   bool       `json:"sale_stop_explicit" doc:"whether sale_stop_at was given for this draw, and so holds for every entity"`
	OpensAt    *time.Time `json:"opens_at" doc:"when a scheduled one is put on sale; null where a person does it"`
	Status     string     `json:"status" enum:"scheduled,open,closed,resulted,settled,suspended"`
}

func (a *API) listGames(ctx context.Context, in *struct{ PageParams }) (*List[game], error) {
	games, err := a.deps.Catalog.Games(ctx)
	if err != nil {
		return nil, err
	}
	return list(mapped(pageOf(games, &in.PageParams), gameBody), &in.PageParams, int64(len(games))), nil
}

type elementsInput struct {
	PageParams
	ID     uuid.UUID `path:"id"`
	Status string    `query:"status" enum:"active,all" default:"active" doc:"all lists the retired ones too"`
}

func (a *API) listElements(ctx context.Context, in *elementsInput) (*List[gameElement], error) {
	all, err := a.deps.Catalog.Elements(ctx, in.ID, in.Status == "all")
	if err != nil {
		return nil, err
	}
	page := mapped(pageOf(all, &in.PageParams), func(e catalog.Element) gameElement { return elementBody(in.ID, &e) })
	return list(page, &in.PageParams, int64(len(all))), nil
}

type drawsInput struct {
	PageParams
	Status string    `query:"status" enum:"scheduled,open,closed,resulted,settled,suspended"`
	GameID uuid.UUID `query:"game_id"`
	Date   time.Time `query:"date" timeFormat:"2006-01-02" format:"date" doc:"a business day" example:"2026-11-20"`
	From   time.Time `query:"from" timeFormat:"2006-01-02" format:"date" doc:"the first business day"`
	To     time.Time `query:"to" timeFormat:"2006-01-02" format:"date" doc:"the last business day"`
	Sort   string    `query:"sort" enum:"draw_time,-draw_time" default:"draw_time"`
}

func (a *API) listDraws(ctx context.Context, in *drawsInput) (*List[draw], error) {
	stop, err := a.callerStop(ctx)
	if err != nil {
		return nil, err
	}
	draws, total, err := a.deps.Catalog.Draws(ctx, catalog.DrawFilter{
		Status: in.Status, GameID: in.GameID, Date: in.Date, From: in.From, To: in.To, Stop: stop, Latest: in.Sort == "-draw_time",
		Limit: in.PageSize, Offset: in.Offset(),
	})
	if err != nil {
		return nil, err
	}
	return list(mapped(draws, func(d *catalog.Draw) draw { return drawBody(d, stop) }), &in.PageParams, total), nil
}

func (a *API) getDraw(ctx context.Context, in *struct {
	ID uuid.UUID `path:"id"`
}) (*Data[draw], error) {
	d, err := a.deps.Catalog.Draw(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	stop, err := a.callerStop(ctx)
	if err != nil {
		return nil, err
	}
	return data(drawBody(d, stop)), nil
}

// callerStop is how long before a draw sales stop for the caller's entity, where neither draw nor game says.
func (a *API) callerStop(ctx context.Context) (time.Duration, error) {
	chain, err := a.deps.Org.Chain(ctx, middleware.PrincipalFrom(ctx).EntityID)
	if err != nil {
		return 0, err
	}
	return chain.SaleStop(), nil
}

// drawBody maps a draw as a seller with an inherited stop sees it.
func drawBody(d *catalog.Draw, stop time.Duration) draw {
	return draw{
		ID: d.ID, GameID: d.GameID, DrawNumber: d.Number, LocalDate: d.LocalDate.Format(time.DateOnly), DrawTime: d.Time,
		SaleStopAt: d.StopFor(stop), Explicit: d.StopExplicit, OpensAt: given(d.OpensAt), Status: d.Status,
	}
}

func elementBody(gameID uuid.UUID, e *catalog.Element) gameElement {
	status := models.ElementActive
	if e.Retired {
		status = models.ElementRetired
	}
	return gameElement{
		ID: e.ID, GameID: gameID, Code: e.Code, Name: e.Name, DisplayValue: e.Display, ImageURL: optional(e.ImageURL), Position: e.Position, Status: status,
	}
}

func gameBody(g *catalog.Game) game {
	b := game{
		ID: g.ID, CategoryID: g.CategoryID, Category: g.Category, Name: g.Name, ShortCode: g.ShortCode, Position: g.Position,
		Status: g.Status, LogoURL: optional(g.LogoURL), RuleVersion: g.RuleVersion,
		BetTypes: mapped(g.BetTypes(), func(name string) betType { return betTypeBody(g.Rule(name)) }),
	}
	if g.SaleStop != nil {
		seconds := int(*g.SaleStop / time.Second)
		b.SaleStopSeconds, b.SaleStopTime = &seconds, &seconds
	}
	return b
}
