package catalog

import (
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/web/kit"
)

// categoriesPage is the list of categories with the form of one.
type categoriesPage struct {
	Edits bool
	Form  *kit.Form // of the category that is changed; without an id, of a new one
}

// New asks for a new category.
func (p *categoriesPage) New(v *kit.View) *kit.Question {
	return v.Question(v.T("categories.new"), categoriesPath+"/save", "", v.T("categories.create")).WithForm(p.Form).Opened(v.Problem != "")
}

func categoryForm(c *catalog.Category) *kit.Form {
	return kit.NewForm(
		nameInput().Into(&c.Name),
		codeInput("code", "label.code", "field.category_code").With("autocapitalize=characters").
			At(catalog.ErrCategoryExists.Code).Into(&c.Code),
		kit.TextInput("description", "label.description", 300).Into(&c.Description),
	)
}

func (p *pages) categoryRows(r *kit.Request, _ kit.Window) ([]catalog.Category, int64, error) {
	all, err := p.Catalog.AllCategories(r.Context())
	return all, int64(len(all)), err
}

// showCategories shows the list. Its columns depend on the caller.
func (p *pages) showCategories(r *kit.Request) error { return p.categoriesFor(r).Show(r) }

func (p *pages) categoriesFor(r *kit.Request) kit.Page[categoriesPage] {
	list := p.categories
	if edits(r) {
		list.Columns = append(slices.Clone(list.Columns), categoryActions()...)
	}
	return list.AsPage()
}

func categoryColumns() []kit.Column[catalog.Category] {
	return []kit.Column[catalog.Category]{
		kit.WrapColumn("label.name", func(c *catalog.Category) string { return c.Name }).
			Below(func(_ *kit.View, c *catalog.Category) string {
				if strings.EqualFold(c.Code, c.Name) {
					return ""
				}
				return c.Code
			}).To(func(c *catalog.Category) string { return path + "?category=" + url.QueryEscape(c.Code) }),
		kit.WrapColumn("label.description", func(c *catalog.Category) string { return c.Description }),
		kit.CountColumn("games.title", func(c *catalog.Category) int { return c.Games }),
	}
}

// categoryActions are the columns for a caller who may change categories; one with games is not deleted.
func categoryActions() []kit.Column[catalog.Category] {
	return []kit.Column[catalog.Category]{
		{Cell: func(v *kit.View, c *catalog.Category) kit.Cell {
			if c.Games > 0 {
				return kit.None()
			}
			do := v.T("word.delete")
			return v.QuestionCell(v.Question(do, categoriesPath+"/delete", v.T("categories.delete.ask", c.Name), do).With("id", c.ID.String()).Irreversible(true))
		}},
		{Number: true, Cell: func(v *kit.View, c *catalog.Category) kit.Cell {
			return kit.Text(v.T("word.change")).To(categoriesPath + "?edit=" + c.ID.String() + "#form")
		}},
	}
}

func (p *pages) categoriesPageOf(r *kit.Request, _ []catalog.Category) (*categoriesPage, error) {
	page := &categoriesPage{Edits: edits(r), Form: categoryForm(&catalog.Category{})}
	if id := r.QueryID("edit"); id != uuid.Nil {
		category, err := p.Catalog.Category(r.Context(), id)
		if err != nil {
			return nil, err
		}
		page.Form = categoryForm(category).Put("id", category.ID.String())
	}
	return page, nil
}

// saveCategory makes a category, or changes the one whose id goes with the form.
func (p *pages) saveCategory(r *kit.Request) error {
	var c catalog.Category
	categoryForm(&c).Take(r)
	ch := &catalog.CategoryChange{Name: &c.Name, Code: &c.Code, Description: &c.Description}
	var err error
	if id := r.FormID("id"); id != uuid.Nil {
		_, err = p.Catalog.UpdateCategory(r.Context(), id, ch)
	} else {
		_, err = p.Catalog.CreateCategory(r.Context(), ch)
	}
	return p.categoriesFor(r).Submit(r, err, "game.saved", func(page *categoriesPage) {
		page.Form.FillFrom(r).RefuseBy(err, "")
	})
}

func (p *pages) deleteCategory(r *kit.Request) error {
	id := r.FormID("id")
	if id == uuid.Nil {
		return kit.InvalidForm()
	}
	return p.categoriesFor(r).Submit(r, p.Catalog.DeleteCategory(r.Context(), id), "game.saved")
}
