package org

import (
	"net/http"
	"net/url"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/org"
	"banca/models"
	"banca/web/kit"
)

// newPage is the form of a new entity.
type newPage struct {
	Form   url.Values
	Types  []string
	Parent *org.Entity // nil as long as none is known
	Wrong  map[string]bool
}

// loadNew returns the form, below the entity that the address or the form names.
func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	page := &newPage{Form: url.Values{}, Types: org.TypesBelow(models.EntityOperator)}
	ctx, by := r.Context(), r.Caller
	id := r.QueryID("parent")
	var err error
	if code := r.Text("parent"); code != "" {
		if id, err = p.Org.ByCode(ctx, by, code); err != nil {
			return page, nil //nolint:nilerr // an unknown parent is refused with its field
		}
	}
	if id == uuid.Nil {
		return page, nil
	}
	if page.Parent, err = p.Org.Entity(ctx, by, id); err != nil {
		return nil, err
	}
	page.Form.Set("parent", page.Parent.Code)
	page.Types = org.TypesBelow(page.Parent.Type)
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
	return p.new.Present(r, status, text, func(page *newPage) {
		page.Form, page.Wrong = r.Typed(), kit.RefusedFields(err, "")
		switch apperr.CodeOf(err) {
		case org.ErrEntityNotFound.Code:
			page.Wrong["parent"] = true
		case org.ErrEntityExists.Code:
			page.Wrong["code"] = true
		case org.ErrTypeOrder.Code:
			page.Wrong["entity_type"] = true
		}
	})
}

func (p *pages) made(r *kit.Request) (*org.Entity, error) {
	ctx, by := r.Context(), r.Caller
	parent, err := p.Org.ByCode(ctx, by, r.Text("parent"))
	if err != nil {
		return nil, err
	}
	return p.Org.Create(ctx, r.Caller, &org.NewEntity{
		ParentID: parent, Type: r.Form("type"), Name: r.Form("name"), Code: r.Text("code"), Status: r.Form("status"),
	})
}
