package risk

import (
	"cmp"
	"context"
	"slices"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/internal/money"
	"banca/models"
)

// DrawSales is what was sold on a draw in one currency, at an entity and below.
type DrawSales struct {
	DrawID     uuid.UUID
	GameID     uuid.UUID
	CategoryID uuid.UUID
	Total      money.Amount // of all stakes
	Selections []SelectionSales
}

// SelectionSales is what was sold on a selection of a bet type.
type SelectionSales struct {
	BetType   string
	Selection string // canonical
	Stake     money.Amount
	Liability money.Amount
}

// Usage is how much of a limit a selection of a draw uses.
type Usage struct {
	DrawID    uuid.UUID
	BetType   string
	Selection string
	Metric    string
	Limit     money.Amount
	Sold      money.Amount
}

// maxShare bounds a share, of sales from before a limit was lowered.
const maxShare = 10 * money.FullRate

// Share is the used part of the limit.
func (u *Usage) Share() money.BasisPoints {
	if u.Sold/maxShareFactor >= u.Limit {
		return maxShare
	}
	return money.BasisPoints(u.Sold * money.Amount(money.FullRate) / u.Limit)
}

const maxShareFactor = money.Amount(maxShare / money.FullRate)

// Left is what may still be sold, not below 0.
func (u *Usage) Left() money.Amount { return max(0, u.Limit-u.Sold) }

// Tightest returns, of each draw, the selection that uses most of its limit, by the limits of the caller's entity. The limits of other levels and blocks are
// not considered. A draw without a limited selection is missing. Errors: ErrUnavailable.
func (k *Keeper) Tightest(ctx context.Context, by caller.Caller, currency uuid.UUID, draws []DrawSales) (map[uuid.UUID]Usage, error) {
	table, err := k.limits(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	tightest := map[uuid.UUID]Usage{}
	for i := range draws {
		table.each(owner{entity: by.EntityID, currency: currency}, &draws[i], func(_ *models.RiskLimit, u *Usage) {
			if best, found := tightest[u.DrawID]; !found || u.Share() > best.Share() {
				tightest[u.DrawID] = *u
			}
		})
	}
	return tightest, nil
}

// UsesOf returns the selections that a limit binds and that use most of it, at most top. Errors: ErrUnavailable.
func (k *Keeper) UsesOf(ctx context.Context, limit *Limit, draws []DrawSales, top int) ([]Usage, error) {
	table, err := k.limits(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	var list []Usage
	for i := range draws {
		table.each(owner{entity: limit.EntityID, currency: limit.Currency.ID}, &draws[i], func(row *models.RiskLimit, u *Usage) {
			if row.ID == limit.ID {
				list = append(list, *u)
			}
		})
	}
	slices.SortStableFunc(list, func(a, b Usage) int { return cmp.Compare(b.Share(), a.Share()) })
	return list[:min(top, len(list))], nil
}

// each calls use for the limit of each metric that binds a sold selection.
func (t limitTable) each(of owner, draw *DrawSales, use func(row *models.RiskLimit, u *Usage)) {
	rows := t.rows[of]
	if len(rows) == 0 {
		return
	}
	for i := range draw.Selections {
		s := &draw.Selections[i]
		line := Line{DrawID: draw.DrawID, GameID: draw.GameID, CategoryID: draw.CategoryID, BetType: s.BetType, Selection: s.Selection}
		for _, metric := range [2]string{models.MetricStake, models.MetricLiability} {
			row := mostSpecific(rows, metric, &line)
			if row == nil {
				continue
			}
			u := Usage{DrawID: draw.DrawID, BetType: s.BetType, Selection: s.Selection, Metric: metric, Sold: s.Stake}
			if metric == models.MetricLiability {
				u.Sold = s.Liability
			}
			u.Limit = money.Amount(row.Base) + money.BasisPoints(row.PctBps).Share(draw.Total)
			if u.Limit > 0 {
				use(row, &u)
			}
		}
	}
}
