package web

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/catalog"
)

// categoriesPage is the list of categories with the form of one.
type categoriesPage struct {
	Categories []catalog.Category
	Edits      bool
	Form       url.Values // of the category that is changed; without an id, of a new one
	Wrong      map[string]bool
}

func (w *Web) gameCategories(c *gin.Context) {
	form := url.Values{}
	if id, err := uuid.Parse(c.Query("edit")); err == nil {
		category, err := w.deps.Catalog.Category(c.Request.Context(), id)
		if err != nil {
			w.stop(c, err)
			return
		}
		form = url.Values{"id": {category.ID.String()}, "name": {category.Name}, "code": {category.Code}, "description": {category.Description}}
	}
	w.showCategories(c, http.StatusOK, "", form, nil)
}

func (w *Web) showCategories(c *gin.Context, status int, problem string, form url.Values, wrong map[string]bool) {
	all, err := w.deps.Catalog.AllCategories(c.Request.Context())
	if err != nil {
		w.fail(c, err)
		return
	}
	w.show(c, status, "game-categories", &view{Page: &categoriesPage{Categories: all, Edits: editsGames(c), Form: form, Wrong: wrong}, Problem: problem})
}

// saveCategory makes a category, or changes the one whose id goes with the form.
func (w *Web) saveCategory(c *gin.Context) {
	ctx, form := c.Request.Context(), typed(c)
	ch := &catalog.CategoryChange{Name: new(form.Get("name")), Code: new(form.Get("code")), Description: new(form.Get("description"))}
	var err error
	if id, parsed := uuid.Parse(form.Get("id")); parsed == nil {
		_, err = w.deps.Catalog.UpdateCategory(ctx, id, ch)
	} else {
		_, err = w.deps.Catalog.CreateCategory(ctx, ch)
	}
	w.settleCategory(c, err, form)
}

func (w *Web) deleteCategory(c *gin.Context) {
	id, err := uuid.Parse(c.PostForm("id"))
	if err != nil {
		w.refuse(c, http.StatusBadRequest, "error.form")
		return
	}
	w.settleCategory(c, w.deps.Catalog.DeleteCategory(c.Request.Context(), id), url.Values{})
}

func (w *Web) settleCategory(c *gin.Context, err error, form url.Values) {
	if err == nil {
		w.done(c, gamesPath+"/categories", "game.saved")
		return
	}
	wrong := refusedFields(err, "")
	if refusalCode(err) == catalog.ErrCategoryExists.Code {
		wrong["code"] = true
	}
	w.explain(c, err, func(status int, words string) { w.showCategories(c, status, words, form, wrong) })
}
