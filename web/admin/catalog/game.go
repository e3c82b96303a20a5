package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/models"
	"banca/web/kit"
)

// gamePage is a game with everything that can be seen and done about it.
type gamePage struct {
	models.Game

	Category   string
	Categories []catalog.Category
	Elements   []catalog.Element
	Retired    []catalog.Element
	Next       []string // statuses it may go to
	Fields     []fieldForm
	Edits      bool
	Forces     bool // the user may let rules stand that pay out more than they take in

	Facts    gameFacts
	Open     string // whose form is shown open: the one with an error
	Details  []kit.Detail
	New      string // elements that were typed
	Overpaid bool   // the refusal can be forced
}

// fieldForm is a JSON field as a form.
type fieldForm struct {
	Name  string
	Text  string
	Forms bool // it holds bets, and may be forced
}

// gameFacts are the facts of a game as they are typed.
type gameFacts struct {
	Name, ShortCode, Position, SaleStop string
	CategoryID                          string
	Wrong                               map[string]bool
}

func (p *pages) loadGame(r *kit.Request) (*gamePage, error) {
	ctx := r.Context()
	row, err := p.Catalog.GameRow(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	page := &gamePage{Game: *row, Next: catalog.GameStatusesAfter(row.Status), Edits: edits(r), Forces: r.May(auth.CatalogForce)}
	if err := p.loadElements(ctx, page); err != nil {
		return nil, err
	}
	if page.Categories, err = p.Catalog.AllCategories(ctx); err != nil {
		return nil, err
	}
	for i := range page.Categories {
		if page.Categories[i].ID == row.CategoryID {
			page.Category = page.Categories[i].Name
		}
	}
	page.Facts = gameFacts{Name: row.Name, ShortCode: row.ShortCode, Position: strconv.Itoa(row.Position), CategoryID: row.CategoryID.String()}
	if row.SaleStopSeconds != nil {
		page.Facts.SaleStop = strconv.Itoa(*row.SaleStopSeconds)
	}
	page.Fields = fieldForms(row, page.Edits)
	return page, nil
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

// fieldForms returns the JSON fields of a game as forms; the settings of its source are for users who may change it.
func fieldForms(row *models.Game, edits bool) []fieldForm {
	forms := []fieldForm{
		{Name: catalog.FieldMechanics, Text: indented(row.Mechanics), Forms: true},
		{Name: catalog.FieldRules, Text: indented(row.BettingRules), Forms: true},
		{Name: catalog.FieldSchedule, Text: indented(row.ScheduleConfig)},
		{Name: catalog.FieldMetadata, Text: indented(row.Metadata)},
	}
	if edits {
		forms = append(forms, fieldForm{Name: catalog.FieldAPI, Text: indented(row.APIConfig)})
	}
	return forms
}

// indented writes a document as people read it.
func indented(raw []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}
