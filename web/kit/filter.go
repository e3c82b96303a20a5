package kit

import (
	"net/url"
	"slices"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/models"
)

const (
	hiddenKind   = "hidden"
	pickerLength = 120
)

// Filter is the form above a list whose fields are parameters of the address.
type Filter struct {
	Fields []FilterField
	Clear  string // address of the list without a filter; "" for no link
	Reset  string // key of the text of that link

	Views   []SavedView // filters that are often used; none if there are no such
	Named   []Choice    // links to them
	Presets []Choice    // links to periods; none if the filter has no dates
	Chips   []Choice    // the active conditions, each with the address of the list without it
	Given   []string    // their texts, also of a view
	Whole   string      // address of the list without them
}

// SavedView is a filter with a name: its text's key, the values of its fields and the number of its rows; 0 shows none.
type SavedView struct {
	Title  string
	Values map[string]string
	Rows   int64
}

// Choice is a link that changes a filter.
type Choice struct {
	Text, Link string
	Current    bool
}

// FilterField is a field of a filter. A field with Options is a selection, whose first choice selects all rows.
type FilterField struct {
	Name, Label string // of the parameter; key
	Kind        string // type of the input: text, search, date or hidden
	Options     []Option
	First       string // key of the choice of a selection that selects all rows; "" for none
	Length      int    // maximum number of characters; 0 for a date or a selection
	Mode        string // inputmode: numeric, tel; "" for text
	Value       string // from the address
	Wrong       string // message for an invalid value
	Source      string // address of suggestions, of a field that finds one of many objects

	selection bool
	opening   bool // the list opens with a value, so that the address names the choice of all rows
	id        bool // its value is an id
}

// Option is a choice of a selection.
type Option struct{ Value, Text string }

// TextField returns a field of a filter for a text of up to length characters.
func TextField(name, label string, length int) FilterField {
	return FilterField{Name: name, Label: label, Kind: "text", Length: length}
}

// PickerField returns a field of a filter that finds one of many objects by its text. source is the address of a Suggestions handler.
func PickerField(name, label, source string) FilterField {
	return FilterField{Name: name, Label: label, Kind: "text", Length: pickerLength, Source: source}
}

// DateField returns a field of a filter for a day.
func DateField(name, label string) FilterField {
	return FilterField{Name: name, Label: label, Kind: "date"}
}

// HiddenField returns a field that keeps a parameter of the address when the filter changes.
func HiddenField(name string) FilterField { return FilterField{Name: name, Kind: hiddenKind} }

// HiddenIDField returns a hidden field for the id of an object.
func HiddenIDField(name string) FilterField {
	return FilterField{Name: name, Kind: hiddenKind, id: true}
}

// SelectField returns a field of a filter with choices.
func SelectField(name, label string, options []Option) FilterField {
	return FilterField{Name: name, Label: label, Options: options, First: "word.all", selection: true}
}

// Opening returns the selection with the value that the list opens with.
func (f FilterField) Opening(value string) FilterField {
	f.Value, f.opening = value, true
	return f
}

// Opens reports whether the list opens with a value of the field, so that its empty value is sent, too.
func (f FilterField) Opens() bool { return f.opening }

// Keyboard returns the field with a mode of the keyboard of phones.
func (f FilterField) Keyboard(mode string) FilterField {
	f.Mode = mode
	return f
}

// IsSelection reports whether the field has choices.
func (f FilterField) IsSelection() bool { return f.selection }

// Options returns choices of values. The key of the text of a value is prefix + value.
func (r *Request) Options(prefix string, values ...string) []Option {
	options := make([]Option, len(values))
	for i, value := range values {
		options[i] = Option{Value: value, Text: r.T(prefix + value)}
	}
	return options
}

// Map returns the results of a function for the rows of a list.
func Map[T, R any](rows []T, of func(row *T) R) []R {
	results := make([]R, len(rows))
	for i := range rows {
		results[i] = of(&rows[i])
	}
	return results
}

// OptionsOf returns objects as choices.
func OptionsOf[T any](objects []T, of func(object T) (value, text string)) []Option {
	return Map(objects, func(object *T) (option Option) {
		option.Value, option.Text = of(*object)
		return option
	})
}

// TextOptions returns choices whose texts are their values.
func TextOptions(texts ...string) []Option {
	return OptionsOf(texts, func(text string) (string, string) { return text, text })
}

// States returns the states of a kind of object as choices.
func (r *Request) States(kind string, values ...string) []Option {
	return r.Options("state."+kind+".", values...)
}

// ShowFilter shows a filter on a page that is not a list.
func (r *Request) ShowFilter(f *Filter) {
	f.fill(r)
	r.filter = f
}

// fill sets the values of the fields from the address, marks invalid values, and adds presets and chips.
func (f *Filter) fill(r *Request) {
	without, dates := map[string]string{}, map[string]bool{}
	for i := range f.Fields {
		field := &f.Fields[i]
		if field.Source == EntitySuggestions && r.Caller.Role == models.RoleTaquilla { // of one ticket point
			field.Kind = hiddenKind
		}
		if own := field.Label + ".all"; field.First == "word.all" && r.View().FirstText(own) != "" {
			field.First = own
		}
		if field.Value == "" {
			field.Value = r.URL().Query().Get(field.Name)
		}
		shown, ok := field.text(r.View())
		switch {
		case field.Value == "":
		case !ok:
			field.Wrong = r.T("filter.wrong")
			if field.Kind == hiddenKind {
				r.Warn(field.Wrong)
			}
		case field.Kind != hiddenKind && r.Query(field.Name) != "":
			chip := Choice{Text: r.T(field.Label) + ": " + shown, Link: f.address(r, map[string]string{field.Name: ""})}
			f.Chips, f.Given = append(f.Chips, chip), append(f.Given, chip.Text)
			without[field.Name], dates[chip.Text] = "", field.Kind == "date"
		}
	}
	f.Whole = f.address(r, without)
	f.Presets, f.Named = f.presets(r), f.named(r)
	current := func(c Choice) bool { return c.Current }
	if slices.ContainsFunc(f.Presets, current) { // which says its days
		f.Chips = slices.DeleteFunc(f.Chips, func(c Choice) bool { return dates[c.Text] })
	}
	if slices.ContainsFunc(f.Named, current) {
		f.Chips = nil // the view says them
	}
}

// named returns the links to the views. The current one has the values of all fields.
func (f *Filter) named(r *Request) []Choice {
	return Map(f.Views, func(view *SavedView) Choice {
		c := Choice{Text: r.T(view.Title), Current: true}
		if view.Rows > 0 {
			c.Text += " " + r.View().Count(view.Rows)
		}
		query := url.Values{}
		for i := range f.Fields {
			field := &f.Fields[i]
			value, given := view.Values[field.Name]
			if given {
				query.Set(field.Name, value)
			}
			c.Current = c.Current && (field.Name == orderParam || field.Value == value)
		}
		c.Link = r.listPath() + "?" + query.Encode()
		return c
	})
}

// listPath is the path of the list, which a form of it answers, too.
func (r *Request) listPath() string {
	if r.route.page != "" {
		return r.pagePath()
	}
	return r.URL().Path
}

// text returns the text of the field's value. ok is false for an invalid value.
func (f FilterField) text(v *View) (text string, ok bool) {
	if f.selection {
		at := slices.IndexFunc(f.Options, func(o Option) bool { return o.Value == f.Value })
		if at < 0 {
			return "", false
		}
		return f.Options[at].Text, true
	}
	if f.id {
		return f.Value, parseID(f.Value) != uuid.Nil
	}
	if f.Kind == "date" {
		day, err := businessday.Parse(f.Value)
		return v.Day(day), err == nil
	}
	return f.Value, true
}

// weekDays and monthDays are the lengths of the presets week and month in days, including today.
const weekDays, monthDays = 7, 30

// presets returns the presets of a filter with the field date, or with the fields from and to.
func (f *Filter) presets(r *Request) []Choice {
	dates, shown := map[string]bool{}, map[string]string{}
	for i := range f.Fields {
		if f.Fields[i].Kind == "date" {
			dates[f.Fields[i].Name], shown[f.Fields[i].Name] = true, f.Fields[i].Value
		}
	}
	today := r.Today()
	preset := func(key string, days map[string]string) Choice {
		c := Choice{Text: r.T(key), Link: f.address(r, days), Current: true}
		for name, day := range days {
			c.Current = c.Current && shown[name] == day
		}
		return c
	}
	yesterday := today.AddDays(-1)
	switch {
	case dates["from"] && dates["to"]:
		period := func(key string, first, last businessday.Day) Choice {
			return preset(key, map[string]string{"from": first.String(), "to": last.String()})
		}
		return []Choice{
			period("word.today", today, today), period("filter.yesterday", yesterday, yesterday),
			period("filter.week", today.AddDays(1-weekDays), today), period("filter.month", today.AddDays(1-monthDays), today),
		}
	case dates["date"]:
		return []Choice{
			preset("word.today", map[string]string{"date": today.String()}), preset("filter.yesterday", map[string]string{"date": yesterday.String()}),
		}
	default:
		return nil
	}
}

// address returns the address of the first page of the list with changed parameters. An empty value removes a parameter.
func (f *Filter) address(r *Request, change map[string]string) string {
	query := listQuery(r.URL())
	for name, value := range change {
		query.Set(name, value)
		if value == "" && !slices.ContainsFunc(f.Fields, func(field FilterField) bool { return field.opening && field.Name == name }) {
			query.Del(name)
		}
	}
	return r.listPath() + "?" + query.Encode()
}
