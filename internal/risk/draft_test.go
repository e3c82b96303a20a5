package risk_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
)

// What a draft stops before it is saved is what is refused after it is saved, and nothing else.
func TestADraftStopsWhatIsRefusedAfterItIsSaved(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(e *engine, r *risk.LimitRequest){
		"all":         func(*engine, *risk.LimitRequest) {},
		"a game":      func(e *engine, r *risk.LimitRequest) { r.GameID = e.game },
		"an element":  func(_ *engine, r *risk.LimitRequest) { r.Element = "6" },
		"a draw":      func(e *engine, r *risk.LimitRequest) { r.DrawID = e.draws[1] },
		"a bet type":  func(_ *engine, r *risk.LimitRequest) { r.BetType = "dupleta" },
		"liabilities": func(_ *engine, r *risk.LimitRequest) { r.Metric, r.Base = models.MetricLiability, "60" },
		"sliding":     func(_ *engine, r *risk.LimitRequest) { r.Base, r.Pct = "1", "10" },
		"nothing":     func(_ *engine, r *risk.LimitRequest) { r.Base = "0" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t)
			k, operator := e.keeper(t), e.at(0)
			for _, metric := range []string{models.MetricStake, models.MetricLiability} { // so that all is counted
				_, err := k.Create(t.Context(), operator, e.bounded("100", func(r *risk.LimitRequest) { r.Element, r.Metric, r.Pct = "7", metric, "1" }))
				require.NoError(t, err)
			}
			_, err := k.Create(t.Context(), operator, e.bounded("100", func(r *risk.LimitRequest) { r.Element, r.GameID = "5", e.game }))
			require.NoError(t, err, "more specific than most drafts")
			lines, sales := e.soldLines(t)
			request := e.bounded("2")
			change(e, request)

			draft, err := k.Draft(t.Context(), operator, request)
			require.NoError(t, err)
			uses, err := k.UsesOf(t.Context(), draft, sales)
			require.NoError(t, err)
			stopped := map[string]bool{}
			for i := range uses {
				stopped[uses[i].DrawID.String()+uses[i].Selection] = uses[i].Spent()
			}
			saved, err := k.Create(t.Context(), operator, request)
			require.NoError(t, err)
			remaining, err := e.Available(t.Context(), e.chain, e.request(1).Currency, lines)
			require.NoError(t, err)
			for i := range lines {
				refused := !remaining[i].Unlimited && remaining[i].Stake == 0
				if request.Base == "0" {
					assert.Equal(t, lines[i].Selection != "5", refused, "everything that it binds")
					continue
				}
				assert.Equal(t, refused, stopped[lines[i].DrawID.String()+lines[i].Selection], "%s of %s", lines[i].Selection, lines[i].DrawID)
			}
			again, err := k.UsesOf(t.Context(), saved, sales)
			require.NoError(t, err)
			require.Len(t, again, len(uses))
			for i := range uses {
				uses[i].LimitID = saved.ID
			}
			assert.Equal(t, uses, again)

			raised, err := k.DraftChange(t.Context(), operator, saved.ID, "1000000", "", "")
			require.NoError(t, err)
			free, err := k.UsesOf(t.Context(), raised, sales)
			require.NoError(t, err)
			for i := range free {
				assert.False(t, free[i].Spent())
			}
		})
	}
}

// soldLines sells stakes of 1 to 4 units on two elements of each draw, and returns the lines and the sales of the agency.
func (e *engine) soldLines(t *testing.T) ([]risk.Line, []risk.DrawSales) {
	t.Helper()
	lines, byDraw := e.spread(), map[uuid.UUID]*risk.DrawSales{}
	for i := range lines {
		l := &lines[i]
		l.Stake = money.Amount(100 * (i%4 + 1))
		l.Prize = l.Payout.Of(l.Stake)
		req := e.request(l.Stake, l.DrawID)
		req.Lines = []risk.Line{*l}
		_, err := e.Reserve(t.Context(), req)
		require.NoError(t, err)
		if byDraw[l.DrawID] == nil {
			byDraw[l.DrawID] = &risk.DrawSales{DrawID: l.DrawID, GameID: l.GameID, CategoryID: l.CategoryID}
		}
		of := byDraw[l.DrawID]
		of.Total += l.Stake
		of.Selections = append(of.Selections, risk.SelectionSales{BetType: l.BetType, Selection: l.Selection, Stake: l.Stake, Liability: l.Prize})
	}
	var sales []risk.DrawSales
	for _, draw := range e.draws {
		sales = append(sales, *byDraw[draw])
	}
	return lines, sales
}
