package org

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"gorm.io/gorm"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
)

// Kinds of rate.
const (
	RateCommission    = "commission"
	RateParticipation = "participation"
)

// RateViolation is a rate of an entity that exceeds the rate granted to its parent.
type RateViolation struct {
	EntityID uuid.UUID
	Code     string
	Kind     string // RateCommission or RateParticipation
	Category string // "" means any other
	BetType  string
	Percent  money.BasisPoints // set by the entity
	Allowed  money.BasisPoints // granted to its parent
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

// RateEffect is the effect of a change of a rate or a parent on the rates of the subtree.
type RateEffect struct {
	Changes    []RateChange
	Violations []RateViolation

	// The numbers of all changes and violations. The lists have the first of them, highest entities first.
	TotalChanges, TotalViolations int
}

const (
	maxViolations = 20  // named by an error
	maxRateEffect = 500 // of each list
)

// bounded sets the totals and cuts the lists to maxRateEffect.
func (w *RateEffect) bounded() *RateEffect {
	w.TotalChanges, w.TotalViolations = len(w.Changes), len(w.Violations)
	w.Changes = w.Changes[:min(len(w.Changes), maxRateEffect)]
	w.Violations = w.Violations[:min(len(w.Violations), maxRateEffect)]
	return w
}

// err returns ErrRates if there are violations. own is the entity that was changed.
func (w *RateEffect) err(own uuid.UUID) error {
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
		message := apperr.Messagef(
			"%s has %s %%, its parent %s %%", v.Code, percentText(v.Percent), percentText(v.Allowed),
		)
		details = append(details, apperr.Detail{Location: at, Message: message})
	}
	return ErrRates.WithDetails(details...).WithCause(&ExcessError{Violations: w.Violations})
}

// ExcessError is the cause of ErrRates.
type ExcessError struct{ Violations []RateViolation }

// Error implements error.
func (e *ExcessError) Error() string {
	return strconv.Itoa(len(e.Violations)) + " rates exceed the parent's"
}

// percentText formats a rate, such as "12.50".
func percentText(r money.BasisPoints) string { return money.Amount(r).Format(2) }

// class is a category and bet type of rates. "" means any other.
type class struct{ category, betType string }

// rated is an entity with its rates.
type rated struct {
	id        uuid.UUID
	code      string
	name      string
	kind      string
	path      string
	finance   Finance
	share     money.BasisPoints
	setsShare bool // whether the entity sets its share
	parent    int  // where in the branch its parent is; NoParent for the root
}

// NoParent is the parent of an entity without one in a list.
const NoParent = -1

// branch is an entity with its ancestors and descendants, highest first.
type branch []rated

// loadBranch reads the branch of an entity.
func loadBranch(tx *gorm.DB, id uuid.UUID) (branch, error) {
	var rows []struct {
		ID          uuid.UUID
		Code        string
		Name        string
		EntityType  string
		Path        string
		FinanceInfo []byte
	}
	err := tx.Table("entities e").Select("b.id, b.code, b.name, b.entity_type, b.path, b.finance_info").
		Joins("JOIN entities b ON b.path LIKE e.path || '%' OR b.id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])").
		Where("e.id = ?", id).Order("length(b.path), b.path").Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load branch: %w", err)
	}
	b := make(branch, len(rows))
	for i := range rows {
		n := rated{id: rows[i].ID, code: rows[i].Code, name: rows[i].Name, kind: rows[i].EntityType, path: rows[i].Path}
		if n.finance, err = decodeFinance(rows[i].FinanceInfo); err != nil {
			return nil, fmt.Errorf("entity %s: %w", n.id, err)
		}
		if p := n.finance.Participation; p != nil {
			n.setsShare = true
			if n.share, err = parsePercent(p.Percent); err != nil {
				return nil, fmt.Errorf("entity %s: participation: %w", n.id, err)
			}
		}
		b[i] = n
	}
	b.linkParents()
	return b, nil
}

// linkParents sets the parent of each entity. A parent comes before its children.
func (b branch) linkParents() {
	at := make(map[string]int, len(b))
	for i := range b {
		path := b[i].path
		b[i].parent = NoParent
		if up, ok := at[path[:strings.LastIndexByte(path[:len(path)-1], '/')+1]]; ok {
			b[i].parent = up
		}
		at[path] = i
	}
}

// classesOf returns every combination of the categories and bet types in the rules. The first is the general class,
// class{}.
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

// ownRate returns the rate that an entity sets itself, and whether it sets one.
type ownRate func(*rated) (money.BasisPoints, bool)

func (of class) own(r *rated) (money.BasisPoints, bool) {
	return r.finance.Commission(of.category, of.betType)
}

func ownShare(r *rated) (money.BasisPoints, bool) { return r.share, r.setsShare }

// grantedRates returns the rates granted to the entities of the branch, by the rules of Chain.CommissionRates. It calls
// exceeds for each entity that sets a higher rate than its parent is granted. The root is granted the full rate.
func (b branch) grantedRates(rateOf ownRate, exceeds func(i int, set, allowed money.BasisPoints)) []money.BasisPoints {
	granted := make([]money.BasisPoints, len(b))
	for i := range b {
		r := &b[i]
		if r.parent == NoParent {
			granted[i] = money.FullRate
			continue
		}
		set, found := rateOf(r)
		allowed := granted[r.parent]
		switch {
		case !found && b[r.parent].parent == NoParent: // a child of the root inherits nothing
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
func compare(before, after branch, id uuid.UUID) *RateEffect {
	w := &RateEffect{}
	below, earlier := after.below(id), before.index()
	known := map[RateChange]bool{} // changes of the general class, which are not listed again for other classes
	knownViolation := map[RateViolation]bool{}
	add := func(kind string, of class, rateOf ownRate) {
		oldRates := before.grantedRates(rateOf, func(int, money.BasisPoints, money.BasisPoints) {})
		newRates := after.grantedRates(rateOf, func(i int, set, allowed money.BasisPoints) {
			general := RateViolation{
				EntityID: after[i].id, Code: after[i].code, Kind: kind, Percent: set, Allowed: allowed,
			}
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
				old = oldRates[at]
			}
			if !below[i] || old == newRates[i] {
				continue
			}
			change := RateChange{
				EntityID: after[i].id, Code: after[i].code, Kind: kind, Before: old, After: newRates[i],
			}
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

// index returns the position of each entity in the branch.
func (b branch) index() map[uuid.UUID]int {
	at := make(map[uuid.UUID]int, len(b))
	for i := range b {
		at[b[i].id] = i
	}
	return at
}

// below reports for each entity of the branch whether it is the entity id or a descendant of it.
func (b branch) below(id uuid.UUID) []bool {
	in := make([]bool, len(b))
	for i := range b {
		in[i] = b[i].id == id || (b[i].parent != NoParent && in[b[i].parent])
	}
	return in
}
