package catalog

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"banca/internal/catalog"
	"banca/internal/lottery"
	"banca/web/kit"
)

const maxSources = 5

// sourcesEditor is the form of where results come from and how draws are closed there.
type sourcesEditor struct{}

func (sourcesEditor) field() string { return catalog.FieldAPI }

// sourceCalls are the calls of a source with the members that are texts.
func sourceCalls() map[string][]string {
	return map[string][]string{
		"close":  {"method", "url", "body"},
		"result": {"method", "url", "body", "items", "value", "sign", "flags", "wildcard"},
	}
}

func (e sourcesEditor) groups(s *subject, typed url.Values) []group {
	policies := s.r.Options("edit.policy.", lottery.PolicyTrusted, lottery.PolicyAgree, lottery.PolicyManual)
	all := []group{{Title: s.t("edit.verify"), Parts: []part{{Inputs: []kit.Input{
		kit.RadioInput("policy", "edit.policy", policies), kit.NumberInput("agree", "edit.agree", 2).WithRule("edit.agree.hint", true),
		kit.TextInput("external", "edit.external", 64).With("spellcheck=false").Placeholder(s.row.ShortCode).WithRule("edit.external.hint", true),
	}}}}}
	there := readObject(s.row.APIConfig).members("sources")
	rows := rowsOf(len(there), maxSources, typed, "source.%d.name")
	for i := range rows {
		g := group{Title: s.t("edit.source.new"), Note: s.t("edit.source.note"), Parts: e.sourceParts(s, fmt.Sprintf("source.%d.", i), i == rows-1 && i >= len(there))}
		if i < len(there) {
			g.Title, g.Note = s.t("edit.source", there[i].text("name")), ""
		}
		all = append(all, g)
	}
	return all
}

func (e sourcesEditor) sourceParts(s *subject, at string, spare bool) []part {
	names := []kit.Option{{Text: s.t("edit.source.none")}}
	for _, name := range e.names(s) {
		names = append(names, kit.Option{Value: name, Text: name})
	}
	text := func(name, label string, length int) kit.Input {
		return kit.TextInput(at+name, label, length).With("class=mono spellcheck=false autocapitalize=none")
	}
	lines := func(name, label string) kit.Input {
		return kit.LinesInput(at+name, label, 3).With("class=mono spellcheck=false").WithRule(label+".hint", true)
	}
	method := func(name string, methods ...string) kit.Input {
		options := make([]kit.Option, len(methods))
		for i, m := range methods {
			options[i] = kit.Option{Value: m, Text: m}
		}
		return kit.ChoiceInput(at+name, "edit.method", options)
	}
	parts := []part{{Inputs: []kit.Input{
		kit.ChoiceInput(at+"name", "edit.source.name", names).WithRule("edit.source.name.hint", true),
		kit.ChecksInput(at+"trusted", "edit.trusted", []kit.Option{{Value: "1", Text: s.t("edit.trusted.yes")}}),
		text("external_id", "edit.external_id", 200).WithRule("edit.external_id.hint", true),
	}}}
	result := []kit.Input{
		method("result.method", "GET", "POST"), text("result.url", "edit.url", 1000).WithRule("edit.url.hint", true), text("result.body", "edit.body", 2000),
		text("result.items", "edit.items", 100).WithRule("edit.items.hint", true), text("result.value", "edit.value", 100), text("result.sign", "edit.value.sign", 100),
		text("result.flags", "edit.value.flags", 100), text("result.wildcard", "edit.value.wildcard", 100), lines("result.match", "edit.match"),
	}
	closing := []kit.Input{method("close.method", "POST", "PUT", "PATCH", "GET"), text("close.url", "edit.url", 1000), text("close.body", "edit.body", 2000)}
	rest := []kit.Input{lines("headers", "edit.headers"), lines("elements", "edit.elements"), lines("signs", "edit.signs")}
	return append(parts,
		part{Title: s.t("edit.result"), Inputs: result, Folded: spare}, part{Title: s.t("edit.close"), Inputs: closing, Folded: true},
		part{Title: s.t("edit.translate"), Inputs: rest, Folded: true})
}

// names are the sources of the environment, and those that the game names already.
func (sourcesEditor) names(s *subject) []string {
	names := slices.Clone(s.sources)
	for _, source := range readObject(s.row.APIConfig).members("sources") {
		if name := source.text("name"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (e sourcesEditor) fill(s *subject, form *kit.Form) {
	doc := readObject(s.row.APIConfig)
	form.Put("policy", policyOf(s)).Put("agree", doc.inner("verify").text("sources")).Put("external", doc.text("external_game"))
	for i, source := range doc.members("sources") {
		at := fmt.Sprintf("source.%d.", i)
		form.Put(at+"name", source.text("name")).Put(at+"external_id", source.text("external_id"))
		if source.is("trusted") {
			form.Put(at+"trusted", "1")
		}
		for call, members := range sourceCalls() {
			inner := source.inner(call)
			for _, member := range members {
				form.Put(at+call+"."+member, inner.text(member))
			}
			if inner["method"] == nil {
				form.Put(at+call+".method", defaultMethod(call))
			}
			if call == "result" {
				form.Put(at+"result.match", inner.pairs("match"))
			}
		}
		for _, list := range []string{"headers", "elements", "signs"} {
			form.Put(at+list, source.pairs(list))
		}
	}
}

// policyOf is the policy by which results of the game are verified, also where the game does not say it.
func policyOf(s *subject) string {
	config, err := lottery.Decode(s.row.APIConfig)
	if err != nil {
		return readObject(s.row.APIConfig).inner("verify").text("policy")
	}
	return config.Verify.Policy
}

func (e sourcesEditor) read(s *subject, form *kit.Form) reading {
	doc, read := readObject(s.row.APIConfig), reading{places: map[string]string{}}
	if typed := form.Get("external"); typed != doc.text("external_game") {
		doc.set("external_game", typed)
	}
	e.readPolicy(s, form, doc)
	there, sources := doc.members("sources"), []object{}
	for i := range rowsOf(len(there), maxSources, form.All(), "source.%d.name") {
		at, source := fmt.Sprintf("source.%d.", i), object{}
		if form.Get(at+"name") == "" {
			if i >= len(there) && form.Get(at+"result.url")+form.Get(at+"close.url") != "" {
				form.RefuseFor(at+"name", s.t("edit.source.name.none"))
			}
			continue
		}
		if i < len(there) {
			source = there[i]
		}
		e.place(read.places, fmt.Sprintf("%s.sources[%d]", catalog.FieldAPI, len(sources)), at)
		e.readSource(s, form, at, source)
		sources = append(sources, source)
	}
	if len(sources) > 0 || len(there) > 0 {
		doc["sources"] = doc.encode(sources)
	}
	for member, name := range map[string]string{".external_game": "external", ".verify": "policy", ".verify.sources": "agree", ".sources": "source.0.name"} {
		read.places[catalog.FieldAPI+member] = name
	}
	read.change = changeOf(catalog.FieldAPI, doc)
	return read
}

func (sourcesEditor) readPolicy(s *subject, form *kit.Form, doc object) {
	verify, policy := doc.inner("verify"), form.Get("policy")
	count, _ := strconv.Atoi(verify.text("sources")) // an error is 0, as no member is
	if policy == lottery.PolicyAgree {
		readCount(s, form, "agree", verify, "sources", count)
	} else {
		delete(verify, "sources")
	}
	if policy != policyOf(s) {
		verify.set("policy", policy)
	}
	if len(verify) > 0 {
		doc["verify"] = doc.encode(verify)
	}
}

// place declares where the values of a source are in the document.
func (sourcesEditor) place(places map[string]string, place, at string) {
	places[place] = at + "name"
	for _, member := range []string{"name", "trusted", "external_id", "headers", "elements", "signs"} {
		places[place+"."+member] = at + member
	}
	for call, members := range sourceCalls() {
		places[place+"."+call] = at + call + ".url"
		for _, member := range members {
			places[place+"."+call+"."+member] = at + call + "." + member
		}
	}
	places[place+".result.match"] = at + "result.match"
}

func (e sourcesEditor) readSource(s *subject, form *kit.Form, at string, source object) {
	for _, key := range []string{"name", "external_id"} {
		if typed := form.Get(at + key); typed != source.text(key) {
			source.set(key, typed)
		}
	}
	if trusted := form.Get(at+"trusted") != ""; trusted != source.is("trusted") {
		source.set("trusted", trusted)
	}
	for _, list := range []string{"headers", "elements", "signs"} {
		e.readList(s, form, at+list, source, list)
	}
	for call, members := range sourceCalls() {
		if form.Get(at+call+".url") == "" && form.Get(at+call+".value") == "" {
			delete(source, call)
			continue
		}
		inner := source.inner(call)
		for _, member := range members {
			typed := form.Get(at + call + "." + member)
			unsaid := member == "method" && inner["method"] == nil && typed == defaultMethod(call)
			if typed != inner.text(member) && !unsaid {
				inner.set(member, typed)
			}
		}
		if call == "result" {
			e.readList(s, form, at+"result.match", inner, "match")
		}
		source[call] = source.encode(inner)
	}
}

// defaultMethod is the method of a call that names none.
func defaultMethod(call string) string {
	if call == "result" {
		return http.MethodGet
	}
	return http.MethodPost
}

// readList reads lines "name = text" into an object of texts.
func (sourcesEditor) readList(s *subject, form *kit.Form, name string, into object, key string) {
	pairs, wrong := readPairs(form.Get(name))
	if wrong != "" {
		form.RefuseFor(name, s.t("edit.pairs.wrong", wrong))
		return
	}
	was := map[string]string{}
	_ = decode(into[key], &was) // a missing one is empty
	if !maps.Equal(pairs, was) {
		into.set(key, pairs)
	}
}
