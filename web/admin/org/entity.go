package org

import (
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/web/kit"
)

// entityPage is an entity with everything that can be seen and done about it.
type entityPage struct {
	org.Entity

	Money    *entityMoney
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
	RateRows      kit.Rows // nil without rates
	Documents     []org.Document
	DocumentRows  kit.Rows
	MaxDocuments  int

	OpenGroup string // whose form is shown open: the one with an error
	Tried     *org.RateEffect

	facts, attach *kit.Form
}

// factsForm is the form of the name and the code of an entity.
func factsForm(facts *org.Change) *kit.Form {
	return kit.NewForm(
		kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required().Into(&facts.Name),
		kit.TextInput("code", "label.code", 32).With("spellcheck=false").WithRule("field.code", true).Required().
			At(org.ErrEntityExists.Code).Into(&facts.Code),
	)
}

// Rename is the form of another name or code.
func (p *entityPage) Rename(v *kit.View) *kit.Question {
	return v.Question(v.T("org.rename"), p.address("/facts"), "", v.T("word.save")).WithForm(p.facts).Opened(p.OpenGroup == "facts")
}

// address is that of an action on the entity.
func (p *entityPage) address(action string) string { return path + "/" + p.ID.String() + action }

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
		Next: org.StatusesAfter(e.Status), Rates: holds.Commissions, MaxDocuments: org.MaxDocuments,
		facts: factsForm(&org.Change{Name: &e.Name, Code: &e.Code}), attach: attachForm(r),
	}
	own := e.Path == by.Scope.Path() && !page.Root
	page.Decides = page.Edits && !own
	page.Deletes = r.May(auth.EntitiesDelete) && !own && !page.Root
	page.Children, page.ChildrenTotal, err = p.Org.Entities(ctx, by, &org.EntityFilter{ParentID: id, Limit: shownChildren})
	if err != nil {
		return nil, err
	}
	if page.Groups, err = groupForms(r, e, holds); err != nil {
		return nil, err
	}
	if page.Papers {
		if page.Documents, err = p.Org.Documents(ctx, by, id); err != nil {
			return nil, err
		}
		page.DocumentRows = kit.RowsOf(page.documentColumns(), page.Documents, nil, "org.documents.none")
	}
	if len(page.Rates) > 0 {
		page.RateRows = kit.RowsOf(effectiveColumns(), page.Rates, nil, "")
	}
	if page.Finance, err = p.financeForm(r, e, holds); err != nil {
		return nil, err
	}
	page.Money, err = p.loadMoney(r, e)
	return page, err
}

// saveFacts changes the name and the code of an entity.
func (p *pages) saveFacts(r *kit.Request) error {
	change := &org.Change{}
	factsForm(change).Take(r)
	_, _, err := p.Org.Update(r.Context(), r.Caller, r.ID, change)
	return p.after(r, err, func(page *entityPage) {
		page.facts.FillFrom(r).RefuseBy(err, "")
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
	if kit.IsNotFound(err) {
		return err
	}
	return p.entity.Submit(r, err, "entity.saved", fill...)
}
