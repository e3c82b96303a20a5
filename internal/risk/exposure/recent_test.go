package exposure_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/caller"
	"banca/internal/risk/exposure"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// selling is the database of tests that sell: one game with the draws of a day.
var selling = fixture.Rows{Games: []string{"lotto-activo"}, DrawDays: 1}.Template() //nolint:gochecknoglobals // a lazy constant

// requireAgreement proves that a watched board, and a watched draw, have what a new one reads.
func requireAgreement(t *testing.T, s *exposure.Service, by caller.Caller, draws []exposure.DrawOf) *exposure.Board {
	t.Helper()
	s.ForgetBoards()
	watched, err := s.RecentBoard(t.Context(), by, "VES", draws)
	require.NoError(t, err)
	whole, err := s.Board(t.Context(), by, "VES", draws)
	require.NoError(t, err)
	for _, b := range []*exposure.Board{watched, whole} {
		for _, draw := range b.ByDraw {
			slices.SortFunc(draw.Selections, func(a, b exposure.Selection) int { return cmp.Compare(a.Selection, b.Selection) })
		}
	}
	require.Equal(t, whole.Currency, watched.Currency)
	require.Equal(t, whole.ByDraw, watched.ByDraw)
	requireSplit(t, s, by, draws, whole)
	for _, d := range draws {
		req := &exposure.Request{DrawID: d.DrawID, Currency: "VES", Top: exposure.MaxTop}
		recent, err := s.RecentOf(t.Context(), by, req)
		require.NoError(t, err)
		now, err := s.Of(t.Context(), by, req)
		require.NoError(t, err)
		require.Equal(t, now, recent)
	}
	return watched
}

// requireSplit proves that the sales by entity add up to the sales of a board.
func requireSplit(t *testing.T, s *exposure.Service, by caller.Caller, draws []exposure.DrawOf, whole *exposure.Board) {
	t.Helper()
	split, err := s.RecentSplit(t.Context(), by, []uuid.UUID{whole.Currency.ID}, draws)
	require.NoError(t, err)
	below := split.Of(by.Scope.Path(), whole.Currency.ID)
	for draw, of := range whole.ByDraw {
		if of.Sales == 0 {
			continue
		}
		require.NotNil(t, below[draw])
		require.Equal(t, of.Sales, below[draw].Total)
		require.Equal(t, of.Selections, below[draw].Selections)
	}
	require.Empty(t, split.Of("/"+uuid.NewString()+"/", whole.Currency.ID), "of another organisation")
}

// A board that is watched while tickets are sold, cancelled and refunded at the same time adds each of them once, whatever the order of the commits, in
// the scope of each watcher.
func TestAWatchedBoardFollowsSalesAndCancellations(t *testing.T) {
	t.Parallel()
	o := fixture.New(t, selling)
	s := exposure.New(o.PG, o.Org, o.Catalog, o.Ledger)
	seller, _ := o.StartSales(t)
	open := o.OpenDraws(t, "lotto-activo")[:3]
	draws := make([]exposure.DrawOf, len(open))
	for i, d := range open {
		draws[i] = exposure.DrawOf{DrawID: d.ID, GameID: d.GameID}
	}
	other, err := o.Org.Scope(t.Context(), seed.ID("entity", seed.CodeOtherPoint))
	require.NoError(t, err)
	agency, err := o.Org.Scope(t.Context(), seed.ID("entity", seed.CodeAgency))
	require.NoError(t, err)
	watchers := []caller.Caller{testkit.Operator(fixture.RootID), {Scope: agency}, {Scope: other}}
	for _, by := range watchers {
		require.Empty(t, requireAgreement(t, s, by, draws).ByDraw)
	}
	var selling, watching sync.WaitGroup
	for n := range 4 {
		selling.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(n)))
			for range 25 {
				var items []sales.Item
				for range 1 + rng.IntN(4) {
					items = append(items, fixture.Line(open[rng.IntN(len(open))], "straight", strconv.Itoa(1+rng.IntN(9))+".00", strconv.Itoa(1+rng.IntN(9))))
				}
				req := fixture.Ticket(items...)
				req.IdempotencyKey = uuid.NewString()
				sold, err := seller.Sell(t.Context(), fixture.As(fixture.Cashier), req)
				if !assert.NoError(t, err) || rng.IntN(3) > 0 {
					continue
				}
				_, err = seller.Cancel(t.Context(), fixture.As(fixture.Cashier, auth.SalesCancelAny), &sales.CancelRequest{TicketID: sold.Ticket.ID})
				assert.NoError(t, err)
			}
		})
	}
	done := make(chan struct{})
	for _, by := range watchers {
		watching.Go(func() {
			for {
				s.ForgetBoards()
				_, err := s.RecentBoard(t.Context(), by, "VES", draws)
				assert.NoError(t, err)
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	selling.Wait()
	close(done)
	watching.Wait()
	for _, by := range watchers {
		requireAgreement(t, s, by, draws)
	}
	require.Positive(t, o.Number(t, `SELECT count(*) FROM tickets WHERE status = 'cancelled'`))

	for _, d := range open[:2] { // tickets of several draws keep the others and are cancelled with their last one
		o.Exec(t, `UPDATE draws SET status = 'suspended' WHERE id = $1`, d.ID)
		_, err := seller.RefundDraw(t.Context(), d.ID)
		require.NoError(t, err)
		for _, by := range watchers {
			requireAgreement(t, s, by, draws)
		}
	}
	board := requireAgreement(t, s, watchers[0], draws)
	require.Positive(t, board.ByDraw[open[2].ID].Tickets)
	for _, by := range watchers[1:] {
		requireAgreement(t, s, by, draws)
	}
}
