package catalog

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"banca/internal/catalog"
	"banca/internal/platform/money"
	"banca/web/kit"
)

const (
	chanceDigits  = 9
	percentDigits = chanceDigits - 2
)

// decimal writes a decimal number with the sign of the page's language.
func (s *subject) decimal(text string) string {
	if s.r.Language == kit.Spanish {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// multiple is the kind of a payout in times the stake.
func (s *subject) multiple() kit.Kind {
	show := func(raw []byte) string {
		var payout catalog.Multiple
		if json.Unmarshal(raw, &payout) != nil {
			return kit.JSONText(raw)
		}
		return s.decimal(money.Payout(payout).String())
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		payout, ok := readPayout(typed)
		if !ok {
			return nil, s.t("edit.payout.wrong")
		}
		return payout, ""
	})
}

func readPayout(typed string) (catalog.Multiple, bool) {
	hundredths, err := money.Parse(kit.Decimal(typed), 2)
	return catalog.Multiple(hundredths), err == nil
}

// count is the kind of a whole number; 0 is an empty field.
func (s *subject) count() kit.Kind {
	show := func(raw []byte) string {
		text := kit.JSONText(raw)
		if text == "0" {
			return ""
		}
		return text
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		n, err := strconv.Atoi(kit.Decimal(typed))
		switch {
		case typed != "" && (err != nil || n < 0):
			return nil, s.t("edit.count.wrong")
		case n == 0:
			return nil, ""
		}
		return n, ""
	})
}

// payouts is the kind of payouts by selection, as lines "selection = payout".
func (s *subject) payouts() kit.Kind {
	show := func(raw []byte) string {
		var payouts map[string]catalog.Multiple
		_ = json.Unmarshal(raw, &payouts) // any other value has no lines
		texts := map[string]string{}
		for selection, payout := range payouts {
			texts[selection] = s.decimal(money.Payout(payout).String())
		}
		return pairLines(texts)
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		lines, wrong := readPairs(typed)
		payouts := map[string]catalog.Multiple{}
		for _, selection := range slices.Sorted(maps.Keys(lines)) {
			payout, ok := readPayout(lines[selection])
			if !ok {
				wrong = selection + " = " + lines[selection]
				break
			}
			payouts[strings.ReplaceAll(selection, " ", "")] = payout
		}
		if wrong != "" {
			return nil, s.t("edit.others.wrong", wrong)
		}
		return payouts, ""
	})
}

// pairs is the kind of an object of texts, as lines "name = text".
func (s *subject) pairs() kit.Kind {
	show := func(raw []byte) string {
		o, texts := kit.ReadObject(raw), map[string]string{}
		for name := range o {
			texts[name] = o.Text(name)
		}
		return pairLines(texts)
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		pairs, wrong := readPairs(typed)
		if wrong != "" {
			return nil, s.t("edit.pairs.wrong", wrong)
		}
		return pairs, ""
	})
}

func pairLines(texts map[string]string) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.WriteString(name + " = " + texts[name] + "\n")
	}
	return b.String()
}

// readPairs reads lines "name = text". wrong is a line without a name or a sign, or with the name of another.
func readPairs(text string) (pairs map[string]string, wrong string) {
	pairs = map[string]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, split := strings.Cut(line, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if _, twice := pairs[name]; !split || name == "" || twice {
			return nil, line
		}
		pairs[name] = value
	}
	return pairs, ""
}

// chance is the kind of a probability, in percent.
func (s *subject) chance() kit.Kind {
	show := func(raw []byte) string {
		chance, ok := new(big.Rat).SetString(kit.JSONText(raw))
		if !ok {
			return ""
		}
		return s.decimal(trimmed(chance.Mul(chance, big.NewRat(100, 1)).FloatString(percentDigits)))
	}
	return kit.TypedKind(show, func(typed string) (any, string) {
		n, err := money.ParseOrZero(kit.Decimal(strings.TrimSpace(strings.TrimSuffix(typed, "%"))), percentDigits)
		switch {
		case typed == "":
			return nil, ""
		case err != nil || n > 100*scale(percentDigits):
			return nil, s.t("edit.chance.wrong")
		}
		return trimmed(n.Format(chanceDigits)), ""
	})
}

// trimmed removes the last zeros of a number with decimals.
func trimmed(decimal string) string {
	return strings.TrimRight(strings.TrimRight(decimal, "0"), ".")
}

// scale returns a power of ten.
func scale(digits int) money.Amount {
	n := money.Amount(1)
	for range digits {
		n *= 10
	}
	return n
}
