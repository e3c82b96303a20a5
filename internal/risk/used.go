package risk

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

// DrawSales holds the sales on a draw in one currency, at an entity and below.
type DrawSales struct {
	DrawID     uuid.UUID
	GameID     uuid.UUID
	CategoryID uuid.UUID
	Total      money.Amount // of all stakes
	Selections []SelectionSales
	Worst      string // value of the outcome that costs most; "" for none
	WorstSign  string
}

// SelectionSales holds the sales of a selection of a bet type.
type SelectionSales struct {
	BetType   string
	Selection string // canonical
	Stake     money.Amount
	Liability money.Amount
}

// wins reports whether a selection wins on the outcome that costs most.
func (d *DrawSales) wins(s *SelectionSales) bool {
	_, sign, signed := strings.Cut(s.Selection, ",")
	return catalog.WinsOn(s.BetType, s.Selection, d.Worst) && (!signed || sign == d.WorstSign)
}

// Usage is how much of a limit a selection of a draw uses.
type Usage struct {
	LimitID   uuid.UUID
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

// compare orders usages: the greatest share first, then the greatest amount.
func (u *Usage) compare(o *Usage) int {
	return cmp.Or(cmp.Compare(o.Share(), u.Share()), cmp.Compare(o.Sold, u.Sold), cmp.Compare(u.Selection, o.Selection))
}

// Left is the remaining amount, not below 0.
func (u *Usage) Left() money.Amount { return max(0, u.Limit-u.Sold) }

// Spent reports whether the limit allows no more sales.
func (u *Usage) Spent() bool { return u.Left() == 0 }

// allowed is the liability of a selection with the usage's limit sold out.
func (u *Usage) allowed(s *SelectionSales) money.Amount {
	const hundredths = 100
	if u.Metric == models.MetricLiability || s.Stake == 0 {
		return u.Limit
	}
	return money.Payout(s.Liability * hundredths / s.Stake).Of(u.Limit)
}

// DrawUsage is how much of the limits of one entity a draw uses.
type DrawUsage struct {
	Tightest *Usage       // that uses most of its limit, of those with something left; nil without one
	Spent    []Usage      // with nothing left, one a selection
	Allowed  money.Amount // liability that the limits allow on the outcome that costs most; 0 unless all its bets are limited
}

// DrawUsages returns the usage of each draw by the limits of the caller's entity. The limits of other levels and
// blocks are not considered. A draw without a limited selection is missing. Errors: ErrUnavailable.
func (k *Keeper) DrawUsages(
	ctx context.Context, by caller.Caller, currency uuid.UUID, draws []DrawSales,
) (map[uuid.UUID]*DrawUsage, error) {
	table, err := k.engine.limits(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	usages := map[uuid.UUID]*DrawUsage{}
	for i := range draws {
		if u := table.usageOf(owner{entity: by.EntityID, currency: currency}, &draws[i]); u != nil {
			usages[draws[i].DrawID] = u
		}
	}
	return usages, nil
}

// usageOf returns the usage of a draw; nil without a limited selection.
func (t limitTable) usageOf(of owner, draw *DrawSales) *DrawUsage {
	most, allowed := map[*SelectionSales]*Usage{}, map[*SelectionSales]money.Amount{}
	t.each(of, draw, func(_ *limitRow, s *SelectionSales, u *Usage) {
		bound := u.allowed(s)
		if most[s] == nil {
			most[s], allowed[s] = u, bound
			return
		}
		allowed[s] = min(allowed[s], bound)
		if u.compare(most[s]) < 0 {
			most[s] = u
		}
	})
	if len(most) == 0 {
		return nil
	}
	usage, unlimited := &DrawUsage{}, false
	for i := range draw.Selections {
		s := &draw.Selections[i]
		u := most[s]
		switch {
		case u == nil:
		case u.Spent():
			usage.Spent = append(usage.Spent, *u)
		case usage.Tightest == nil || u.compare(usage.Tightest) < 0:
			usage.Tightest = u
		}
		if draw.wins(s) {
			usage.Allowed += allowed[s]
			unlimited = unlimited || u == nil
		}
	}
	if unlimited {
		usage.Allowed = 0
	}
	return usage
}

// UsesOf returns the selections that a limit binds, the most used selection first. The limit is taken with its amounts,
// saved or not. Errors: ErrUnavailable.
func (k *Keeper) UsesOf(ctx context.Context, limit *Limit, draws []DrawSales) ([]Usage, error) {
	saved, err := k.engine.limits(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	of := owner{entity: limit.EntityID, currency: limit.Currency.ID}
	others := slices.DeleteFunc(slices.Clone(saved.rows[of]), func(row limitRow) bool { return row.ID == limit.ID })
	table := limitTable{rows: map[owner][]limitRow{of: append(others, limit.row())}}
	var list []Usage
	for i := range draws {
		table.each(of, &draws[i], func(row *limitRow, _ *SelectionSales, u *Usage) {
			if row.ID == limit.ID {
				list = append(list, *u)
			}
		})
	}
	slices.SortStableFunc(list, func(a, b Usage) int { return a.compare(&b) })
	return list, nil
}

// Effect is what a limit stops of the sales on some draws.
type Effect struct {
	Most  *Usage // of the selection with the greatest sales; nil where nothing was sold that it bounds
	Spent int    // selections with nothing left
	All   bool   // it allows no sale
}

// EffectOf returns the effect of a limit, saved or not. Errors: ErrUnavailable.
func (k *Keeper) EffectOf(ctx context.Context, limit *Limit, draws []DrawSales) (*Effect, error) {
	asked, e := *limit, &Effect{All: limit.Base == 0 && limit.Pct == 0}
	if e.All {
		asked.Base = 1 // the smallest amount, which every sale uses up
	}
	uses, err := k.UsesOf(ctx, &asked, draws)
	for i := range uses {
		if uses[i].Spent() {
			e.Spent++
		}
		if e.Most == nil || uses[i].Sold > e.Most.Sold {
			e.Most = &uses[i]
		}
	}
	return e, err
}

// row returns the limit as the engine reads it.
func (l *Limit) row() limitRow {
	return limitRow{SetAt: len(l.SetByPath), RiskLimit: models.RiskLimit{
		ID: l.ID, Metric: l.Metric, Base: int64(l.Base), PctBps: int32(l.Pct),
		CategoryID: models.Optional(l.CategoryID), GameID: models.Optional(l.GameID), DrawID: models.Optional(l.DrawID),
		Element: models.Optional(l.Element), BetType: models.Optional(l.BetType),
	}}
}

// each calls use for the limit of each metric that binds a sold selection.
func (t limitTable) each(of owner, draw *DrawSales, use func(row *limitRow, s *SelectionSales, u *Usage)) {
	rows := rowsOn(t.rows[of], draw.DrawID)
	if len(rows) == 0 {
		return
	}
	for i := range draw.Selections {
		s := &draw.Selections[i]
		line := Line{
			DrawID: draw.DrawID, GameID: draw.GameID, CategoryID: draw.CategoryID, BetType: s.BetType,
			Selection: s.Selection,
		}
		for _, metric := range [2]string{models.MetricStake, models.MetricLiability} {
			row := holding(rows, metric, &line)
			if row == nil {
				continue
			}
			u := Usage{
				LimitID: row.ID, DrawID: draw.DrawID, BetType: s.BetType, Selection: s.Selection, Metric: metric,
				Sold: s.Stake,
			}
			if metric == models.MetricLiability {
				u.Sold = s.Liability
			}
			u.Limit = money.Amount(row.Base) + money.BasisPoints(row.PctBps).Share(draw.Total)
			if u.Limit > 0 {
				use(row, s, &u)
			}
		}
	}
}
