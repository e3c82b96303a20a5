package org

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/auth"
	"banca/internal/org"
	"banca/web/kit"
)

// Kinds of field of a setting; each has a rule in words, field.setting.<kind>.
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
	Set  int64 // fields that the entity sets itself

	holds map[string]inheritedValue // without an own value, by key
}

// settingInput is the field of a setting; only an editor can change it.
func settingInput(r *kit.Request, key, kind string, edits bool) kit.Input {
	label := "setting." + key
	input := kit.TextInput(key, label, 200)
	switch kind {
	case fieldLines:
		input = kit.LinesInput(key, label, 4)
	case fieldChoice:
		input = kit.ChoiceInput(key, label, []kit.Option{{Text: r.T("word.inherited")}, {Value: "true", Text: r.T("word.yes")}, {Value: "false", Text: r.T("word.no")}})
		if !edits {
			input = input.With("disabled")
		}
	case fieldLanguage:
		input = kit.ChoiceInput(key, label, []kit.Option{{Text: r.T("word.inherited")}, {Value: "es", Text: r.T("language.es")}, {Value: "en", Text: r.T("language.en")}})
		if !edits {
			input = input.With("disabled")
		}
	case fieldNumber:
		input = input.With("inputmode=numeric")
	case fieldPhone:
		input = input.With("inputmode=tel")
	case fieldEmail:
		input = input.With("inputmode=email")
	}
	return input.WithRule("field.setting."+kind, false).ReadOnly(!edits && kind != fieldChoice && kind != fieldLanguage)
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

// settingGroup is a group of plain fields: its keys, as pairs of key and kind.
type settingGroup struct {
	name string
	keys [][2]string
}

func settingGroups() []settingGroup {
	return []settingGroup{
		{org.GroupConfig, [][2]string{{"sale_stop_seconds", fieldNumber}, {"cancel_seconds", fieldNumber}, {"cancels_per_day", fieldNumber}, {"prize_expiry_hours", fieldNumber}, {"assistant_tokens", fieldNumber}}},
		{org.GroupLegal, [][2]string{{"business_name", fieldText}, {"tax_id", fieldShort}, {"representative", fieldText}, {"representative_document", fieldShort}, {"license", fieldText}, {"registry", fieldText}}},
		{org.GroupContact, [][2]string{{"person", fieldText}, {"phone", fieldPhone}, {"alternate_phone", fieldPhone}, {"email", fieldEmail}}},
		{org.GroupLocation, [][2]string{{"country", fieldText}, {"state", fieldText}, {"municipality", fieldText}, {"city", fieldText}, {"address", fieldText}, {"postal_code", fieldShort}, {"latitude", fieldPlace}, {"longitude", fieldPlace}}},
		{org.GroupPrint, [][2]string{{"title", fieldText}, {"subtitle", fieldText}, {"header", fieldLines}, {"footer", fieldLines}}},
		{org.GroupSocial, [][2]string{{"website", fieldSite}, {"instagram", fieldText}, {"facebook", fieldText}, {"tiktok", fieldText}, {"x", fieldText}, {"telegram", fieldText}, {"whatsapp", fieldPhone}}},
		{org.GroupMessaging, [][2]string{{"enabled", fieldChoice}, {"receipts", fieldChoice}, {"cancellations", fieldChoice}, {"prizes", fieldChoice}, {"results", fieldChoice}, {"closes", fieldChoice}, {"settlements", fieldChoice}, {"language", fieldLanguage}, {"greeting", fieldText}, {"signature", fieldText}}},
	}
}

// groupForms returns the forms of an entity with its own values, and beside each the inherited one.
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
		var own org.Group
		if err := json.Unmarshal(raw, &own); err != nil {
			return nil, err
		}
		forms = append(forms, newGroupForm(r, g, own, holds.Groups[g.name]))
	}
	return forms, nil
}

func newGroupForm(r *kit.Request, g settingGroup, own org.Group, holds map[string]org.Sourced) groupForm {
	form := groupForm{Name: g.name, Form: kit.NewForm().WithPrefix(g.name + "."), holds: map[string]inheritedValue{}}
	for _, k := range g.keys {
		key := k[0]
		form.Form.Inputs = append(form.Form.Inputs, settingInput(r, key, k[1], r.May(auth.EntitiesWrite)))
		if value, set := own[key]; set && value.Kind() != 'n' {
			form.Form.Put(key, shown(value))
			form.Set++
		} else if s, ok := holds[key]; ok {
			form.holds[key] = inheritedValue{Text: shown(s.Value), From: s.From}
		}
	}
	return form
}

// shown writes a value of a setting as it is typed: lists by line, texts bare.
func shown(v jsontext.Value) string {
	var text string
	var lines []string
	switch {
	case v.Kind() == '"' && json.Unmarshal(v, &text) == nil:
		return text
	case v.Kind() == '[' && json.Unmarshal(v, &lines) == nil:
		return strings.Join(lines, "\n")
	default:
		return string(v)
	}
}

// settingValue parses the typed value of a setting; an empty field removes it, so that it is inherited.
func settingValue(kind, typed string) jsontext.Value {
	var value any
	text := strings.TrimSpace(typed)
	number, err := strconv.Atoi(text)
	switch {
	case text == "":
		return jsontext.Value("null")
	case kind == fieldLines:
		value = strings.Split(strings.ReplaceAll(strings.Trim(strings.ReplaceAll(typed, "\r\n", "\n"), "\n"), "\r", "\n"), "\n")
	case kind == fieldNumber && err == nil:
		value = number
	case kind == fieldChoice:
		value = text == "true"
	default:
		value = text
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return jsontext.Value(`""`) // of invalid UTF-8, which begin has refused
	}
	return raw
}

// saveSettings changes the settings of a group; an empty field is inherited.
func (p *pages) saveSettings(r *kit.Request) error {
	name := r.Param("group")
	group := org.Group{}
	for _, g := range settingGroups() {
		if g.name != name {
			continue
		}
		for _, k := range g.keys {
			group[k[0]] = settingValue(k[1], r.Form(k[0]))
		}
	}
	if len(group) == 0 {
		return kit.NotFound()
	}
	_, _, err := p.Org.Update(r.Context(), r.Caller, r.ID, &org.Change{Groups: org.Groups{name: group}})
	return p.after(r, err, func(page *entityPage) {
		page.OpenGroup = name
		for i := range page.Groups {
			if page.Groups[i].Name == name {
				page.Groups[i].Form.FillFrom(r).RefuseBy(err, name+".", nil)
			}
		}
	})
}
