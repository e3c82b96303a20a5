package catalog

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/money"
	"banca/web/kit"
)

// anyCurrency is the key of a bound of stakes in all currencies that have none of their own, with its decimals.
const (
	anyCurrency       = "*"
	anyCurrencyDigits = 2
)

const betsPath = catalog.FieldRules + ".bet_types"

// bets are the bet types of the form: those of the rules, and those that the drawn outcome can decide.
func (s *subject) bets() []string {
	var types []string
	for _, rule := range s.request().Objects(betsPath) {
		types = append(types, rule.Text("type"))
	}
	if mechanics, err := catalog.DecodeMechanics(s.row.Mechanics, s.game.Category); err == nil {
		for _, bet := range mechanics.BetTypes() {
			if !slices.Contains(types, bet) {
				types = append(types, bet)
			}
		}
	}
	return types
}

// payoutGroups is the form of what can be bet and what wins pay.
func payoutGroups(s *subject, _ url.Values) []group {
	stored := map[string]kit.Object{}
	for _, rule := range s.request().Objects(betsPath) {
		stored[rule.Text("type")] = rule
	}
	var all []group
	bets := &list{path: betsPath}
	for _, bet := range s.bets() {
		r := &row{list: bets, object: stored[bet], key: "offer." + bet, needs: []string{"payout." + bet}, none: s.t("edit.offer.first")}
		if r.object == nil {
			r.object = kit.Object{}
		}
		offered := []kit.Option{{Value: "1", Text: s.t("edit.offered")}}
		first := []kit.Input{
			kit.ChecksInput(r.key, "edit.offer", offered).As(kit.CheckKind(bet), "type"),
			kit.TextInput("payout."+bet, "edit.payout", 10).With("inputmode=decimal").WithRule("edit.payout.hint", false).
				As(s.multiple(), "payout", ""),
			kit.NumberInput("ticket."+bet, "edit.per_ticket", 4).WithRule("edit.per_ticket.hint", false).Placeholder(s.t("edit.per_ticket.none")).
				As(s.count(), "max_per_ticket"),
		}
		if b := catalog.BetTypeOf(bet); b != nil && b.SeveralDraws() {
			window := kit.NumberInput("draws."+bet, "edit.window", 3).WithRule("edit.window.hint", true)
			first = append(first, window.As(s.count(), "draws"))
		}
		var bounds []kit.Input
		for _, c := range s.boundCurrencies() {
			bound := func(name, label, path string) kit.Input {
				return kit.TextInput(name+"."+bet+"."+c.Code, label, 24).With("inputmode=decimal").Labelled(s.t(label, c.Symbol)).
					As(s.bound(c), path, path+"."+c.Code)
			}
			bounds = append(bounds, bound("min", "edit.least", "min_stake"), bound("max", "edit.most", "max_stake"))
		}
		others := kit.LinesInput("others."+bet, "edit.others", 3).With("class=mono spellcheck=false").
			WithRule("edit.others.hint", true).As(s.payouts(), "element_payouts")
		g := group{Title: s.t("bet." + bet), Parts: []part{
			{Inputs: first, row: r}, {Title: s.t("edit.bounds"), Inputs: bounds, Folded: true, bet: bet, row: r},
			{Title: s.t("edit.others.title"), Inputs: []kit.Input{others}, Folded: true, row: r},
		}}
		if stored[bet] == nil {
			g.Folded, g.Note = true, s.t("edit.offer.not")
		}
		all = append(all, g)
	}
	return all
}

// boundCurrencies are the active currencies, those with a bound, and all others together.
func (s *subject) boundCurrencies() []ledger.Currency {
	all := slices.Clone(s.currencies)
	for _, rule := range s.rules() {
		for _, bound := range []catalog.StakeBound{rule.MinStake, rule.MaxStake} {
			for _, code := range slices.Sorted(maps.Keys(bound)) {
				coded := func(c ledger.Currency) bool { return c.Code == code }
				if code == anyCurrency || slices.ContainsFunc(all, coded) {
					continue
				}
				unused := ledger.Currency{Code: code, Symbol: code, Digits: anyCurrencyDigits}
				if i := slices.IndexFunc(s.known, coded); i >= 0 {
					unused = s.known[i]
				}
				all = append(all, unused)
			}
		}
	}
	return append(all, ledger.Currency{Code: anyCurrency, Symbol: s.t("edit.other_currencies"), Digits: anyCurrencyDigits})
}

// bound is the kind of a bound of stakes, as the amount of one currency.
func (s *subject) bound(c ledger.Currency) kit.Kind {
	decode := func(raw []byte) catalog.StakeBound {
		bound := catalog.StakeBound{}
		_ = json.Unmarshal(raw, &bound) // any other value bounds nothing
		return bound
	}
	return kit.Kind{
		Show: func(raw []byte) []string {
			text := decode(raw)[c.Code]
			if amount, err := money.ParseOrZero(text, c.Digits); err == nil {
				text = s.r.Money(amount, c.Digits)
			}
			return []string{text}
		},
		Read: func(raw []byte, typed []string) (any, string) {
			bound, text := decode(raw), strings.TrimSpace(strings.Join(typed, ""))
			delete(bound, c.Code)
			if text == "" {
				return bound, ""
			}
			amount, err := money.ParseOrZero(kit.Decimal(text), c.Digits)
			if err != nil {
				return nil, s.t("edit.amount.wrong")
			}
			bound[c.Code] = amount.Format(c.Digits)
			return bound, ""
		},
	}
}

// rules are the rules of the game by bet type. A rule that cannot be read has no values.
func (s *subject) rules() map[string]*catalog.Rule {
	all := map[string]*catalog.Rule{}
	for _, stored := range s.request().Objects(betsPath) {
		rule := &catalog.Rule{}
		if json.Unmarshal(stored.JSON(), rule) == nil {
			all[rule.Type] = rule
		}
	}
	return all
}
