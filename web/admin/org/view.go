package org

import (
	"html/template"
	"strings"

	"banca/internal/org"
	"banca/web/kit"
)

// leafView, branchesView, trialView and heldView carry the page's words into a template that is given something else.
type (
	leafView struct {
		View   *kit.View
		Branch *branch
	}
	branchesView struct {
		View     *kit.View
		Branches []*branch
	}
	trialView struct {
		View *kit.View
		What *org.WhatIf
	}
	heldView struct {
		View  *kit.View
		Value inheritedValue
	}
)

// functions are what the templates of the area can call; the first argument is the page's view, for its language.
func functions() template.FuncMap {
	return template.FuncMap{
		"leaf":    func(v *kit.View, b *branch) leafView { return leafView{v, b} },
		"under":   func(v *kit.View, list []*branch) branchesView { return branchesView{v, list} },
		"only":    func(v *kit.View, b *branch) branchesView { return branchesView{v, []*branch{b}} },
		"trial":   trial,
		"held":    held,
		"setting": settingText,
	}
}

// trial is the effect of a change, with bounded lists.
func trial(v *kit.View, what *org.WhatIf) trialView {
	const most = 200
	shown := &org.WhatIf{Changes: what.Changes[:min(len(what.Changes), most)], Violations: what.Violations[:min(len(what.Violations), most)]}
	return trialView{v, shown}
}

// held is what holds of a key without an own value; nil where nothing does.
func held(v *kit.View, all map[string]inheritedValue, key string) *heldView {
	value, ok := all[key]
	if !ok {
		return nil
	}
	return &heldView{v, value}
}

// settingText writes a value of a setting on one line.
func settingText(v *kit.View, text string) string {
	switch text {
	case "true":
		return v.T("word.yes")
	case "false":
		return v.T("word.no")
	default:
		return strings.ReplaceAll(text, "\n", " / ")
	}
}
