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
)

const categoriesPath = "/game-categories"

func (o *operations) registerCategories() {
	tags := []string{"Catalogue"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-game-categories", Method: http.MethodGet, Path: categoriesPath, Tags: tags,
		Summary: "Categories of games by code",
	}, kit.Can(auth.CatalogRead), o.listCategories)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-game-category", Method: http.MethodPost, Path: categoriesPath, Tags: tags,
		Summary: "Add a category of games",
	}, kit.Can(auth.CatalogWrite).Sensitive().Operator(), o.createCategory,
		catalog.ErrCategoryExists, catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound, catalog.ErrInvalidCategory)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-game-category", Method: http.MethodGet, Path: categoriesPath + "/{id}", Tags: tags,
		Summary: "One category of games",
	}, kit.Can(auth.CatalogRead), o.getCategory, catalog.ErrCategoryNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-game-category", Method: http.MethodPut, Path: categoriesPath + "/{id}", Tags: tags,
		Summary: "Change a category of games; the code of one that has games stays",
	}, kit.Can(auth.CatalogWrite).Sensitive().Operator(), o.updateCategory,
		catalog.ErrCategoryExists, catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound, catalog.ErrInvalidCategory)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-game-category", Method: http.MethodDelete, Path: categoriesPath + "/{id}", Tags: tags,
		Summary: "Remove a category that no game, limit or rate names",
	}, kit.Can(auth.CatalogWrite).Sensitive().Operator(), o.deleteCategory,
		catalog.ErrCategoryInUse, catalog.ErrCategoryNotFound)
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

func (o *operations) listCategories(
	ctx context.Context, _ caller.Caller, in *struct{ kit.PageParams },
) (*kit.List[gameCategory], error) {
	all, err := o.catalog.AllCategories(ctx)
	if err != nil {
		return nil, err
	}
	page := kit.PageOf(all, &in.PageParams)
	bodies := make([]gameCategory, len(page))
	for i := range page {
		if bodies[i], err = categoryBody(&page[i]); err != nil {
			return nil, err
		}
	}
	return kit.ListOf(bodies, &in.PageParams, int64(len(all))), nil
}

func (o *operations) getCategory(ctx context.Context, _ caller.Caller, in *kit.ByID) (*kit.Data[gameCategory], error) {
	return categoryAnswer(o.catalog.Category(ctx, in.ID))
}

func categoryAnswer(c *catalog.Category, err error) (*kit.Data[gameCategory], error) {
	if err != nil {
		return nil, err
	}
	body, err := categoryBody(c)
	return kit.DataOf(body), err
}

type newCategoryInput struct {
	Body struct {
		Name        string       `json:"name" minLength:"1" maxLength:"100"`
		Code        string       `json:"code" minLength:"2" maxLength:"32" pattern:"^[A-Z][A-Z0-9_]+$"`
		Description string       `json:"description,omitempty" maxLength:"1000"`
		Config      gameDocument `json:"config,omitempty"`
	}
}

func (o *operations) createCategory(
	ctx context.Context, _ caller.Caller, in *newCategoryInput,
) (*kit.Created[gameCategory], error) {
	ch := &catalog.CategoryChange{Name: &in.Body.Name, Code: &in.Body.Code, Description: &in.Body.Description}
	var err error
	if ch.Config, err = in.Body.Config.raw(); err != nil {
		return nil, err
	}
	c, err := o.catalog.CreateCategory(ctx, ch)
	if err != nil {
		return nil, err
	}
	body, err := categoryBody(c)
	return kit.CreatedOf(body, o.BasePath+categoriesPath+"/"+c.ID.String()), err
}

type categoryInput struct {
	kit.ByID
	Body struct {
		Name        *string      `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Code        *string      `json:"code,omitempty" minLength:"2" maxLength:"32" pattern:"^[A-Z][A-Z0-9_]+$"`
		Description *string      `json:"description,omitempty" maxLength:"1000"`
		Config      gameDocument `json:"config,omitempty"`
	}
}

func (o *operations) updateCategory(
	ctx context.Context, _ caller.Caller, in *categoryInput,
) (*kit.Data[gameCategory], error) {
	config, err := in.Body.Config.raw()
	if err != nil {
		return nil, err
	}
	return categoryAnswer(o.catalog.UpdateCategory(ctx, in.ID, &catalog.CategoryChange{
		Name: in.Body.Name, Code: in.Body.Code, Description: in.Body.Description, Config: config,
	}))
}

func (o *operations) deleteCategory(
	ctx context.Context, _ caller.Caller, in *kit.ByID,
) (*kit.Data[kit.Deleted], error) {
	if err := o.catalog.DeleteCategory(ctx, in.ID); err != nil {
		return nil, err
	}
	return kit.DataOf(kit.Deleted{ID: in.ID.String(), Deleted: true}), nil
}
