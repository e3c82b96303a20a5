package kit

// Question is a form that asks once before it does something, naming the object, its amount and the consequence. It
// opens where the click was and works without scripts.
type Question struct {
	Title  string // of the closed form
	Action string // address
	Ask    string
	Do     string // of the button
	Token  string
	ID     string   // of the element; "" without one
	Fields []Option // hidden fields of the form
	Grave  bool     // what it does cannot be undone
	Open   bool
}

// Question returns a question; the texts are in the language of the page.
func (v *View) Question(title, action, ask, do string) *Question {
	return &Question{Title: title, Action: action, Ask: ask, Do: do, Token: v.FormToken}
}

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

// With adds a hidden field.
func (q *Question) With(name, value string) *Question {
	q.Fields = append(q.Fields, Option{Value: value, Text: name})
	return q
}
