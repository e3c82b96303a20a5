package org

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/apperr"
	"banca/internal/money"
)

// Kinds of rate.
const (
	RateCommission    = "commission"
	RateParticipation = "participation"
)

// RateViolation is a rate of an entity that is above what its parent is granted.
type RateViolation struct {
	EntityID uuid.UUID
	Code     string
	Kind     string // RateCommission or RateParticipation
	Category string // "" is any that no rule names
	BetType  string
	Percent  money.BasisPoints // set by the entity
	Allowed  money.BasisPoints // what its parent is granted
}

// RateChange is an effective rate before and after a change.
type RateChange struct {
	EntityID      uuid.UUID
	Code          string
	Kind          string
	Category      string
	BetType       string
	Before, After money.BasisPoints
}

// WhatIf is the effect of a change of a rate or a parent on the rates of the subtree.
type WhatIf struct {
	Changes    []RateChange
	Violations []RateViolation

	// How many there are; the lists hold the first, those of the highest entities.
	TotalChanges, TotalViolations int
}

const (
	maxViolations = 20  // that an error names
	maxWhatIf     = 500 // of each list
)

// bounded cuts the lists to what can be answered.
func (w *WhatIf) bounded() *WhatIf {
	w.TotalChanges, w.TotalViolations = len(w.Changes), len(w.Violations)
	w.Changes = w.Changes[:min(len(w.Changes), maxWhatIf)]
	w.Violations = w.Violations[:min(len(w.Violations), maxWhatIf)]
	return w
}

// err is the refusal of a change with violations; own is the entity that was changed.
func (w *WhatIf) err(own uuid.UUID) error {
	if len(w.Violations) == 0 {
		return nil
	}
	var details []apperr.Detail
	for _, v := range w.Violations[:min(len(w.Violations), maxViolations)] {
		at := "children"
		if v.EntityID == own {
			at = GroupFinance + ".commissions"
			if v.Kind == RateParticipation {
				at = GroupFinance + ".participation"
			}
		}
		message := fmt.Sprintf("%s has %s %%, its parent %s %%", v.Code, percentText(v.Percent), percentText(v.Allowed))
		details = append(details, apperr.Detail{Location: at, Message: message})
	}
	return ErrRates.WithDetails(details...)
}

// percentText writes a rate as it is read: "12.50".
func percentText(r money.BasisPoints) string { return money.Amount(r).Format(2) }

// class is a category and bet type; "" stands for all that no rule names.
type class struct{ category, betType string }

// rated is an entity as far as its rates go.
type rated struct {
	id      uuid.UUID
	code    string
	path    string
	finance Finance
	share   money.BasisPoints
	shares  bool // whether the entity sets its share
	up      int  // where in the branch its parent is; noParent for the root
}

const noParent = -1

// branch is an entity with its ancestors and everything below it, highest first.
type branch []rated

// loadBranch reads the branch of an entity.
func loadBranch(tx *gorm.DB, id uuid.UUID) (branch, error) {
	var rows []struct {
		ID          uuid.UUID
		Code        string
		Path        string
		FinanceInfo []byte
	}
	err := tx.Table("entities e").Select("b.id, b.code, b.path, b.finance_info").
		Joins("JOIN entities b ON b.path LIKE e.path || '%' OR b.id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])").
		Where("e.id = ?", id).Order("length(b.path), b.path").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load branch: %w", err)
	}
	b := make(branch, len(rows))
	for i := range rows {
		n := rated{id: rows[i].ID, code: rows[i].Code, path: rows[i].Path}
		if n.finance, err = decodeFinance(rows[i].FinanceInfo); err != nil {
			return nil, fmt.Errorf("entity %s: %w", n.id, err)
		}
		if p := n.finance.Participation; p != nil {
			n.shares = true
			if n.share, err = parsePercent(p.Percent); err != nil {
				return nil, fmt.Errorf("entity %s: participation: %w", n.id, err)
			}
		}
		b[i] = n
	}
	b.link()
	return b, nil
}

// link finds the parent of each, which comes before it.
func (b branch) link() {
	at := make(map[string]int, len(b))
	for i := range b {
		path := b[i].path
		b[i].up = noParent
		if up, ok := at[path[:strings.LastIndexByte(path[:len(path)-1], '/')+1]]; ok {
			b[i].up = up
		}
		at[path] = i
	}
}

// classesOf returns every combination of categories and bet types in the rules, the general one first.
func classesOf(branches ...branch) []class {
	categories, bets := []string{""}, []string{""}
	seenCategory, seenBet := map[string]bool{"": true}, map[string]bool{"": true}
	for _, b := range branches {
		for i := range b {
			for _, r := range b[i].finance.Commissions {
				if !seenCategory[r.Category] {
					seenCategory[r.Category] = true
					categories = append(categories, r.Category)
				}
				if !seenBet[r.BetType] {
					seenBet[r.BetType] = true
					bets = append(bets, r.BetType)
				}
			}
		}
	}
	all := make([]class, 0, len(categories)*len(bets))
	for _, category := range categories {
		for _, bet := range bets {
			all = append(all, class{category, bet})
		}
	}
	return all
}

// own is the rate an entity sets itself, and whether it sets one.
type own func(*rated) (money.BasisPoints, bool)

func (of class) own(r *rated) (money.BasisPoints, bool) {
	return r.finance.Commission(of.category, of.betType)
}

func ownShare(r *rated) (money.BasisPoints, bool) { return r.share, r.shares }

// effective returns what every entity of the branch is granted, in its order, as Chain.CommissionRates does, and calls
// exceeds for each that sets more than its parent is granted. The root grants, and is granted nothing.
func (b branch) effective(get own, exceeds func(i int, set, allowed money.BasisPoints)) []money.BasisPoints {
	granted := make([]money.BasisPoints, len(b))
	for i := range b {
		r := &b[i]
		if r.up == noParent {
			granted[i] = money.FullRate
			continue
		}
		set, found := get(r)
		allowed := granted[r.up]
		switch {
		case !found && b[r.up].up == noParent: // a child of the root inherits nothing
			set = 0
		case !found:
			set = allowed
		case set > allowed:
			exceeds(i, set, allowed)
			set = allowed
		}
		granted[i] = set
	}
	return granted
}

// compare returns the effect of a change on the rates at and below an entity.
func compare(before, after branch, id uuid.UUID) *WhatIf {
	w := &WhatIf{}
	below, earlier := after.below(id), before.index()
	known := map[RateChange]bool{} // of the general class; a class is listed if it differs
	knownViolation := map[RateViolation]bool{}
	add := func(kind string, of class, get own) {
		was := before.effective(get, func(int, money.BasisPoints, money.BasisPoints) {})
		is := after.effective(get, func(i int, set, allowed money.BasisPoints) {
			general := RateViolation{EntityID: after[i].id, Code: after[i].code, Kind: kind, Percent: set, Allowed: allowed}
			if !below[i] || knownViolation[general] {
				return
			}
			if (of == class{}) {
				knownViolation[general] = true
			}
			general.Category, general.BetType = of.category, of.betType
			w.Violations = append(w.Violations, general)
		})
		for i := range after {
			var old money.BasisPoints
			if at, ok := earlier[after[i].id]; ok {
				old = was[at]
			}
			if !below[i] || old == is[i] {
				continue
			}
			change := RateChange{EntityID: after[i].id, Code: after[i].code, Kind: kind, Before: old, After: is[i]}
			if known[change] {
				continue
			}
			if (of == class{}) {
				known[change] = true
			}
			change.Category, change.BetType = of.category, of.betType
			w.Changes = append(w.Changes, change)
		}
	}
	for _, of := range classesOf(before, after) {
		add(RateCommission, of, of.own)
	}
	add(RateParticipation, class{}, ownShare)
	return w.bounded()
}

// index is where each entity is in the branch.
func (b branch) index() map[uuid.UUID]int {
	at := make(map[uuid.UUID]int, len(b))
	for i := range b {
		at[b[i].id] = i
	}
	return at
}

// below reports for each entity of the branch whether it is the given one or below it.
func (b branch) below(id uuid.UUID) []bool {
	in := make([]bool, len(b))
	for i := range b {
		in[i] = b[i].id == id || (b[i].up != noParent && in[b[i].up])
	}
	return in
}
