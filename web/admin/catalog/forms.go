package catalog

import (
	"strconv"

	"banca/internal/catalog"
	"banca/models"
	"banca/web/kit"
)

const pictureTypes = "image/png,image/jpeg"

func nameInput() kit.Input {
	return kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required()
}

func codeInput(name, label, rule string) kit.Input {
	return kit.TextInput(name, label, 32).With("spellcheck=false").WithRule(rule, true).WithHintID("h-code").Required()
}

func shortCodeInput() kit.Input {
	return codeInput("short_code", "label.short_code", "field.short_code").At(catalog.ErrGameExists.Code)
}

func categoryInput(all []catalog.Category) kit.Input {
	options := kit.OptionsOf(all, func(c catalog.Category) (value, text string) { return c.ID.String(), c.Name })
	return kit.ChoiceInput("category", "label.category", options).At("category_id")
}

func positionInput() kit.Input {
	return kit.NumberInput("position", "label.place", 4)
}

func pictureInput(label string) kit.Input {
	return kit.FileInput(label, pictureTypes).WithRule("games.file.hint", true)
}

// factsForm is the form of the facts of a game.
func factsForm(row *models.Game, categories []catalog.Category) *kit.Form {
	form := kit.NewForm(nameInput(), shortCodeInput(), categoryInput(categories), positionInput().WithRule("field.place", true))
	return form.Put("name", row.Name).Put("short_code", row.ShortCode).Put("position", strconv.Itoa(row.Position)).Put("category", row.CategoryID.String())
}

// elementsForm is the form of new elements.
func elementsForm() *kit.Form {
	return kit.NewForm(kit.LinesInput("lines", "label.elements", 6).With("class=mono spellcheck=false").WithRule("games.elements.hint", true).Required())
}

// elementForm is the form of the facts of an element; without a text to display, its name is displayed.
func elementForm(e *catalog.Element) *kit.Form {
	form := kit.NewForm(
		kit.TextInput("name", "label.name", 60).Required(),
		kit.TextInput("display", "label.display", 60).Placeholder(e.Name).At("display_value"), positionInput(),
	).Put("name", e.Name).Put("position", strconv.Itoa(e.Position))
	if e.Display != e.Name {
		form.Put("display", e.Display)
	}
	return form
}
