package catalog

import (
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/models"
	"banca/web/kit"
)

// rulesSection is a part of the rules of a game, as it is read.
type rulesSection struct {
	Name   string // of the form that changes it
	Change string // address of the form; "" for users who may not change it
	Text   string // the document, for users who may change it; "" for others

	page    *editPage
	returns []catalog.Return // of payouts, for users who may change them
}

// rulesSections are what a game's forms change, as it is read. The sources of results are for users who may change them.
func (p *pages) rulesSections(r *kit.Request, page *gamePage) ([]rulesSection, error) {
	s, err := p.subjectOf(r)
	if err != nil {
		return nil, err
	}
	var sections []rulesSection
	for _, e := range editors() {
		if e.field == catalog.FieldAPI && !page.Edits {
			continue
		}
		form := &editPage{subject: s, editor: e, Groups: e.groups(s, nil)}
		form.form = formOf(form.Groups)
		s.show(form.form, form.Groups)
		section := rulesSection{Name: e.name, page: form}
		if page.Edits {
			section.Change, section.Text = form.Address(), string(documentOf(&page.Game, e.field))
		}
		if page.Edits && e.field == catalog.FieldRules {
			preview, err := p.Catalog.PreviewGame(r.Context(), r.ID, &catalog.GameChange{})
			if err != nil {
				return nil, err
			}
			section.returns = preview.Becomes
		}
		sections = append(sections, section)
	}
	return sections, nil
}

// Facts are the values of a section that are set, without the rows of the table.
func (s *rulesSection) Facts(v *kit.View) []kit.Fact {
	var facts []kit.Fact
	for _, g := range s.page.Groups {
		for _, part := range g.Parts {
			if s.IsPayouts() && part.row != nil || part.button != "" { // or its fields fill in others
				continue
			}
			for i := range part.Inputs {
				name := part.Inputs[i].Name
				if s.page.field == catalog.FieldAPI && technical(name) || name == "take" && s.page.form.Get("derived") == "" {
					continue
				}
				field := s.page.form.Field(v, name)
				text := valueText(v, field)
				if !filled(field) && field.Kind != "selection" || text == "" || field.Kind == "selection" && field.Value == "" {
					continue
				}
				value := kit.Wrap(text)
				if name == "times" {
					value = v.Part("times", hoursOf(text))
				}
				facts = append(facts, kit.Fact{Name: field.Label, Value: value})
			}
		}
	}
	return facts
}

// technical reports whether a field of the sources is shown in the form and in the stored document only.
func technical(name string) bool {
	said := name == "policy" || name == "agree" || strings.HasSuffix(name, ".name") || strings.HasSuffix(name, ".trusted")
	return !said
}

// IsPayouts reports whether the section is shown as a table of bets.
func (s *rulesSection) IsPayouts() bool { return s.page.field == catalog.FieldRules }

// Table lists the bets with what they pay and how much can be bet.
func (s *rulesSection) Table(v *kit.View) (*kit.Table, error) {
	rules := s.page.rules()
	var offered []*catalog.Rule
	for _, bet := range s.page.bets() {
		if rules[bet] != nil {
			offered = append(offered, rules[bet])
		}
	}
	value := func(v *kit.View, prefix string, r *catalog.Rule) string {
		return s.page.form.Field(v, prefix+r.Type).Value
	}
	columns := []kit.Column[*catalog.Rule]{
		{Title: "label.bet_type", Cell: func(v *kit.View, r **catalog.Rule) kit.Cell {
			return kit.Wrap(v.T("bet." + (*r).Type)).WithSecondLine(othersLine(v, s, *r))
		}},
		kit.WordColumn("edit.pays", func(v *kit.View, r **catalog.Rule) string {
			return value(v, "payout.", *r) + " ×"
		}).Numeric(),
		kit.WordColumn("edit.per_ticket", func(v *kit.View, r **catalog.Rule) string {
			return value(v, "ticket.", *r)
		}).Numeric(),
		kit.WordColumn("edit.bounds", func(v *kit.View, r **catalog.Rule) string {
			return s.page.boundsText(v, (*r).Type)
		}).Wrapped(),
	}
	if s.returns != nil {
		columns = append(columns, kit.Column[*catalog.Rule]{Title: "edit.margin", Number: true, Cell: func(v *kit.View, r **catalog.Rule) kit.Cell {
			for i := range s.returns {
				if s.returns[i].BetType == (*r).Type && s.returns[i].Selection == "" {
					return kit.Text(marginText(v, &s.returns[i]))
				}
			}
			return kit.None()
		}})
	}
	return v.BuildTable(kit.RowsOf(columns, offered, nil, "edit.margin.none"))
}

// othersLine names the selections that pay otherwise.
func othersLine(v *kit.View, s *rulesSection, r *catalog.Rule) string {
	return valueText(v, s.page.form.Field(v, "others."+r.Type))
}

// boundsText writes the bounds of the stake in the currencies that exist.
func (p *editPage) boundsText(v *kit.View, bet string) string {
	text := ""
	for _, c := range p.boundCurrencies() {
		least, most := p.form.Get("min."+bet+"."+c.Code), p.form.Get("max."+bet+"."+c.Code)
		if least+most == "" || c.ID == uuid.Nil && c.Code != anyCurrency {
			continue
		}
		if text != "" {
			text += " · "
		}
		text += boundsIn(v, c, least, most)
	}
	return text
}

func boundsIn(v *kit.View, c ledger.Currency, least, most string) string {
	switch {
	case least == "":
		return v.T("edit.bounds.most", most, c.Symbol)
	case most == "":
		return v.T("edit.bounds.least", least, c.Symbol)
	default:
		return v.T("edit.bounds.both", least, most, c.Symbol)
	}
}

// documentOf is the content of a field.
func documentOf(row *models.Game, field string) []byte {
	switch field {
	case catalog.FieldMechanics:
		return row.Mechanics
	case catalog.FieldRules:
		return row.BettingRules
	case catalog.FieldSchedule:
		return row.ScheduleConfig
	default:
		return row.APIConfig
	}
}
