package org

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/web/kit"
)

// Kinds of field of a setting; each has a rule in words, see rule.
const (
	fieldText     = "text"
	fieldShort    = "short"
	fieldLines    = "lines"
	fieldNumber   = "number"
	fieldChoice   = "choice"
	fieldLanguage = "language"
	fieldPhone    = "phone"
	fieldEmail    = "email"
	fieldSite     = "site"
	fieldPlace    = "place"
)

// groupForm is a group of settings as a form.
type groupForm struct {
	Name string
	Form *kit.Form

	holds map[string]inheritedValue // without an own value, by key
}

// input is the field of a setting; only an editor can change it.
func (s setting) input(r *kit.Request) kit.Input {
	label, edits := "setting."+s.key, r.May(auth.EntitiesWrite)
	input, value := kit.TextInput(s.key, label, 200).ReadOnly(!edits), kit.TextKind("")
	options := []kit.Option{{Text: r.T("word.inherited")}}
	switch s.kind {
	case fieldLines:
		input, value = kit.LinesInput(s.key, label, 4).ReadOnly(!edits), linesKind()
	case fieldChoice:
		yes, no := kit.Option{Value: "true", Text: r.T("word.yes")}, kit.Option{Value: "false", Text: r.T("word.no")}
		options = append(options, yes, no)
		value = kit.TypedKind(kit.JSONText, func(typed string) (any, string) {
			if typed == "" {
				return nil, ""
			}
			return typed == "true", ""
		})
	case fieldLanguage:
		options = append(options, r.Options("language.", "es", "en")...)
	case fieldNumber:
		input = input.With("inputmode=numeric")
		value = kit.TypedKind(kit.JSONText, func(typed string) (any, string) {
			if number, err := strconv.Atoi(typed); err == nil {
				return number, ""
			}
			return typed, "" // which is refused
		})
	case fieldPhone:
		input = input.With("inputmode=tel")
	case fieldEmail:
		input = input.With("inputmode=email")
	}
	if len(options) > 1 {
		input = kit.ChoiceInput(s.key, label, options)
		if !edits {
			input = input.With("disabled")
		}
	}
	return input.WithRule(s.rule(), s.kind == fieldNumber && edits).As(value, s.key)
}

// rule is the key of the rule of the setting; each number has its own bounds.
func (s setting) rule() string {
	if s.kind == fieldNumber {
		return "field.setting." + s.key
	}
	return "field.setting." + s.kind
}

// linesKind is the kind of a list of texts, one a line.
func linesKind() kit.Kind {
	return kit.Kind{
		Show: func(raw []byte) []string { return []string{strings.Join(kit.ListKind().Show(raw), "\n")} },
		Read: func(_ []byte, typed []string) (any, string) {
			text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.Join(typed, ""))
			if strings.TrimSpace(text) == "" {
				return nil, ""
			}
			return strings.Split(strings.Trim(text, "\n"), "\n"), ""
		},
	}
}

// Fields returns the fields of the group, each without an own value with what holds instead.
func (g *groupForm) Fields(v *kit.View) []*kit.Field {
	fields := g.Form.Fields(v)
	for _, field := range fields {
		if held, ok := g.holds[field.Name]; ok && !field.Wrong && held.Text != "" {
			field.Note = v.Part("held", held).HTML
		}
	}
	return fields
}

// Summary is the first effective values of the group.
func (g *groupForm) Summary(v *kit.View) string {
	const most = 3
	var values []string
	for _, input := range g.Form.Inputs {
		if text := cmp.Or(g.Form.Get(input.Name), g.holds[input.Name].Text); text != "" && len(values) < most {
			values = append(values, briefText(v, input.Name, text))
		}
	}
	return cmp.Or(strings.Join(values, " · "), v.T("org.settings.none"))
}

// briefText is a value of a setting in the text brief.<key>, or alone without such a text.
func briefText(v *kit.View, key, value string) string {
	if n, err := strconv.Atoi(value); err == nil && strings.HasSuffix(key, "_seconds") {
		if value += " s"; n%60 == 0 {
			value = v.Minutes(time.Duration(n) * time.Second)
		}
	}
	value = settingText(v, value)
	if words := v.FirstText("brief." + key); words != "" {
		return fmt.Sprintf(words, strings.ToLower(value))
	}
	return v.Phone(value)
}

// setting is a setting with the kind of its field.
type setting struct{ key, kind string }

// settingGroup is a group of plain fields.
type settingGroup struct {
	name     string
	settings []setting
}

// form is the form of the group, without values.
func (g *settingGroup) form(r *kit.Request) *kit.Form {
	return kit.NewForm(kit.Map(g.settings, func(s *setting) kit.Input { return s.input(r) })...).WithPrefix(g.name + ".")
}

func settingGroups() []settingGroup {
	return []settingGroup{
		{org.GroupConfig, []setting{{"sale_stop_seconds", fieldNumber}, {"cancel_seconds", fieldNumber}, {"cancels_per_day", fieldNumber}, {"prize_expiry_hours", fieldNumber}, {"assistant_tokens", fieldNumber}, {"confirm_line_above", fieldNumber}, {"confirm_ticket_above", fieldNumber}, {"blind_count", fieldChoice}}},
		{org.GroupLegal, []setting{{"business_name", fieldText}, {"tax_id", fieldShort}, {"representative", fieldText}, {"representative_document", fieldShort}, {"license", fieldText}, {"registry", fieldText}}},
		{org.GroupContact, []setting{{"person", fieldText}, {"phone", fieldPhone}, {"alternate_phone", fieldPhone}, {"email", fieldEmail}}},
		{org.GroupLocation, []setting{{"country", fieldText}, {"state", fieldText}, {"municipality", fieldText}, {"city", fieldText}, {"address", fieldText}, {"postal_code", fieldShort}, {"latitude", fieldPlace}, {"longitude", fieldPlace}}},
		{org.GroupPrint, []setting{{"title", fieldText}, {"subtitle", fieldText}, {"header", fieldLines}, {"footer", fieldLines}, {"picture_at_sale", fieldChoice}}},
		{org.GroupSocial, []setting{{"website", fieldSite}, {"instagram", fieldText}, {"facebook", fieldText}, {"tiktok", fieldText}, {"x", fieldText}, {"telegram", fieldText}, {"whatsapp", fieldPhone}}},
		{org.GroupMessaging, []setting{{"enabled", fieldChoice}, {"receipts", fieldChoice}, {"cancellations", fieldChoice}, {"prizes", fieldChoice}, {"results", fieldChoice}, {"closes", fieldChoice}, {"settlements", fieldChoice}, {"language", fieldLanguage}, {"greeting", fieldText}, {"signature", fieldText}}},
	}
}

// groupForms returns the forms of an entity with its own values, and the inherited values.
func groupForms(r *kit.Request, e *org.Entity, holds *org.Effective) ([]groupForm, error) {
	typed := map[string]any{
		org.GroupConfig: e.Config, org.GroupLegal: e.Legal, org.GroupContact: e.Contact, org.GroupLocation: e.Location,
		org.GroupPrint: e.Print, org.GroupSocial: e.Social, org.GroupMessaging: e.Messaging,
	}
	var forms []groupForm
	for _, g := range settingGroups() {
		raw, err := json.Marshal(typed[g.name])
		if err != nil {
			return nil, err
		}
		own, form := kit.ReadObject(raw), groupForm{Name: g.name, Form: g.form(r), holds: map[string]inheritedValue{}}
		form.Form.Show(own, form.Form.Inputs)
		for _, s := range g.settings {
			value := own[s.key]
			if held, ok := holds.Groups[g.name][s.key]; ok && (value == nil || string(value) == "null") {
				form.holds[s.key] = inheritedValue{Text: shown(held.Value), From: held.From}
			}
		}
		forms = append(forms, form)
	}
	return forms, nil
}

// shown writes an inherited value: lists by line, texts without quotes.
func shown(v jsontext.Value) string {
	if v.Kind() == '[' {
		return linesKind().Show(v)[0]
	}
	return kit.JSONText(v)
}

// saveSettings changes the settings of a group; an empty field is inherited.
func (p *pages) saveSettings(r *kit.Request) error {
	name := r.Param("group")
	at := slices.IndexFunc(settingGroups(), func(g settingGroup) bool { return g.name == name })
	if at < 0 {
		return kit.NotFound()
	}
	g, document := settingGroups()[at], kit.Object{}
	form := g.form(r).FillFrom(r)
	form.Read(document, "", form.Inputs)
	keys := kit.Map(g.settings, func(s *setting) string { return s.key })
	_, _, err := p.Org.Update(r.Context(), r.Caller, r.ID, &org.Change{Groups: org.Groups{name: groupOf(document, keys...)}})
	return p.after(r, err, func(page *entityPage) {
		page.OpenGroup = name
		page.Groups[at].Form.FillFrom(r).RefuseBy(err, name+".")
	})
}
