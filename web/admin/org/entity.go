package org

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/models"
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

	ChildRows     kit.Rows // nil without entities directly below
	ChildrenTotal int64
	Unit          string   // of their figures; "" without any
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

// address is the address of an action on the entity.
func (p *entityPage) address(action string) string { return path + "/" + p.ID.String() + action }

const (
	readChildren  = 200 // entities directly below whose sales are compared
	shownChildren = 10  // of them that the page lists, those that sold most
)

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
		Next: models.StatusesAfter(e.Status), Rates: holds.Commissions, MaxDocuments: org.MaxDocuments,
		facts: factsForm(&org.Change{Name: &e.Name, Code: &e.Code}), attach: attachForm(r),
	}
	own := e.Path == by.Scope.Path() && !page.Root
	page.Decides = page.Edits && !own
	page.Deletes = r.May(auth.EntitiesDelete) && !own && !page.Root
	if err := p.loadChildren(r, page); err != nil {
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

// loadChildren loads the entities directly below that sold most today.
func (p *pages) loadChildren(r *kit.Request, page *entityPage) error {
	list, total, err := p.Org.Entities(r.Context(), r.Caller, &org.EntityFilter{ParentID: r.ID, Limit: readChildren})
	if err != nil || total == 0 {
		return err
	}
	children, err := p.withMoney(r, list)
	slices.SortStableFunc(children, func(a, b foundEntity) int { return cmp.Compare(b.Money.amount(), a.Money.amount()) })
	children = children[:min(len(children), shownChildren)]
	if m := children[0].Money; m != nil {
		page.Unit = m.currency.Unit()
	}
	page.ChildRows, page.ChildrenTotal = kit.RowsOf(childColumns(children), children, entityAddress, ""), total
	return err
}

func childColumns(children []foundEntity) []kit.Column[foundEntity] {
	return slices.Concat([]kit.Column[foundEntity]{
		kit.WrapColumn("label.name", func(e *foundEntity) string { return e.Name }).Below(func(_ *kit.View, e *foundEntity) string { return e.Code }),
		kit.StateColumn("entity", func(e *foundEntity) string { return e.Status }),
	}, figureColumns(children))
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

// attachForm is the form of a new document.
func attachForm(r *kit.Request) *kit.Form {
	return kit.NewForm(
		kit.ChoiceInput("kind", "label.kind", r.Options("document.", org.DocumentKinds()...)),
		kit.FileInput("label.file", "image/png,image/jpeg,application/pdf").WithRule("org.documents.hint", true).Required(),
	)
}

// AttachFields are the fields of a new document; a refused file says why.
func (p *entityPage) AttachFields(v *kit.View) []*kit.Field {
	fields := p.attach.Fields(v)
	if file := fields[1]; file.Wrong && v.Problem != "" {
		file.Reason = v.Problem
	}
	return fields
}

func (p *entityPage) documentColumns() []kit.Column[org.Document] {
	columns := []kit.Column[org.Document]{
		{Title: "label.name", Cell: func(v *kit.View, d *org.Document) kit.Cell {
			cell := v.Part("document", d)
			cell.Style = "wrap"
			return cell
		}},
		kit.WordColumn("label.kind", func(v *kit.View, d *org.Document) string { return v.T("document." + d.Kind) }),
		kit.WordColumn("label.size", func(v *kit.View, d *org.Document) string { return v.Size(d.Size) }).Numeric(),
		kit.TimeColumn("label.created", func(d *org.Document) time.Time { return d.CreatedAt }),
	}
	if p.Attaches {
		columns = append(columns, kit.Column[org.Document]{Cell: p.removeCell})
	}
	return columns
}

// removeCell asks before a document is removed.
func (p *entityPage) removeCell(v *kit.View, d *org.Document) kit.Cell {
	address := p.address("/documents/" + d.ID.String() + "/remove")
	return v.QuestionCell(v.Question(v.T("org.documents.remove"), address, v.T("org.documents.remove.ask", d.Name), v.T("org.documents.remove.do")).Irreversible(true))
}

// openDocuments opens the part of an entity's page with its documents, where a file was refused.
func openDocuments(page *entityPage) {
	page.OpenGroup = "documents"
	page.attach.Refuse("file")
}

// attach keeps a file as a document of an entity.
func (p *pages) attach(r *kit.Request) error {
	name, raw, err := r.File()
	if err != nil {
		return p.entity.Present(r, http.StatusBadRequest, r.T("error.file"), openDocuments)
	}
	_, err = p.Org.Attach(r.Context(), r.Caller, &org.NewDocument{
		EntityID: r.ID, Kind: r.Form("kind"), Name: name, Content: raw,
	})
	return p.after(r, err, openDocuments)
}

// openDocument redirects to a document by an address that is signed at that moment: a page may have been open for long.
func (p *pages) openDocument(r *kit.Request) error {
	document, err := r.ParamID("document")
	if err != nil {
		return err
	}
	d, err := p.Org.Document(r.Context(), r.Caller, org.DocumentRef{EntityID: r.ID, ID: document})
	if err != nil {
		return err
	}
	w, request := r.HTTP()
	http.Redirect(w, request, d.URL, http.StatusFound)
	return nil
}

func (p *pages) removeDocument(r *kit.Request) error {
	document, err := r.ParamID("document")
	if err != nil {
		return err
	}
	return p.after(r, p.Org.Detach(r.Context(), r.Caller, org.DocumentRef{EntityID: r.ID, ID: document}), openDocuments)
}
