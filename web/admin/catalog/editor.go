package catalog

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

// editor is the form of one field of a game.
type editor struct {
	name   string // in addresses and texts
	field  string
	groups func(s *subject, typed url.Values) []group // typed is a sent form, which may have more rows than the game
}

// editors are the forms of a game in their order.
func editors() []editor {
	return []editor{
		{"payouts", catalog.FieldRules, payoutGroups}, {"schedule", catalog.FieldSchedule, scheduleGroups},
		{"mechanics", catalog.FieldMechanics, mechanicsGroups}, {"sources", catalog.FieldAPI, sourceGroups},
	}
}

// subject is the game that a form is about, with the choices of the form.
type subject struct {
	row        *models.Game
	game       *catalog.Game
	others     []catalog.GameTitle
	known      []ledger.Currency // all currencies
	currencies []ledger.Currency // active ones
	sources    []string          // names of configured sources of results
	edited     bool              // the pressed button changed a list of the form
	r          *kit.Request
}

// group is a part of a form under a title. A folded one is of a row that the game does not have.
type group struct {
	Title, Note string
	Folded      bool
	Parts       []part
}

// part is a line of fields; a folded one opens by its title. Paths of the fields begin at the request, or at the row.
type part struct {
	Title  string
	Inputs []kit.Input
	Folded bool
	button string // text of the button that fills in other fields from these; "" for none
	chips  *chips // the values of the field, which is a list; nil for other fields
	bet    string // whose bounds the fields are; "" for other fields
	row    *row
}

// list is a list of objects of a document, as the form has them.
type list struct {
	path    string
	objects []kit.Object
}

// row is an object of a list, with the field without which it is left out of the list.
type row struct {
	*list

	object kit.Object // without members for a new one
	key    string
	number int // in the list, from 1; 0 while it is left out

	needs []string // other fields that must be empty in a new row without its key
	none  string   // the reason why the key is invalid otherwise
}

// place adds the row to its list and returns its place in errors.
func (r *row) place() string {
	if r.number == 0 {
		r.objects = append(r.objects, r.object)
		r.number = len(r.objects)
	}
	return fmt.Sprintf("%s[%d].", r.path, r.number-1)
}

// rowsOf returns how many rows of a list a form has: the stored or sent ones, and an empty one.
func rowsOf(stored, most int, typed url.Values, first string) int {
	n := stored
	for strings.TrimSpace(typed.Get(fmt.Sprintf(first, n))) != "" {
		n++
	}
	return min(n+1, most)
}

// of returns the game with other values, for the values before and after a change.
func (s *subject) of(row *models.Game) *subject {
	other := *s
	other.row = row
	return &other
}

// t returns a text in the language of the page.
func (s *subject) t(key string, args ...any) string {
	if len(args) == 0 {
		return s.r.T(key)
	}
	return s.r.Say(key, args...)
}

// request returns the game as a request that changes nothing.
func (s *subject) request() kit.Object {
	o := kit.Object{}
	for _, e := range editors() {
		o[e.field] = documentOf(s.row, e.field)
	}
	o.Set(saleStop, s.row.SaleStopSeconds)
	return o
}

// formOf returns the form of groups, without values.
func formOf(groups []group) *kit.Form {
	var inputs []kit.Input
	for _, g := range groups {
		for _, p := range g.Parts {
			inputs = append(inputs, p.Inputs...)
		}
	}
	return kit.NewForm(inputs...)
}

// show sets the values of a form to those of the game.
func (s *subject) show(form *kit.Form, groups []group) {
	request := s.request()
	for _, g := range groups {
		for _, p := range g.Parts {
			switch {
			case p.row == nil:
				form.Show(request, p.Inputs)
			case len(p.row.object) > 0:
				form.Show(p.row.object, p.Inputs)
			}
		}
	}
}

// read returns the change of the game that the form requests, and marks the invalid fields.
func (p *editPage) read() catalog.GameChange {
	request := p.request()
	for _, g := range p.Groups {
		for _, part := range g.Parts {
			switch r := part.row; {
			case r == nil:
				p.form.Read(request, "", part.Inputs)
			case p.form.Get(r.key) != "":
				p.form.Read(r.object, r.place(), part.Inputs)
			case len(r.object) == 0 && slices.ContainsFunc(r.needs, func(name string) bool { return p.form.Get(name) != "" }):
				p.form.RefuseFor(r.key, r.none)
			}
		}
		for _, part := range g.Parts {
			if r := part.row; r != nil && len(r.objects)+len(request.Objects(r.path)) > 0 {
				request.Set(r.path, r.objects)
			}
		}
	}
	change := catalog.GameChange{Documents: catalog.Documents{p.field: kit.ReadObject(request[p.field]).JSON()}}
	if p.field == catalog.FieldSchedule {
		change.SaleStop = new(*int)
		_ = json.Unmarshal(request[saleStop], change.SaleStop) // without a value each entity sets the sale stop
	}
	return change
}

// refuse marks the fields that an error names. It returns the errors about no field.
func (p *editPage) refuse(details []kit.Detail) []kit.Detail {
	return slices.DeleteFunc(details, func(d kit.Detail) bool {
		name := p.form.NameAt(d.Location)
		if name != "" {
			p.form.RefuseFor(name, strings.ToUpper(d.Message[:1])+d.Message[1:]+".")
		}
		return name != ""
	})
}

// Margin reports whether the form decides what the bets pay back.
func (p *editPage) Margin() bool {
	return p.field == catalog.FieldRules || p.field == catalog.FieldMechanics
}

// Facts are computed from the form while it is typed, besides the margins.
func (p *editPage) Facts(v *kit.View) []string {
	switch p.field {
	case catalog.FieldSchedule:
		was, is := scheduleOf(&p.Preview.Before), scheduleOf(&p.Preview.After)
		facts := []string{v.N("edit.perday", int64(len(is.Times))), v.N("edit.perweek", int64(is.PerWeek()))}
		if len(is.Times) > 0 {
			facts[0] += ": " + timesText(v, is.Times)
		}
		if was.PerWeek() != is.PerWeek() {
			facts = append(facts, v.N("edit.perweek.was", int64(was.PerWeek())))
		}
		if len(is.Holidays) > 0 {
			facts = append(facts, v.T("edit.holidays.read", holidaysText(v, is.Holidays)))
		}
		return facts
	case catalog.FieldAPI:
		return []string{v.T("edit.policy." + policyOf(p.of(&p.Preview.After)) + ".means")}
	default:
		return nil
	}
}

// scheduleOf decodes the schedule of a game, which was checked.
func scheduleOf(row *models.Game) *catalog.Schedule {
	schedule := &catalog.Schedule{}
	_ = json.Unmarshal(row.ScheduleConfig, schedule) // a schedule that cannot be read has no draws
	return schedule
}

// DrawsText says how many draws a week the change adds or takes away, and what a draw sold last week.
func (p *editPage) DrawsText(v *kit.View) []string {
	if p.field != catalog.FieldSchedule {
		return nil
	}
	was, is := scheduleOf(&p.Preview.Before).PerWeek(), scheduleOf(&p.Preview.After).PerWeek()
	if was == is {
		return nil
	}
	lines := []string{v.T("edit.draws", was, is)}
	if p.Week == nil || was == 0 {
		return lines
	}
	for _, sold := range p.Week.Sold {
		amount := func(a money.Amount) string { return v.Money(a, sold.Currency.Digits) + " " + sold.Currency.Symbol }
		each := sold.Amount / money.Amount(was)
		lines = append(lines, v.T("edit.draws.sold", amount(sold.Amount), v.Day(p.Week.From), v.Day(p.Week.To), amount(each), v.Signed(each*money.Amount(is-was), sold.Currency.Digits)+" "+sold.Currency.Symbol))
	}
	return lines
}
