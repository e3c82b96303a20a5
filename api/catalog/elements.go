package catalog

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/models"
)

// imagePrefix begins the name of the form field with an element's picture; the element's code follows.
const imagePrefix = "image_"

func (o *operations) registerElements() {
	tags := []string{"Catalogue"}
	write := kit.Can(auth.CatalogWrite).Sensitive().Operator()
	const form = "JSON, or a form with the JSON in data, plain or as a string, and pictures in image_ with the code behind it: image_05."
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-game-elements", Method: http.MethodPost, Path: "/games/{id}/elements", Tags: tags,
		MaxBodyBytes: maxCatalogForm + 1,
		Summary:      "Add elements to a game, all or none", Description: form,
	}, write, o.createElements,
		uploadErrors(catalog.ErrElementExists, catalog.ErrInvalidGrid)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-game-element", Method: http.MethodPut, Path: "/games/{id}/elements/{code}", Tags: tags,
		MaxBodyBytes: maxCatalogForm + 1,
		Summary:      "Change, retire or bring back an element; its code stays",
		Description:  "JSON, or a form with the JSON in data and a picture in image.",
	}, write, o.updateElement,
		uploadErrors(catalog.ErrElement, catalog.ErrInvalidGrid)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "sync-game", Method: http.MethodPost, Path: "/games/{id}/bulk-data", Tags: tags,
		MaxBodyBytes: maxCatalogForm + 1,
		Summary:      "Replace a game's whole grid and its schedule in one transaction",
		Description: "Elements that are not named are retired: they cannot be bet on and keep their names for old tickets. With a schedule_config the " +
			"coming draws are planned again, except those with tickets and the days planned by hand. " + form,
	}, write, o.syncGame,
		gameErrors(catalog.ErrInvalidGrid)...)
	images := map[string]string{imagePrefix + "*": "a PNG or JPEG picture of the element with the code behind image_"}
	o.formBody("/games/{id}/elements", http.MethodPost, images, o.schemaOf(newElementsBody{}))
	o.formBody(
		"/games/{id}/elements/{code}", http.MethodPut, map[string]string{"image": "a PNG or JPEG picture"},
		o.schemaOf(elementBodyIn{}),
	)
	o.formBody("/games/{id}/bulk-data", http.MethodPost, images, o.schemaOf(syncBody{}))
}

type elementSpec struct {
	ID           *uuid.UUID `json:"id,omitempty" doc:"of the element with this code, where it is known"`
	Code         string     `json:"code" pattern:"^[0-9]{1,4}$" doc:"text: 0 and 00 are different" example:"05"`
	Name         string     `json:"name" minLength:"1" maxLength:"60"`
	DisplayValue string     `json:"display_value,omitempty" maxLength:"60" doc:"the name where it is left out"`
	Position     *int       `json:"position,omitempty" minimum:"0" maximum:"1000"`
	RemoveImage  bool       `json:"remove_image,omitempty"`
}

type newElementsBody struct {
	Elements []elementSpec `json:"elements" minItems:"1" maxItems:"1000"`
}

type syncBody struct {
	SaleStop

	Elements       []elementSpec `json:"elements" maxItems:"1000" doc:"the whole grid"`
	ScheduleConfig gameDocument  `json:"schedule_config,omitempty"`
	Force          bool          `json:"force,omitempty" doc:"let rules stand that pay out more than they take in; for who may"`
	ForceReason    string        `json:"force_reason,omitempty" maxLength:"500"`
}

func isElementImage(name string) bool { return strings.HasPrefix(name, imagePrefix) }

// gridOf returns the requested grid, with the pictures by code.
func gridOf(elements []elementSpec, given files) catalog.Grid {
	g := catalog.Grid{Images: map[string][]byte{}, Elements: kit.Map(elements, func(e elementSpec) catalog.ElementSpec {
		spec := catalog.ElementSpec{
			Code: e.Code, Name: e.Name, Display: e.DisplayValue, Position: e.Position, NoImage: e.RemoveImage,
		}
		if e.ID != nil {
			spec.ID = *e.ID
		}
		return spec
	})}
	for name, raw := range given {
		g.Images[strings.TrimPrefix(name, imagePrefix)] = raw
	}
	return g
}

type elementsOutput struct {
	Elements []gameElement `json:"elements" nullable:"false"`
}

func (o *operations) createElements(
	ctx context.Context, _ caller.Caller, in *gameInput,
) (*kit.Created[elementsOutput], error) {
	var body newElementsBody
	given, err := in.read(&body, isElementImage)
	if err != nil {
		return nil, err
	}
	grid := gridOf(body.Elements, given)
	rows, err := o.catalog.AddElements(ctx, in.ID, &grid)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(elementsOutput{kit.Map(rows, elementRowBody)}, o.BasePath+"/games/"+in.ID.String()+"/elements"), nil
}

func elementRowBody(e models.GameElement) gameElement {
	return gameElement{
		ID: e.ID, GameID: e.GameID, Code: e.Code, Name: e.Name, DisplayValue: e.DisplayValue, ImageURL: e.ImageURL,
		Position: e.Position, Status: e.Status,
	}
}

type elementBodyIn struct {
	Name         *string `json:"name,omitempty" minLength:"1" maxLength:"60"`
	DisplayValue *string `json:"display_value,omitempty" maxLength:"60" doc:"empty restores the default, the name"`
	Position     *int    `json:"position,omitempty" minimum:"0" maximum:"1000"`
	Status       string  `json:"status,omitempty" enum:"active,retired"`
	RemoveImage  bool    `json:"remove_image,omitempty"`
}

func (o *operations) updateElement(ctx context.Context, _ caller.Caller, in *struct {
	kit.ByID
	FormInput

	Code string `path:"code" pattern:"^[0-9]{1,4}$"`
}) (*kit.Data[gameElement], error) {
	var body elementBodyIn
	given, err := in.read(&body, func(name string) bool { return name == "image" })
	if err != nil {
		return nil, err
	}
	ch := &catalog.ElementChange{Name: body.Name, Display: body.DisplayValue, Position: body.Position, Image: given["image"], NoImage: body.RemoveImage}
	switch body.Status {
	case "":
	case models.ElementActive, models.ElementRetired:
		ch.Retired = new(body.Status == models.ElementRetired)
	default:
		return nil, kit.ErrInvalid.WithDetails(statusDetail())
	}
	return kit.DataFrom(elementRowBody)(o.catalog.UpdateElement(ctx, in.ID, in.Code, ch))
}

type syncOutput struct {
	Elements int        `json:"elements" doc:"that can be bet on now"`
	Retired  int        `json:"retired" doc:"that cannot be bet on any more"`
	Draws    drawCounts `json:"draws"`
}

func (o *operations) syncGame(ctx context.Context, by caller.Caller, in *gameInput) (*kit.Data[syncOutput], error) {
	var body syncBody
	given, err := in.read(&body, isElementImage)
	if err != nil {
		return nil, err
	}
	if body.Elements == nil {
		return nil, kit.ErrInvalid.WithDetails(missingDetail("elements"))
	}
	stop, err := body.stopGiven()
	if err != nil {
		return nil, err
	}
	req := &catalog.Sync{Grid: gridOf(body.Elements, given), SaleStop: stop}
	if req.Schedule, err = body.ScheduleConfig.raw(); err != nil {
		return nil, err
	}
	if req.Force, err = forced(by, body.Force, body.ForceReason); err != nil {
		return nil, err
	}
	result, err := o.catalog.SyncGame(ctx, in.ID, req)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(syncOutput{Elements: result.Elements, Retired: result.Retired, Draws: drawCounts(result.Draws)}), nil
}
