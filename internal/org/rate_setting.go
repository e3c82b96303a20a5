package org

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

// RateSetting is one rate of an entity: its commission on a category and bet type, or its participation.
type RateSetting struct {
	Kind     string // RateCommission or RateParticipation
	Category string // of a commission; "" means any other
	BetType  string // of a commission; "" means any other
	Percent  string // decimal with at most two decimals; "" removes the entity's own rate
	Mode     string // of a participation; "" means CARRY
}

// SetRate sets one rate of an entity and leaves its other rates as they are. It does nothing if the entity has the
// rate. Errors: see Update.
func (s *Service) SetRate(
	ctx context.Context, by caller.Caller, id uuid.UUID, set *RateSetting,
) (*Entity, *RateEffect, error) {
	return s.update(ctx, by, id, &Change{Groups: set.declared()}, set.groups)
}

// key is the key of the rate in the group GroupFinance.
func (set *RateSetting) key() string {
	if set.Kind == RateParticipation {
		return "participation"
	}
	return "commissions"
}

// declared returns the changed key without its value, which depends on the stored group.
func (set *RateSetting) declared() Groups {
	return Groups{GroupFinance: {set.key(): jsontext.Value("null")}}
}

// groups returns the change of an entity. A stored percentage of the same value keeps its text.
func (set *RateSetting) groups(row *models.Entity) (Groups, error) {
	stored, err := decodeFinance(row.FinanceInfo)
	if err != nil {
		return nil, fmt.Errorf("entity %s: %w", row.ID, err)
	}
	changed, value := set.apply(stored), any(nil)
	switch {
	case set.Kind == RateParticipation && changed.Participation != nil:
		value = changed.Participation
	case set.Kind == RateCommission && len(changed.Commissions) > 0:
		value = changed.Commissions
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return Groups{GroupFinance: {set.key(): raw}}, nil
}

// apply returns the settings with the rate.
func (set *RateSetting) apply(f Finance) Finance {
	rate, _ := parsePercent(set.Percent) // Update and TryRate refuse an invalid percentage
	if set.Kind == RateParticipation {
		own := f.Participation
		switch {
		case set.Percent == "":
			f.Participation = nil
		case own == nil || own.mode() != (&Participation{Mode: set.Mode}).mode() || !sameRate(own.Percent, rate):
			f.Participation = &Participation{Percent: set.Percent, Mode: set.Mode}
		}
		return f
	}
	rules := slices.Clone(f.Commissions)
	at := slices.IndexFunc(rules, func(r CommissionRule) bool { return r.Category == set.Category && r.BetType == set.BetType })
	switch {
	case set.Percent == "" && at >= 0:
		rules = slices.Delete(rules, at, at+1)
	case set.Percent != "" && at < 0:
		rules = append(
			rules, CommissionRule{Category: set.Category, BetType: set.BetType, Percent: set.Percent, rate: rate},
		)
	case set.Percent != "" && rules[at].rate != rate:
		rules[at].Percent, rules[at].rate = set.Percent, rate
	}
	f.Commissions = rules
	return f
}

func sameRate(text string, rate money.BasisPoints) bool {
	r, err := parsePercent(text)
	return err == nil && r == rate
}

// check reports invalid fields to c, by their names.
func (set *RateSetting) check(c *checker) {
	if set.Kind != RateCommission && set.Kind != RateParticipation {
		c.wrong("kind", "expected commission or participation")
	}
	if set.Percent != "" {
		c.percent("percent", set.Percent)
	}
	if !slices.Contains(participationModes(), set.Mode) {
		c.wrong("mode", "expected CARRY, SHARED or NONE")
	}
	if set.Kind == RateCommission && c.classes != nil {
		if set.Category != "" && !slices.Contains(c.classes.Categories, set.Category) {
			c.wrong("category", "no such category")
		}
		if set.BetType != "" && !slices.Contains(c.classes.BetTypes, set.BetType) {
			c.wrong("bet_type", "no such bet type")
		}
	}
}

// HeldRate is a rate that an entity is granted.
type HeldRate struct {
	Rate money.BasisPoints
	Mode string  // of a participation
	From *Source // that sets it; nil if no entity does
}

// SettingEffect is the effect of a RateSetting on one entity.
type SettingEffect struct {
	Own           string // the entity's own rate before, "" for none: "12.50", of a participation with its mode: "10.00 CARRY"
	Before, After HeldRate
	Same          bool            // the entity has the rate, so nothing changes
	Below         int             // entities below it whose rate changes
	Violations    []RateViolation // for which SetRate returns ErrRates
}

// TryRate returns the effect of a rate on each entity directly below parent, if it alone is changed. It changes
// nothing and takes no lock. Errors: ErrEntityNotFound, ErrInvalidEntity.
func (s *Service) TryRate(
	ctx context.Context, by caller.Caller, parent uuid.UUID, set *RateSetting,
) (map[uuid.UUID]*SettingEffect, error) {
	c, err := s.checker(ctx, set.declared())
	if err != nil {
		return nil, err
	}
	if set.check(c); c.err() != nil {
		return nil, c.err()
	}
	db := s.db.WithContext(ctx)
	if _, err := rowInScope(db, by, parent); err != nil {
		return nil, err
	}
	whole, err := loadBranch(db, parent)
	if err != nil {
		return nil, err
	}
	effects := map[uuid.UUID]*SettingEffect{}
	for i := range whole {
		if above := whole[i].parent; above != NoParent && whole[above].id == parent {
			effects[whole[i].id] = whole.around(i).try(whole[i].id, set)
		}
	}
	return effects, nil
}

// around returns the entity i with its ancestors and descendants.
func (b branch) around(i int) branch {
	var near branch
	for j := range b {
		if strings.HasPrefix(b[j].path, b[i].path) || strings.HasPrefix(b[i].path, b[j].path) {
			near = append(near, b[j])
		}
	}
	near.linkParents()
	return near
}

// try returns the effect of a rate on an entity of the branch.
func (b branch) try(id uuid.UUID, set *RateSetting) *SettingEffect {
	at, after := b.index()[id], slices.Clone(b)
	after[at].finance = set.apply(b[at].finance)
	if share := after[at].finance.Participation; set.Kind == RateParticipation {
		after[at].share, after[at].setsShare = 0, share != nil
		if share != nil {
			after[at].share, _ = parsePercent(share.Percent) // checked by check, or stored
		}
	}
	t := &SettingEffect{Own: set.own(&b[at]), Violations: compare(b, after, id).Violations}
	t.Same = t.Own == set.own(&after[at])
	var old, changed []HeldRate
	old, changed = b.held(set), after.held(set)
	t.Before, t.After = old[at], changed[at]
	for i, in := range b.below(id) {
		if in && i != at && old[i].Rate != changed[i].Rate {
			t.Below++
		}
	}
	return t
}

// own returns the entity's own rate as in SettingEffect.
func (set *RateSetting) own(r *rated) string {
	if set.Kind == RateParticipation {
		if !r.setsShare {
			return ""
		}
		return percentText(r.share) + " " + r.finance.Participation.mode()
	}
	for _, rule := range r.finance.Commissions {
		if rule.Category == set.Category && rule.BetType == set.BetType {
			return percentText(rule.rate)
		}
	}
	return ""
}

// held returns the rate that each entity of the branch is granted, with the entity that sets it.
func (b branch) held(set *RateSetting) []HeldRate {
	rateOf := ownRate(ownShare)
	if set.Kind == RateCommission {
		rateOf = class{set.Category, set.BetType}.own
	}
	granted := b.grantedRates(rateOf, func(int, money.BasisPoints, money.BasisPoints) {})
	list := make([]HeldRate, len(b))
	for i := range b {
		list[i].Rate = granted[i]
		own, found := rateOf(&b[i])
		above := b[i].parent
		switch {
		case above == NoParent: // the operator grants rates and has none
		case found && own == granted[i]: // not reduced to the parent's rate
			list[i].From = &Source{ID: b[i].id, Code: b[i].code, Name: b[i].name, Type: b[i].kind}
		default:
			list[i].From = list[above].From
		}
		if set.Kind == RateParticipation {
			list[i].Mode = ParticipationCarry
			if above != NoParent && b[above].parent != NoParent {
				list[i].Mode = list[above].Mode
			}
			if own := b[i].finance.Participation; own != nil {
				list[i].Mode = own.mode()
			}
		}
	}
	return list
}
