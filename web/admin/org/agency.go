package org

import (
	"net/http"
	"strings"
	"unicode"

	"github.com/google/uuid"
	"golang.org/x/text/unicode/norm"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/web/kit"
)

const agencyPath = path + "/agency"

// agencyPage is the form that makes an agency with all it needs to sell, or what came of it.
type agencyPage struct {
	Form  *kit.Form
	Money bool // the user may set credit
	Users bool // the user may make users
	Tools bool // the user may register devices

	Steps []agencyStep // in their order; nil before the form is sent
	Done  bool         // everything was made
	Key   string       // of the new device, which is shown once
}

// States of a step.
const (
	stepMade   = "made"
	stepThere  = "there" // it was made before, by the same form
	stepFailed = "failed"
	stepWaits  = "waits" // for the step that failed
)

// agencyStep is a part of the new agency.
type agencyStep struct {
	Kind, State, Name, Address string
}

func (p *pages) loadAgency(r *kit.Request) (*agencyPage, error) {
	page := &agencyPage{Money: r.May(auth.WalletsCredit), Users: r.May(auth.UsersWrite), Tools: r.May(auth.DevicesWrite)}
	currencies, err := p.Ledger.Currencies(r.Context())
	if err != nil {
		return nil, err
	}
	page.Form = kit.NewForm(agencyInputs(page, currencies)...)
	if id := r.QueryID("parent"); id != uuid.Nil {
		parent, err := p.Org.Entity(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		page.Form.Put("parent", parent.Code)
	}
	return page, nil
}

func agencyInputs(page *agencyPage, currencies []ledger.Currency) []kit.Input {
	name := func(field, label string) kit.Input {
		return kit.TextInput(field, label, 100).WithRule("field.name", false).Required()
	}
	code := func(field string) kit.Input {
		return kit.TextInput(field, "label.code", 32).With("spellcheck=false autocapitalize=characters").WithRule("agency.code.hint", true)
	}
	rate := func(field string) kit.Input {
		return kit.PercentInput(field, "agency.rate").WithRule("agency.rate.hint", true)
	}
	inputs := []kit.Input{
		kit.EntityInput("parent", "agency.parent").WithRule("field.parent", true).Required(), name("agency", "agency.name"), code("agency_code"), rate("agency_rate"),
		name("point", "agency.point"), code("point_code"), rate("point_rate"),
	}
	if page.Money {
		var options []kit.Option
		for _, c := range ledger.Active(currencies) {
			options = append(options, kit.Option{Value: c.Code, Text: c.Unit()})
		}
		inputs = append(inputs, kit.ChoiceInput("currency", "label.currency", options),
			kit.TextInput("credit", "agency.credit", 24).With("inputmode=decimal").WithRule("agency.credit.hint", true))
	}
	if page.Users {
		inputs = append(inputs, name("user", "agency.user"),
			kit.TextInput("identifier", "agency.identifier", 200).With("autocapitalize=none spellcheck=false").WithRule("agency.identifier.hint", true).Required(),
			kit.PhoneInput("phone", "label.phone").WithRule("agency.phone.hint", true),
			kit.TextInput("password", "agency.password", 72).With("type=password autocomplete=new-password").WithRule("users.password.hint", true))
	}
	if page.Tools {
		inputs = append(inputs, kit.TextInput("device", "agency.device", 100).WithRule("agency.device.hint", true),
			kit.TextInput("fingerprint", "agency.fingerprint", 512).With("spellcheck=false class=mono").WithRule("agency.fingerprint.hint", true))
	}
	return inputs
}

// Sections are the fields of the form under their titles.
func (p *agencyPage) Sections(v *kit.View) []agencySection {
	sections := []agencySection{{Key: "agency", names: []string{"parent", "agency", "agency_code", "agency_rate"}}, {Key: "point", names: []string{"point", "point_code", "point_rate"}}}
	if p.Money {
		sections = append(sections, agencySection{Key: "credit", names: []string{"currency", "credit"}})
	}
	if p.Users {
		sections = append(sections, agencySection{Key: "user", names: []string{"user", "identifier", "phone", "password"}})
	}
	if p.Tools {
		sections = append(sections, agencySection{Key: "device", names: []string{"device", "fingerprint"}})
	}
	for i := range sections {
		sections[i].Number = i + 1
		for _, name := range sections[i].names {
			sections[i].Fields = append(sections[i].Fields, p.Form.Field(v, name))
		}
	}
	return sections
}

// agencySection is a numbered part of the form.
type agencySection struct {
	Key    string
	Number int
	Fields []*kit.Field

	names []string
}

// Wrong are the fields with errors.
func (p *agencyPage) Wrong(v *kit.View) []*kit.Field { return p.Form.Summary(v) }

// codeOf makes a code of a name: "La Fortuna, 2" is "LA-FORTUNA-2".
func codeOf(name string) string {
	const longest = 32
	var b strings.Builder
	for _, c := range norm.NFD.String(strings.ToUpper(name)) {
		switch {
		case c < unicode.MaxASCII && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			b.WriteRune(c)
		case !unicode.Is(unicode.Mn, c) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	text := b.String()
	return strings.Trim(text[:min(len(text), longest)], "-")
}

// makeAgency makes the agency of the form step by step. A step that was made by an earlier sending of the form is found again, so the form can be sent
// again after an error, or twice.
func (p *pages) makeAgency(r *kit.Request) error {
	page, err := p.loadAgency(r)
	if err != nil {
		return err
	}
	page.Form.FillFrom(r)
	p.checkAgency(r, page)
	page.Form.Put("password", "") // which no page shows again
	if !page.Form.Valid() {
		return r.Write(http.StatusUnprocessableEntity, "agency", page, r.T("agency.wrong"))
	}
	m := &agencyMaker{pages: p, r: r, page: page, form: page.Form}
	err = m.run()
	switch {
	case err == nil:
		page.Done = true
		return r.Write(http.StatusOK, "agency", page, "")
	case m.failed != nil:
		return r.Write(m.status, "agency", page, m.problem)
	default:
		return err
	}
}

// checkAgency marks the fields that are wrong before anything is made.
func (p *pages) checkAgency(r *kit.Request, page *agencyPage) {
	form := page.Form
	form.Check()
	for _, name := range []string{"agency_rate", "point_rate"} {
		if form.Get(name) == "" {
			continue
		}
		if _, err := kit.ReadPercent(form.Get(name)); err != nil {
			form.RefuseFor(name, r.T("input.percent"))
		}
	}
	for code, name := range map[string]string{"agency_code": "agency", "point_code": "point"} {
		if form.Get(code) == "" && codeOf(form.Get(name)) == "" && form.Get(name) != "" {
			form.RefuseFor(code, r.T("field.code"))
		}
	}
	if codeFrom(form, "agency") == codeFrom(form, "point") && form.Get("point") != "" {
		form.RefuseFor("point_code", r.T("agency.code.same"))
	}
	if page.Users && form.Get("phone") == "" && form.Get("password") == "" {
		form.RefuseFor("password", r.T("agency.password.none"))
	}
	if page.Tools && (form.Get("device") == "") != (form.Get("fingerprint") == "") {
		form.RefuseFor("fingerprint", r.T("agency.device.both"))
	}
}

// codeFrom returns the typed code of an entity, or the one made of its name.
func codeFrom(form *kit.Form, name string) string {
	if code := form.Get(name + "_code"); code != "" {
		return code
	}
	return codeOf(form.Get(name))
}

// refusedBy reports whether an error is one that the user can correct.
func refusedBy(err error) bool {
	switch apperr.From(err).Kind {
	case apperr.Invalid, apperr.Conflict, apperr.NotFound, apperr.Forbidden:
		return true
	default:
		return false
	}
}

// named returns an entity of the caller with a code; nil if there is none.
func (m *agencyMaker) named(code string) (*org.Entity, error) {
	id, err := m.pages.Org.ByCode(m.r.Context(), m.r.Caller, code)
	if apperr.CodeOf(err) == org.ErrEntityNotFound.Code {
		return nil, nil //nolint:nilnil // none
	}
	if err != nil {
		return nil, err
	}
	return m.pages.Org.Entity(m.r.Context(), m.r.Caller, id)
}
