package org

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"banca/internal/org"
	"banca/web/kit"
)

// Kinds of field of a setting; each has a rule in words, field.setting.<kind>.
const (
	fieldText   = "text"
	fieldShort  = "short"
	fieldLines  = "lines"
	fieldNumber = "number"
	fieldChoice = "choice"
	fieldPhone  = "phone"
	fieldEmail  = "email"
	fieldSite   = "site"
	fieldPlace  = "place"
)

// settingField is a key of a group as a field of its form.
type settingField struct {
	Group, Key, Kind string

	Value string      // the entity's own, or the typed one
	Holds string      // what holds without it
	From  *org.Source // the entity that sets it; nil for a default
	Wrong bool
}

// groupForm is a group of settings as a form.
type groupForm struct {
	Name   string
	Fields []settingField
	Set    int // fields that the entity sets itself
}

// settingGroups are the groups that are plain fields, with their keys, as pairs of key and kind.
func settingGroups() []struct {
	name string
	keys [][2]string
} {
	return []struct {
		name string
		keys [][2]string
	}{
		{org.GroupConfig, [][2]string{{"sale_stop_seconds", fieldNumber}, {"cancel_seconds", fieldNumber}, {"cancels_per_day", fieldNumber}, {"prize_expiry_hours", fieldNumber}}},
		{org.GroupLegal, [][2]string{{"business_name", fieldText}, {"tax_id", fieldShort}, {"representative", fieldText}, {"representative_document", fieldShort}, {"license", fieldText}, {"registry", fieldText}}},
		{org.GroupContact, [][2]string{{"person", fieldText}, {"phone", fieldPhone}, {"alternate_phone", fieldPhone}, {"email", fieldEmail}}},
		{org.GroupLocation, [][2]string{{"country", fieldText}, {"state", fieldText}, {"municipality", fieldText}, {"city", fieldText}, {"address", fieldText}, {"postal_code", fieldShort}, {"latitude", fieldPlace}, {"longitude", fieldPlace}}},
		{org.GroupPrint, [][2]string{{"title", fieldText}, {"subtitle", fieldText}, {"header", fieldLines}, {"footer", fieldLines}}},
		{org.GroupSocial, [][2]string{{"website", fieldSite}, {"instagram", fieldText}, {"facebook", fieldText}, {"tiktok", fieldText}, {"x", fieldText}, {"telegram", fieldText}, {"whatsapp", fieldPhone}}},
		{org.GroupMessaging, [][2]string{{"enabled", fieldChoice}, {"greeting", fieldText}, {"signature", fieldText}}},
	}
}

// groupForms returns the forms of an entity with its own values, and beside each the inherited one.
func groupForms(e *org.Entity, holds *org.Effective) ([]groupForm, error) {
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
		form := groupForm{Name: g.name}
		for _, k := range g.keys {
			f := settingField{Group: g.name, Key: k[0], Kind: k[1]}
			value, set := own[f.Key]
			set = set && value.Kind() != 'n'
			if set {
				f.Value = shown(value)
				form.Set++
			} else if s, ok := holds.Groups[g.name][f.Key]; ok {
				f.Holds, f.From = shown(s.Value), s.From
			}
			form.Fields = append(form.Fields, f)
		}
		forms = append(forms, form)
	}
	return forms, nil
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

// read parses the typed value of the setting; an empty field removes it, so that it is inherited.
func (f *settingField) read(typed string) jsontext.Value {
	var value any
	text := strings.TrimSpace(typed)
	number, err := strconv.Atoi(text)
	switch {
	case text == "":
		return jsontext.Value("null")
	case f.Kind == fieldLines:
		value = strings.Split(strings.ReplaceAll(strings.Trim(strings.ReplaceAll(typed, "\r\n", "\n"), "\n"), "\r", "\n"), "\n")
	case f.Kind == fieldNumber && err == nil:
		value = number
	case f.Kind == fieldChoice:
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
			f := settingField{Key: k[0], Kind: k[1]}
			group[f.Key] = f.read(r.Form(f.Key))
		}
	}
	if len(group) == 0 {
		return kit.Missing()
	}
	_, _, err := p.Org.Update(r.Context(), r.Caller, r.ID, &org.Change{Groups: org.Groups{name: group}})
	return p.after(r, err, func(page *entityPage) {
		page.OpenGroup = name
		for i := range page.Groups {
			if page.Groups[i].Name == name {
				page.Groups[i].retype(r, kit.RefusedFields(err, name+"."))
			}
		}
	})
}

// retype puts the typed values into the form, and marks those that were refused.
func (g *groupForm) retype(r *kit.Request, wrong map[string]bool) {
	for i := range g.Fields {
		f := &g.Fields[i]
		f.Value, f.Wrong = r.Form(f.Key), wrong[f.Key]
	}
}
