package catalog

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"banca/internal/catalog"
	"banca/models"
	"banca/web/kit"
)

// addElements adds the typed elements, one per line: code, name and, if it differs, the display text, separated
// by semicolons.
func (p *pages) addElements(r *kit.Request) error {
	grid := &catalog.Grid{}
	for line := range strings.Lines(r.Form("lines")) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		parts := strings.SplitN(strings.TrimSpace(line), ";", 3)
		for len(parts) < 3 {
			parts = append(parts, "")
		}
		grid.Elements = append(grid.Elements, catalog.ElementSpec{Code: strings.TrimSpace(parts[0]), Name: parts[1], Display: parts[2]})
	}
	_, err := p.Catalog.AddElements(r.Context(), r.ID, grid)
	return p.afterGame(r, err, func(page *gamePage) {
		page.Open = "elements"
		page.New.FillFrom(r).Refuse("lines")
	})
}

// elementPage is an element with its form.
type elementPage struct {
	catalog.Element

	Game    models.Game
	Edits   bool
	Details []kit.Detail
	Facts   *kit.Form
	Picture *kit.Form
}

func (p *pages) loadElement(r *kit.Request) (*elementPage, error) {
	ctx := r.Context()
	row, err := p.Catalog.GameRow(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	all, err := p.Catalog.Elements(ctx, r.ID, true)
	if err != nil {
		return nil, err
	}
	for _, e := range all {
		if e.Code == r.Param("code") {
			facts := &catalog.ElementChange{Name: &e.Name, Position: &e.Position}
			if e.Display != e.Name {
				facts.Display = &e.Display
			}
			return &elementPage{
				Game: *row, Element: e, Edits: edits(r), Facts: elementForm(e.Name, facts),
				Picture: kit.NewForm(pictureInput("games.picture")),
			}, nil
		}
	}
	return nil, catalog.ErrElement
}

// saveElement changes an element: its facts, its picture, or whether it can be bet on.
func (p *pages) saveElement(r *kit.Request) error {
	ch := &catalog.ElementChange{}
	switch action := r.Form("action"); action {
	case models.ElementRetired, models.ElementActive:
		ch.Retired = new(action == models.ElementRetired)
	case "remove":
		ch.NoImage = true
	case "picture":
		raw, ok := chosenPicture(r)
		if !ok {
			return p.element.Present(r, http.StatusBadRequest, r.T("games.file.again"))
		}
		ch.Image = raw
	default:
		ch.Position = new(-1) // which is refused with its field
		elementForm("", ch).Take(r)
	}
	_, err := p.Catalog.UpdateElement(r.Context(), r.ID, r.Param("code"), ch)
	return p.element.Submit(r, err, "game.saved", func(page *elementPage) {
		page.Details = r.Details(err)
		if ch.Name != nil {
			page.Facts.FillFrom(r).RefuseBy(err, "elements[0].")
		}
	})
}

// Move asks before the element is retired, or can be bet on again.
func (p *elementPage) Move(v *kit.View) *kit.Question {
	key, action := "games.retire", models.ElementRetired
	if p.Retired {
		key, action = "games.restore", models.ElementActive
	}
	do := v.T(key)
	return v.Question(do, p.Address(), v.T(key+".ask", p.Code, p.Name), do).With("action", action)
}

// Address is that of the element's forms.
func (p *elementPage) Address() string {
	return path + "/" + p.Game.ID.String() + "/elements/" + url.PathEscape(p.Code) + "/save"
}

// functions are what the templates of the area can call.
func functions() template.FuncMap { return template.FuncMap{"picture": pictureAddress} }

// pictureAddress is the address of a picture in the panel; empty for none.
func pictureAddress(url string) string {
	if name := catalog.PictureName(url); name != "" {
		return picturesPath + "/" + name
	}
	return ""
}

// picture serves a small picture from here: a page may load nothing from elsewhere.
func (p *pages) picture(r *kit.Request) error {
	raw, err := p.Catalog.SmallPicture(r.Context(), r.Param("name"))
	if err != nil {
		return err
	}
	w, _ := r.HTTP()
	w.Header().Set("Cache-Control", "private, max-age=31536000, immutable") // its name is its content
	w.Header().Set("Content-Type", "image/png")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(raw) // an error means that the client is gone
	return nil
}

// chosenPicture reads the picture of a form; ok is false without one, because a file cannot wait for a confirmation.
func chosenPicture(r *kit.Request) (raw []byte, ok bool) {
	_, raw, err := r.File()
	return raw, err == nil && len(raw) > 0
}
