package catalog

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/web/kit"
)

// afterGame answers a form of a game's page; fill fills a refused form in.
func (p *pages) afterGame(r *kit.Request, err error, fill func(*gamePage)) error {
	if apperr.CodeOf(err) == catalog.ErrGameNotFound.Code {
		return err
	}
	explain := func(page *gamePage) {
		page.Details = r.Details(err)
		page.Overpaid = apperr.CodeOf(err) == catalog.ErrOverpriced.Code
	}
	return p.game.Submit(r, err, "game.saved", explain, fill)
}

func (p *pages) saveFacts(r *kit.Request) error {
	form := r.Typed()
	facts := gameFacts{
		Name: form.Get("name"), ShortCode: form.Get("short_code"), Position: form.Get("position"), SaleStop: strings.TrimSpace(form.Get("sale_stop")),
		CategoryID: form.Get("category"), Wrong: map[string]bool{},
	}
	ch := &catalog.GameChange{Name: &facts.Name, ShortCode: &facts.ShortCode, SaleStop: new(*int)}
	if category, err := uuid.Parse(facts.CategoryID); err == nil {
		ch.CategoryID = &category
	}
	if position, err := strconv.Atoi(facts.Position); err == nil {
		ch.Position = &position
	}
	if facts.SaleStop != "" {
		seconds, err := strconv.Atoi(facts.SaleStop)
		if err != nil {
			seconds = -1 // which is refused with its field
		}
		*ch.SaleStop = &seconds
	}
	_, err := p.Catalog.UpdateGame(r.Context(), r.ID, ch)
	return p.afterGame(r, err, func(page *gamePage) {
		facts.Wrong = kit.RefusedFields(err, "")
		if apperr.CodeOf(err) == catalog.ErrGameExists.Code {
			facts.Wrong["short_code"] = true
		}
		page.Facts, page.Open = facts, "facts"
	})
}

// saveField changes one JSON field.
func (p *pages) saveField(r *kit.Request) error {
	field, text := r.Param("field"), r.Form("text")
	if _, err := catalog.Schema(field); err != nil {
		return kit.Missing()
	}
	ch := &catalog.GameChange{Documents: catalog.Documents{field: json.RawMessage(text)}}
	if r.May(auth.CatalogForce) {
		ch.Force = r.Text("force_reason")
	}
	_, err := p.Catalog.UpdateGame(r.Context(), r.ID, ch)
	return p.afterGame(r, err, func(page *gamePage) {
		page.Open = field
		for i := range page.Fields {
			if page.Fields[i].Name == field {
				page.Fields[i].Text = text
			}
		}
	})
}

func (p *pages) setStatus(r *kit.Request) error {
	_, err := p.Catalog.SetGameStatus(r.Context(), r.ID, r.Form("status"))
	return p.afterGame(r, err, nil)
}

func (p *pages) delete(r *kit.Request) error {
	err := p.Catalog.DeleteGame(r.Context(), r.ID)
	if err == nil {
		return r.Done(path, "game.deleted")
	}
	return p.afterGame(r, err, func(page *gamePage) { page.Open = "delete" })
}

// saveLogo keeps a picture as the logo, or removes it.
func (p *pages) saveLogo(r *kit.Request) error {
	open := func(page *gamePage) { page.Open = "logo" }
	ch := &catalog.GameChange{NoLogo: r.Form("remove") != ""}
	if !ch.NoLogo {
		raw, ok := chosenPicture(r)
		if !ok {
			return p.game.Present(r, http.StatusBadRequest, r.T("games.file.again"), open)
		}
		ch.Logo = raw
	}
	_, err := p.Catalog.UpdateGame(r.Context(), r.ID, ch)
	return p.afterGame(r, err, open)
}
