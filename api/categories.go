package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
)

const categoriesPath = "/game-categories"

func (a *API) registerCategories() {
	tags := []string{"Catalogue"}
	handle(a, huma.Operation{
		OperationID: "list-game-categories", Method: http.MethodGet, Path: categoriesPath, Tags: tags, Summary: "Categories of games by code",
	}, Can(auth.CatalogRead), a.listCategories)
	handle(a, huma.Operation{
		OperationID: "create-game-category", Method: http.MethodPost, Path: categoriesPath, Tags: tags, Summary: "Add a category of games",
	}, Can(auth.CatalogWrite).Sensitive().Operator(), a.createCategory)
	handle(a, huma.Operation{
		OperationID: "get-game-category", Method: http.MethodGet, Path: categoriesPath + "/{id}", Tags: tags, Summary: "One category of games",
	}, Can(auth.CatalogRead), a.getCategory)
	handle(a, huma.Operation{
		OperationID: "update-game-category", Method: http.MethodPut, Path: categoriesPath + "/{id}", Tags: tags,
		Summary: "Change a category of games; the code of one that has games stays",
	}, Can(auth.CatalogWrite).Sensitive().Operator(), a.updateCategory)
	handle(a, huma.Operation{
		OperationID: "delete-game-category", Method: http.MethodDelete, Path: categoriesPath + "/{id}", Tags: tags,
		Summary: "Remove a category that no game, limit or rate names",
	}, Can(auth.CatalogWrite).Sensitive().Operator(), a.deleteCategory)
}

type gameCategory struct {
	ID          uuid.UUID    `json:"id"`
	Name        string       `json:"name"`
	Code        string       `json:"code" example:"ANIMALITOS"`
	Description string       `json:"description"`
	Config      gameDocument `json:"config"`
	Games       int          `json:"games" doc:"that are of it"`
	CreatedAt   time.Time    `json:"created_at"`
	UpdatedAt   time.Time    `json:"updated_at"`
}

func categoryBody(c *catalog.Category) (gameCategory, error) {
	config, err := documentBodyOf(c.Config)
	return gameCategory{
		ID: c.ID, Name: c.Name, Code: c.Code, Description: c.Description, Config: config, Games: c.Games,
		CreatedAt: c.CreatedAt.UTC(), UpdatedAt: c.UpdatedAt.UTC(),
	}, err
}

func (a *API) listCategories(ctx context.Context, in *struct{ PageParams }) (*List[gameCategory], error) {
	all, err := a.deps.Catalog.AllCategories(ctx)
	if err != nil {
		return nil, err
	}
	page := pageOf(all, &in.PageParams)
	bodies := make([]gameCategory, len(page))
	for i := range page {
		if bodies[i], err = categoryBody(&page[i]); err != nil {
			return nil, err
		}
	}
	return list(bodies, &in.PageParams, int64(len(all))), nil
}

// CategoryParams names a category. It is exported because huma looks into exported embedded structs only.
type CategoryParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) getCategory(ctx context.Context, in *CategoryParams) (*Data[gameCategory], error) {
	return categoryAnswer(a.deps.Catalog.Category(ctx, in.ID))
}

func categoryAnswer(c *catalog.Category, err error) (*Data[gameCategory], error) {
	if err != nil {
		return nil, err
	}
	body, err := categoryBody(c)
	return data(body), err
}

type newCategoryInput struct {
	Body struct {
		Name        string       `json:"name" minLength:"1" maxLength:"100"`
		Code        string       `json:"code" minLength:"2" maxLength:"32" pattern:"^[A-Z][A-Z0-9_]+$"`
		Description string       `json:"description,omitempty" maxLength:"1000"`
		Config      gameDocument `json:"config,omitempty"`
	}
}

func (a *API) createCategory(ctx context.Context, in *newCategoryInput) (*Created[gameCategory], error) {
	ch := &catalog.CategoryChange{Name: &in.Body.Name, Code: &in.Body.Code, Description: &in.Body.Description}
	var err error
	if ch.Config, err = in.Body.Config.raw(); err != nil {
		return nil, err
	}
	c, err := a.deps.Catalog.CreateCategory(ctx, ch)
	if err != nil {
		return nil, err
	}
	body, err := categoryBody(c)
	return created(body, a.deps.BasePath+categoriesPath+"/"+c.ID.String()), err
}

type categoryInput struct {
	CategoryParams
	Body struct {
		Name        *string      `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Code        *string      `json:"code,omitempty" minLength:"2" maxLength:"32" pattern:"^[A-Z][A-Z0-9_]+$"`
		Description *string      `json:"description,omitempty" maxLength:"1000"`
		Config      gameDocument `json:"config,omitempty"`
	}
}

func (a *API) updateCategory(ctx context.Context, in *categoryInput) (*Data[gameCategory], error) {
	config, err := in.Body.Config.raw()
	if err != nil {
		return nil, err
	}
	return categoryAnswer(a.deps.Catalog.UpdateCategory(ctx, in.ID, &catalog.CategoryChange{
		Name: in.Body.Name, Code: in.Body.Code, Description: in.Body.Description, Config: config,
	}))
}

func (a *API) deleteCategory(ctx context.Context, in *CategoryParams) (*Data[deleted], error) {
	if err := a.deps.Catalog.DeleteCategory(ctx, in.ID); err != nil {
		return nil, err
	}
	return data(deleted{ID: in.ID.String(), Deleted: true}), nil
}
