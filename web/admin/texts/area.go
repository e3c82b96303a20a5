// Package texts has the pages of the texts of messages: what each entity sends for each purpose and language, and an editor with a preview.
package texts

import (
	"embed"
	"net/url"

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
	read, write := kit.Can(auth.MessagesRead), kit.Can(auth.EntitiesWrite).Sensitive()
	return kit.Area{Templates: files, Routes: []kit.Route{
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
	id, typed := r.Caller.EntityID, r.Query("entity")
	if typed != "" {
		var err error
		if id, err = p.Org.Named(r.Context(), r.Caller, typed); err != nil {
			return nil, err
		}
	}
	e, err := p.Org.Entity(r.Context(), r.Caller, id)
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
