package catalog

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/web/kit"
)

const maxModifiers = 10 // flags, and wildcards

const (
	mechanicsPath = catalog.FieldMechanics + "."
	derivedPath   = mechanicsPath + "derived_from"
)

// mechanicsGroups is the form of how a game's outcome is drawn.
func mechanicsGroups(s *subject, typed url.Values) []group {
	games := append([]kit.Option{{Text: s.t("edit.derived.none")}},
		kit.OptionsOf(s.others, func(g catalog.GameTitle) (value, text string) { return g.ShortCode, g.Name })...)
	stored, _ := catalog.DecodeMechanics(s.row.Mechanics, s.game.Category) // undecodable ones have no values
	number := func(form *kit.Form) bool { return form.Get("kind") != catalog.DrawsElement }
	derives := func(form *kit.Form) bool { return form.Get("derived") != "" }
	drawn := []kit.Input{
		kit.RadioInput("kind", "edit.kind", s.r.Options("edit.kind.", catalog.DrawsElement, catalog.DrawsNumber)).
			As(kit.TextKind(stored.Kind), mechanicsPath+"kind", catalog.FieldMechanics),
		kit.RadioInput("digits", "edit.digits", kit.TextOptions("2", "3")).
			As(s.digits(stored.Digits), mechanicsPath+"digits").If(number),
		kit.ChecksInput("sign", "edit.sign", []kit.Option{{Value: "1", Text: s.t("edit.sign.drawn")}}).
			As(kit.CheckKind(true), mechanicsPath+"sign").If(number),
	}
	takes := s.r.Options("edit.take.", catalog.TakeAll, catalog.TakeLastTwo, catalog.TakeFirst)
	derived := []kit.Input{
		kit.ChoiceInput("derived", "edit.derived", games).As(derivedKind(), derivedPath),
		kit.ChoiceInput("take", "edit.take", takes).As(kit.TextKind(catalog.TakeAll), derivedPath+".take").If(derives),
	}
	return []group{
		{Title: s.t("edit.drawn"), Parts: []part{{Inputs: drawn}, {Inputs: derived}}},
		s.modifiers("flags", "flag", typed), s.modifiers("wildcards", "wildcard", typed),
	}
}

// digits is the kind of the number of digits of an outcome.
func (s *subject) digits(usual int) kit.Kind {
	show := func(raw []byte) string { return cmp.Or(kit.JSONText(raw), positive(usual)) }
	return kit.TypedKind(show, func(typed string) (any, string) {
		digits, err := strconv.Atoi(typed)
		if err != nil {
			return nil, s.t("edit.digits.none")
		}
		return digits, ""
	})
}

// derivedKind is the kind of the derivation from another game, as the code of the game.
func derivedKind() kit.Kind {
	return kit.Kind{
		Show: func(raw []byte) []string { return []string{kit.ReadObject(raw).Text("game")} },
		Read: func(raw []byte, typed []string) (any, string) {
			derived := kit.ReadObject(raw)
			derived.Set("game", strings.Join(typed, ""))
			derived.Set("take", cmp.Or(derived.Text("take"), catalog.TakeAll))
			if derived["game"] == nil {
				return nil, ""
			}
			return derived, ""
		},
	}
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// modifiers is the form of a list of modifiers. name begins the names of its fields.
func (s *subject) modifiers(key, name string, typed url.Values) group {
	g := group{Title: s.t("edit." + key), Note: s.t("edit." + key + ".note")}
	modifiers := &list{path: mechanicsPath + key}
	stored := s.request().Objects(modifiers.path)
	rows := rowsOf(len(stored), maxModifiers, typed, name+".%d.code")
	for i := range rows {
		at, title, object := fmt.Sprintf("%s.%d.", name, i), s.t("edit.modifier.new"), kit.Object{}
		if i < len(stored) {
			title, object = cmp.Or(stored[i].Text("name"), stored[i].Text("code")), stored[i]
		}
		g.Parts = append(g.Parts, part{
			Title: title, Inputs: s.modifier(at, key, object, typed.Get(at+"effect")), Folded: i == rows-1 && i >= len(stored),
			row: &row{
				list: modifiers, object: object, key: at + "code",
				needs: []string{at + "name", at + "amount", at + "chance"}, none: s.t("edit.modifier.code.none"),
			},
		})
	}
	return g
}

// modifier are the fields of a modifier. Its amount is the member that the effect names.
func (s *subject) modifier(at, key string, modifier kit.Object, typed string) []kit.Input {
	effects := []string{"set", "add", "multiply"}
	inputs := []kit.Input{
		kit.TextInput(at+"name", "label.name", 60).As(kit.TextKind(""), "name"),
		kit.TextInput(at+"code", "edit.modifier.code", 16).With("spellcheck=false autocapitalize=characters").
			WithRule("edit.modifier.code.hint", true).As(kit.TextKind(""), "code"),
	}
	effect := "multiply"
	if key == "flags" {
		effect = cmp.Or(typed, effectOf(modifier))
		inputs = append(inputs, kit.ChoiceInput(at+"effect", "edit.effect", s.r.Options("edit.effect.", effects...)).
			As(kit.TextKind(effect), "effect"))
	}
	for _, other := range effects {
		if typed != "" && other != effect {
			modifier.Set(other, nil)
		}
	}
	inputs = append(inputs,
		kit.TextInput(at+"amount", "edit.effect.amount."+key, 10).With("inputmode=decimal").
			As(s.multiple(), effect, append(effects, "")...),
		kit.TextInput(at+"chance", "edit.chance", 14).With("inputmode=decimal").WithRule("edit.chance.hint", true).
			As(s.chance(), "chance"),
	)
	if bets := s.modifiedBets(modifier); len(bets) > 1 {
		inputs = append(inputs, kit.ChecksInput(at+"bets", "edit.modifier.bets", s.r.Options("bet.", bets...)).
			WithRule("edit.modifier.bets.hint", true).As(kit.ListKind(), "bet_types"))
	}
	return inputs
}

// effectOf is the member with the effect of a modifier.
func effectOf(modifier kit.Object) string {
	for _, effect := range []string{"set", "add", "multiply"} {
		if modifier[effect] != nil {
			return effect
		}
	}
	return "set"
}

// modifiedBets are the bets to which a modifier may apply: the bets that one draw decides and the game sells, and the bets that the modifier names.
func (s *subject) modifiedBets(modifier kit.Object) []string {
	sold, named := s.rules(), kit.ListKind().Show(modifier["bet_types"])
	return slices.DeleteFunc(s.bets(), func(bet string) bool {
		b := catalog.BetTypeOf(bet)
		return b == nil || b.SeveralDraws() || len(sold) > 0 && sold[bet] == nil && !slices.Contains(named, bet)
	})
}
