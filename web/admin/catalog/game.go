package catalog

import (
	"context"

	"banca/internal/catalog"
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
	page := &gamePage{Game: *row, Next: catalog.GameStatusesAfter(row.Status), Edits: edits(r)}
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
		moves[i] = v.Question(v.T(key), p.address("/status"), v.T(key+".ask", p.Name), v.T(key)).With("status", status).Irreversible(status != models.StatusActive)
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
