package catalog

import (
	"net/url"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/catalog"
	"banca/web/kit"
)

// categoriesPage is the list of categories with the form of one.
type categoriesPage struct {
	Categories []catalog.Category
	Edits      bool
	Form       url.Values // of the category that is changed; without an id, of a new one
	Wrong      map[string]bool
}

func (p *pages) loadCategories(r *kit.Request) (*categoriesPage, error) {
	ctx, page := r.Context(), &categoriesPage{Edits: edits(r), Form: url.Values{}}
	var err error
	if page.Categories, err = p.Catalog.AllCategories(ctx); err != nil {
		return nil, err
	}
	if id := r.QueryID("edit"); id != uuid.Nil {
		category, err := p.Catalog.Category(ctx, id)
		if err != nil {
			return nil, err
		}
		page.Form = url.Values{"id": {category.ID.String()}, "name": {category.Name}, "code": {category.Code}, "description": {category.Description}}
	}
	return page, nil
}

// saveCategory makes a category, or changes the one whose id goes with the form.
func (p *pages) saveCategory(r *kit.Request) error {
	form := r.Typed()
	ch := &catalog.CategoryChange{Name: new(form.Get("name")), Code: new(form.Get("code")), Description: new(form.Get("description"))}
	var err error
	if id := r.FormID("id"); id != uuid.Nil {
		_, err = p.Catalog.UpdateCategory(r.Context(), id, ch)
	} else {
		_, err = p.Catalog.CreateCategory(r.Context(), ch)
	}
	return p.afterCategory(r, err, form)
}

func (p *pages) deleteCategory(r *kit.Request) error {
	id := r.FormID("id")
	if id == uuid.Nil {
		return kit.InvalidForm()
	}
	return p.afterCategory(r, p.Catalog.DeleteCategory(r.Context(), id), url.Values{})
}

// afterCategory answers a form of the page of categories; a refused form keeps its fields.
func (p *pages) afterCategory(r *kit.Request, err error, form url.Values) error {
	return p.categories.Submit(r, err, "game.saved", func(page *categoriesPage) {
		page.Form, page.Wrong = form, kit.RefusedFields(err, "")
		if apperr.CodeOf(err) == catalog.ErrCategoryExists.Code {
			page.Wrong["code"] = true
		}
	})
}
