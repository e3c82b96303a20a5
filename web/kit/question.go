package kit

import (
	"errors"
	"strings"
)

// Question is a button that opens a form with a question, which names the object, its amount and the consequence, before
// an action. With scripts the form is a modal dialog; without scripts it opens below the button.
type Question struct {
	Title      string // of the closed form
	Action     string // address
	Text       string
	Button     string // text of the button that submits
	Cancel     string // text of the button that closes the dialog
	Token      string
	ID         string    // of the element; "" for none
	Facts      []Fact    // such as the object and its amount
	Hidden     []Option  // hidden fields of the form
	Form       *FormView // its fields; nil for none
	Highlights []string  // below the text, in bold, such as amounts
	Danger     bool      // the action takes something away: red in the dialog, and the button that opens it has a red outline
	Open       bool
	Swap       string // selector of the element that a script replaces by the answer; "" to load the page

	view *View
}

// Question returns a question. The texts are in the language of the page.
func (v *View) Question(title, action, text, button string) *Question {
	return &Question{Title: title, Action: action, Text: text, Button: button, Cancel: v.T("question.cancel"), Token: v.FormToken, view: v}
}

// ActionButton returns a button that performs an action without a question, for the template part press.
func (v *View) ActionButton(action, text string) *Question { return v.Question("", action, "", text) }

// Irreversible marks an action that takes something away and cannot be undone.
func (q *Question) Irreversible(irreversible bool) *Question {
	q.Danger = irreversible
	return q
}

// Swapping makes a script replace an element of the page by the answer. A refused form is sent again as one that loads its page.
func (q *Question) Swapping(selector string) *Question {
	q.Swap = selector
	return q
}

// Opened shows the form open, after it was refused.
func (q *Question) Opened(open bool) *Question {
	q.Open = open
	return q
}

// WithID sets the id of the element.
func (q *Question) WithID(id string) *Question {
	q.ID = id
	return q
}

// Fact adds a property of the object: the key of its name, and its value.
func (q *Question) Fact(name string, value Cell) *Question {
	q.Facts = append(q.Facts, Fact{Name: q.view.T(name), Value: value})
	return q
}

// With adds a hidden field.
func (q *Question) With(name, value string) *Question {
	q.Hidden = append(q.Hidden, Option{Value: value, Text: name})
	return q
}

// WithForm adds the fields of a form.
func (q *Question) WithForm(form *Form) *Question {
	q.Form = form.View(q.view)
	return q
}

// Highlight adds a line in bold below the text. An empty line is not shown.
func (q *Question) Highlight(text string) *Question {
	q.Highlights = append(q.Highlights, text)
	return q
}

// Opener is the text of the button that opens the question. Its ellipsis says that more is asked.
func (q *Question) Opener() string { return strings.TrimSuffix(q.Title, "…") + "…" }

// ButtonCell returns a cell with an action button.
func (v *View) ButtonCell(button *Question) Cell { return v.part("press", button) }

// QuestionCell returns a cell with questions about a row.
func (v *View) QuestionCell(questions ...*Question) Cell {
	cell := None()
	for _, q := range questions {
		part := v.part("question", q)
		cell.HTML, cell.err = cell.HTML+part.HTML, errors.Join(cell.err, part.err)
	}
	return cell
}
