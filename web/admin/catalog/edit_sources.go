package catalog

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"banca/internal/catalog"
	"banca/internal/lottery"
	"banca/web/kit"
)

const (
	maxSources  = 5
	apiPath     = catalog.FieldAPI + "."
	sourcesPath = apiPath + "sources"
	verifyPath  = apiPath + "verify"
)

// sourceGroups is the form of where results come from and how draws are closed there.
func sourceGroups(s *subject, typed url.Values) []group {
	policies := s.r.Options("edit.policy.", lottery.PolicyTrusted, lottery.PolicyAgree, lottery.PolicyManual)
	agrees := func(form *kit.Form) bool { return form.Get("policy") == lottery.PolicyAgree }
	all := []group{{Title: s.t("edit.verify"), Parts: []part{{Inputs: []kit.Input{
		kit.RadioInput("policy", "edit.policy", policies).As(kit.TextKind(policyOf(s)), verifyPath+".policy", verifyPath),
		kit.NumberInput("agree", "edit.agree", 2).WithRule("edit.agree.hint", true).
			As(s.count(), verifyPath+".sources").If(agrees),
		kit.TextInput("external", "edit.external", 64).With("spellcheck=false").Placeholder(s.row.ShortCode).
			WithRule("edit.external.hint", true).As(kit.TextKind(""), apiPath+"external_game"),
	}}}}}
	sources := &list{path: sourcesPath}
	stored := s.request().Objects(sourcesPath)
	rows := rowsOf(len(stored), maxSources, typed, "source.%d.name")
	for i := range rows {
		at := fmt.Sprintf("source.%d.", i)
		r := &row{
			list: sources, object: kit.Object{}, key: at + "name",
			needs: []string{at + "result.url", at + "close.url"}, none: s.t("edit.source.name.none"),
		}
		g := group{Title: s.t("edit.source.new"), Folded: i >= len(stored)}
		if i < len(stored) {
			r.object, g.Title = stored[i], s.t("edit.source", s.sourceText(stored[i].Text("name")))
		}
		g.Parts = s.sourceParts(r, at)
		all = append(all, g)
	}
	return all
}

// sourceParts are the fields of a source, whose names begin with at.
func (s *subject) sourceParts(r *row, at string) []part {
	names := append([]kit.Option{{Text: s.t("edit.source.none")}}, kit.OptionsOf(s.sourceNames(), func(name string) (value, text string) { return name, s.sourceText(name) })...)
	text := func(path, label string, length int, places ...string) kit.Input {
		return kit.TextInput(at+path, label, length).With("class=mono spellcheck=false autocapitalize=none").
			As(kit.TextKind(""), path, places...)
	}
	lines := func(path, label string) kit.Input {
		return kit.LinesInput(at+path, label, 3).With("class=mono spellcheck=false").WithRule(label+".hint", true).
			As(s.pairs(), path)
	}
	method := func(path string, methods ...string) kit.Input {
		return kit.ChoiceInput(at+path, "edit.method", kit.TextOptions(methods...)).As(kit.TextKind(methods[0]), path)
	}
	about := []kit.Input{
		kit.ChoiceInput(at+"name", "edit.source.name", names).WithRule("edit.source.name.hint", true).
			As(kit.TextKind(""), "name", "", sourcesPath),
		kit.ChecksInput(at+"trusted", "edit.trusted", []kit.Option{{Value: "1", Text: s.t("edit.trusted.yes")}}).
			As(kit.CheckKind(true), "trusted"),
	}
	result := []kit.Input{
		method("result.method", http.MethodGet, http.MethodPost),
		text("result.url", "edit.url", 1000, "result").WithRule("edit.url.hint", true),
		text("result.body", "edit.body", 2000),
		text("result.items", "edit.items", 100).WithRule("edit.items.hint", true),
		text("result.value", "edit.value", 100),
		text("result.sign", "edit.value.sign", 100),
		text("result.flags", "edit.value.flags", 100),
		text("result.wildcard", "edit.value.wildcard", 100),
		lines("result.match", "edit.match"),
	}
	closing := []kit.Input{
		method("close.method", http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodGet),
		text("close.url", "edit.url", 1000, "close"),
		text("close.body", "edit.body", 2000),
	}
	for call, inputs := range map[string][]kit.Input{"result": result, "close": closing} {
		called := func(form *kit.Form) bool { return form.Get(at+call+".url") != "" || form.Get(at+call+".value") != "" }
		for i := range inputs {
			inputs[i] = inputs[i].If(called)
		}
	}
	result = append(result, text("external_id", "edit.external_id", 200).WithRule("edit.external_id.hint", true))
	rest := []kit.Input{lines("headers", "edit.headers"), lines("elements", "edit.elements"), lines("signs", "edit.signs")}
	return []part{
		{Inputs: about, row: r}, {Title: s.t("edit.result"), Inputs: result, Folded: true, row: r},
		{Title: s.t("edit.close"), Inputs: closing, Folded: true, row: r},
		{Title: s.t("edit.translate"), Inputs: rest, Folded: true, row: r},
	}
}

// sourceNames are the sources of the environment and of the game.
func (s *subject) sourceNames() []string {
	names := slices.Clone(s.sources)
	for _, source := range s.request().Objects(sourcesPath) {
		if name := source.Text("name"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sourceText is the name of a source in the language of the page, or as it was configured.
func (s *subject) sourceText(name string) string {
	return cmp.Or(s.r.View().FirstText("source."+name), name)
}

// policyOf is the policy by which results of the game are verified, or its default.
func policyOf(s *subject) string {
	config, err := lottery.Decode(s.row.APIConfig)
	if err != nil {
		return s.request().Text(verifyPath + ".policy")
	}
	return config.Verify.Policy
}
