package org

import (
	"errors"
	"slices"

	"github.com/google/uuid"

	"banca/internal/org"
	"banca/web/kit"
)

const (
	ratesPath = path + "/bulk-rates"
	seenField = "seen-" // + id of an entity: its own rate when it was reviewed
)

// Outcomes of a rate for an entity; states of the kind "rates".
const (
	rateChanges = "changes"
	rateSame    = "same"
	rateRefused = "refused"
	rateChanged = "changed"
)

// ratesPage sets one rate of several entities below one.
type ratesPage struct {
	several

	held map[string]map[uuid.UUID]*org.SettingEffect // of the general rates, by kind and entity: what holds now
}

// rateForm is the rate that is set.
func rateForm(r *kit.Request, classes org.Classes) *kit.Form {
	return kit.NewForm(
		kit.RadioInput("kind", "bulkrates.kind", r.Options("rate.", rateKinds()...)),
		kit.ChoiceInput("category", "label.category", classOptions(r.View(), "", classes.Categories)).WithRule("bulkrates.class", true),
		kit.ChoiceInput("bet_type", "label.bet_type", classOptions(r.View(), "bet.", classes.BetTypes)),
		kit.PercentInput("percent", "bulkrates.percent").WithRule("bulkrates.percent.rule", true),
		kit.ChoiceInput("mode", "label.losses", lossOptions(r)).WithRule("bulkrates.losses", true),
	).Put("kind", org.RateCommission)
}

func (p *pages) loadRates(r *kit.Request) (*ratesPage, error) {
	classes, err := p.Org.Classes(r.Context())
	if err != nil {
		return nil, err
	}
	page := &ratesPage{}
	if page.several, err = p.loadSeveral(r, ratesPath, "bulkrates", rateForm(r, classes)); err != nil {
		return nil, err
	}
	page.held = map[string]map[uuid.UUID]*org.SettingEffect{}
	for _, kind := range rateKinds() {
		page.held[kind], err = p.Org.TryRate(r.Context(), r.Caller, page.Parent.ID, &org.RateSetting{Kind: kind})
		if err != nil {
			return nil, err
		}
	}
	return page, nil
}

func rateKinds() []string { return []string{org.RateCommission, org.RateParticipation} }

// setting is the rate of the form.
func (p *ratesPage) setting() *org.RateSetting {
	set := &org.RateSetting{Kind: p.form.Get("kind"), Mode: p.form.Get("mode")}
	if set.Kind == org.RateCommission {
		set.Category, set.BetType, set.Mode = p.form.Get("category"), p.form.Get("bet_type"), ""
	}
	if rate, err := kit.ReadPercent(p.form.Get("percent")); err == nil {
		set.Percent = percentText(rate)
	}
	return set
}

// submitRates shows what the rate does to the chosen entities, or sets it.
func (p *pages) submitRates(r *kit.Request) error {
	page, err := p.loadRates(r)
	if err != nil {
		return err
	}
	try := func() (string, error) { return p.tryRates(r, page) }
	return page.submit(r, page, try, func(row *severalRow) error { return p.setRate(r, page, row) })
}

// tryRates adds to each entity what the rate does to it. It returns what is wrong with the form, "" for nothing.
func (p *pages) tryRates(r *kit.Request, page *ratesPage) (problem string, err error) {
	wrong := r.T("code." + org.ErrInvalidEntity.Code)
	if !page.form.Check() {
		return wrong, nil
	}
	effects, err := p.Org.TryRate(r.Context(), r.Caller, page.Parent.ID, page.setting())
	if errors.Is(err, org.ErrInvalidEntity) {
		page.form.RefuseBy(err, "")
		return wrong, nil
	}
	if err != nil {
		return "", err
	}
	for i := range page.rows {
		row := &page.rows[i]
		row.state = rateRefused
		if row.effect = effects[row.ID]; row.effect == nil { // moved or deleted since the tree was read
			row.effect, row.reason = &org.SettingEffect{}, r.T("code."+org.ErrEntityNotFound.Code)
			continue
		}
		switch {
		case row.effect.Same:
			row.state = rateSame
		case len(row.effect.Violations) > 0:
			row.reason = violationText(r, row)
		default:
			row.state = rateChanges
		}
		if row.chosen {
			page.Hidden = append(page.Hidden, kit.Option{Text: seenField + row.ID.String(), Value: row.effect.Own})
		}
	}
	return "", nil
}

// violationText names the first rate that the new one would make invalid.
func violationText(r *kit.Request, row *severalRow) string {
	worst := &row.effect.Violations[0]
	for i := range row.effect.Violations {
		if v := &row.effect.Violations[i]; v.EntityID == row.ID {
			return r.Say("bulkrates.above", percentText(v.Allowed))
		}
	}
	return r.Say("bulkrates.below", worst.Code, percentText(worst.Percent))
}

// setRate changes an entity, unless its own rate is not the reviewed one.
func (p *pages) setRate(r *kit.Request, page *ratesPage, row *severalRow) error {
	if row.state != rateChanges {
		return nil
	}
	row.state = rateRefused
	if seen, reviewed := r.FormValues()[seenField+row.ID.String()]; reviewed && seen[0] != row.effect.Own {
		row.reason = r.T("bulkrates.stale")
		return nil
	}
	_, _, err := p.Org.SetRate(r.Context(), r.Caller, row.ID, page.setting())
	if err == nil {
		row.state = rateChanged
	}
	return err
}

// Do is the key of the button that sets the rate; "" if no entity would change.
func (p *ratesPage) Do() string {
	if !slices.ContainsFunc(p.rows, func(row severalRow) bool { return row.state == rateChanges }) {
		return ""
	}
	return "bulkrates.do"
}

// Grave reports whether the change is marked as grave.
func (*ratesPage) Grave() bool { return false }

// Summary says which rate is set, and for how many entities.
func (p *ratesPage) Summary(v *kit.View) string {
	set, changing, refused := p.setting(), 0, 0
	for i := range p.rows {
		switch p.rows[i].state {
		case rateChanges, rateChanged:
			changing++
		case rateRefused:
			refused++
		}
	}
	text := v.T("rate." + set.Kind)
	if set.Kind == org.RateCommission {
		text += " (" + className(v, "", set.Category) + ", " + className(v, "bet.", set.BetType) + ")"
	}
	value := v.T("bulkrates.inherited")
	if rate, err := kit.ReadPercent(set.Percent); err == nil {
		value = v.Percent(rate)
	}
	text += ": " + value + ". "
	text += v.N("bulkrates.change", changing)
	if refused > 0 {
		text += " " + v.N("bulkrates.refused", refused)
	}
	return text
}

// Table lists the entities: to choose, with what the rate does, or with what was done.
func (p *ratesPage) Table(v *kit.View) (*kit.Table, error) {
	if !p.Review && !p.Done {
		columns := []kit.Column[severalRow]{p.nameColumn(), typeColumn(), kit.StateColumn("entity", func(row *severalRow) string { return row.Status })}
		for _, kind := range rateKinds() {
			columns = append(columns, kit.Column[severalRow]{Title: "rate." + kind, Number: true, Cell: func(v *kit.View, row *severalRow) kit.Cell {
				if held := p.held[kind][row.ID]; held != nil {
					return heldCell(v, row, &held.Before)
				}
				return kit.Cell{}
			}})
		}
		return v.BuildTable(kit.RowsOf(columns, p.rows, nil, "org.children.none"))
	}
	return v.BuildTable(kit.RowsOf([]kit.Column[severalRow]{
		p.nameColumn(),
		{Title: "label.before", Number: true, Cell: func(v *kit.View, row *severalRow) kit.Cell { return heldCell(v, row, &row.effect.Before) }},
		{Title: "label.after", Number: true, Cell: afterCell},
		kit.CountColumn("bulkrates.touched", (*severalRow).touched),
		kit.BadgeColumn("bulkrates.outcome", func(v *kit.View, row *severalRow) kit.Badge { return v.State("rates", row.state) }).
			Below(func(_ *kit.View, row *severalRow) string { return row.reason }),
	}, p.rows, nil, ""))
}

// touched counts the entities below the row's whose rate changes with it.
func (row *severalRow) touched() int {
	if row.state == rateRefused {
		return 0
	}
	return row.effect.Below
}

// afterCell is the rate after the change; empty if it is refused.
func afterCell(v *kit.View, row *severalRow) kit.Cell {
	if row.state == rateRefused {
		return kit.Cell{}
	}
	return heldCell(v, row, &row.effect.After)
}

// heldCell is a rate with its origin.
func heldCell(v *kit.View, row *severalRow, held *org.HeldRate) kit.Cell {
	text := v.Percent(held.Rate)
	if held.Mode != "" {
		text += " · " + v.T("losses."+held.Mode)
	}
	switch {
	case held.From == nil:
		return kit.Text(text).WithSecondLine(v.T("org.nobody"))
	case held.From.ID == row.ID:
		return kit.Text(text).WithSecondLine(v.T("bulkrates.own"))
	default:
		return kit.Text(text).WithSecondLine(v.T("bulkrates.from", held.From.Name))
	}
}
