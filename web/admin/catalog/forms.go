package catalog

import (
	"banca/internal/catalog"
	"banca/web/kit"
)

const pictureTypes = "image/png,image/jpeg"

func nameInput() kit.Input {
	return kit.TextInput("name", "label.name", 100).WithRule("field.name", false).Required()
}

func codeInput(name, label, rule string) kit.Input {
	return kit.TextInput(name, label, 32).With("spellcheck=false").WithRule(rule, true).WithHintID("h-code").Required()
}

func positionInput() kit.Input {
	return kit.NumberInput("position", "label.place", 4)
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
	position := positionInput().WithRule("field.place", true).Into(&g.Position)
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
