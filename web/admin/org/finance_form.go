package org

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

// spareRules are the empty rows for new rates.
const spareRules = 3

// financeForm is what an entity earns, and where payments to it arrive.
type financeForm struct {
	Rules  []ruleRow
	NoBank bool                      // no payments here, not even the parent's
	Holds  map[string]inheritedValue // what holds without an own value, by key

	form    *kit.Form // of all but the rules
	classes org.Classes
	limits  map[string]string // the greatest value of a rate, by the field or row that exceeds it
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

// financeInputs are the fields of the form besides the rules.
func financeInputs(r *kit.Request, bank kit.Input) []kit.Input {
	text := kit.TextKind("")
	decimal := kit.TypedKind(kit.JSONText, func(typed string) (any, string) { return kit.Decimal(typed), "" })
	shares := func(form *kit.Form) bool { return form.Get("share") != "" }
	return []kit.Input{
		percentInput("share").As(decimal, "participation.percent"),
		kit.ChoiceInput("mode", "label.losses", lossOptions(r)).As(text, "participation.mode").If(shares),
		bank.As(text, "mobile_payment.bank"),
		kit.TextInput("phone", "label.phone", 30).With("inputmode=tel").WithRule("field.setting.phone", false).
			As(text, "mobile_payment.phone"),
		kit.TextInput("id_document", "label.id_document", 40).WithRule("field.setting.short", false).
			As(text, "mobile_payment.id_document"),
		kit.TextInput("min", "label.least", 16).With("inputmode=decimal").WithRule("field.topup", false).
			As(decimal, "top_up.min"),
		kit.TextInput("max", "label.most", 16).With("inputmode=decimal").WithRule("field.topup", false).
			As(decimal, "top_up.max"),
	}
}

// lossOptions are the modes of a participation.
func lossOptions(r *kit.Request) []kit.Option {
	modes := r.Options("losses.", org.ParticipationCarry, org.ParticipationShared, org.ParticipationNone)
	return append([]kit.Option{{Text: r.T("word.unset")}}, modes...)
}

func percentInput(name string) kit.Input {
	return kit.TextInput(name, "label.percent", 8).With("inputmode=decimal").WithRule("field.rate", false)
}

func (p *pages) financeForm(r *kit.Request, e *org.Entity, holds *org.Effective) (*financeForm, error) {
	classes, err := p.Org.Classes(r.Context())
	if err != nil {
		return nil, err
	}
	held := ""
	if m := e.Finance.MobilePayment; m != nil {
		held = m.Bank
	}
	bank, err := banks.Input(r, p.Bank, held)
	if err != nil {
		return nil, err
	}
	f := &financeForm{classes: classes, form: kit.NewForm(financeInputs(r, bank)...), Holds: map[string]inheritedValue{}}
	for _, rule := range e.Finance.Commissions {
		f.Rules = append(f.Rules, ruleRow{Category: rule.Category, BetType: rule.BetType, Percent: rule.Percent})
	}
	own, err := json.Marshal(e.Finance)
	f.form.Show(kit.ReadObject(own), f.form.Inputs)
	f.NoBank = e.Finance.MobilePayment != nil && *e.Finance.MobilePayment == (org.MobilePayment{})
	f.inherit(r.View(), holds)
	f.complete()
	return f, err
}

// RuleFields returns the fields of a row of rates.
func (f *financeForm) RuleFields(v *kit.View, row int) []*kit.Field {
	rule, at := &f.Rules[row], strconv.Itoa(row)
	form := kit.NewForm(
		kit.ChoiceInput("category", "label.category", classOptions(v, "", f.classes.Categories)),
		kit.ChoiceInput("bet_type", "label.bet_type", classOptions(v, "bet.", f.classes.BetTypes)), percentInput("percent").WithHintID("h-percent-"+at),
	).WithPrefix("r"+at+"-").Put("category", rule.Category).Put("bet_type", rule.BetType).Put("percent", rule.Percent)
	if rule.Wrong {
		form.Refuse("percent")
	}
	fields := form.Fields(v)
	f.limit(v, fields[2], at)
	return fields
}

// limit says the greatest value of a rate that exceeds it.
func (f *financeForm) limit(v *kit.View, field *kit.Field, at string) {
	if most, ok := f.limits[at]; ok && field.Wrong {
		field.Hint = v.T("field.rate.above", most)
	}
}

// classOptions are the categories or bet types of a rate.
func classOptions(v *kit.View, prefix string, names []string) []kit.Option {
	return kit.OptionsOf(append([]string{""}, names...), func(name string) (value, text string) {
		return name, className(v, prefix, name)
	})
}

// className is the text of a category or bet type, with the key prefix + name; a name without one is its own text. ""
// means any.
func className(v *kit.View, prefix, name string) string {
	if name == "" {
		return v.T("word.any")
	}
	return cmp.Or(v.FirstText(prefix+name), name)
}

// ShareFields are the fields of the share of the result.
func (f *financeForm) ShareFields(v *kit.View) []*kit.Field {
	share := f.form.Field(v, "share")
	f.limit(v, share, "share")
	if held, ok := f.Holds["participation"]; ok && !share.Wrong {
		share.Note = v.Part("held", held).HTML
	}
	return []*kit.Field{share, f.form.Field(v, "mode")}
}

// AccountFields are the fields of the account that payments arrive in.
func (f *financeForm) AccountFields(v *kit.View) []*kit.Field {
	return []*kit.Field{f.form.Field(v, "bank"), f.form.Field(v, "phone"), f.form.Field(v, "id_document")}
}

// Account is the account that payments arrive in, "" for none.
func (f *financeForm) Account(v *kit.View) string {
	return cmp.Or(v.Phone(f.form.Get("phone")), f.Holds["mobile_payment"].Text)
}

// TopUpFields are the fields of the bounds of a top-up.
func (f *financeForm) TopUpFields(v *kit.View) []*kit.Field {
	return []*kit.Field{f.form.Field(v, "min"), f.form.Field(v, "max")}
}

// inherit fills in the inherited values of fields that the entity does not set.
func (f *financeForm) inherit(view *kit.View, holds *org.Effective) {
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
				text = append(text, view.Phone(parts[name]))
			}
		}
		f.Holds[key] = inheritedValue{Text: strings.Join(text, " · "), From: v.From}
	}
}

// complete adds empty rows, and the names of rates that are no longer in the catalogue.
func (f *financeForm) complete() {
	f.classes.Categories, f.classes.BetTypes = slices.Clone(f.classes.Categories), slices.Clone(f.classes.BetTypes)
	for _, r := range f.Rules {
		if r.Category != "" && !slices.Contains(f.classes.Categories, r.Category) {
			f.classes.Categories = append(f.classes.Categories, r.Category)
		}
		if r.BetType != "" && !slices.Contains(f.classes.BetTypes, r.BetType) {
			f.classes.BetTypes = append(f.classes.BetTypes, r.BetType)
		}
	}
	for range spareRules {
		f.Rules = append(f.Rules, ruleRow{})
	}
}

// typedRules reads the rates of the form, without empty rows.
func typedRules(form url.Values) []ruleRow {
	var rules []ruleRow
	for i, percent := range form["percent"] {
		row := ruleRow{Percent: kit.Decimal(percent), Category: nth(form["category"], i), BetType: nth(form["bet_type"], i)}
		if row != (ruleRow{}) {
			rules = append(rules, row)
		}
	}
	return rules
}

// typedGroup reads the form as the change that it requests.
func typedGroup(r *kit.Request) (org.Group, error) {
	form, document := kit.NewForm(financeInputs(r, kit.TextInput("bank", "", 0))...).FillFrom(r), kit.Object{}
	form.Read(document, "", form.Inputs)
	var finance org.Finance
	if err := json.Unmarshal(document.JSON(), &finance); err != nil {
		return nil, err
	}
	if finance.MobilePayment == nil && r.Form("no_bank") != "" {
		finance.MobilePayment = &org.MobilePayment{}
	}
	for _, row := range typedRules(r.FormValues()) {
		rule := org.CommissionRule{Category: row.Category, BetType: row.BetType, Percent: row.Percent}
		finance.Commissions = append(finance.Commissions, rule)
	}
	raw, err := json.Marshal(finance)
	return groupOf(kit.ReadObject(raw), "commissions", "participation", "mobile_payment", "top_up"), err
}

// groupOf returns the values of settings, null for a missing one.
func groupOf(document kit.Object, keys ...string) org.Group {
	group := org.Group{}
	for _, key := range keys {
		group[key] = jsontext.Value("null")
		if raw := document[key]; raw != nil {
			group[key] = jsontext.Value(raw)
		}
	}
	return group
}

// retype fills the form in as it was sent.
func (f *financeForm) retype(r *kit.Request) {
	f.form.FillFrom(r)
	for _, name := range []string{"share", "min", "max"} {
		f.form.Put(name, kit.Decimal(r.Form(name)))
	}
	f.Rules, f.NoBank = typedRules(r.FormValues()), r.Form("no_bank") != ""
	f.complete()
}

func nth(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// refuse marks what an error or a dry run refused: the rows of rates, and other fields.
func (f *financeForm) refuse(own uuid.UUID, err error, what *org.RateEffect) {
	if err != nil && !errors.Is(err, org.ErrRates) {
		f.form.RefuseBy(err, org.GroupFinance+".")
		for i := range f.Rules {
			f.Rules[i].Wrong = refusedRow(err, i)
		}
	}
	if what == nil {
		return
	}
	f.limits = map[string]string{}
	for _, violation := range what.Violations {
		if violation.EntityID == own {
			f.exceed(violation)
		}
	}
}

// exceed marks the rates that a violation is about, with the greatest value of each.
func (f *financeForm) exceed(v org.RateViolation) {
	if v.Kind == org.RateParticipation {
		f.form.Refuse("share")
		f.limits["share"] = percentText(v.Allowed)
		return
	}
	for i := range f.Rules {
		r := &f.Rules[i]
		if (r.Category == "" || r.Category == v.Category) && (r.BetType == "" || r.BetType == v.BetType) && sameRate(r.Percent, v.Percent) {
			r.Wrong, f.limits[strconv.Itoa(i)] = true, percentText(v.Allowed)
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
