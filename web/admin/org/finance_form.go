package org

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/money"
	"banca/internal/org"
	"banca/web/kit"
)

// spareRules are the empty rows for new rates.
const spareRules = 3

// financeForm is what an entity earns, and where payments to it arrive.
type financeForm struct {
	Rules   []ruleRow
	Share   string
	Mode    string
	Bank    string
	Phone   string
	IDDoc   string
	NoBank  bool // no payments here, not even the parent's
	Min     string
	Max     string
	Classes org.Classes
	Modes   []string
	Wrong   map[string]bool
	Limits  map[string]string // the greatest value of a rate, by the key or row that exceeds it

	Holds map[string]inheritedValue // what holds without an own value, by key
}

// inheritedValue is a value set by another entity, or a default.
type inheritedValue struct {
	Text string
	From *org.Source
}

// ruleRow is a rate as it is typed.
type ruleRow struct {
	Category, BetType, Percent string
	Wrong                      bool
}

func (p *pages) financeForm(ctx context.Context, e *org.Entity, holds *org.Effective) (*financeForm, error) {
	classes, err := p.Org.Classes(ctx)
	if err != nil {
		return nil, err
	}
	f := &financeForm{Classes: classes, Modes: []string{"CARRY", "SHARED", "NONE"}, Holds: map[string]inheritedValue{}}
	for _, r := range e.Finance.Commissions {
		f.Rules = append(f.Rules, ruleRow{Category: r.Category, BetType: r.BetType, Percent: r.Percent})
	}
	if p := e.Finance.Participation; p != nil {
		f.Share, f.Mode = p.Percent, p.Mode
	}
	if m := e.Finance.MobilePayment; m != nil {
		f.Bank, f.Phone, f.IDDoc, f.NoBank = m.Bank, m.Phone, m.IDDocument, *m == (org.MobilePayment{})
	}
	if t := e.Finance.TopUp; t != nil {
		f.Min, f.Max = t.Min, t.Max
	}
	f.inherit(holds)
	f.complete()
	return f, nil
}

// inherit fills in the inherited values of fields that the entity does not set.
func (f *financeForm) inherit(holds *org.Effective) {
	for key, v := range holds.Groups[org.GroupFinance] {
		if v.From == nil || v.From.ID == holds.EntityID {
			continue
		}
		var parts map[string]string
		if json.Unmarshal(v.Value, &parts) != nil {
			continue
		}
		var text []string
		for _, name := range []string{"percent", "mode", "bank", "phone", "id_document", "min", "max"} {
			if parts[name] != "" {
				text = append(text, parts[name])
			}
		}
		f.Holds[key] = inheritedValue{Text: strings.Join(text, " · "), From: v.From}
	}
}

// complete adds empty rows, and the names of rates that are no longer in the catalogue.
func (f *financeForm) complete() {
	f.Classes.Categories, f.Classes.BetTypes = slices.Clone(f.Classes.Categories), slices.Clone(f.Classes.BetTypes)
	for _, r := range f.Rules {
		if r.Category != "" && !slices.Contains(f.Classes.Categories, r.Category) {
			f.Classes.Categories = append(f.Classes.Categories, r.Category)
		}
		if r.BetType != "" && !slices.Contains(f.Classes.BetTypes, r.BetType) {
			f.Classes.BetTypes = append(f.Classes.BetTypes, r.BetType)
		}
	}
	for range spareRules {
		f.Rules = append(f.Rules, ruleRow{})
	}
}

// readFinance reads the form as it was typed, and as the change it asks for.
func readFinance(form url.Values) (*financeForm, org.Group, error) {
	text := func(key string) string { return strings.TrimSpace(form.Get(key)) }
	f := &financeForm{
		Share: kit.Decimal(form.Get("share")), Mode: text("mode"), Bank: text("bank"), Phone: text("phone"), IDDoc: text("id_document"),
		NoBank: form.Get("no_bank") != "", Min: kit.Decimal(form.Get("min")), Max: kit.Decimal(form.Get("max")),
	}
	var rules []org.CommissionRule
	for i, percent := range form["percent"] {
		row := ruleRow{Percent: kit.Decimal(percent), Category: nth(form["category"], i), BetType: nth(form["bet_type"], i)}
		if row.Percent == "" && row.Category == "" && row.BetType == "" {
			continue
		}
		f.Rules = append(f.Rules, row)
		rules = append(rules, org.CommissionRule{Category: row.Category, BetType: row.BetType, Percent: row.Percent})
	}
	values := map[string]any{"commissions": nil, "participation": nil, "mobile_payment": nil, "top_up": nil}
	if len(rules) > 0 {
		values["commissions"] = rules
	}
	if f.Share != "" {
		values["participation"] = org.Participation{Percent: f.Share, Mode: f.Mode}
	}
	if f.NoBank || f.Bank+f.Phone+f.IDDoc != "" {
		values["mobile_payment"] = org.MobilePayment{Bank: f.Bank, Phone: f.Phone, IDDocument: f.IDDoc}
	}
	if f.Min+f.Max != "" {
		values["top_up"] = org.TopUp{Min: f.Min, Max: f.Max}
	}
	group := org.Group{}
	for key, value := range values {
		raw, err := json.Marshal(value)
		if err != nil {
			return nil, nil, err
		}
		group[key] = jsontext.Value(raw)
	}
	return f, group, nil
}

func nth(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// refuse marks what an error, or a trial, refused: the rows of rates, and other fields by their key.
func (f *financeForm) refuse(own uuid.UUID, err error, what *org.WhatIf) {
	f.Wrong, f.Limits = map[string]bool{}, map[string]string{}
	if err != nil && !errors.Is(err, org.ErrRates) {
		for key := range kit.RefusedFields(err, org.GroupFinance+".") {
			f.Wrong[key] = true
		}
		for i := range f.Rules {
			f.Rules[i].Wrong = refusedRow(err, i)
		}
	}
	if what == nil {
		return
	}
	for _, v := range what.Violations {
		if v.EntityID != own {
			continue
		}
		if v.Kind == org.RateParticipation {
			f.Wrong["participation.percent"], f.Limits["share"] = true, percentText(v.Allowed)
			continue
		}
		for i := range f.Rules {
			r := &f.Rules[i]
			if (r.Category == "" || r.Category == v.Category) && (r.BetType == "" || r.BetType == v.BetType) && sameRate(r.Percent, v.Percent) {
				r.Wrong, f.Limits[strconv.Itoa(i)] = true, percentText(v.Allowed)
			}
		}
	}
}

func percentText(r money.BasisPoints) string { return money.Amount(r).Format(2) }

func sameRate(typed string, rate money.BasisPoints) bool {
	n, err := money.Parse(typed, 2)
	return err == nil && n == money.Amount(rate)
}

// refusedRow reports whether an error names a row of the rates.
func refusedRow(err error, i int) bool {
	at := fmt.Sprintf("%s.commissions[%d]", org.GroupFinance, i)
	return slices.ContainsFunc(apperr.From(err).Details, func(d apperr.Detail) bool { return strings.HasPrefix(d.Location, at) })
}
