// Package texts has the pages of the texts of messages: what each entity sends for each purpose and language, and an editor with a preview.
package texts

import (
	"cmp"
	"embed"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/messaging/templates"
	"banca/internal/services"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path = links.Messages + "/texts"
	one  = path + "/:purpose/:language"
)

//go:embed templates
var files embed.FS

type pages struct {
	*services.Services

	list   kit.List[textRow, listPage]
	editor kit.Page[editorPage]
}

// Area returns the pages of texts.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[textRow, listPage]{
		Template: "texts", File: "texts", Unpaged: true, Columns: columns(), Link: func(t *textRow) string { return t.link }, Empty: "texts.none", Rows: p.rows, Filter: p.filter, Page: p.listPageOf,
	}
	p.editor = kit.Page[editorPage]{Template: "text", Load: p.load}
	read, write := kit.Can(auth.MessagingRead), kit.Can(auth.EntitiesWrite).Sensitive()
	return kit.Area{Templates: files, Guide: "messaging#texts", Routes: []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.messages", "texts.title"),
		kit.Get(one, read, p.editor.Show),
		kit.Action(one, "/save", write, p.save),
		kit.Action(one, "/inherit", write, p.inherit),
		kit.Action(one, "/preview", read, p.preview),
	}}
}

// Origins of a text.
const (
	originOwn       = "own"
	originInherited = "inherited"
	originBuiltin   = "builtin"
)

func originOf(t *templates.Template) string {
	switch {
	case t.Own:
		return originOwn
	case t.From != nil:
		return originInherited
	default:
		return originBuiltin
	}
}

// entity is the entity whose texts are shown.
type entity struct {
	ID         uuid.UUID
	Code, Name string
	Own        bool // the caller's
}

// entityOf finds the entity that the address names by its code, or by its name with the code; the caller's without one. Errors:
// org.ErrEntityNotFound.
func (p *pages) entityOf(r *kit.Request) (*entity, error) {
	id, err := kit.AskedEntity(r, "entity")
	if err != nil {
		return nil, err
	}
	e, err := p.Org.Entity(r.Context(), r.Caller, cmp.Or(id, r.Caller.EntityID))
	if err != nil {
		return nil, err
	}
	return &entity{ID: e.ID, Code: e.Code, Name: e.Name, Own: e.ID == r.Caller.EntityID}, nil
}

// at returns an address with the entity, which is left out for the caller's own.
func (e *entity) at(address string) string {
	if e.Own {
		return address
	}
	return address + "?" + url.Values{"entity": {e.Code}}.Encode()
}

func addressOf(p templates.Purpose, l templates.Language) string {
	return path + "/" + string(p) + "/" + string(l)
}

// textRow is a text of the list.
type textRow struct {
	templates.Template

	link  string
	sent  bool // the settings of the entity want the message
	words func(key string) string
}

// listPage is what the list shows besides its rows.
type listPage struct {
	Entity   string
	Settings string // address of the settings that choose the messages
}

func (p *pages) rows(r *kit.Request, _ kit.Window) ([]textRow, int64, error) {
	e, err := p.entityOf(r)
	if err != nil {
		return nil, 0, r.Warned(err)
	}
	list, err := p.Templates.List(r.Context(), r.Caller, e.ID)
	if err != nil {
		return nil, 0, err
	}
	var rows []textRow
	for i := range list {
		t := &list[i]
		if language(r) != string(t.Language) {
			continue
		}
		sent, err := p.Templates.Wanted(r.Context(), e.ID, t.Purpose)
		if err != nil {
			return nil, 0, err
		}
		rows = append(rows, textRow{Template: *t, link: e.at(addressOf(t.Purpose, t.Language)), sent: sent, words: r.T})
	}
	return rows, int64(len(rows)), nil
}

func (p *pages) filter(r *kit.Request) (*kit.Filter, error) {
	field := kit.SelectField("language", "texts.language", r.Options("language.", "es", "en"))
	field.First, field.Value = "", language(r)
	return &kit.Filter{Fields: []kit.FilterField{kit.EntityField("entity", "label.entity"), field}}, nil
}

// language is the language of the listed texts: of the page, unless the address names another one.
func language(r *kit.Request) string { return cmp.Or(r.Query("language"), r.Language) }

func (p *pages) listPageOf(r *kit.Request, _ []textRow) (*listPage, error) {
	e, err := p.entityOf(r)
	if kit.IsNotFound(err) {
		return &listPage{}, nil
	}
	if err != nil {
		return nil, err
	}
	page := &listPage{Entity: e.Name}
	if at := links.Organisation + "/" + e.ID.String(); r.MayOpen(at) {
		page.Settings = at
	}
	return page, nil
}

func columns() []kit.Column[textRow] {
	return []kit.Column[textRow]{
		{Title: "texts.purpose", Text: func(t *textRow) string { return t.words("texts.purpose." + string(t.Purpose)) }, Cell: func(v *kit.View, t *textRow) kit.Cell {
			return kit.Wrap(v.T("texts.purpose." + string(t.Purpose))).WithSecondLine(v.T("texts.to." + string(t.Purpose)))
		}},
		{Title: "texts.language", Text: func(t *textRow) string { return t.words("language." + string(t.Language)) }},
		{Title: "texts.text", WideOnly: true, Text: func(t *textRow) string { return t.Body }, Cell: func(_ *kit.View, t *textRow) kit.Cell { return kit.Wrap(begin(t.Body)) }},
		{Title: "texts.origin", Lead: true, Text: func(t *textRow) string { return t.words("state.text." + originOf(&t.Template)) }, Cell: func(v *kit.View, t *textRow) kit.Cell {
			return originCell(v, &t.Template)
		}},
		{Title: "texts.sent", Text: func(t *textRow) string { return t.words(sentKey(t)) }, Cell: func(v *kit.View, t *textRow) kit.Cell { return kit.Text(v.T(sentKey(t))) }},
		kit.TimeColumn("label.changed", func(t *textRow) time.Time { return t.UpdatedAt }),
	}
}

func sentKey(t *textRow) string {
	if t.sent {
		return "word.yes"
	}
	return "word.no"
}

// originCell shows whose text it is.
func originCell(v *kit.View, t *templates.Template) kit.Cell {
	cell := kit.Badges(v.State("text", originOf(t)))
	if !t.Own && t.From != nil {
		return cell.WithSecondLine(t.From.Name)
	}
	return cell
}

// maxBegin bounds the beginning of a text in the list, in characters.
const maxBegin = 90

// begin returns the beginning of a text on one line, cut between two words.
func begin(body string) string {
	line := strings.Join(strings.Fields(body), " ")
	if utf8.RuneCountInString(line) <= maxBegin {
		return line
	}
	cut := string([]rune(line)[:maxBegin])
	return cut[:max(1, strings.LastIndexByte(cut, ' '))] + "…"
}
