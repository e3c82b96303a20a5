package sales_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// limit is a row of risk_limits as the tests write it: VES, the empty parts mean any.
type limit struct {
	entity                 string
	metric                 string // stake when empty
	base                   int64
	pct                    int
	category, game         string
	draw                   uuid.UUID
	element, bet, currency string
}

// setLimits replaces every limit.
func (b *bundle) setLimits(t testing.TB, limits ...limit) {
	t.Helper()
	b.Exec(t, `DELETE FROM risk_limits`)
	b.Exec(t, countEverything)
	for _, l := range limits {
		if l.metric == "" {
			l.metric = models.MetricStake
		}
		if l.currency == "" {
			l.currency = "VES"
		}
		b.Exec(t, `INSERT INTO risk_limits (id, entity_id, currency_id, category_id, game_id, draw_id, element, bet_type, metric, base, pct_bps)
			VALUES (gen_random_uuid(), $1, $2, (SELECT id FROM game_categories WHERE code = $3), (SELECT id FROM games WHERE short_code = $4),
				nullif($5, '00000000-0000-0000-0000-000000000000'::uuid), nullif($6, ''), nullif($7, ''), $8, $9, $10)`,
			fixture.EntityID(l.entity), seed.ID("currency", l.currency), l.category, l.game, l.draw, l.element, l.bet, l.metric, l.base, l.pct)
	}
}

// countEverything adds limits on an element that does not exist, so that every level counts in every metric: the engine counts
// for limits only, and these tests compare all counts with the ledger.
const countEverything = `INSERT INTO risk_limits (id, entity_id, currency_id, element, metric, base, pct_bps)
	SELECT gen_random_uuid(), e.id, c.id, 'none', m, 0, 1 FROM entities e, currencies c, unnest('{stake,liability}'::text[]) m WHERE c.code = 'VES'`

// requireLimited proves a refusal by limits and returns its details.
func (b *bundle) requireLimited(t testing.TB, req *sales.SellRequest, locations ...string) []apperr.Detail {
	t.Helper()
	return b.requireRefused(t, req, "RISK_LIMIT_EXCEEDED", locations...)
}

// at returns b's ordinary request at another ticket point.
func at(req *sales.SellRequest, code string) *sales.SellRequest {
	req.EntityID = fixture.EntityID(code)
	return req
}

func TestEveryLevelMustPass(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := setup(t)
	for n, tt := range []struct{ entity, level string }{
		{seed.CodeTicketPoint, models.EntityTicketPoint}, {seed.CodeGroup, models.EntityGroup}, {seed.CodeAgency, models.EntityAgency},
		{seed.CodeSuperAgency, models.EntitySuperAgency}, {seed.CodeOperator, models.EntityOperator},
	} {
		t.Run(tt.level, func(t *testing.T) {
			draw, later := b.draw(t, "lotto-activo", n), b.draw(t, "la-granjita", n)
			b.setLimits(t, limit{entity: tt.entity, base: 100_00})
			b.sell(t, straight(draw, "5", "60.00"))
			d := b.requireLimited(t, b.request(draw, "5", "40.01"), "items[0]")[0]
			require.Equal(t, []string{tt.level, "100.00", "60.00", "40.00"}, []string{d.Level, d.Limit, d.Sold, d.Available})
			b.sell(t, straight(draw, "5", "40.00"))
			b.sell(t, straight(draw, "6", "100.00"))  // each selection has its own room,
			b.sell(t, straight(later, "5", "100.00")) // and each draw,
			dollars := b.request(draw, "5", "100.00") // and each currency
			dollars.Currency = "USD"
			_, err := b.Sell(t.Context(), dollars)
			require.NoError(t, err)
			if tt.entity != seed.CodeTicketPoint { // the level is shared by its subtree
				b.requireLimited(t, at(b.request(draw, "5", "1.00"), seed.CodeTicketPoint2), "items[0]")
			} else {
				_, err := b.Sell(t.Context(), at(b.request(draw, "5", "1.00"), seed.CodeTicketPoint2))
				require.NoError(t, err)
			}
			b.requireSound(t)
		})
	}
}

func TestTheMostSpecificLimitCounts(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := setup(t)
	draw, later, other := b.draw(t, "lotto-activo", 0), b.draw(t, "lotto-activo", 1), b.draw(t, "la-granjita", 0)
	chaima := b.draw(t, "loto-chaima", 0)
	own := seed.CodeTicketPoint
	b.setLimits(t,
		limit{entity: own, base: 10_00},
		limit{entity: own, base: 20_00, bet: catalog.BetTripleta},
		limit{entity: own, base: 30_00, category: models.CategoryAnimalitos},
		limit{entity: own, base: 40_00, game: "lotto-activo"},
		limit{entity: own, base: 50_00, draw: draw.ID},
		limit{entity: own, base: 5_00, element: "7"},
		limit{entity: own, base: 0, element: "0"},
		limit{entity: own, base: 60_00, element: "7", draw: draw.ID},
		limit{entity: own, base: 1, currency: "USD"},
	)
	for _, tt := range []struct {
		name  string
		item  sales.Item
		limit string
	}{
		{"any", fixture.Line(b.draw(t, "triple-zulia", 0), "triple", "61.00", "123"), "10.00"},
		{"category above bet type", fixture.Line(chaima, "tripleta", "61.00", "5", "12", "33"), "30.00"},
		{"category", straight(other, "5", "61.00"), "30.00"},
		{"game above category", straight(later, "5", "61.00"), "40.00"},
		{"draw above game", straight(draw, "5", "61.00"), "50.00"},
		{"element above game", straight(later, "7", "61.00"), "5.00"},
		{"element in a combination", fixture.Line(chaima, "tripleta", "61.00", "5", "12", "7"), "5.00"},
		{"element and draw", straight(draw, "7", "61.00"), "60.00"},
		{"zero blocks", straight(later, "0", "61.00"), "0.00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := b.requireLimited(t, fixture.Ticket(tt.item), "items[0]")[0]
			require.Equal(t, tt.limit, d.Limit)
			require.Equal(t, tt.limit, d.Available)
		})
	}
	b.requireLimited(t, fixture.Ticket(straight(later, "0", "1.00")), "items[0]")
	b.sell(t, straight(later, "00", "40.00")) // another element than 0
	b.sell(t, straight(draw, "7", "60.00"))   // the higher number of the more specific row holds
	b.requireSound(t)
}

func TestAMissingLimitDoesNotBoundSales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.setLimits(t) // none anywhere
	b.sell(t, straight(draw, "5", "90000.00"))
	b.setLimits(t, limit{entity: seed.CodeAgency, base: 90_100_00})
	require.Equal(t, models.EntityAgency, b.requireLimited(t, b.request(draw, "5", "100.01"), "items[0]")[0].Level)
	b.setLimits(t, limit{entity: seed.CodeOtherAgency, base: 1})
	b.sell(t, straight(draw, "5", "100.01"))
	b.requireSound(t)
}

func TestLiability(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0) // pays 30 times
	b.setLimits(t, limit{entity: seed.CodeOperator, metric: models.MetricLiability, base: 3_100_00})
	b.sell(t, straight(draw, "5", "100.00"))
	d := b.requireLimited(t, b.request(draw, "5", "3.34"), "items[0]")[0]
	require.Equal(t, []string{"3100.00", "3000.00", "3.33"}, []string{d.Limit, d.Sold, d.Available}, "available is a stake")
	b.sell(t, straight(draw, "5", "3.33"))
	require.Equal(t, "309990", b.count(t, draw.ID, seed.CodeOperator, "l", "straight|5"))
	b.requireSound(t)
}

// A sliding limit grows with the draw's sales at the limit's own entity.
func TestSlidingLimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.setLimits(t, limit{entity: seed.CodeGroup, base: 50_00, pct: 1_000}) // 50 and 10 % of the draw's sales
	b.requireLimited(t, b.request(draw, "5", "50.01"), "items[0]")
	b.sell(t, straight(draw, "5", "50.00"))
	d := b.requireLimited(t, b.request(draw, "5", "5.01"), "items[0]")[0]
	require.Equal(t, []string{"55.00", "50.00", "5.00"}, []string{d.Limit, d.Sold, d.Available})
	_, err := b.Sell(t.Context(), at(b.request(draw, "6", "50.00"), seed.CodeTicketPoint2)) // of the same group
	require.NoError(t, err)
	_, err = b.Sell(t.Context(), at(b.request(draw, "7", "50.00"), seed.CodeOtherPoint)) // of another
	require.NoError(t, err)
	d = b.requireLimited(t, b.request(draw, "5", "10.01"), "items[0]")[0]
	require.Equal(t, []string{"60.00", "50.00", "10.00"}, []string{d.Limit, d.Sold, d.Available})
	b.sell(t, straight(draw, "5", "10.00"))
	b.requireSound(t)
}

// Every refused line is named with what refused it, and the draws that would have passed count nothing.
func TestSeveralDrawsAllOrNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, second, third := b.draw(t, "lotto-activo", 0), b.draw(t, "la-granjita", 0), b.draw(t, "cazaloton", 0)
	b.setLimits(t,
		limit{entity: seed.CodeTicketPoint, base: 50_00, game: "la-granjita"},
		limit{entity: seed.CodeAgency, base: 30_00, game: "la-granjita", element: "9"},
		limit{entity: seed.CodeOperator, metric: models.MetricLiability, base: 300_00, game: "cazaloton"},
	)
	details := b.requireLimited(t, fixture.Ticket(
		straight(first, "5", "100.00"), straight(second, "5", "50.01"), straight(second, "6", "50.00"),
		straight(second, "9", "60.00"), straight(third, "5", "10.01"), straight(third, "6", "10.00"),
	), "items[1]", "items[3]", "items[3]", "items[4]")
	levels := make([]string, len(details))
	for i, d := range details {
		levels[i] = d.Level + " " + d.Limit + " " + d.Sold + " " + d.Available
	}
	require.ElementsMatch(t, []string{
		"TICKET_POINT 50.00 0.00 50.00", "AGENCY 30.00 0.00 30.00", "TICKET_POINT 50.00 0.00 50.00", "OPERATOR 300.00 0.00 10.00",
	}, levels)
	require.Empty(t, b.counts(t), "the first draw's counts are taken back")
	b.sell(t, straight(first, "5", "100.00"), straight(second, "5", "50.00"), straight(third, "5", "10.00"))
	b.requireSound(t)
}

// 200 sales at once against room for 50: exactly 50 pass.
func TestConcurrentSalesNeverExceedALimit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw, other := b.draw(t, "lotto-activo", 0), b.draw(t, "la-granjita", 0)
	b.setLimits(t, limit{entity: seed.CodeAgency, base: 500_00, game: "lotto-activo"})
	points := []string{seed.CodeTicketPoint, seed.CodeTicketPoint2}
	got := atOnce(t.Context(), 200, func(ctx context.Context, i int) (*sales.Sold, error) {
		return b.Sell(ctx, at(fixture.Ticket(straight(other, "7", "1.00"), straight(draw, "5", "10.00")), points[i%2]))
	})
	require.Equal(t, 50, got.sold())
	require.Equal(t, map[string]int{"RISK_LIMIT_EXCEEDED": 150}, got.codes)
	b.quiet(t)
	require.Equal(t, "50000", b.count(t, draw.ID, seed.CodeAgency, "s", "straight|5"))
	require.Equal(t, "1500000", b.count(t, draw.ID, seed.CodeOperator, "l", "straight|5"))
	require.Equal(t, "5000", b.count(t, other.ID, seed.CodeAgency, "s", "straight|7"))
	b.requireOnce(t, got.tickets)
	b.requireSound(t)
}
