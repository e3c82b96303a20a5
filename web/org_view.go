package web

import (
	"fmt"
	"strings"

	"banca/internal/money"
	"banca/internal/org"
)

// leafView, branchesView, trialView and heldView carry the page's words into a template that is given something else.
type (
	leafView struct {
		View   *view
		Branch *branch
	}
	branchesView struct {
		View     *view
		Branches []*branch
	}
	trialView struct {
		View *view
		What *org.WhatIf
	}
	heldView struct {
		View  *view
		Value inheritedValue
	}
)

// Leaf is a branch with the page's words.
func (v *view) Leaf(b *branch) leafView { return leafView{v, b} }

// Under are branches with the page's words.
func (v *view) Under(list []*branch) branchesView { return branchesView{v, list} }

// Only is one branch as a list.
func (v *view) Only(b *branch) branchesView { return v.Under([]*branch{b}) }

// Trial is the effect of a change, with bounded lists.
func (v *view) Trial(what *org.WhatIf) trialView {
	const most = 200
	shown := &org.WhatIf{Changes: what.Changes[:min(len(what.Changes), most)], Violations: what.Violations[:min(len(what.Violations), most)]}
	return trialView{v, shown}
}

// Held is what holds of a key without an own value; nil where nothing does.
func (v *view) Held(all map[string]inheritedValue, key string) *heldView {
	value, ok := all[key]
	if !ok {
		return nil
	}
	return &heldView{v, value}
}

// Percent writes a rate with the separators of the page's language.
func (v *view) Percent(r money.BasisPoints) string { return v.Money(money.Amount(r), 2) + " %" }

// Setting writes a value of a setting on one line.
func (v *view) Setting(text string) string {
	switch text {
	case "true":
		return v.T("word.yes")
	case "false":
		return v.T("word.no")
	default:
		return strings.ReplaceAll(text, "\n", " / ")
	}
}

// Size writes a number of bytes as people read it.
func (v *view) Size(bytes int) string {
	const unit = 1 << 10
	if bytes < unit*unit {
		return fmt.Sprintf("%d KB", (bytes+unit-1)/unit)
	}
	return v.Money(money.Amount(bytes/(unit*unit/100)), 2) + " MB"
}
