package catalog

import (
	"net/url"
	"slices"
	"strings"

	"banca/web/kit"
)

// Buttons of the form of a game besides the ones of its review, and the field of a value to add to a list.
const (
	actionFill = "fill"  // fills in the times of draws
	actionTake = "enter" // the enter key in a field: adds the values to add, or asks for the review without one
	dropPrefix = "drop." // with the name of the list and the value to remove
	addPrefix  = "add."  // with the name of the list
)

// chips are the values of a list that is typed as one text, each with a button that removes it, and a field that adds one.
type chips struct {
	Name, Label, Kind, Add, Typed string // Kind, Add and Typed are the kind, label and value of the field that adds one
	Values                        []kit.Option
	Edited                        bool // a value was added or removed

	read func(typed string) ([]string, error)
	show func(value string) string // as it is typed
}

// chips returns the chips of a list, after it added the value to add and removed the value whose button was pressed. Invalid values stay.
func (s *subject) chips(typed url.Values, c chips) *chips {
	c.Typed = typed.Get(addPrefix + c.Name)
	values, err := c.read(typed.Get(c.Name))
	added, wrong := c.read(c.Typed)
	dropped, drops := strings.CutPrefix(kit.StepOf(s.r), dropPrefix+c.Name+".")
	if kit.Calculates(s.r) || err != nil || wrong != nil || c.Typed == "" && !drops {
		return &c
	}
	values = append(values, added...)
	slices.Sort(values)
	values = slices.DeleteFunc(slices.Compact(values), func(value string) bool { return value == dropped })
	typed.Set(c.Name, strings.Join(kit.Map(values, func(value *string) string { return c.show(*value) }), ", "))
	typed.Del(addPrefix + c.Name)
	s.edited, c.Edited, c.Typed = true, true, ""
	return &c
}

// of returns the chips with the values of the field, none if the field is invalid.
func (c *chips) of(field *kit.Field) *chips {
	values, _ := c.read(field.Value)
	c.Label, c.Values = field.Label, kit.Map(values, func(value *string) kit.Option { return kit.Option{Value: *value, Text: c.show(*value)} })
	return c
}
