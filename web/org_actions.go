package web

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/org"
	"banca/models"
)

// newEntityPage is the form that makes an entity.
type newEntityPage struct {
	Form   url.Values
	Types  []string
	Parent *org.Entity // nil as long as none is known
	Wrong  map[string]bool
}

// newEntity shows the form, below the entity that the address names.
func (w *Web) newEntity(c *gin.Context) {
	form := url.Values{}
	if id, err := uuid.Parse(c.Query("parent")); err == nil {
		parent, err := w.deps.Org.Entity(c.Request.Context(), scopeOf(c), id)
		if err != nil {
			w.stop(c, err)
			return
		}
		form.Set("parent", parent.Code)
	}
	w.showNewEntity(c, http.StatusOK, "", form, nil)
}

func (w *Web) showNewEntity(c *gin.Context, status int, problem string, form url.Values, wrong map[string]bool) {
	page := &newEntityPage{Form: form, Wrong: wrong, Types: org.TypesBelow(models.EntityOperator)}
	ctx, scope := c.Request.Context(), scopeOf(c)
	if id, err := w.deps.Org.ByCode(ctx, scope, strings.TrimSpace(form.Get("parent"))); err == nil {
		if page.Parent, err = w.deps.Org.Entity(ctx, scope, id); err != nil {
			w.stop(c, err)
			return
		}
		page.Types = org.TypesBelow(page.Parent.Type)
	}
	w.show(c, status, "org-new", &view{Page: page, Problem: problem})
}

func (w *Web) createEntity(c *gin.Context) {
	form := typed(c)
	ctx, scope := c.Request.Context(), scopeOf(c)
	parent, err := w.deps.Org.ByCode(ctx, scope, strings.TrimSpace(form.Get("parent")))
	var made *org.Entity
	if err == nil {
		made, err = w.deps.Org.Create(ctx, &org.NewEntity{
			Scope: scope, ParentID: parent, Type: form.Get("type"), Name: form.Get("name"), Code: strings.TrimSpace(form.Get("code")), Status: form.Get("status"),
		})
	}
	if err == nil {
		w.done(c, orgPath+"/"+made.ID.String(), "entity.created")
		return
	}
	wrong := refusedFields(err, "")
	switch refusalCode(err) {
	case org.ErrEntityNotFound.Code:
		wrong["parent"] = true
	case org.ErrEntityExists.Code:
		wrong["code"] = true
	case org.ErrTypeOrder.Code:
		wrong["entity_type"] = true
	}
	w.explain(c, err, func(status int, words string) {
		if status == http.StatusNotFound {
			status = http.StatusUnprocessableEntity
		}
		w.showNewEntity(c, status, words, form, wrong)
	})
}

// setStatus moves an entity to a status.
func (w *Web) setStatus(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	_, err := w.deps.Org.SetStatus(c.Request.Context(), scopeOf(c), id, c.PostForm("status"))
	w.settled(c, id, err, nil)
}

// deleteEntity deletes an entity and redirects to its parent.
func (w *Web) deleteEntity(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	ctx, scope := c.Request.Context(), scopeOf(c)
	e, err := w.deps.Org.Entity(ctx, scope, id)
	if err == nil {
		err = w.deps.Org.Delete(ctx, scope, id)
	}
	if err == nil {
		w.done(c, orgPath+"/"+e.ParentID.String(), "entity.deleted")
		return
	}
	w.settled(c, id, err, func(page *entityPage) { page.OpenGroup = "delete" })
}

// movePage is the form that puts an entity elsewhere; what that would do is shown before it is confirmed.
type movePage struct {
	org.Entity
	To       string // code, as typed
	Target   *org.Entity
	Tried    *org.WhatIf
	Places   []org.Entity // where it may stand
	Subtree  int
	WrongTo  bool
	Possible bool
}

// maxPlaces bounds the places that are suggested of each type.
const maxPlaces = 100

func (w *Web) moveEntity(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showMove(c, id, http.StatusOK, "")
	}
}

// showMove shows the form and, where a place is given, tries the move.
func (w *Web) showMove(c *gin.Context, id uuid.UUID, status int, problem string) {
	ctx, scope := c.Request.Context(), scopeOf(c)
	e, err := w.deps.Org.Entity(ctx, scope, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	page := &movePage{Entity: *e, To: strings.TrimSpace(c.Query("to"))}
	if tree, err := w.deps.Org.Tree(ctx, e.Path); err == nil {
		page.Subtree = below(tree)
	}
	if page.Places, err = w.places(ctx, scope, e.Type); err != nil {
		w.stop(c, err)
		return
	}
	v := &view{Page: page, Problem: problem}
	if page.To != "" {
		err := w.tryMove(c, page)
		if err != nil {
			code, words, known := w.refusal(c, err)
			if !known {
				w.fail(c, err)
				return
			}
			status, v.Problem, page.WrongTo = max(code, http.StatusConflict), words, true
		}
	}
	w.show(c, status, "org-move", v)
}

// places are entities that one of a type may stand below, the nearest types first.
func (w *Web) places(ctx context.Context, scope, kind string) ([]org.Entity, error) {
	var all []org.Entity
	for _, above := range slices.Backward(org.TypesAbove(kind)) {
		list, _, err := w.deps.Org.Entities(ctx, &org.EntityFilter{Scope: scope, Type: above, Limit: maxPlaces})
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// tryMove shows the effect of the move to the typed parent.
func (w *Web) tryMove(c *gin.Context, page *movePage) error {
	ctx, scope := c.Request.Context(), scopeOf(c)
	to, err := w.deps.Org.ByCode(ctx, scope, page.To)
	if err != nil {
		return err
	}
	if page.Target, err = w.deps.Org.Entity(ctx, scope, to); err != nil {
		return err
	}
	_, page.Tried, err = w.deps.Org.Move(ctx, scope, page.ID, to, true)
	page.Possible = err == nil && len(page.Tried.Violations) == 0 && page.ParentID != to
	return err
}

// moveNow moves an entity to the place that was shown.
func (w *Web) moveNow(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok || !w.confirmed(c) {
		return
	}
	to, err := uuid.Parse(c.PostForm("parent"))
	if err != nil {
		w.refuse(c, http.StatusBadRequest, "error.form")
		return
	}
	if _, _, err := w.deps.Org.Move(c.Request.Context(), scopeOf(c), id, to, false); err != nil {
		w.explain(c, err, func(status int, words string) { w.showMove(c, id, status, words) })
		return
	}
	w.done(c, orgPath+"/"+id.String(), "entity.moved")
}
