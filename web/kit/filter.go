package kit

// Filter is the form above a list whose fields are parameters of the address.
type Filter struct {
	Fields []FilterField
	Clear  string // address of the list without a filter; "" without a link to it
	Reset  string // key of that link
}

// FilterField is a field of a filter. With Options it is a selection, whose first choice is all.
type FilterField struct {
	Name, Label string // of the parameter; key
	Kind        string // type of the input: text, search or date; hidden for a parameter that stays
	Options     []Option
	First       string // key of the choice of a selection that filters nothing
	Length      int    // greatest number of characters; 0 for a date or a selection
	Mode        string // of the keyboard: numeric, tel; "" for text
	Value       string // filled in from the address

	selection bool
}

// Option is a choice of a selection.
type Option struct{ Value, Text string }

// TextField returns a field of a filter for a text of up to length characters.
func TextField(name, label string, length int) FilterField {
	return FilterField{Name: name, Label: label, Kind: "text", Length: length}
}

// DateField returns a field of a filter for a day.
func DateField(name, label string) FilterField {
	return FilterField{Name: name, Label: label, Kind: "date"}
}

// HiddenField returns a parameter that stays as it is while the filter changes.
func HiddenField(name string) FilterField { return FilterField{Name: name, Kind: "hidden"} }

// SelectField returns a field of a filter with choices.
func SelectField(name, label string, options []Option) FilterField {
	return FilterField{Name: name, Label: label, Options: options, First: "word.all", selection: true}
}

// Keyboard returns the field with a keyboard for phones.
func (f FilterField) Keyboard(mode string) FilterField {
	f.Mode = mode
	return f
}

// IsSelection reports whether the field has choices.
func (f FilterField) IsSelection() bool { return f.selection }

// Options returns choices whose texts have the keys prefix + value.
func (r *Request) Options(prefix string, values ...string) []Option {
	options := make([]Option, len(values))
	for i, value := range values {
		options[i] = Option{Value: value, Text: r.T(prefix + value)}
	}
	return options
}

// States returns the states of a kind of object as choices.
func (r *Request) States(kind string, values ...string) []Option {
	return r.Options("state."+kind+".", values...)
}

// ShowFilter shows a filter on a page that is no list.
func (r *Request) ShowFilter(f *Filter) {
	f.fill(r)
	r.filter = f
}

// fill fills the fields in from the address.
func (f *Filter) fill(r *Request) {
	for i := range f.Fields {
		if field := &f.Fields[i]; field.Value == "" {
			field.Value = r.URL().Query().Get(field.Name)
		}
	}
}
