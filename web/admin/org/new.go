package org

import (
	"net/http"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/models"
	"banca/web/kit"
)

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
	entity := &newEntity{}
	page := &newPage{Form: entity.form(r, org.TypesBelow(models.EntityOperator)...)}
	ctx, by := r.Context(), r.Caller
	id := r.QueryID("parent")
	var err error
	if code := r.Text("parent"); code != "" {
		if id, err = p.Org.Named(ctx, by, code); err != nil {
			return page, nil //nolint:nilerr // an unknown parent is refused with its field
		}
	}
	if id == uuid.Nil {
		return page, nil
	}
	if page.Parent, err = p.Org.Entity(ctx, by, id); err != nil {
		return nil, err
	}
	entity.Parent = page.Parent.Code
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
