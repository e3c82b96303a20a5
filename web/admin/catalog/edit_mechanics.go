package catalog

import (
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/internal/platform/money"
	"banca/web/kit"
)

const (
	maxModifiers  = 10 // flags, and wildcards
	chanceDigits  = 9
	percentDigits = chanceDigits - 2
)

// mechanicsEditor is the form of how a game's outcome is drawn.
type mechanicsEditor struct{}

func (mechanicsEditor) field() string { return catalog.FieldMechanics }

// modifierLists are the lists of modifiers with the names of their fields.
func modifierLists() []struct{ key, name string } {
	return []struct{ key, name string }{{"flags", "flag"}, {"wildcards", "wildcard"}}
}

func (e mechanicsEditor) groups(s *subject, typed url.Values) []group {
	games := []kit.Option{{Text: s.t("edit.derived.none")}}
	for _, g := range s.others {
		games = append(games, kit.Option{Value: g.ShortCode, Text: g.Name})
	}
	drawn := []kit.Input{
		kit.RadioInput("kind", "edit.kind", s.r.Options("edit.kind.", catalog.DrawsElement, catalog.DrawsNumber)),
		kit.RadioInput("digits", "edit.digits", []kit.Option{{Value: "2", Text: "2"}, {Value: "3", Text: "3"}}).WithRule("edit.digits.hint", true),
		kit.ChecksInput("sign", "edit.sign", []kit.Option{{Value: "1", Text: s.t("edit.sign.drawn")}}),
	}
	derived := []kit.Input{
		kit.ChoiceInput("derived", "edit.derived", games),
		kit.ChoiceInput("take", "edit.take", s.r.Options("edit.take.", catalog.TakeAll, catalog.TakeLastTwo, catalog.TakeFirst)),
	}
	all := []group{{Title: s.t("edit.drawn"), Parts: []part{{Inputs: drawn}, {Inputs: derived}}}}
	doc := readObject(s.row.Mechanics)
	for _, list := range modifierLists() {
		g := group{Title: s.t("edit." + list.key), Note: s.t("edit." + list.key + ".note")}
		there := len(doc.members(list.key))
		rows := rowsOf(there, maxModifiers, typed, list.name+".%d.code")
		for i := range rows {
			title := s.t("edit.modifier.new")
			if i < there {
				title = s.t("edit.modifier", i+1)
			}
			g.Parts = append(g.Parts, part{Title: title, Inputs: e.modifierInputs(s, fmt.Sprintf("%s.%d.", list.name, i), list.key), Folded: i == rows-1 && i >= there})
		}
		all = append(all, g)
	}
	return all
}

func (mechanicsEditor) modifierInputs(s *subject, at, list string) []kit.Input {
	inputs := []kit.Input{
		kit.TextInput(at+"code", "edit.modifier.code", 16).With("spellcheck=false autocapitalize=characters").WithRule("edit.modifier.code.hint", true),
		kit.TextInput(at+"name", "label.name", 60),
	}
	if list == "flags" {
		inputs = append(inputs, kit.ChoiceInput(at+"effect", "edit.effect", s.r.Options("edit.effect.", "set", "add", "multiply")))
	}
	return append(inputs,
		kit.TextInput(at+"amount", "edit.effect.amount."+list, 10).With("inputmode=decimal"),
		kit.TextInput(at+"chance", "edit.chance", 14).With("inputmode=decimal").WithRule("edit.chance.hint", true),
		kit.ChecksInput(at+"bets", "edit.modifier.bets", s.r.Options("bet.", modifiedBets()...)).WithRule("edit.modifier.bets.hint", true),
	)
}

// modifiedBets are the bets that one draw decides, which modifiers may concern.
func modifiedBets() []string {
	return []string{
		catalog.BetStraight, catalog.BetTriple, catalog.BetTripleSign, catalog.BetTerminal, catalog.BetTerminalSign, catalog.BetFirstTwo, catalog.BetApproximation,
	}
}

func (e mechanicsEditor) fill(s *subject, form *kit.Form) {
	doc := readObject(s.row.Mechanics)
	m, err := catalog.DecodeMechanics(s.row.Mechanics, s.game.Category)
	if err != nil {
		return
	}
	form.Put("kind", m.Kind).Put("digits", positive(m.Digits)).Put("take", catalog.TakeAll)
	if m.Sign {
		form.Put("sign", "1")
	}
	if from := doc.inner("derived_from"); len(from) > 0 {
		form.Put("derived", from.text("game")).Put("take", from.text("take"))
	}
	for _, list := range modifierLists() {
		for i, modifier := range doc.members(list.key) {
			e.fillModifier(s, form, fmt.Sprintf("%s.%d.", list.name, i), modifier)
		}
	}
}

func (mechanicsEditor) fillModifier(s *subject, form *kit.Form, at string, modifier object) {
	effect := effectOf(modifier)
	form.Put(at+"code", modifier.text("code")).Put(at+"name", modifier.text("name")).Put(at+"effect", effect)
	form.Put(at+"amount", s.decimal(modifier.text(effect))).Put(at+"chance", s.chanceText(modifier.text("chance"))).Put(at+"bets", modifier.texts("bet_types")...)
}

// effectOf is the member with what a modifier changes.
func effectOf(modifier object) string {
	for _, effect := range []string{"set", "add", "multiply"} {
		if modifier[effect] != nil {
			return effect
		}
	}
	return "set"
}

// chanceText writes a chance in percent.
func (s *subject) chanceText(text string) string {
	chance, ok := new(big.Rat).SetString(text)
	if !ok {
		return ""
	}
	percent := chance.Mul(chance, big.NewRat(100, 1)).FloatString(percentDigits)
	return s.decimal(strings.TrimRight(strings.TrimRight(percent, "0"), "."))
}

// readChance reads a chance in percent as a decimal of at most 1.
func readChance(typed string) (text string, ok bool) {
	text = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(typed), "%"))
	n, err := money.ParseOrZero(kit.Decimal(text), percentDigits)
	if err != nil || n > 100*scale(percentDigits) {
		return "", false
	}
	decimal := n.Format(chanceDigits)
	if strings.Contains(decimal, ".") {
		decimal = strings.TrimRight(strings.TrimRight(decimal, "0"), ".")
	}
	return decimal, true
}

func (e mechanicsEditor) read(s *subject, form *kit.Form) reading {
	doc, read := readObject(s.row.Mechanics), reading{places: map[string]string{}}
	was, err := catalog.DecodeMechanics(s.row.Mechanics, s.game.Category)
	kind := form.Get("kind")
	if err != nil || kind != was.Kind {
		doc.set("kind", kind)
	}
	digits, _ := strconv.Atoi(form.Get("digits")) // an error is 0, no choice
	switch {
	case kind == catalog.DrawsElement:
		delete(doc, "digits")
		delete(doc, "sign")
	case digits == 0:
		form.RefuseFor("digits", s.t("edit.digits.none"))
	default:
		if digits != was.Digits {
			doc.set("digits", digits)
		}
		if sign := form.Get("sign") != ""; sign != was.Sign {
			doc.set("sign", sign)
		}
	}
	e.readDerived(form, doc)
	for _, list := range modifierLists() {
		e.readModifiers(s, form, doc, list.key, list.name, read.places)
	}
	for member, name := range map[string]string{"kind": "kind", "digits": "digits", "sign": "sign", "derived_from": "derived", "derived_from.take": "take"} {
		read.places[catalog.FieldMechanics+"."+member] = name
	}
	read.places[catalog.FieldMechanics] = "kind"
	read.change = changeOf(catalog.FieldMechanics, doc)
	return read
}

func (mechanicsEditor) readDerived(form *kit.Form, doc object) {
	game, take := form.Get("derived"), form.Get("take")
	if game == "" {
		delete(doc, "derived_from")
		return
	}
	from := doc.inner("derived_from")
	if from.text("game") != game || from.text("take") != take {
		from.set("game", game)
		from.set("take", take)
		doc["derived_from"] = doc.encode(from)
	}
}

func (e mechanicsEditor) readModifiers(s *subject, form *kit.Form, doc object, key, name string, places map[string]string) {
	there, list := doc.members(key), []object{}
	for i := range rowsOf(len(there), maxModifiers, form.All(), name+".%d.code") {
		at := fmt.Sprintf("%s.%d.", name, i)
		if form.Get(at+"code") == "" {
			if form.Get(at+"name")+form.Get(at+"amount")+form.Get(at+"chance") != "" && i >= len(there) {
				form.RefuseFor(at+"code", s.t("edit.modifier.code.none"))
			}
			continue
		}
		modifier := object{}
		if i < len(there) {
			modifier = there[i]
		}
		place := fmt.Sprintf("%s.%s[%d]", catalog.FieldMechanics, key, len(list))
		places[place] = at + "amount"
		for member, field := range map[string]string{"code": "code", "name": "name", "chance": "chance", "bet_types": "bets", "set": "amount", "add": "amount", "multiply": "amount"} {
			places[place+"."+member] = at + field
		}
		e.readModifier(s, form, at, modifier, key)
		list = append(list, modifier)
	}
	if len(list) == 0 {
		delete(doc, key)
		return
	}
	doc[key] = doc.encode(list)
}

func (mechanicsEditor) readModifier(s *subject, form *kit.Form, at string, modifier object, list string) {
	was := effectOf(modifier)
	effect := form.Get(at + "effect")
	if list == "wildcards" {
		effect = "multiply"
	}
	if effect == "" {
		effect = was
	}
	modifier.set("code", form.Get(at+"code"))
	modifier.set("name", form.Get(at+"name"))
	if bets := form.Values(at + "bets"); !slices.Equal(bets, modifier.texts("bet_types")) {
		modifier.set("bet_types", bets)
	}
	amount, ok := readPayout(form.Get(at + "amount"))
	before, known := readPayout(modifier.text(effect))
	switch {
	case !ok:
		form.RefuseFor(at+"amount", s.t("edit.payout.wrong"))
	case !known || before != amount || effect != was:
		for _, other := range []string{"set", "add", "multiply"} {
			delete(modifier, other)
		}
		modifier[effect] = modifier.encode(money.Payout(amount).String())
	}
	typed := form.Get(at + "chance")
	chance, ok := readChance(typed)
	switch {
	case typed == "":
		delete(modifier, "chance")
	case !ok:
		form.RefuseFor(at+"chance", s.t("edit.chance.wrong"))
	case s.chanceText(chance) != s.chanceText(modifier.text("chance")):
		modifier["chance"] = modifier.encode(chance)
	}
}
