package catalog

import (
	"net/http"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/web/kit"
)

// afterGame answers a form of a game's page; fill fills a refused form in.
func (p *pages) afterGame(r *kit.Request, err error, fill func(*gamePage)) error {
	if apperr.CodeOf(err) == catalog.ErrGameNotFound.Code {
		return err
	}
	explain := func(page *gamePage) { page.Details = r.Details(err) }
	return p.game.Submit(r, err, "game.saved", explain, fill)
}

func (p *pages) saveFacts(r *kit.Request) error {
	ch := &catalog.GameChange{}
	factsForm(ch, nil).Take(r)
	_, err := p.Catalog.UpdateGame(r.Context(), r.ID, ch)
	return p.afterGame(r, err, func(page *gamePage) {
		page.Facts.FillFrom(r).RefuseBy(err, "")
		page.Open = "facts"
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
	open := func(page *gamePage) {
		page.Open = "logo"
		page.Logo.Refuse("file")
	}
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
