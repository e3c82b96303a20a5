package kit

import "errors"

// Question is a form that asks once before it does something, naming the object, its amount and the consequence. It
// opens where the click was; with scripts it opens as a dialog.
type Question struct {
	Title  string // of the closed form
	Action string // address
	Ask    string
	Do     string // of the button
	Cancel string // of the button that closes the dialog
	Token  string
	ID     string    // of the element; "" without one
	Facts  []Fact    // such as the object and its amount
	Hidden []Option  // hidden fields of the form
	Form   *FormView // what is typed into it; nil for nothing
	Stakes []string  // said below what it asks, such as the amounts
	Grave  bool      // what it does cannot be undone
	Open   bool

	view *View
}

// Question returns a question; the texts are in the language of the page.
func (v *View) Question(title, action, ask, do string) *Question {
	return &Question{Title: title, Action: action, Ask: ask, Do: do, Cancel: v.T("question.cancel"), Token: v.FormToken, view: v}
}

// Press returns a button that does something without a question.
func (v *View) Press(action, do string) *Question { return v.Question("", action, "", do) }

// Gravely marks the button, for what cannot be undone.
func (q *Question) Gravely(grave bool) *Question {
	q.Grave = grave
	return q
}

// Opened shows the question open, for a refused form.
func (q *Question) Opened(open bool) *Question {
	q.Open = open
	return q
}

// As sets the id of the element.
func (q *Question) As(id string) *Question {
	q.ID = id
	return q
}

// Fact adds a fact that the answer depends on: the key of its name, and its value.
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
	q.Form = form.On(q.view)
	return q
}

// Stake adds a line below what it asks.
func (q *Question) Stake(text string) *Question {
	q.Stakes = append(q.Stakes, text)
	return q
}

// Button returns a cell with a button.
func (v *View) Button(press *Question) Cell { return v.part("press", press) }

// Questions returns a cell with questions about a row.
func (v *View) Questions(questions ...*Question) Cell {
	cell := None()
	for _, q := range questions {
		part := v.part("question", q)
		cell.HTML, cell.err = cell.HTML+part.HTML, errors.Join(cell.err, part.err)
	}
	return cell
}
