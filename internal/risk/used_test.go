package risk

import (
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
	"banca/models"
)

// The used part is taken from the most specific limit of each metric. Blocks and limits of others are not considered.
func TestTheTightestLimit(t *testing.T) {
	t.Parallel()
	of := owner{entity: uuid.New(), currency: uuid.New()}
	game, draw, element := uuid.New(), uuid.New(), "5"
	row := func(metric string, base int64, change func(*models.RiskLimit)) limitRow {
		l := models.RiskLimit{ID: uuid.New(), EntityID: of.entity, CurrencyID: of.currency, Metric: metric, Base: base}
		if change != nil {
			change(&l)
		}
		return limitRow{RiskLimit: l}
	}
	general := row(models.MetricStake, 1000, nil)
	special := row(models.MetricStake, 400, func(l *models.RiskLimit) { l.GameID, l.Element = &game, &element })
	sliding := row(models.MetricLiability, 0, func(l *models.RiskLimit) { l.PctBps = 5000 })
	table := limitTable{rows: map[owner][]limitRow{of: {general, special, sliding}, {entity: uuid.New()}: {row(models.MetricStake, 1, nil)}}}
	sold := &DrawSales{DrawID: draw, GameID: game, Total: 20_000, Selections: []SelectionSales{
		{BetType: "straight", Selection: "5", Stake: 300, Liability: 9000}, {BetType: "straight", Selection: "6", Stake: 700, Liability: 2100},
	}}
	found := map[uuid.UUID][]Usage{}
	table.each(of, sold, func(l *limitRow, _ *SelectionSales, u *Usage) { found[l.ID] = append(found[l.ID], *u) })
	require.Len(t, found[general.ID], 1, "the animal 5 has a limit of its own")
	assert.Equal(t, Usage{LimitID: general.ID, DrawID: draw, BetType: "straight", Selection: "6", Metric: models.MetricStake, Limit: 1000, Sold: 700}, found[general.ID][0])
	assert.Equal(t, money.BasisPoints(7500), found[special.ID][0].Share())
	assert.EqualValues(t, 100, found[special.ID][0].Left())
	require.Len(t, found[sliding.ID], 2)
	assert.EqualValues(t, 10_000, found[sliding.ID][0].Limit, "half of what was sold on the draw")
	assert.Equal(t, money.BasisPoints(9000), found[sliding.ID][0].Share())

	blocked := row(models.MetricStake, 0, func(l *models.RiskLimit) { l.GameID, l.DrawID, l.Element = &game, &draw, &element })
	table.rows[of] = []limitRow{general, blocked}
	table.each(of, sold, func(l *limitRow, _ *SelectionSales, _ *Usage) {
		assert.Equal(t, general.ID, l.ID, "a block has nothing to use")
	})
	full := Usage{Limit: 1, Sold: 1 << 40}
	assert.Equal(t, maxShare, full.Share())
	assert.Zero(t, full.Left())
}

// Equal shares are in the order of the amounts used, whatever the order of the sales.
func TestEqualSharesAreOrderedByAmount(t *testing.T) {
	t.Parallel()
	of := owner{entity: uuid.New(), currency: uuid.New()}
	table := limitTable{rows: map[owner][]limitRow{of: {{RiskLimit: models.RiskLimit{ID: uuid.New(), Metric: models.MetricLiability, Base: 1_000_000_000}}}}}
	sold := &DrawSales{DrawID: uuid.New(), Total: 1, Selections: []SelectionSales{
		{BetType: "straight", Selection: "26", Liability: 3000}, {BetType: "straight", Selection: "9", Liability: 3150}, {BetType: "straight", Selection: "1", Liability: 150},
	}}
	var list []Usage
	table.each(of, sold, func(_ *limitRow, _ *SelectionSales, u *Usage) { list = append(list, *u) })
	slices.SortFunc(list, func(a, b Usage) int { return a.compare(&b) })
	require.Zero(t, list[0].Share())
	assert.Equal(t, []string{"9", "26", "1"}, []string{list[0].Selection, list[1].Selection, list[2].Selection})
	assert.Equal(t, "9", table.usageOf(of, sold).Tightest.Selection)
}

// The usage of a draw tells limits with something left from spent ones, and sums what the limits allow on the outcome
// that costs most.
func TestTheUsageOfADraw(t *testing.T) {
	t.Parallel()
	of := owner{entity: uuid.New(), currency: uuid.New()}
	bet, draw := "straight", uuid.New()
	stakes := limitRow{RiskLimit: models.RiskLimit{ID: uuid.New(), Metric: models.MetricStake, Base: 1000}}
	table := limitTable{rows: map[owner][]limitRow{of: {stakes}}}
	sold := &DrawSales{DrawID: draw, Total: 1950, Worst: "6", Selections: []SelectionSales{
		{BetType: bet, Selection: "5", Stake: 950, Liability: 28_500}, {BetType: bet, Selection: "6", Stake: 1000, Liability: 30_000},
	}}
	u := table.usageOf(of, sold)
	require.NotNil(t, u)
	assert.Equal(t, "5", u.Tightest.Selection, "the tightest one with something left")
	require.Len(t, u.Spent, 1)
	assert.Equal(t, "6", u.Spent[0].Selection)
	assert.Equal(t, stakes.ID, u.Spent[0].LimitID)
	assert.EqualValues(t, 30_000, u.Allowed, "1000 at the payout of 30")

	table.rows[of] = append(table.rows[of], limitRow{
		RiskLimit: models.RiskLimit{ID: uuid.New(), Metric: models.MetricLiability, Base: 20_000},
	})
	u = table.usageOf(of, sold)
	assert.Len(t, u.Spent, 2, "each selection once, whatever the number of its limits")
	assert.Nil(t, u.Tightest, "a selection that one limit stops has nothing left by another one")
	assert.EqualValues(t, 20_000, u.Allowed, "the smaller one of both metrics")

	table.rows[of] = []limitRow{{
		RiskLimit: models.RiskLimit{ID: uuid.New(), Metric: models.MetricStake, Base: 1000, BetType: &bet},
	}}
	sold.Selections = append(sold.Selections, SelectionSales{BetType: "triple", Selection: "6", Stake: 10, Liability: 6000})
	assert.Zero(t, table.usageOf(of, sold).Allowed, "a bet on the outcome without a limit has no bound")
	table.rows[of] = nil
	assert.Nil(t, table.usageOf(of, sold))
}
