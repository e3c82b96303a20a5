package org

import (
	"html/template"
	"strings"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// functions are what the templates of the area can call besides the methods of kit.View.
func functions() template.FuncMap {
	return template.FuncMap{"trial": trial, "setting": settingText}
}

// trialRows is the effect of a change of rates; nil without violations or changes.
type trialRows struct{ Violations, Changes kit.Rows }

// trial is the effect of a change, with bounded lists.
func trial(what *org.RateEffect) trialRows {
	const most = 200
	var rows trialRows
	if len(what.Violations) > 0 {
		rows.Violations = kit.RowsOf(violationColumns(), what.Violations[:min(len(what.Violations), most)], nil, "")
	}
	if len(what.Changes) > 0 {
		rows.Changes = kit.RowsOf(changeColumns(), what.Changes[:min(len(what.Changes), most)], nil, "")
	}
	return rows
}

func violationColumns() []kit.Column[org.RateViolation] {
	return append(
		rateColumns(func(r *org.RateViolation) rateOf { return rateOf{r.EntityID, r.Code, r.Kind, r.Category, r.BetType} }),
		percentColumn("label.sets", func(r *org.RateViolation) money.BasisPoints { return r.Percent }),
		percentColumn("label.allowed", func(r *org.RateViolation) money.BasisPoints { return r.Allowed }),
	)
}

func changeColumns() []kit.Column[org.RateChange] {
	return append(
		rateColumns(func(r *org.RateChange) rateOf { return rateOf{r.EntityID, r.Code, r.Kind, r.Category, r.BetType} }),
		percentColumn("label.before", func(r *org.RateChange) money.BasisPoints { return r.Before }),
		percentColumn("label.after", func(r *org.RateChange) money.BasisPoints { return r.After }),
	)
}

// rateOf is which rate of which entity a row is about.
type rateOf struct {
	entity                  uuid.UUID
	code                    string
	kind, category, betType string
}

func rateColumns[R any](of func(row *R) rateOf) []kit.Column[R] {
	return []kit.Column[R]{
		{Title: "label.entity", Cell: func(_ *kit.View, row *R) kit.Cell {
			return kit.Mono(of(row).code).To(path + "/" + of(row).entity.String())
		}},
		kit.WordColumn("label.rate", func(v *kit.View, row *R) string { return v.T("rate." + of(row).kind) }),
		anyColumn("label.category", "", func(row *R) string { return of(row).category }),
		anyColumn("label.bet_type", "bet.", func(row *R) string { return of(row).betType }),
	}
}

// anyColumn is a column of categories or bet types, as className writes them.
func anyColumn[R any](title, prefix string, of func(row *R) string) kit.Column[R] {
	return kit.Column[R]{Title: title, Cell: func(v *kit.View, row *R) kit.Cell { return kit.Text(className(texts(v), prefix, of(row))) }}
}

func percentColumn[R any](title string, of func(row *R) money.BasisPoints) kit.Column[R] {
	return kit.Column[R]{Title: title, Number: true, Cell: func(v *kit.View, row *R) kit.Cell { return kit.Text(v.Percent(of(row))) }}
}

// effectiveColumns are those of the rates that hold for an entity.
func effectiveColumns() []kit.Column[org.EffectiveRate] {
	return []kit.Column[org.EffectiveRate]{
		anyColumn("label.category", "", func(r *org.EffectiveRate) string { return r.Category }),
		anyColumn("label.bet_type", "bet.", func(r *org.EffectiveRate) string { return r.BetType }),
		percentColumn("label.percent", func(r *org.EffectiveRate) money.BasisPoints { return r.Rate }),
		{Title: "label.source", Cell: func(v *kit.View, r *org.EffectiveRate) kit.Cell {
			if r.From == nil {
				return kit.Text(v.T("org.nobody"))
			}
			return v.Part("from", r.From)
		}},
	}
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
