package risk

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/storage"
)

// SetAbove reports whether a user of an entity outside the caller's scope set the limit. The caller may make it
// tighter only.
func (l *Limit) SetAbove(by caller.Caller) bool {
	return !by.IsOperator() && !by.Scope.Contains(l.SetByPath)
}

// setter returns the entity that has set a limit after the caller changed it: the caller's, unless it was set above.
func (l *Limit) setter(by caller.Caller) uuid.UUID {
	if l.SetAbove(by) {
		return l.SetBy
	}
	return by.EntityID
}

// requireTighter refuses a limit that allows more than another one of its entity that was set above. The most
// specific limit of an entity holds, so it compares a limit with itself as it is, and with those that it takes the
// place of for some bets. Errors: ErrSetAbove.
func requireTighter(ctx context.Context, tx pgx.Tx, by caller.Caller, l *Limit) error {
	others, err := storage.Collect(ctx, tx, "limits of the entity", scanLimit,
		`SELECT `+limitColumns+fromLimits+` WHERE l.entity_id = $1 AND l.currency_id = $2
		AND l.metric = $3`, l.EntityID, l.Currency.ID, l.Metric)
	if err != nil {
		return err
	}
	for i := range others {
		o := &others[i]
		if o.SetAbove(by) && (l.ID == o.ID || l.overrides(o)) && (l.Base > o.Base || l.Pct > o.Pct) {
			return ErrSetAbove
		}
	}
	return nil
}

// overrides reports whether l may hold for a bet instead of o: both may apply to it, and o is not more specific.
func (l *Limit) overrides(o *Limit) bool {
	return either(l.CategoryID, o.CategoryID) && either(l.GameID, o.GameID) && either(l.DrawID, o.DrawID) &&
		either(l.Element, o.Element) && either(l.BetType, o.BetType) &&
		l.weight() >= o.weight()
}

// either reports whether two conditions may hold for one bet: one of them is none, or both are equal. A bet with
// several elements meets two limits.
func either[T comparable](a, b T) bool {
	var none T
	return a == none || b == none || a == b
}

// weight is the score of the limit in specificity.
func (l *Limit) weight() int {
	if l.blocks() {
		return blockScore
	}
	score := 0
	for _, c := range []struct {
		named  bool
		weight int
	}{{l.Element != "", elementScore}, {l.DrawID != uuid.Nil, drawScore}, {l.GameID != uuid.Nil, gameScore},
		{l.CategoryID != uuid.Nil, categoryScore}, {l.BetType != "", betTypeScore}} {
		if c.named {
			score += c.weight
		}
	}
	return score
}
