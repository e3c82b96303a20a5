package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/kit"
)

// anyCurrency is the key of a bound of stakes in all currencies that have none of their own, with its decimals.
const (
	anyCurrency       = "*"
	anyCurrencyDigits = 2
	boundDigits       = 4 // that bounds have at most
)

// payoutsEditor is the form of what can be bet and what wins pay.
type payoutsEditor struct{}

func (payoutsEditor) field() string { return catalog.FieldRules }

// bets are the bet types of the form: those that the drawn outcome can decide, and those that the rules have.
func (payoutsEditor) bets(s *subject) []string {
	mechanics, err := catalog.DecodeMechanics(s.row.Mechanics, s.game.Category)
	var types []string
	for _, rule := range readObject(s.row.BettingRules).members("bet_types") {
		types = append(types, rule.text("type"))
	}
	if err == nil {
		for _, bet := range mechanics.BetTypes() {
			if !slices.Contains(types, bet) {
				types = append(types, bet)
			}
		}
	}
	return types
}

func (e payoutsEditor) groups(s *subject, _ url.Values) []group {
	var all []group
	for _, bet := range e.bets(s) {
		offered := kit.ChecksInput("offer."+bet, "edit.offer", []kit.Option{{Value: "1", Text: s.t("edit.offered")}})
		first := []kit.Input{
			offered, kit.TextInput("payout."+bet, "edit.payout", 10).With("inputmode=decimal").WithRule("edit.payout.hint", true),
			kit.NumberInput("ticket."+bet, "edit.per_ticket", 4).WithRule("edit.per_ticket.hint", true),
		}
		if bet == catalog.BetDupleta || bet == catalog.BetTripleta {
			first = append(first, kit.NumberInput("draws."+bet, "edit.window", 3).WithRule("edit.window.hint", true))
		}
		var bounds []kit.Input
		for _, c := range e.currencies(s) {
			bounds = append(bounds, boundInput(s, "min."+bet+"."+c.Code, "edit.least", c), boundInput(s, "max."+bet+"."+c.Code, "edit.most", c))
		}
		others := kit.LinesInput("others."+bet, "edit.others", 3).With("class=mono spellcheck=false").WithRule("edit.others.hint", true)
		all = append(all, group{Title: s.t("bet." + bet), Parts: []part{
			{Inputs: first}, {Title: s.t("edit.bounds"), Inputs: bounds, Folded: true}, {Title: s.t("edit.others.title"), Inputs: []kit.Input{others}, Folded: true},
		}})
	}
	return all
}

// currencies are the active currencies, those that a bound names, and all others together.
func (e payoutsEditor) currencies(s *subject) []ledger.Currency {
	list := slices.Clone(s.currencies)
	for _, rule := range e.rules(s.row) {
		for _, bound := range []catalog.StakeBound{rule.MinStake, rule.MaxStake} {
			for _, code := range slices.Sorted(maps.Keys(bound)) {
				known := slices.ContainsFunc(list, func(c ledger.Currency) bool { return c.Code == code })
				if code != anyCurrency && !known {
					list = append(list, ledger.Currency{Code: code, Symbol: code, Digits: anyCurrencyDigits})
				}
			}
		}
	}
	return append(list, ledger.Currency{Code: anyCurrency, Symbol: s.t("edit.other_currencies"), Digits: anyCurrencyDigits})
}

func boundInput(s *subject, name, label string, c ledger.Currency) kit.Input {
	return kit.TextInput(name, label, 24).With("inputmode=decimal").Labelled(s.t(label, c.Symbol))
}

// rules are the rules of a game by bet type. A rule that cannot be read has no values.
func (payoutsEditor) rules(row *models.Game) map[string]*catalog.Rule {
	all := map[string]*catalog.Rule{}
	for _, member := range readObject(row.BettingRules).members("bet_types") {
		rule := &catalog.Rule{}
		if json.Unmarshal(member.bytes(), rule) == nil {
			all[rule.Type] = rule
		}
	}
	return all
}

func (e payoutsEditor) fill(s *subject, form *kit.Form) {
	rules := e.rules(s.row)
	for _, bet := range e.bets(s) {
		rule := rules[bet]
		if rule == nil {
			continue
		}
		form.Put("offer."+bet, "1").Put("payout."+bet, s.decimal(money.Payout(rule.Payout).String()))
		form.Put("ticket."+bet, positive(rule.MaxPerTicket)).Put("draws."+bet, positive(rule.Draws))
		for _, c := range e.currencies(s) {
			form.Put("min."+bet+"."+c.Code, boundText(s, rule.MinStake, c)).Put("max."+bet+"."+c.Code, boundText(s, rule.MaxStake, c))
		}
		form.Put("others."+bet, othersText(s, rule.ElementPayouts))
	}
}

// othersText writes the selections with payouts of their own, one a line.
func othersText(s *subject, payouts map[string]catalog.Multiple) string {
	var b strings.Builder
	for _, selection := range slices.Sorted(maps.Keys(payouts)) {
		b.WriteString(selection + " = " + s.decimal(money.Payout(payouts[selection]).String()) + "\n")
	}
	return b.String()
}

// boundText writes a bound as an amount of its currency, or as it stands if it is none.
func boundText(s *subject, bound catalog.StakeBound, c ledger.Currency) string {
	text, ok := bound[c.Code]
	if !ok {
		return ""
	}
	amount, err := money.ParseOrZero(text, c.Digits)
	if err != nil {
		return text
	}
	return s.r.Money(amount, c.Digits)
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func (e payoutsEditor) read(s *subject, form *kit.Form) reading {
	doc, read := readObject(s.row.BettingRules), reading{places: map[string]string{}}
	there := map[string]object{}
	for _, rule := range doc.members("bet_types") {
		there[rule.text("type")] = rule
	}
	rules := []object{}
	for _, bet := range e.bets(s) {
		if form.Get("offer."+bet) == "" {
			continue
		}
		rule := there[bet]
		if rule == nil {
			rule = object{}
			rule.set("type", bet)
		}
		at := fmt.Sprintf("%s.bet_types[%d]", catalog.FieldRules, len(rules))
		e.readRule(s, form, bet, rule)
		e.place(s, read.places, at, bet)
		rules = append(rules, rule)
	}
	doc["bet_types"] = doc.encode(rules)
	read.change = changeOf(catalog.FieldRules, doc)
	return read
}

// place declares where the values of a bet type are in the document.
func (e payoutsEditor) place(s *subject, places map[string]string, at, bet string) {
	places[at] = "payout." + bet
	for member, name := range map[string]string{
		".type": "offer.", ".payout": "payout.", ".max_per_ticket": "ticket.", ".draws": "draws.", ".element_payouts": "others.",
	} {
		places[at+member] = name + bet
	}
	for i, c := range e.currencies(s) {
		for member, name := range map[string]string{".min_stake": "min.", ".max_stake": "max."} {
			if i == 0 {
				places[at+member] = name + bet + "." + c.Code
			}
			places[at+member+"."+c.Code] = name + bet + "." + c.Code
		}
	}
}

// readRule reads the fields of a bet type into its rule. A value that says the same as before stays as it is written.
func (e payoutsEditor) readRule(s *subject, form *kit.Form, bet string, rule object) {
	was := &catalog.Rule{}
	_ = json.Unmarshal(rule.bytes(), was) // a new rule, or one that cannot be read, has no values
	if payout, ok := readPayout(form.Get("payout." + bet)); !ok {
		form.RefuseFor("payout."+bet, s.t("edit.payout.wrong"))
	} else if payout != was.Payout {
		rule["payout"] = rule.encode(payout)
	}
	readCount(s, form, "ticket."+bet, rule, "max_per_ticket", was.MaxPerTicket)
	if bet == catalog.BetDupleta || bet == catalog.BetTripleta {
		readCount(s, form, "draws."+bet, rule, "draws", was.Draws)
	}
	e.readBounds(s, form, "min."+bet, rule, "min_stake", was.MinStake)
	e.readBounds(s, form, "max."+bet, rule, "max_stake", was.MaxStake)
	e.readOthers(s, form, bet, rule, was.ElementPayouts)
}

func readPayout(typed string) (catalog.Multiple, bool) {
	hundredths, err := money.Parse(kit.Decimal(typed), 2)
	return catalog.Multiple(hundredths), err == nil
}

// readCount reads a whole number; an empty field is 0.
func readCount(s *subject, form *kit.Form, name string, into object, key string, was int) {
	typed := form.Get(name)
	n, err := strconv.Atoi(kit.Decimal(typed))
	switch {
	case typed == "":
		if was != 0 {
			delete(into, key)
		}
	case err != nil || n < 0:
		form.RefuseFor(name, s.t("edit.count.wrong"))
	case n != was:
		into.set(key, n)
	}
}

// readBounds reads a bound of the stake in each currency.
func (e payoutsEditor) readBounds(s *subject, form *kit.Form, prefix string, rule object, key string, was catalog.StakeBound) {
	bound := maps.Clone(was)
	if bound == nil {
		bound = catalog.StakeBound{}
	}
	for _, c := range e.currencies(s) {
		name := prefix + "." + c.Code
		typed := form.Get(name)
		if typed == "" {
			delete(bound, c.Code)
			continue
		}
		if typed == boundText(s, was, c) {
			continue
		}
		amount, err := money.ParseOrZero(kit.Decimal(typed), c.Digits)
		if err != nil {
			form.RefuseFor(name, s.t("edit.amount.wrong"))
			continue
		}
		if before, err := money.ParseOrZero(bound[c.Code], boundDigits); err != nil || before != amount*scale(boundDigits-c.Digits) {
			bound[c.Code] = amount.Format(c.Digits)
		}
	}
	if !maps.Equal(bound, was) {
		rule.set(key, map[string]string(bound))
	}
}

// scale returns a power of ten.
func scale(digits int) money.Amount {
	n := money.Amount(1)
	for range digits {
		n *= 10
	}
	return n
}

func (payoutsEditor) readOthers(s *subject, form *kit.Form, bet string, rule object, was map[string]catalog.Multiple) {
	name := "others." + bet
	lines, wrong := readPairs(form.Get(name))
	payouts := map[string]catalog.Multiple{}
	for _, selection := range slices.Sorted(maps.Keys(lines)) {
		payout, ok := readPayout(lines[selection])
		if !ok {
			wrong = selection + " = " + lines[selection]
			break
		}
		payouts[strings.ReplaceAll(selection, " ", "")] = payout
	}
	switch {
	case wrong != "":
		form.RefuseFor(name, s.t("edit.others.wrong", wrong))
	case !maps.Equal(payouts, was):
		rule.set("element_payouts", payouts)
	}
}
