package exposure

import (
	"banca/internal/catalog"
	"banca/internal/platform/money"
)

// key is the part of a line that a settlement decides by.
type key struct {
	version        int
	bet, selection string
}

// counting looks outcomes up in the summed sales.
type counting struct {
	rules   []catalog.Rules // of versions that anything was sold under
	groups  map[key][]group
	sales   money.Amount
	lines   int64
	windows Windows
}

func newCounting(rules []catalog.Rules, sold []group) *counting {
	c := &counting{groups: make(map[key][]group, len(sold))}
	windows, used := make(map[int]map[string]int, len(rules)), make(map[int]bool, len(rules))
	for i := range rules {
		windows[rules[i].Version] = rules[i].Windows()
	}
	for _, g := range sold {
		c.sales, c.lines = c.sales+g.Stake, c.lines+g.Lines
		used[g.Version] = true
		if _, several := windows[g.Version][g.Bet]; several {
			c.windows.Stake, c.windows.Liability, c.windows.Lines = c.windows.Stake+g.Stake, c.windows.Liability+g.Liability, c.windows.Lines+g.Lines
			continue
		}
		k := key{g.Version, g.Bet, g.Selection}
		c.groups[k] = append(c.groups[k], g)
	}
	for i := range rules {
		if used[rules[i].Version] {
			c.rules = append(c.rules, rules[i])
		}
	}
	return c
}

// all counts every outcome, the most expensive first.
func (c *counting) all(outcomes []catalog.Outcome) []Outcome {
	list := make([]Outcome, len(outcomes))
	for i := range outcomes {
		list[i] = c.count(&outcomes[i])
	}
	return sorted(list)
}

// count sums what an outcome makes win, as it was sold.
func (c *counting) count(o *catalog.Outcome) Outcome {
	counted := Outcome{Value: o.Value, Sign: o.Sign}
	c.each(o, func(g *group, _ catalog.Adjustment) {
		counted.Stake, counted.Lines = counted.Stake+g.Stake, counted.Lines+g.Lines
		counted.Liability += g.Liability
	})
	return counted
}

func (c *counting) each(o *catalog.Outcome, count func(g *group, adjust catalog.Adjustment)) {
	for i := range c.rules {
		for _, w := range c.rules[i].Winners(o) {
			won := c.groups[key{c.rules[i].Version, w.BetType, w.Selection}]
			for j := range won {
				count(&won[j], w.Adjustment)
			}
		}
	}
}

// complete adds the fields that only shown outcomes need: their share and result, and their cost with the most
// expensive of the possible additions. That is found over sums of lines, whose prizes are rounded down one by one, so
// it may exceed the sum due by less than a minor unit per line.
func (c *counting) complete(o *Outcome) {
	o.Result, o.Announced = c.sales-o.Liability, o.Liability
	if c.sales > 0 {
		o.Share = money.BasisPoints((o.Stake*money.Amount(money.FullRate) + c.sales/2) / c.sales)
	}
	for i := range c.rules {
		for _, beside := range c.rules[i].Mechanics.Announced()[1:] {
			beside.Value, beside.Sign = o.Value, o.Sign
			var due money.Amount
			c.each(&beside, func(g *group, adjust catalog.Adjustment) {
				if adjust.Changes(g.Payout) {
					due += adjust.Prize(g.Stake, g.Payout)
					return
				}
				due += g.Liability
			})
			o.Announced = max(o.Announced, due)
		}
	}
}
