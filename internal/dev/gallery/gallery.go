// Package gallery has a page that shows the components of kit in their states. Only banca dev serves it.
package gallery

import (
	"cmp"
	"embed"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"banca/internal/platform/money"
	"banca/web/kit"
)

const path = "/admin/_components"

//go:embed templates
var templates embed.FS

// Area returns the gallery.
func Area() kit.Area {
	list := kit.List[row, page]{
		Template: "components", Columns: columns(), Link: func(*row) string { return path }, Empty: "gallery.empty", Rows: rows, Filter: filter,
		Order: "amount", Totals: totals, Page: pageOf,
	}
	show := func(r *kit.Request) error {
		if r.Query("state") == "refused" {
			return list.AsPage().Present(r, http.StatusOK, r.T("gallery.problem"))
		}
		return list.Show(r)
	}
	open := kit.SignedIn()
	return kit.Area{Templates: templates, Funcs: functions(), Routes: []kit.Route{
		kit.Get(path, open, show), kit.Get(path+"/progress", open, showJob), kit.Get(path+"/news", open, showNews),
		kit.Get(path+"/suggest", open, kit.Suggestions(suggest)),
	}}
}

// functions returns the functions of the template, which return sample components.
func functions() template.FuncMap {
	return template.FuncMap{
		"sales": sales, "shares": shares, "whole": whole, "cascade": cascade, "week": week, "flat": flat, "against": against,
		"inputs": inputs, "reason": reason, "picker": picker, "moment": moment, "ask": ask, "notice": notice, "changes": changes, "job": job,
		"failed": func() kit.Rows { return kit.FailedRows("gallery.failed") },
	}
}

// moment returns a fixed instant.
func moment() time.Time { return time.Date(2026, 11, 21, 23, 42, 0, 0, time.UTC) }

// inputs returns a form with a field of each kind. If checked is true, it has invalid values, which are marked.
func inputs(checked bool) *kit.Form {
	choices := []kit.Option{{Value: "1", Text: "1"}, {Value: "2", Text: "2"}}
	form := kit.NewForm(
		kit.TextInput("text", "label.name", 40).WithRule("field.name", false).Required(), kit.MoneyInput("money", "label.amount", 2).Required(),
		kit.PercentInput("percent", "label.percent"), kit.MinutesInput("minutes", "label.took"), kit.TimesInput("times", "label.time"),
		kit.PhoneInput("phone", "label.phone"), kit.RIFInput("rif", "label.id_document"),
		kit.ChoiceInput("choice", "label.state", choices), kit.RadioInput("radio", "label.kind", choices), kit.ChecksInput("checks", "label.entity", choices),
		kit.LinesInput("lines", "label.note", 3).WithRule("gallery.note", true), kit.FileInput("label.file", "image/png"),
		kit.DigitsInput("digits", "label.bank", 4).ReadOnly(true), kit.NumberInput("number", "label.count", 4).Placeholder("12"),
		kit.TextInput("entity", "label.entity", 40).Suggest([]kit.Option{{Value: "LAFORTUNA", Text: "La Fortuna"}, {Value: "AVILA", Text: "El Ávila"}}),
	)
	if !checked {
		return form.WithPrefix("i-").Put("money", "1.234,56").Put("percent", "7,5").Put("choice", "2").Put("radio", "1").Put("checks", "1", "2").Put("digits", "0134")
	}
	form.WithPrefix("c-").Put("money", "1,234").Put("percent", "101").Put("minutes", "1:75").Put("times", "8, 25:00").Put("phone", "12").Put("rif", "40123456")
	form.Check()
	return form
}

// reason returns a form for a question.
func reason() *kit.Form {
	return kit.NewForm(kit.TextInput("reason", "label.reason", 40).Required()).WithPrefix("q-")
}

// row is a row of the table.
type row struct {
	name   string
	under  string
	state  string
	amount money.Amount
	at     time.Time
}

// rows returns the rows of the table: one row in each tone, with long and missing values. The state empty has no rows.
func rows(r *kit.Request, w kit.Window) ([]row, int64, error) {
	if r.Query("state") == "empty" {
		return nil, 0, nil
	}
	list := []row{
		{"Agencia La Fortuna", "LAFORTUNA", "active", 1_234_567_89, r.Now()},
		{"Taquilla", "", "register", 0, time.Time{}},
		{"Un nombre tan largo que en una pantalla angosta no cabe en una sola línea", "", "suspended", -5_00, r.Now().Add(-time.Hour)},
		{"", "SIN", "inactive", 1, r.Now()},
	}
	slices.SortFunc(list, func(a, b row) int {
		switch w.Order {
		case "name":
			return cmp.Compare(a.name, b.name)
		case "-amount":
			return cmp.Compare(b.amount, a.amount)
		default:
			return cmp.Compare(a.amount, b.amount)
		}
	})
	return list, int64(len(list)), nil
}

// totals returns the row of totals.
func totals(v *kit.View, list []row) []kit.Cell {
	var sum money.Amount
	for i := range list {
		sum += list[i].amount
	}
	return []kit.Cell{kit.Text(v.T("label.total")), kit.None(), kit.Text(v.Money(sum, 2)), kit.None(), kit.None(), kit.None()}
}

func columns() []kit.Column[row] {
	return []kit.Column[row]{
		{Title: "label.name", Orders: kit.Orders{Ascending: "name"}, Cell: func(_ *kit.View, r *row) kit.Cell { return kit.Wrap(r.name).WithSecondLine(r.under) }},
		{Title: "label.state", Cell: func(v *kit.View, r *row) kit.Cell { return kit.Badges(v.State("entity", r.state)) }},
		kit.Column[row]{
			Title: "label.amount", Number: true, Orders: kit.Orders{Ascending: "amount", Descending: "-amount"}, Cell: func(v *kit.View, r *row) kit.Cell { return kit.Text(v.Money(r.amount, 2)) },
		}.WithBar(func(r *row) money.Amount { return r.amount }, 1_234_567_89, 400_000_00),
		{Title: "label.code", Cell: func(_ *kit.View, r *row) kit.Cell { return kit.Mono("K7QX" + strconv.Itoa(len(r.name))) }},
		{Title: "label.last", Cell: func(v *kit.View, r *row) kit.Cell { return kit.At(v.Time(r.at)) }},
		{Title: "label.id", WideOnly: true, Cell: func(_ *kit.View, r *row) kit.Cell { return kit.Mono(r.state) }},
	}
}

func filter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Clear: path, Reset: "gallery.clear", Fields: []kit.FilterField{
		kit.TextField("q", "label.name", 40), kit.PickerField("animal", "limits.element", path+"/suggest"), kit.DateField("date", "label.day"),
		kit.SelectField("state", "label.state", r.Options("gallery.", "empty", "refused")),
	}}, nil
}
