package catalog

import (
	"net/http"
	"slices"
	"strings"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/web/kit"
)

const (
	revisionField = "revision"
	reasonField   = "force_reason"
)

// editPage is a form of a game, with what its bets would pay back; or, in review, what the form changes.
type editPage struct {
	*subject

	Groups   []group
	Revision string
	Unplaced []kit.Detail // errors that belong to no field
	Preview  *catalog.Preview
	Nothing  bool // the form changes nothing
	Week     *week
	Reason   *kit.Form // why rules stand that pay out more than they take in; nil if they need not be forced, or by this user
	Problem  string

	editor
	form   *kit.Form
	change catalog.GameChange
}

// Game is the game that the form changes.
func (p *editPage) Game() *models.Game { return p.row }

// Home is the address of the game.
func (p *editPage) Home() string { return path + "/" + p.row.ID.String() }

// Name is the name of the form in addresses and texts.
func (p *editPage) Name() string { return p.name }

// Address is that of the form.
func (p *editPage) Address() string { return p.Home() + "/" + p.name }

// editRoutes are the routes of the forms.
func (p *pages) editRoutes(game string, write kit.Access) []kit.Route {
	var routes []kit.Route
	saves := write.SensitiveIf(kit.IsDone)
	for _, e := range editors() {
		routes = append(routes, kit.Get(game+"/"+e.name, write, p.showEdit(e)), kit.Post(game+"/"+e.name, saves, p.submitEdit(e)))
	}
	return routes
}

func (p *pages) subjectOf(r *kit.Request) (*subject, error) {
	ctx := r.Context()
	row, err := p.Catalog.GameRow(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	s := &subject{row: row, sources: p.sources, r: r}
	if s.game, err = p.Catalog.Game(ctx, r.ID); err != nil {
		return nil, err
	}
	if s.others, err = p.Catalog.GameTitles(ctx); err != nil {
		return nil, err
	}
	s.others = slices.DeleteFunc(s.others, func(g catalog.GameTitle) bool { return g.ID == row.ID })
	currencies, err := p.Ledger.Currencies(ctx)
	s.known, s.currencies = currencies, ledger.Active(currencies)
	return s, err
}

// newEdit returns the page of a form with the values of the game, or those that were sent.
func (p *pages) newEdit(r *kit.Request, e editor) (*editPage, error) {
	s, err := p.subjectOf(r)
	if err != nil {
		return nil, err
	}
	sent := r.FormValues()
	page := &editPage{subject: s, editor: e, Revision: catalog.Revision(s.row, e.field), Groups: e.groups(s, sent)}
	page.form = formOf(page.Groups)
	if len(sent) == 0 {
		s.show(page.form, page.Groups)
	} else {
		page.form.FillFrom(r)
	}
	if kit.StepOf(r) == actionFill {
		s.fillTimes(page.form)
		sent.Set("times", page.form.Get("times")) // the numbers of draws are read with them
	}
	page.change = page.read()
	return page, nil
}

func (p *pages) showEdit(e editor) kit.Handler {
	return func(r *kit.Request) error {
		page, err := p.newEdit(r, e)
		if err != nil {
			return err
		}
		if err := p.preview(r, page); err != nil {
			return err
		}
		page.form = formOf(page.Groups) // a game as it stands is no error of the user
		page.show(page.form, e.groups(page.subject, nil))
		page.Unplaced = nil
		return r.Write(http.StatusOK, "edit", page, "")
	}
}

// preview computes what the form would do, and marks the fields with errors.
func (p *pages) preview(r *kit.Request, page *editPage) error {
	if !page.form.Valid() {
		return nil
	}
	preview, err := p.Catalog.PreviewGame(r.Context(), r.ID, &page.change)
	if err == nil {
		page.Preview, page.Nothing = preview, page.nothing(preview)
		return nil
	}
	_, text, known := r.Explain(err)
	if !known || apperr.CodeOf(err) == catalog.ErrGameNotFound.Code {
		return err
	}
	page.Unplaced, page.Problem = page.refuse(r.Details(err)), text
	return nil
}

// nothing reports whether a change leaves the field of the form as it is.
func (p *editPage) nothing(preview *catalog.Preview) bool {
	return catalog.Revision(&preview.Before, p.field) == catalog.Revision(&preview.After, p.field)
}

func (p *pages) submitEdit(e editor) kit.Handler {
	return func(r *kit.Request) error {
		page, err := p.newEdit(r, e)
		if err != nil {
			return err
		}
		step := kit.StepOf(r)
		calculates := step != kit.StepReview && step != kit.StepDo && (step != actionTake || page.edited)
		if kit.IsDone(r) && page.form.Valid() {
			return p.saveEdit(r, page)
		}
		if !calculates { // the form shows its own changes since
			page.change.Based = map[string]string{e.field: r.Form(revisionField)}
		}
		if err := p.preview(r, page); err != nil {
			return err
		}
		switch {
		case calculates:
			return r.Write(http.StatusOK, "edit", page, "")
		case page.Preview == nil:
			return p.refuseEdit(r, page, http.StatusUnprocessableEntity, page.Problem)
		case page.Preview.Stale:
			return p.refuseEdit(r, page, http.StatusConflict, r.T("code."+catalog.ErrGameChanged.Code))
		default:
			return p.review(r, page, http.StatusOK, "")
		}
	}
}

// refuseEdit shows the form again, with the typed values and what is wrong with them.
func (p *pages) refuseEdit(r *kit.Request, page *editPage, status int, problem string) error {
	if problem == "" {
		problem = r.T("code." + catalog.ErrInvalidGame.Code)
	}
	return r.Write(status, "edit", page, problem)
}

// review shows what the form changes.
func (p *pages) review(r *kit.Request, page *editPage, status int, problem string) error {
	if page.Nothing {
		return p.refuseEdit(r, page, http.StatusOK, r.T("edit.nothing"))
	}
	if len(page.Preview.Overpriced) > 0 && r.May(auth.CatalogForce) {
		page.Reason = kit.NewForm(kit.TextInput(reasonField, "games.force", maxReason).WithRule("games.force.hint", true).Required()).Put(reasonField, r.Form(reasonField))
		if problem != "" {
			page.Reason.Refuse(reasonField)
		}
	}
	var err error
	if page.Week, err = p.lastWeek(r); err != nil {
		return err
	}
	return r.Write(status, "review", page, problem)
}

const maxReason = 500

func (p *pages) saveEdit(r *kit.Request, page *editPage) error {
	field := page.field
	ch := page.change
	ch.Based = map[string]string{field: r.Form(revisionField)}
	if r.May(auth.CatalogForce) {
		ch.Force = r.Text(reasonField)
	}
	_, err := p.Catalog.UpdateGame(r.Context(), r.ID, &ch)
	if err == nil {
		return r.Done(page.Home(), "game.saved")
	}
	status, text, known := r.Explain(err)
	if !known || apperr.CodeOf(err) == catalog.ErrGameNotFound.Code {
		return err
	}
	if err := p.preview(r, page); err != nil {
		return err
	}
	if page.Preview != nil && apperr.CodeOf(err) == catalog.ErrOverpriced.Code {
		return p.review(r, page, status, text)
	}
	page.Unplaced = page.refuse(r.Details(err))
	return p.refuseEdit(r, page, status, text)
}

// Sent are the values of the form, which the review carries on.
func (p *editPage) Sent() []kit.Option { return kit.Sent(p.r, revisionField, reasonField) }

// Blocks are the groups with their fields. Folded groups with the same note are one block, with the note as its title.
func (p *editPage) Blocks(v *kit.View) []block {
	var blocks []block
	rest := block{Folded: true}
	for _, g := range p.Groups {
		b := block{Title: g.Title, Note: g.Note, Folded: g.Folded}
		for _, part := range g.Parts {
			f := fold{Title: part.Title, Folded: part.Folded, Button: part.button}
			set := false
			for j := range part.Inputs {
				field := p.form.Field(v, part.Inputs[j].Name)
				f.Open, set = f.Open || field.Wrong, set || filled(field)
				if part.chips != nil {
					f.Chips = part.chips.of(field)
				}
				f.Fields = append(f.Fields, field)
			}
			switch {
			case part.bet != "":
				f.Note = p.boundsText(v, part.bet)
			case set && part.button == "" && part.chips == nil:
				f.Note = v.T("edit.set")
			}
			b.Open = b.Open || set || f.Open
			b.Folds = append(b.Folds, f)
		}
		if b.Folded && b.Note != "" {
			b.Folds[0].Title = b.Title
			rest.Title, rest.Note, rest.Open = b.Note, strings.TrimPrefix(rest.Note+", "+b.Title, ", "), rest.Open || b.Open
			rest.Folds = append(rest.Folds, b.Folds...)
			continue
		}
		blocks = append(blocks, b)
	}
	if len(rest.Folds) > 0 {
		blocks = append(blocks, rest)
	}
	return blocks
}

// block is a group with its fields.
type block struct {
	Title, Note  string
	Folded, Open bool // a folded one is open if a field has a value
	Folds        []fold
}

// fold is a row of fields. A folded row names its values, and is open if a field is wrong.
type fold struct {
	Title, Note  string
	Fields       []*kit.Field
	Folded, Open bool
	Button       string // text of the button that fills in other fields from these; "" for none
	Chips        *chips // the values of the field; nil for other fields
}

// filled reports whether a person has filled a field in. A choice always has a value.
func filled(f *kit.Field) bool {
	return f.Kind != "selection" && (f.Value != "" || len(f.Values) > 0 && f.Values[0] != "")
}

// Wrong are the fields with errors.
func (p *editPage) Wrong(v *kit.View) *kit.WrongFields { return p.form.Summary(v) }
