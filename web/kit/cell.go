package kit

import (
	"bytes"
	"fmt"
	"html/template"

	"banca/internal/platform/money"
)

// Cell is the content of a row in a column. An empty cell shows a dash.
type Cell struct {
	Text       string
	Link       string // address of the text
	SecondLine string // below the text, small
	Style      string // classes: mono, wrap, faint
	Badges     []Badge
	Time       Moment
	HTML       template.HTML // of View.Part

	blank bool
	err   error
}

// Empty reports whether the cell shows nothing.
func (c Cell) Empty() bool {
	return !c.blank && c.Text == "" && len(c.Badges) == 0 && c.Time == (Moment{}) && c.HTML == ""
}

// Text returns a cell with a text.
func Text(text string) Cell { return Cell{Text: text} }

// Amount returns a cell with an amount.
func (v *View) Amount(a money.Amount, digits int) Cell { return Text(v.Money(a, digits)) }

// classes are the classes of an element with the cell. A negative amount has its sign and no colour: it is seldom an alarm.
func (c Cell) classes() string {
	if !c.Empty() {
		return c.Style
	}
	switch c.Style {
	case "", "mono", "wrap", "mono bare":
		return "none"
	}
	return c.Style
}

// Mono returns a cell with a monospaced text, such as a code.
func Mono(text string) Cell { return Cell{Text: text, Style: "mono"} }

// None returns an empty cell that shows no dash.
func None() Cell { return Cell{blank: true} }

// Wrap returns a cell whose text may wrap.
func Wrap(text string) Cell { return Cell{Text: text, Style: "wrap"} }

// Badges returns a cell with states.
func Badges(badges ...Badge) Cell { return Cell{Badges: badges} }

// At returns a cell with an instant.
func At(m Moment) Cell { return Cell{Time: m} }

// WithSecondLine returns the cell with a second line, such as a code below a name. If the cell is empty, line becomes
// its text.
func (c Cell) WithSecondLine(line string) Cell {
	if c.Empty() {
		c.Text, line = line, ""
	}
	c.SecondLine = line
	return c
}

// To returns the cell with its content as a link.
func (c Cell) To(address string) Cell {
	c.Link = address
	return c
}

// Part returns a cell with the output of a template of the page, such as a form, for other content.
func (v *View) Part(name string, content any) Cell { return v.part(name, v.With(content)) }

// Control returns a cell with the input element of a field, without its label and hint.
func (v *View) Control(field *Field) Cell { return v.part("control", field) }

func (v *View) part(name string, data any) Cell {
	var out bytes.Buffer
	if err := v.template.ExecuteTemplate(&out, name, data); err != nil {
		return Cell{err: fmt.Errorf("part %s: %w", name, err)}
	}
	return Cell{HTML: template.HTML(out.String())} //nolint:gosec // html/template has escaped it
}
