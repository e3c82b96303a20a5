package web

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
)

// entityPage is an entity with everything that can be seen and done about it.
type entityPage struct {
	org.Entity
	Above    []org.Node // highest first
	CanSell  bool
	Root     bool
	Edits    bool // the user may change it
	Decides  bool // and its rates, rules, status and place
	Deletes  bool
	Attaches bool
	Papers   bool // the user may see its documents
	Lower    bool // something may stand below it

	Children      []org.Entity
	ChildrenTotal int64
	Next          []string // statuses it may go to
	Groups        []groupForm
	Finance       *financeForm
	Rates         []org.EffectiveRate
	Documents     []org.Document
	Kinds         []string
	MaxDocuments  int

	Facts     factsForm
	OpenGroup string // whose form is shown open: the one with an error
	Tried     *org.WhatIf
}

// factsForm is what an entity is called.
type factsForm struct {
	Name, Code string
	Wrong      map[string]bool
}

// shownChildren bounds the entities directly below that the page lists.
const shownChildren = 10

func (w *Web) orgEntity(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showEntity(c, id, http.StatusOK, "", nil)
	}
}

// showEntity shows an entity's page; change fills a refused form in.
func (w *Web) showEntity(c *gin.Context, id uuid.UUID, status int, problem string, change func(*entityPage)) {
	page, err := w.entityPage(c, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	if change != nil {
		change(page)
	}
	w.show(c, status, "org-entity", &view{Page: page, Problem: problem})
}

func (w *Web) entityPage(c *gin.Context, id uuid.UUID) (*entityPage, error) {
	ctx, scope, p := c.Request.Context(), scopeOf(c), &visitOf(c).principal
	e, err := w.deps.Org.Entity(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	holds, err := w.deps.Org.Effective(ctx, scope, id)
	if err != nil {
		return nil, err
	}
	page := &entityPage{
		Entity: *e, Above: w.above(c, id), CanSell: holds.CanSell, Root: e.ParentID == uuid.Nil, Edits: p.May(auth.EntitiesWrite),
		Attaches: p.May(auth.DocumentsWrite), Papers: p.May(auth.DocumentsRead), Lower: len(org.TypesBelow(e.Type)) > 0,
		Next: org.StatusesAfter(e.Status), Rates: holds.Commissions, Kinds: org.DocumentKinds(), MaxDocuments: org.MaxDocuments,
		Facts: factsForm{Name: e.Name, Code: e.Code},
	}
	own := e.Path == scope && !page.Root
	page.Decides = page.Edits && !own
	page.Deletes = p.May(auth.EntitiesDelete) && !own && !page.Root
	page.Children, page.ChildrenTotal, err = w.deps.Org.Entities(ctx, &org.EntityFilter{Scope: scope, ParentID: id, Limit: shownChildren})
	if err != nil {
		return nil, err
	}
	if page.Groups, err = groupForms(e, holds); err != nil {
		return nil, err
	}
	if page.Papers {
		if page.Documents, err = w.deps.Org.Documents(ctx, scope, id); err != nil {
			return nil, err
		}
	}
	page.Finance, err = w.financeForm(ctx, e, holds)
	return page, err
}

// saveFacts changes what an entity is called.
func (w *Web) saveFacts(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	name, code := strings.TrimSpace(c.PostForm("name")), strings.TrimSpace(c.PostForm("code"))
	_, _, err := w.deps.Org.Update(c.Request.Context(), id, &org.Change{Scope: scopeOf(c), Name: &name, Code: &code})
	w.settled(c, id, err, func(page *entityPage) {
		page.Facts = factsForm{Name: name, Code: code, Wrong: refusedFields(err, "")}
		if code := refusalCode(err); code == org.ErrEntityExists.Code {
			page.Facts.Wrong["code"] = true
		}
		page.OpenGroup = "facts"
	})
}

// settled redirects to a changed entity, or shows it with the refusal.
func (w *Web) settled(c *gin.Context, id uuid.UUID, err error, change func(*entityPage)) {
	if err == nil {
		w.done(c, orgPath+"/"+id.String(), "entity.saved")
		return
	}
	w.explain(c, err, func(status int, words string) {
		if status == http.StatusNotFound {
			w.stop(c, err)
			return
		}
		w.showEntity(c, id, status, words, change)
	})
}
