package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/catalog"
)

const gamesPath = "/games"

func (a *API) registerGames() {
	tags := []string{"Catalogue"}
	write := Can(auth.CatalogWrite).Sensitive().Operator()
	handle(a, huma.Operation{
		OperationID: "check-game-code", Method: http.MethodGet, Path: gamesPath + "/check", Tags: tags, Summary: "Whether a short_code is free",
	}, Can(auth.CatalogRead), a.checkGameCode)
	handle(a, huma.Operation{
		OperationID: "game-schema", Method: http.MethodGet, Path: gamesPath + "/schemas/{field}", Tags: tags, Summary: "The JSON schema of a field of a game",
		Responses: contentResponses("The schema", map[string]*huma.Schema{"application/schema+json": {Type: huma.TypeObject, AdditionalProperties: true}}),
	}, Can(auth.CatalogRead), a.gameSchema)
	handle(a, huma.Operation{
		OperationID: "create-game", Method: http.MethodPost, Path: gamesPath, Tags: tags, MaxBodyBytes: maxCatalogForm + 1,
		Summary:     "Create a game's facts and logo; elements and draws have operations of their own",
		Description: "JSON, or a form with the JSON in data and a picture in logo: PNG or JPEG of up to 5 MiB, by its content.",
	}, write, a.createGame)
	handle(a, huma.Operation{
		OperationID: "get-game", Method: http.MethodGet, Path: gamesPath + "/{id}", Tags: tags, Summary: "A game with all of its fields",
	}, Can(auth.CatalogRead), a.getGame)
	handle(a, huma.Operation{
		OperationID: "update-game", Method: http.MethodPut, Path: gamesPath + "/{id}", Tags: tags, MaxBodyBytes: maxCatalogForm + 1,
		Summary: "Change a game; what is left out stays",
		Description: "A changed schedule plans the coming draws anew, except those with tickets and the days planned by hand. " +
			"Changed mechanics or betting_rules are a new rule_version. position is its place among the games, which make room.",
	}, write, a.updateGame)
	handle(a, huma.Operation{
		OperationID: "set-game-status", Method: http.MethodPut, Path: gamesPath + "/{id}/status", Tags: tags,
		Summary: "Put a game on sale or take it off; its draws stay as they are",
	}, write, a.setGameStatus)
	handle(a, huma.Operation{
		OperationID: "delete-game", Method: http.MethodDelete, Path: gamesPath + "/{id}", Tags: tags,
		Summary: "Remove a game on which nothing was sold, with its elements and draws",
	}, write, a.deleteGame)
	logo := map[string]string{"logo": "a PNG or JPEG picture"}
	a.formBody(gamesPath, http.MethodPost, logo, a.schemaOf(newGameBody{}))
	a.formBody(gamesPath+"/{id}", http.MethodPut, logo, a.schemaOf(gameBodyIn{}))
}

func (a *API) schemaOf(body any) *huma.Schema {
	return huma.SchemaFromType(a.huma.OpenAPI().Components.Schemas, reflect.TypeOf(body))
}

// GameParams names a game. It is exported because huma looks into exported embedded structs only.
type GameParams struct {
	ID uuid.UUID `path:"id"`
}

type codeCheck struct {
	Available bool `json:"available"`
}

func (a *API) checkGameCode(ctx context.Context, in *struct {
	ShortCode string `query:"short_code" required:"true" minLength:"1" maxLength:"32"`
}) (*Data[codeCheck], error) {
	taken, err := a.deps.Catalog.CodeTaken(ctx, in.ShortCode)
	if err != nil {
		return nil, err
	}
	return data(codeCheck{Available: !taken}), nil
}

type schemaOutput struct {
	ContentType string `header:"Content-Type"`
	Body        []byte
}

func (a *API) gameSchema(_ context.Context, in *struct {
	Field string `path:"field" enum:"mechanics,betting_rules,schedule_config,metadata,api_config"`
}) (*schemaOutput, error) {
	raw, err := catalog.Schema(in.Field)
	if err != nil {
		return nil, err
	}
	return &schemaOutput{ContentType: "application/schema+json", Body: raw}, nil
}

func isLogo(name string) bool { return name == "logo" }

func (a *API) createGame(ctx context.Context, in *FormInput) (*Created[fullGame], error) {
	var body newGameBody
	given, err := in.read(&body, isLogo)
	if err != nil {
		return nil, err
	}
	ch, err := body.change(ctx, given)
	if err != nil {
		return nil, err
	}
	row, err := a.deps.Catalog.CreateGame(ctx, ch)
	if err != nil {
		return nil, err
	}
	full, err := a.fullGame(ctx, row)
	return created(full, a.deps.BasePath+gamesPath+"/"+row.ID.String()), err
}

func (a *API) getGame(ctx context.Context, in *GameParams) (*Data[fullGame], error) {
	row, err := a.deps.Catalog.GameRow(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	full, err := a.fullGame(ctx, row)
	return data(full), err
}

type gameInput struct {
	GameParams
	FormInput
}

func (a *API) updateGame(ctx context.Context, in *gameInput) (*Data[fullGame], error) {
	var body gameBodyIn
	given, err := in.read(&body, isLogo)
	if err != nil {
		return nil, err
	}
	ch, err := body.change(ctx, given)
	if err != nil {
		return nil, err
	}
	row, err := a.deps.Catalog.UpdateGame(ctx, in.ID, ch)
	if err != nil {
		return nil, err
	}
	full, err := a.fullGame(ctx, row)
	return data(full), err
}

func (a *API) setGameStatus(ctx context.Context, in *struct {
	GameParams
	Body struct {
		Status string `json:"status" enum:"active,suspended,inactive"`
	}
}) (*Data[fullGame], error) {
	row, err := a.deps.Catalog.SetGameStatus(ctx, in.ID, in.Body.Status)
	if err != nil {
		return nil, err
	}
	full, err := a.fullGame(ctx, row)
	return data(full), err
}

func (a *API) deleteGame(ctx context.Context, in *GameParams) (*Data[deleted], error) {
	if err := a.deps.Catalog.DeleteGame(ctx, in.ID); err != nil {
		return nil, err
	}
	return data(deleted{ID: in.ID.String(), Deleted: true}), nil
}

// mayForce reports whether the caller may let rules stand that pay out more than they take in.
func mayForce(ctx context.Context) bool {
	p := middleware.PrincipalFrom(ctx)
	return p.May(auth.CatalogForce)
}
