package texts

import (
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging/templates"
	"banca/internal/platform/apperr"
	"banca/web/kit"
)

// Fields of the form.
const (
	fieldBody     = "body"
	fieldVersion  = "version"
	fieldName     = "provider_name"
	fieldLanguage = "provider_language"
	fieldValues   = "provider_values"
	fieldButton   = "provider_button"
)

// editorPage is a text with its form, its preview and its difference from what the entity would inherit.
type editorPage struct {
	templates.Template

	Entity   *entity
	Home     string // address of the list
	At       string // address of the page without the entity
	Query    string // the entity, for the addresses of forms
	Writes   bool
	Text     *kit.Form
	Outside  *kit.Form // the provider's template
	Preview  *templates.Preview
	Fields   []templates.Field
	Form     templates.Draft // what is previewed
	Problems []string
}

func (p *pages) keyOf(r *kit.Request) (templates.Key, *entity, error) {
	e, err := p.entityOf(r)
	if err != nil {
		return templates.Key{}, nil, err
	}
	return templates.Key{EntityID: e.ID, Purpose: templates.Purpose(r.Param("purpose")), Language: templates.Language(r.Param("language"))}, e, nil
}

func (p *pages) load(r *kit.Request) (*editorPage, error) {
	key, e, err := p.keyOf(r)
	if err != nil {
		return nil, err
	}
	t, err := p.Templates.Get(r.Context(), r.Caller, key)
	if err != nil {
		return nil, err
	}
	at := addressOf(key.Purpose, key.Language)
	page := &editorPage{
		Template: *t, Entity: e, Home: e.at(path), At: at, Query: strings.TrimPrefix(e.at(at), at), Writes: r.May(auth.EntitiesWrite), Fields: key.Purpose.Fields(),
		Form: templates.Draft{Body: t.Body, Provider: t.Provider, Version: t.Version},
	}
	if page.Form.Body == "" && r.Form(fieldBody) == "" {
		page.Form.Body = templates.Builtin(key.Purpose, key.Language)
	}
	return page, p.fill(r, page)
}

// fill sets the forms and the preview to the draft of the page.
func (p *pages) fill(r *kit.Request, page *editorPage) error {
	d := &page.Form
	version := ""
	if d.Version != uuid.Nil {
		version = d.Version.String()
	}
	page.Text = kit.NewForm(kit.LinesInput(fieldBody, "texts.body", bodyRows).With("maxlength=2000 spellcheck=true required").ReadOnly(!page.Writes).WithRule("texts.body.rule", false)).
		Put(fieldBody, d.Body).Put(fieldVersion, version)
	page.Outside = kit.NewForm(
		kit.TextInput(fieldName, "texts.provider.name", 512).With("spellcheck=false autocapitalize=none").ReadOnly(!page.Writes).WithRule("texts.provider.name.rule", true),
		kit.TextInput(fieldLanguage, "texts.provider.language", 10).With("spellcheck=false").ReadOnly(!page.Writes).WithRule("texts.provider.language.rule", true),
		kit.TextInput(fieldValues, "texts.provider.values", 400).With("spellcheck=false autocapitalize=none").ReadOnly(!page.Writes).WithRule("texts.provider.values.rule", true),
		kit.TextInput(fieldButton, "texts.provider.button", 40).With("spellcheck=false autocapitalize=none").ReadOnly(!page.Writes).WithRule("texts.provider.button.rule", true),
	).Put(fieldName, d.Provider.Name).Put(fieldLanguage, d.Provider.Language).Put(fieldValues, strings.Join(page.namesOf(d.Provider.Values), ", ")).
		Put(fieldButton, strings.Join(page.namesOf([]string{d.Provider.Button}), ""))
	preview, err := p.Templates.Preview(r.Context(), r.Caller, page.Key, &templates.Draft{Body: d.Body, Provider: d.Provider})
	if err != nil {
		return err
	}
	page.Preview, page.Problems = preview, nil
	for _, problem := range preview.Problems {
		page.Problems = append(page.Problems, problemText(r, &problem))
		page.refuse(problem.Location)
	}
	return nil
}

// bodyRows is the height of the field of the text.
const bodyRows = 10

// namesOf returns the names of placeholders of the page's language. A key that is none stays as it is.
func (e *editorPage) namesOf(keys []string) []string {
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		if at := slices.IndexFunc(e.Fields, func(f templates.Field) bool { return f.Key == key }); at >= 0 {
			key = e.Fields[at].Name(e.Language)
		}
		names = append(names, key)
	}
	return names
}

// keyNamed returns the key of a placeholder that was typed, with or without braces. A name that is none stays as it is.
func (e *editorPage) keyNamed(typed string) string {
	typed = strings.ToLower(strings.Trim(strings.TrimSpace(typed), "{}"))
	if at := slices.IndexFunc(e.Fields, func(f templates.Field) bool { return f.Name(e.Language) == typed }); at >= 0 {
		return e.Fields[at].Key
	}
	return typed
}

// refuse marks the field that a problem is about.
func (e *editorPage) refuse(location string) {
	switch {
	case location == "body":
		e.Text.Refuse(fieldBody)
	case strings.HasPrefix(location, "provider.values"):
		e.Outside.Refuse(fieldValues)
	default:
		e.Outside.Refuse(strings.Replace(location, "provider.", "provider_", 1))
	}
}

// problemText says in words what is wrong with a text.
func problemText(r *kit.Request, d *apperr.Detail) string {
	text := r.T("texts.problem." + d.Code)
	for name, value := range d.Args {
		text = strings.ReplaceAll(text, "%"+name, value)
	}
	return text
}

// typed sets the draft of the page to what was typed.
func (e *editorPage) typed(r *kit.Request) {
	e.Form = templates.Draft{Body: strings.ReplaceAll(r.Form(fieldBody), "\r\n", "\n"), Version: r.FormID(fieldVersion), Provider: templates.Provider{
		Name: r.Text(fieldName), Language: r.Text(fieldLanguage),
	}}
	for typed := range strings.SplitSeq(r.Text(fieldValues), ",") {
		if strings.TrimSpace(typed) != "" {
			e.Form.Provider.Values = append(e.Form.Provider.Values, e.keyNamed(typed))
		}
	}
	if button := r.Text(fieldButton); button != "" {
		e.Form.Provider.Button = e.keyNamed(button)
	}
}

// loadTyped returns the page with what was typed.
func (p *pages) loadTyped(r *kit.Request) (*editorPage, error) {
	page, err := p.load(r)
	if err != nil {
		return nil, err
	}
	page.typed(r)
	return page, p.fill(r, page)
}

// preview shows the page with what was typed, and saves nothing.
func (p *pages) preview(r *kit.Request) error {
	return kit.Page[editorPage]{Template: "text", Load: p.loadTyped}.Show(r)
}

func (p *pages) save(r *kit.Request) error {
	page, err := p.loadTyped(r)
	if err != nil {
		return err
	}
	draft := page.Form
	_, err = p.Templates.Put(r.Context(), r.Caller, page.Key, &draft)
	return kit.Page[editorPage]{Template: "text", Load: p.loadTyped}.SubmitTo(r, err, page.Entity.at(page.At), "texts.saved")
}

func (p *pages) inherit(r *kit.Request) error {
	key, e, err := p.keyOf(r)
	if err != nil {
		return err
	}
	_, err = p.Templates.Delete(r.Context(), r.Caller, key, r.FormID(fieldVersion))
	return p.editor.SubmitTo(r, err, e.at(addressOf(key.Purpose, key.Language)), "texts.inherited")
}

// Difference compares the text with what the entity would inherit.
func (e *editorPage) Difference(v *kit.View) *kit.Diff {
	d := v.Diff()
	lines := func(text string) kit.Cell { return kit.Cell{Text: text, Style: "lines"} }
	for _, f := range []struct{ label, before, after string }{
		{"texts.body", e.Inherited.Body, e.Body},
		{"texts.provider.name", e.Inherited.Provider.Name, e.Provider.Name},
		{"texts.provider.language", e.Inherited.Provider.Language, e.Provider.Language},
		{"texts.provider.values", strings.Join(e.namesOf(e.Inherited.Provider.Values), ", "), strings.Join(e.namesOf(e.Provider.Values), ", ")},
		{"texts.provider.button", e.Inherited.Provider.Button, e.Provider.Button},
	} {
		if f.before != f.after {
			d.Add(v.T(f.label), lines(f.before), lines(f.after))
		}
	}
	return d
}

// Origin is whose text it is.
func (e *editorPage) Origin() string { return originOf(&e.Template) }

// InheritedFrom names the entity above whose text would be used.
func (e *editorPage) InheritedFrom(v *kit.View) string {
	if e.Inherited.From == nil {
		return v.T("texts.from.builtin")
	}
	return v.T("texts.from.entity", e.Inherited.From.Name)
}

// Other is the address of the same text in the other language.
func (e *editorPage) Other() string {
	l := templates.English
	if e.Language == templates.English {
		l = templates.Spanish
	}
	return e.Entity.at(addressOf(e.Purpose, l))
}

// OtherLanguage is its key.
func (e *editorPage) OtherLanguage() string {
	if e.Language == templates.English {
		return "language.es"
	}
	return "language.en"
}

// Placeholder returns a placeholder as it is typed.
func (e *editorPage) Placeholder(f templates.Field) string { return "{" + f.Name(e.Language) + "}" }
