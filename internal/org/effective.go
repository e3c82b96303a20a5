package org

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

// Source is the entity a value comes from.
type Source struct {
	ID   uuid.UUID
	Code string
	Name string
	Type string
}

// Sourced is an effective value and the entity that sets it; nil for a default.
type Sourced struct {
	Value jsontext.Value
	From  *Source
}

// EffectiveRate is the commission rate that an entity is granted on a category and bet type. "" means any other.
type EffectiveRate struct {
	Category string
	BetType  string
	Rate     money.BasisPoints
	From     *Source // nil if no entity sets it
}

// Effective is the effective settings of an entity, its own and inherited ones.
type Effective struct {
	EntityID    uuid.UUID
	CanSell     bool                          // it and all its ancestors are active
	Groups      map[string]map[string]Sourced // by name and key
	Commissions []EffectiveRate
}

// InheritedGroups returns the groups whose missing keys are inherited from the parent. Contact and location are not
// inherited.
func InheritedGroups() []string {
	return []string{GroupFinance, GroupConfig, GroupLegal, GroupPrint, GroupSocial, GroupMessaging}
}

// Effective returns the effective settings of an entity in the caller's scope. It does not use cached chains. Errors:
// ErrEntityNotFound.
func (s *Service) Effective(ctx context.Context, by caller.Caller, id uuid.UUID) (*Effective, error) {
	rows, err := chainRows(s.db.WithContext(ctx), "e.id = ? AND e.path LIKE ?", id, by.Scope.Pattern())
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, ErrEntityNotFound
	}
	chain := make(Chain, len(rows))
	for i := range rows {
		if chain[i], err = nodeOf(&rows[i]); err != nil {
			return nil, fmt.Errorf("entity %s: %w", rows[i].ID, err)
		}
	}
	e := &Effective{EntityID: id, CanSell: chain.Active(), Groups: defaults(), Commissions: chain.effectiveRates()}
	for i := range rows {
		from := sourceOf(&chain[i])
		for name, keys := range e.Groups {
			var own Group
			if err := json.Unmarshal(*groupColumn(&rows[i].Entity, name), &own); err != nil {
				return nil, fmt.Errorf("%s of entity %s: %w", name, rows[i].ID, err)
			}
			for key, value := range own {
				if key == assistantTokens && !lowers(keys[key].Value, value) {
					continue
				}
				keys[key] = Sourced{Value: value, From: from}
			}
		}
	}
	delete(e.Groups[GroupFinance], "commissions") // e.Commissions has the effective rates
	return e, nil
}

// RateRange are the least and the greatest commission of an entity over all categories and bet types.
type RateRange struct{ Least, Most money.BasisPoints }

// Grants returns the commissions that the entity may pass on to its children; the operator grants the full rate.
func (e *Effective) Grants() RateRange {
	if len(e.Commissions) == 0 {
		return RateRange{Least: money.FullRate, Most: money.FullRate}
	}
	g := RateRange{Least: money.FullRate}
	for _, r := range e.Commissions {
		g.Least, g.Most = min(g.Least, r.Rate), max(g.Most, r.Rate)
	}
	return g
}

// defaults returns the values of settings that no entity sets.
func defaults() map[string]map[string]Sourced {
	all := make(map[string]map[string]Sourced)
	for _, name := range InheritedGroups() {
		all[name] = map[string]Sourced{}
	}
	for key, n := range map[string]int{
		"sale_stop_seconds": defaultSaleStopSeconds, "cancel_seconds": defaultCancelSeconds,
		"cancels_per_day": defaultCancelsPerDay, "prize_expiry_hours": defaultPrizeExpiryHours,
	} {
		all[GroupConfig][key] = Sourced{Value: jsontext.Value(strconv.Itoa(n))}
	}
	for key, on := range map[string]bool{
		"enabled": true, "receipts": true, "cancellations": true, "prizes": false, "results": false, "closes": false, "settlements": false,
	} {
		all[GroupMessaging][key] = Sourced{Value: jsontext.Value(strconv.FormatBool(on))}
	}
	all[GroupConfig]["blind_count"] = Sourced{Value: jsontext.Value("false")}
	all[GroupPrint]["picture_at_sale"] = Sourced{Value: jsontext.Value("true")}
	all[GroupMessaging]["language"] = Sourced{Value: jsontext.Value(`"es"`)}
	return all
}

// assistantTokens is the key of the budget that entities can only lower, see Chain.AssistantTokens.
const assistantTokens = "assistant_tokens"

// lowers reports whether a number is lower than the inherited one, which may be missing.
func lowers(inherited, own jsontext.Value) bool {
	if inherited == nil {
		return true
	}
	held, err := strconv.Atoi(string(inherited))
	number, ownErr := strconv.Atoi(string(own))
	return err != nil || ownErr == nil && number < held
}

func sourceOf(n *Node) *Source { return &Source{ID: n.ID, Code: n.Code, Name: n.Name, Type: n.Type} }

// effectiveRates returns the rates for every combination of a category and a bet type in the rules of the chain.
func (c Chain) effectiveRates() []EffectiveRate {
	if len(c) < 2 {
		return nil
	}
	b := make(branch, len(c))
	for i := range c {
		b[i] = rated{finance: c[i].Finance}
	}
	classes := classesOf(b)
	list := make([]EffectiveRate, len(classes))
	for i, of := range classes {
		rates := c.CommissionRates(of.category, of.betType)
		r := EffectiveRate{Category: of.category, BetType: of.betType, Rate: rates[len(rates)-1]}
		for j := range slices.Backward(c[1:]) {
			own, found := c[j+1].Finance.Commission(of.category, of.betType)
			if found && own == rates[j] { // not reduced to the parent's rate
				r.From = sourceOf(&c[j+1])
				break
			}
		}
		list[i] = r
	}
	return list
}
