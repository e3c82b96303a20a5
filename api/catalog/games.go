package catalog

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/caller"
)

const gamesPath = "/games"

func (o *operations) registerGames() {
	tags := []string{"Catalogue"}
	write := kit.Can(auth.CatalogWrite).Sensitive().Operator()
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "check-game-code", Method: http.MethodGet, Path: gamesPath + "/check", Tags: tags,
		Summary: "Whether a short_code is free",
	}, kit.Can(auth.CatalogRead), o.checkGameCode)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "game-schema", Method: http.MethodGet, Path: gamesPath + "/schemas/{field}", Tags: tags,
		Summary:   "The JSON schema of a field of a game",
		Responses: kit.ContentResponses("The schema", map[string]*huma.Schema{"application/schema+json": {Type: huma.TypeObject, AdditionalProperties: true}}),
	}, kit.Can(auth.CatalogRead), o.gameSchema, catalog.ErrSchemaNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-game", Method: http.MethodPost, Path: gamesPath, Tags: tags,
		MaxBodyBytes: maxCatalogForm + 1,
		Summary:      "Create a game's facts and logo; elements and draws have operations of their own",
		Description:  "JSON, or a form with the JSON in data and a picture in logo: PNG or JPEG of up to 5 MiB, by its content.",
	}, write, o.createGame,
		gameErrors(catalog.ErrMechanicsInUse)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-game", Method: http.MethodGet, Path: gamesPath + "/{id}", Tags: tags,
		Summary: "A game with all of its fields",
	}, kit.Can(auth.CatalogRead), o.getGame, catalog.ErrCategoryNotFound, catalog.ErrGameNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-game", Method: http.MethodPut, Path: gamesPath + "/{id}", Tags: tags,
		MaxBodyBytes: maxCatalogForm + 1,
		Summary:      "Change a game; omitted fields keep their value",
		Description: "A changed schedule plans the coming draws again, except those with tickets and the days planned by hand. " +
			"Changed mechanics or betting_rules are a new rule_version. position is its place among the games, which make room.",
	}, write, o.updateGame,
		gameErrors(catalog.ErrMechanicsInUse)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-game-status", Method: http.MethodPut, Path: gamesPath + "/{id}/status", Tags: tags,
		Summary: "Put a game on sale or take it off; its draws stay as they are",
	}, write, o.setGameStatus, catalog.ErrCategoryNotFound, catalog.ErrGameNotFound, catalog.ErrGameStatus)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-game", Method: http.MethodDelete, Path: gamesPath + "/{id}", Tags: tags,
		Summary: "Remove a game on which nothing was sold, with its elements and draws",
	}, write, o.deleteGame, catalog.ErrGameHasSales, catalog.ErrGameInUse, catalog.ErrGameNotFound)
	logo := map[string]string{"logo": "a PNG or JPEG picture"}
	o.formBody(gamesPath, http.MethodPost, logo, o.schemaOf(newGameBody{}))
	o.formBody(gamesPath+"/{id}", http.MethodPut, logo, o.schemaOf(gameBodyIn{}))
}

func (o *operations) schemaOf(body any) *huma.Schema {
	return huma.SchemaFromType(o.Huma.OpenAPI().Components.Schemas, reflect.TypeOf(body))
}

type codeCheck struct {
	Available bool `json:"available"`
}

func (o *operations) checkGameCode(ctx context.Context, _ caller.Caller, in *struct {
	ShortCode string `query:"short_code" required:"true" minLength:"1" maxLength:"32"`
}) (*kit.Data[codeCheck], error) {
	taken, err := o.catalog.CodeTaken(ctx, in.ShortCode)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(codeCheck{Available: !taken}), nil
}

type schemaOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (o *operations) gameSchema(_ context.Context, _ caller.Caller, in *struct {
	Field string `path:"field" enum:"mechanics,betting_rules,schedule_config,metadata,api_config"`
}) (*schemaOutput, error) {
	raw, err := catalog.Schema(in.Field)
	if err != nil {
		return nil, err
	}
	return &schemaOutput{ContentType: "application/schema+json", Body: raw}, nil
}

func isLogo(name string) bool { return name == "logo" }

func (o *operations) createGame(ctx context.Context, by caller.Caller, in *FormInput) (*kit.Created[fullGame], error) {
	var body newGameBody
	given, err := in.read(&body, isLogo)
	if err != nil {
		return nil, err
	}
	ch, err := body.change(by, given)
	if err != nil {
		return nil, err
	}
	row, err := o.catalog.CreateGame(ctx, ch)
	if err != nil {
		return nil, err
	}
	full, err := o.fullGame(ctx, by, row)
	return kit.CreatedOf(full, o.BasePath+gamesPath+"/"+row.ID.String()), err
}

func (o *operations) getGame(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[fullGame], error) {
	row, err := o.catalog.GameRow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	full, err := o.fullGame(ctx, by, row)
	return kit.DataOf(full), err
}

type gameInput struct {
	kit.ByID
	FormInput
}

func (o *operations) updateGame(ctx context.Context, by caller.Caller, in *gameInput) (*kit.Data[fullGame], error) {
	var body gameBodyIn
	given, err := in.read(&body, isLogo)
	if err != nil {
		return nil, err
	}
	ch, err := body.change(by, given)
	if err != nil {
		return nil, err
	}
	row, err := o.catalog.UpdateGame(ctx, in.ID, ch)
	if err != nil {
		return nil, err
	}
	full, err := o.fullGame(ctx, by, row)
	return kit.DataOf(full), err
}

func (o *operations) setGameStatus(ctx context.Context, by caller.Caller, in *struct {
	kit.ByID
	Body struct {
		Status string `json:"status" enum:"active,suspended,inactive"`
	}
}) (*kit.Data[fullGame], error) {
	row, err := o.catalog.SetGameStatus(ctx, in.ID, in.Body.Status)
	if err != nil {
		return nil, err
	}
	full, err := o.fullGame(ctx, by, row)
	return kit.DataOf(full), err
}

func (o *operations) deleteGame(ctx context.Context, _ caller.Caller, in *kit.ByID) (*kit.Data[kit.Deleted], error) {
	if err := o.catalog.DeleteGame(ctx, in.ID); err != nil {
		return nil, err
	}
	return kit.DataOf(kit.Deleted{ID: in.ID.String(), Deleted: true}), nil
}
