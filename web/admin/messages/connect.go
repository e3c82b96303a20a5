package messages

import (
	"maps"
	"slices"
	"strings"

	"banca/internal/messaging/channel"
	"banca/internal/messaging/connections"
	"banca/internal/platform/apperr"
	"banca/web/kit"
)

// fieldPrefix begins the names of the fields of parameters.
const fieldPrefix = "p_"

// connectPage makes a connection: first its driver is chosen, then its parameters are typed.
type connectPage struct {
	Driver  string // "" before the choice
	Drivers []driverChoice
	Form    *kit.Form
	Linked  bool
}

// driverChoice is a driver that can be chosen.
type driverChoice struct {
	Name   string
	Link   string
	Linked bool
}

func (p *pages) loadConnect(r *kit.Request) (*connectPage, error) {
	all := p.Connections.DriverParameters()
	page := &connectPage{Driver: r.Query("driver")}
	parameters, known := all[page.Driver]
	if !known {
		page.Driver = ""
		for _, name := range slices.Sorted(maps.Keys(all)) {
			page.Drivers = append(page.Drivers, driverChoice{Name: name, Link: connectionsPath + "/new?driver=" + name, Linked: p.Connections.Linked(name)})
		}
		return page, nil
	}
	own, err := p.Org.Entity(r.Context(), r.Caller, r.Caller.EntityID)
	if err != nil {
		return nil, err
	}
	page.Linked = p.Connections.Linked(page.Driver)
	wish := &connections.Wish{Driver: page.Driver, PerMinute: usualPace}
	page.Form = wishForm(r, wish, new(own.Name+" ("+own.Code+")"), parameters)
	return page, nil
}

// usualPace is the number of messages a minute of a new connection.
const usualPace = 60

// wishForm is the form of a connection to make. entity is its name or code.
func wishForm(r *kit.Request, w *connections.Wish, entity *string, parameters []channel.Parameter) *kit.Form {
	return kit.NewForm(append([]kit.Input{
		kit.EntityInput("entity", "connection.entity").WithRule("connection.entity.rule", true).Required().
			At(connections.ErrExists.Code).Into(entity),
		kit.TextInput("name", "label.name", 100).WithRule("connection.name.rule", true).Into(&w.Name),
		perMinuteInput().Into(&w.PerMinute),
	}, parameterInputs(r, w.Driver, parameters, false)...)...)
}

func perMinuteInput() kit.Input {
	return kit.NumberInput("per_minute", "connection.pace", 4).WithRule("connection.pace.rule", true)
}

// parameterInputs are the fields of a driver's parameters. The values of secret ones are never written into a page.
func parameterInputs(r *kit.Request, driver string, parameters []channel.Parameter, change bool) []kit.Input {
	inputs := make([]kit.Input, len(parameters))
	for i, p := range parameters {
		input := kit.TextInput(fieldPrefix+p.Name, "parameter."+p.Name, p.Max).WithRule(ruleOf(r, driver, p, change), true).
			Placeholder(p.Default).With("spellcheck=false autocapitalize=none").At("parameters." + p.Name)
		switch {
		case p.Secret:
			input = input.With("type=password autocomplete=new-password")
		case p.Kind == channel.KindURL:
			input = input.With("type=url inputmode=url")
		case p.Kind == channel.KindDigits:
			input = input.With("inputmode=numeric")
		}
		if p.Required && (!change || !p.Secret) {
			input = input.Required()
		}
		inputs[i] = input
	}
	return inputs
}

// ruleOf is the key of the text below a parameter's field.
func ruleOf(r *kit.Request, driver string, p channel.Parameter, change bool) string {
	for _, key := range []string{"parameter." + driver + "." + p.Name + ".rule", "parameter." + p.Name + ".rule"} {
		switch {
		case change && p.Secret:
			return "parameter.keep.rule"
		case r.T(key) != "":
			return key
		}
	}
	if p.Generated {
		return "parameter.generated.rule"
	}
	return "parameter.rule"
}

// create makes a connection and leads to its page, where its QR code is.
func (p *pages) create(r *kit.Request) error {
	var c *connections.Connection
	var err error
	wish, entity := &connections.Wish{Driver: r.Query("driver"), Parameters: typedParameters(r)}, ""
	wishForm(r, wish, &entity, nil).Take(r)
	wish.PerMinute = typedPace(r, wish.PerMinute)
	if wish.EntityID, err = p.Org.Named(r.Context(), r.Caller, entity); err == nil {
		c, err = p.Connections.Create(r.Context(), r.Caller, wish)
	}
	if err == nil {
		return r.Done(connectionAddress(c.ID), "connection.created")
	}
	return p.connect.ShowRefusal(r, err, func(page *connectPage) { refuseConnection(r, page.Form, err) })
}

// typedParameters are the parameters of the form that are not empty.
func typedParameters(r *kit.Request) map[string]string {
	values := map[string]string{}
	for name := range r.FormValues() {
		if parameter, ok := strings.CutPrefix(name, fieldPrefix); ok && r.Text(name) != "" {
			values[parameter] = r.Text(name)
		}
	}
	return values
}

// typedPace is the typed number of messages a minute: 0 for an empty field, -1 for an invalid number.
func typedPace(r *kit.Request, n int) int {
	switch {
	case r.Text("per_minute") == "":
		return 0
	case n == 0:
		return -1
	}
	return n
}

// refuseConnection fills the form with what was typed, but for its secrets, and marks the fields that an error names.
func refuseConnection(r *kit.Request, form *kit.Form, err error) {
	if form == nil {
		return
	}
	form.FillFrom(r)
	for i := range form.Inputs {
		if form.Inputs[i].Secret() {
			form.Put(form.Inputs[i].Name, "")
		}
	}
	form.Refuse(form.NameAt(apperr.CodeOf(err)))
	for _, d := range apperr.From(err).Details {
		form.Refuse(form.NameAt(d.Location))
	}
}
