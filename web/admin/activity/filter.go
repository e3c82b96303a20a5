package activity

import (
	"slices"

	"banca/internal/activity"
	"banca/web/kit"
)

func filter(r *kit.Request) (*kit.Filter, error) {
	removed := kit.SelectField("removed", "activity.removed", []kit.Option{{Value: "1", Text: r.T("word.yes")}})
	removed.First = "word.no"
	fields := []kit.FilterField{kit.HiddenIDField("user"), kit.HiddenField("target"), moduleField(r), actionField(r)}
	return &kit.Filter{Fields: append(fields, kit.DateField("from", "label.from"), kit.DateField("to", "label.to"), removed)}, nil
}

// moduleField chooses the subject of entries. The module of an entry that a person wrote is free text.
func moduleField(r *kit.Request) kit.FilterField {
	options := kit.OptionsOf(activity.Modules(), func(m activity.Module) (value, text string) {
		return m.Name, r.T("module." + m.Name)
	})
	if chosen := r.Query("module"); chosen != "" && activity.ActionsOf(chosen) == nil {
		options = append(options, kit.Option{Value: chosen, Text: chosen})
	}
	return kit.SelectField("module", "activity.kind", options)
}

// actionField chooses an action of the chosen module. Without a module, it keeps the action of the address.
func actionField(r *kit.Request) kit.FilterField {
	module := r.Query("module")
	actions := activity.ActionsOf(module)
	if chosen := r.Query("action"); actions == nil || chosen != "" && !slices.Contains(actions, chosen) {
		return kit.HiddenField("action")
	}
	return kit.SelectField("action", "activity.did", r.Options("did."+module+".", actions...))
}
