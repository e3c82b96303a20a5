package org_test

import (
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/org"
	"banca/models"
)

// hundredths reads a percentage in the plainest way.
func hundredths(t require.TestingT, text string) int64 {
	whole, frac, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole+(frac + "00")[:2], 10, 64)
	require.NoError(t, err)
	return n
}

// modelNode is an entity of the brute-force model.
type modelNode struct {
	parent string
	rank   int
	rules  []org.CommissionRule
	share  string // "" for none
}

type rateModel map[string]modelNode

// own is the most specific rule by the words of the contract: both named, then the bet type, then the category, then any.
func (n modelNode) own(t require.TestingT, category, bet string) (int64, bool) {
	for _, want := range [][2]string{{category, bet}, {"", bet}, {category, ""}, {"", ""}} {
		for _, r := range n.rules {
			if r.Category == want[0] && r.BetType == want[1] {
				return hundredths(t, r.Percent), true
			}
		}
	}
	return 0, false
}

func (n modelNode) ownShare(t require.TestingT) (int64, bool) {
	if n.share == "" {
		return 0, false
	}
	return hundredths(t, n.share), true
}

// granted returns the granted rate of a node, and whether neither it nor any ancestor sets more than its parent is
// granted.
func (m rateModel) granted(code string, own func(modelNode) (int64, bool)) (rate int64, sound bool) {
	n := m[code]
	if n.parent == "" {
		return 10_000, true
	}
	above, sound := m.granted(n.parent, own)
	set, found := own(n)
	switch {
	case found:
		return min(set, above), sound && set <= above
	case m[n.parent].parent == "":
		return 0, sound
	default:
		return above, sound
	}
}

// sound reports whether 0 <= rate(child) <= rate(parent) everywhere, for every category and bet type there could be.
func (m rateModel) sound(t require.TestingT) bool {
	for code := range m {
		for _, category := range []string{"", "A", "B"} {
			for _, bet := range []string{"", "x", "y"} {
				if _, ok := m.granted(code, func(n modelNode) (int64, bool) { return n.own(t, category, bet) }); !ok {
					return false
				}
			}
		}
		if _, ok := m.granted(code, func(n modelNode) (int64, bool) { return n.ownShare(t) }); !ok {
			return false
		}
	}
	return true
}

func (m rateModel) under(code, top string) bool {
	for ; code != ""; code = m[code].parent {
		if code == top {
			return true
		}
	}
	return false
}

// A change of rates or of a parent is accepted if and only if a brute-force check of the whole tree finds every rate
// within its parent's; a dry run returns the same.
func TestRatesAgainstBruteForce(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	kinds := []string{models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
	m, ids, codes := rateModel{"OPERATOR": {}}, map[string]uuid.UUID{"OPERATOR": tr.ids[0]}, []string(nil)
	above := []string{"OPERATOR"}
	for rank, kind := range kinds {
		var level []string
		for i := range 2 {
			code, parent := fmt.Sprintf("%s-%d", kind, i), above[i%len(above)]
			ids[code] = tr.add(t, ids[parent], kind, code, `{}`).ID
			m[code] = modelNode{parent: parent, rank: rank + 1}
			level, codes = append(level, code), append(codes, code)
		}
		above = level
	}
	accepted := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		code := rapid.SampledFrom(codes).Draw(rt, "code")
		next := m[code]
		dry := rapid.Bool().Draw(rt, "dry")
		var err error
		var what *org.RateEffect
		after := rateModel{}
		maps.Copy(after, m)
		if rapid.Bool().Draw(rt, "moves") {
			next.parent = rapid.SampledFrom(append([]string{"OPERATOR"}, codes...)).Draw(rt, "to")
			_, what, err = tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: ids[code], ParentID: ids[next.parent], DryRun: dry})
			if m.under(next.parent, code) {
				require.ErrorIs(rt, err, org.ErrCycle)
				return
			}
			if m[next.parent].rank >= next.rank {
				require.ErrorIs(rt, err, org.ErrTypeOrder)
				return
			}
		} else {
			g := rateText(rt)
			next.rules, next.share = nil, ""
			require.NoError(rt, json.Unmarshal(g["commissions"], &next.rules))
			if g["participation"].Kind() != 'n' {
				var p org.Participation
				require.NoError(rt, json.Unmarshal(g["participation"], &p))
				next.share = p.Percent
			}
			_, what, err = tr.Update(t.Context(), tr.scope(), ids[code], &org.Change{Groups: org.Groups{org.GroupFinance: g}, DryRun: dry})
		}
		after[code] = next
		legal := after.sound(rt)
		if dry {
			require.NoError(rt, err)
			require.Equal(rt, legal, len(what.Violations) == 0)
			return
		}
		require.Equal(rt, !legal, errors.Is(err, org.ErrRates), "%v", err)
		if legal {
			require.NoError(rt, err)
			m[code] = next
		}
		accepted[legal]++
	})
	require.Positive(t, accepted[true])
}
