package org

import (
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/org"
	"banca/web/kit"
)

// entityPage is an entity with everything that can be seen and done about it.
type entityPage struct {
	org.Entity

	Crumbs   []kit.MenuLink // entities above, the highest first
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

func (p *pages) loadEntity(r *kit.Request) (*entityPage, error) {
	ctx, by, id := r.Context(), r.Caller, r.ID
	e, err := p.Org.Entity(ctx, by, id)
	if err != nil {
		return nil, err
	}
	holds, err := p.Org.Effective(ctx, by, id)
	if err != nil {
		return nil, err
	}
	page := &entityPage{
		Entity: *e, Crumbs: crumbs(p.above(r, id)), CanSell: holds.CanSell, Root: e.ParentID == uuid.Nil, Edits: r.May(auth.EntitiesWrite),
		Attaches: r.May(auth.DocumentsWrite), Papers: r.May(auth.DocumentsRead), Lower: len(org.TypesBelow(e.Type)) > 0,
		Next: org.StatusesAfter(e.Status), Rates: holds.Commissions, Kinds: org.DocumentKinds(), MaxDocuments: org.MaxDocuments,
		Facts: factsForm{Name: e.Name, Code: e.Code},
	}
	own := e.Path == by.Scope.Path() && !page.Root
	page.Decides = page.Edits && !own
	page.Deletes = r.May(auth.EntitiesDelete) && !own && !page.Root
	page.Children, page.ChildrenTotal, err = p.Org.Entities(ctx, by, &org.EntityFilter{ParentID: id, Limit: shownChildren})
	if err != nil {
		return nil, err
	}
	if page.Groups, err = groupForms(e, holds); err != nil {
		return nil, err
	}
	if page.Papers {
		if page.Documents, err = p.Org.Documents(ctx, by, id); err != nil {
			return nil, err
		}
	}
	page.Finance, err = p.financeForm(ctx, e, holds)
	return page, err
}

// saveFacts changes the name and the code of an entity.
func (p *pages) saveFacts(r *kit.Request) error {
	name, code := r.Text("name"), r.Text("code")
	_, _, err := p.Org.Update(r.Context(), r.Caller, r.ID, &org.Change{Name: &name, Code: &code})
	return p.after(r, err, func(page *entityPage) {
		page.Facts = factsForm{Name: name, Code: code, Wrong: kit.RefusedFields(err, "")}
		if apperr.CodeOf(err) == org.ErrEntityExists.Code {
			page.Facts.Wrong["code"] = true
		}
		page.OpenGroup = "facts"
	})
}

// setStatus moves an entity to a status.
func (p *pages) setStatus(r *kit.Request) error {
	_, err := p.Org.SetStatus(r.Context(), r.Caller, r.ID, r.Form("status"))
	return p.after(r, err)
}

// delete deletes an entity and redirects to its parent.
func (p *pages) delete(r *kit.Request) error {
	e, err := p.Org.Entity(r.Context(), r.Caller, r.ID)
	if err == nil {
		err = p.Org.Delete(r.Context(), r.Caller, r.ID)
	}
	if err == nil {
		return r.Done(path+"/"+e.ParentID.String(), "entity.deleted")
	}
	return p.after(r, err, func(page *entityPage) { page.OpenGroup = "delete" })
}

// after answers a form of an entity's page; fill fills a refused form in.
func (p *pages) after(r *kit.Request, err error, fill ...func(*entityPage)) error {
	if kit.IsMissing(err) {
		return err
	}
	return p.entity.Submit(r, err, "entity.saved", fill...)
}
