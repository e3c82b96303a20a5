package org

import (
	"net/http"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/models"
	"banca/web/kit"
)

// movePage is the form that puts an entity elsewhere; what that would do is shown before it is confirmed.
type movePage struct {
	org.Entity

	To       string // code, as typed
	Form     *kit.Form
	Parent   *org.Entity // now; nil if the caller may not read it
	Rates    []org.EffectiveRate
	Target   *org.Entity
	Tried    *org.RateEffect
	Subtree  int64
	Possible bool
}

func (p *pages) loadMove(r *kit.Request) (*movePage, error) {
	ctx, by := r.Context(), r.Caller
	e, err := p.Org.Entity(ctx, by, r.ID)
	if err != nil {
		return nil, err
	}
	holds, err := p.Org.Effective(ctx, by, e.ID)
	if err != nil {
		return nil, err
	}
	page := &movePage{Entity: *e, To: r.Query("to"), Rates: holds.Commissions}
	if above, err := p.Org.Entity(ctx, by, e.ParentID); err == nil {
		page.Parent = above
	}
	if tree, err := p.Org.Tree(ctx, by, e.ID); err == nil {
		page.Subtree = int64(below(tree))
	}
	page.Form = kit.NewForm(kit.EntityInput("to", "org.move.to").Required()).Put("to", page.To)
	return page, nil
}

// showMove shows the form and, where a place is given, tries the move.
func (p *pages) showMove(r *kit.Request) error { return p.presentMove(r, http.StatusOK, "") }

func (p *pages) presentMove(r *kit.Request, status int, problem string) error {
	page, err := p.loadMove(r)
	if err != nil {
		return err
	}
	if page.To != "" {
		if err := p.tryMove(r, page); err != nil {
			refused, text, ok := r.Explain(err)
			if !ok {
				return err
			}
			status, problem = max(refused, http.StatusConflict), text
			page.Form.Refuse("to")
		}
	}
	return r.Write(status, p.move.Template, page, problem)
}

// tryMove shows the effect of the move to the typed parent.
func (p *pages) tryMove(r *kit.Request, page *movePage) error {
	ctx, by := r.Context(), r.Caller
	to, err := p.Org.Named(ctx, by, page.To)
	if err != nil {
		return err
	}
	if page.Target, err = p.Org.Entity(ctx, by, to); err != nil {
		return err
	}
	_, page.Tried, err = p.Org.Move(ctx, by, org.MoveRequest{EntityID: page.ID, ParentID: to, DryRun: true})
	page.Possible = err == nil && len(page.Tried.Violations) == 0 && page.ParentID != to
	return err
}

// moveNow moves an entity to the place that was shown.
func (p *pages) moveNow(r *kit.Request) error {
	to := r.FormID("parent")
	if to == uuid.Nil {
		return kit.InvalidForm()
	}
	_, _, err := p.Org.Move(r.Context(), r.Caller, org.MoveRequest{EntityID: r.ID, ParentID: to})
	if err == nil {
		return r.Done(path+"/"+r.ID.String(), "entity.moved")
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	return p.presentMove(r, status, text)
}

// newPage is the form of a new entity.
type newPage struct {
	Form   *kit.Form
	Parent *org.Entity // nil as long as none is known
}

// newEntity is an entity as it is typed.
type newEntity struct {
	org.NewEntity

	Parent string // name or code
}

// form returns the form of the entity, which is of one of the types.
func (e *newEntity) form(r *kit.Request, types ...string) *kit.Form {
	return kit.NewForm(
		kit.EntityInput("parent", "label.parent").WithRule("field.parent", true).Required().Into(&e.Parent),
		kit.ChoiceInput("type", "label.type", r.Options("type.", types...)).WithRule("field.entity_type", false).Required().
			At("entity_type", org.ErrTypeOrder.Code).Into(&e.Type),
		kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required().Into(&e.Name),
		kit.TextInput("code", "label.code", 32).With("spellcheck=false autocapitalize=characters").
			WithRule("field.code", true).Required().At(org.ErrEntityExists.Code).Into(&e.Code),
		kit.ChoiceInput("status", "label.state", r.States("entity", models.StatusRegister, models.StatusActive)).Into(&e.Status),
	)
}

// loadNew returns the form, below the entity that the address or the form names.
func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	entity := &newEntity{NewEntity: org.NewEntity{Status: models.StatusActive}}
	page := &newPage{Form: entity.form(r, org.TypesBelow(models.EntityOperator)...)}
	ctx, by := r.Context(), r.Caller
	var err error
	id := r.QueryID("parent")
	if id == uuid.Nil {
		id = r.Caller.EntityID
	}
	if code := r.Text("parent"); code != "" {
		if id, err = p.Org.Named(ctx, by, code); err != nil {
			return page, nil //nolint:nilerr // an unknown parent is refused with its field
		}
	}
	if page.Parent, err = p.Org.Entity(ctx, by, id); err != nil {
		return nil, err
	}
	entity.Parent = org.TextOf(page.Parent.Name, page.Parent.Code)
	page.Form = entity.form(r, org.TypesBelow(page.Parent.Type)...)
	return page, nil
}

func (p *pages) create(r *kit.Request) error {
	made, err := p.made(r)
	if err == nil {
		return r.Done(path+"/"+made.ID.String(), "entity.created")
	}
	status, text, ok := r.Explain(err)
	if !ok {
		return err
	}
	if status == http.StatusNotFound { // the parent
		status = http.StatusUnprocessableEntity
	}
	return p.new.Present(r, status, text, func(page *newPage) { page.Form.FillFrom(r).RefuseBy(err, "") })
}

func (p *pages) made(r *kit.Request) (_ *org.Entity, err error) {
	entity := &newEntity{}
	entity.form(r).Take(r)
	if entity.ParentID, err = p.Org.Named(r.Context(), r.Caller, entity.Parent); err != nil {
		return nil, err
	}
	return p.Org.Create(r.Context(), r.Caller, &entity.NewEntity)
}
