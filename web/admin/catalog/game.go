package catalog

import (
	"context"
	"net/http"

	"banca/internal/catalog"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/web/kit"
)

// gamePage is a game with everything that can be seen and done about it.
type gamePage struct {
	models.Game

	Category string
	Elements []catalog.Element
	Retired  []catalog.Element
	Next     []string // statuses it may go to
	Rules    []rulesSection
	Edits    bool

	Facts   *kit.Form
	New     *kit.Form // of elements
	Logo    *kit.Form
	Open    string // whose form is shown open: the one with an error
	Details []kit.Detail
}

func (p *pages) loadGame(r *kit.Request) (*gamePage, error) {
	ctx := r.Context()
	row, err := p.Catalog.GameRow(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	page := &gamePage{Game: *row, Next: models.StatusesAfter(row.Status), Edits: edits(r)}
	if err := p.loadElements(ctx, page); err != nil {
		return nil, err
	}
	categories, err := p.Catalog.AllCategories(ctx)
	if err != nil {
		return nil, err
	}
	for i := range categories {
		if categories[i].ID == row.CategoryID {
			page.Category = categories[i].Name
		}
	}
	facts := &catalog.GameChange{
		Name: &row.Name, ShortCode: &row.ShortCode, CategoryID: &row.CategoryID, Position: &row.Position,
	}
	page.Facts, page.New, page.Logo = factsForm(facts, categories), elementsForm(), kit.NewForm(pictureInput("label.file"))
	page.Rules, err = p.rulesSections(r, page)
	return page, err
}

func (p *pages) loadElements(ctx context.Context, page *gamePage) error {
	all, err := p.Catalog.Elements(ctx, page.ID, true)
	for _, e := range all {
		if e.Retired {
			page.Retired = append(page.Retired, e)
			continue
		}
		page.Elements = append(page.Elements, e)
	}
	return err
}

// address is that of an action on the game.
func (p *gamePage) address(action string) string { return path + "/" + p.ID.String() + action }

// Moves ask before the game goes to another status.
func (p *gamePage) Moves(v *kit.View) []*kit.Question {
	moves := make([]*kit.Question, len(p.Next))
	for i, status := range p.Next {
		key := "games.to." + status
		moves[i] = v.Question(v.T(key), p.address("/status"), v.T(key+".ask", p.Name), v.T(key)).With("status", status)
	}
	return moves
}

// Delete asks before the game is deleted.
func (p *gamePage) Delete(v *kit.View) *kit.Question {
	do := v.T("games.delete")
	return v.Question(do, p.address("/delete"), v.T("games.delete.ask", p.Name), do).Irreversible(true).Opened(p.Open == "delete")
}

// Add is the form of new elements.
func (p *gamePage) Add(v *kit.View) *kit.Question {
	return v.Question(v.T("games.elements.add"), p.address("/elements"), "", v.T("games.elements.do")).WithForm(p.New).Opened(p.Open == "elements")
}

// afterGame answers a form of a game's page; fill fills a refused form in.
func (p *pages) afterGame(r *kit.Request, err error, fill func(*gamePage)) error {
	if apperr.CodeOf(err) == catalog.ErrGameNotFound.Code {
		return err
	}
	explain := func(page *gamePage) { page.Details = lineDetails(r, err) }
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

const pictureTypes = "image/png,image/jpeg"

func nameInput() kit.Input {
	return kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required()
}

func codeInput(name, label, rule string) kit.Input {
	return kit.TextInput(name, label, 32).With("spellcheck=false").WithRule(rule, true).WithHintID("h-code").Required()
}

func positionInput() kit.Input {
	return kit.NumberInput("position", "label.place", 4).WithRule("field.place", true)
}

func pictureInput(label string) kit.Input {
	return kit.FileInput(label, pictureTypes).WithRule("games.file.hint", true)
}

// gameInputs are the fields of the facts of every game.
func gameInputs(g *catalog.GameChange, categories []catalog.Category) []kit.Input {
	options := kit.OptionsOf(categories, func(c catalog.Category) (value, text string) { return c.ID.String(), c.Name })
	return []kit.Input{
		nameInput().Into(&g.Name),
		codeInput("short_code", "label.short_code", "field.short_code").At(catalog.ErrGameExists.Code).Into(&g.ShortCode),
		kit.ChoiceInput("category", "label.category", options).At("category_id").Into(&g.CategoryID),
	}
}

// factsForm is the form of the facts of a game.
func factsForm(g *catalog.GameChange, categories []catalog.Category) *kit.Form {
	position := positionInput().Into(&g.Position)
	return kit.NewForm(append(gameInputs(g, categories), position)...)
}

// elementsForm is the form of new elements.
func elementsForm() *kit.Form {
	return kit.NewForm(kit.LinesInput("lines", "label.elements", 6).With("class=mono spellcheck=false").WithRule("games.elements.hint", true).Required())
}

// elementForm is the form of the facts of an element; without a text to display, its name is displayed.
func elementForm(name string, ch *catalog.ElementChange) *kit.Form {
	return kit.NewForm(
		kit.TextInput("name", "label.name", 60).Required().Into(&ch.Name),
		kit.TextInput("display", "label.display", 60).Placeholder(name).At("display_value").Into(&ch.Display),
		positionInput().Into(&ch.Position),
	)
}
