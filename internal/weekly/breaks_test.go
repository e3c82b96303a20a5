package weekly_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
)

// A confirmation and a payment that break at any statement, the commit included, have no effect, and one effect when they are repeated.
func TestABrokenChangeHasNoEffect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	s := b.of(t, seed.CodeAgency)
	breaker := b.Env.Breaker(t)
	deps := b.Deps
	deps.PG, deps.Ledger = breaker.PG, ledger.New(breaker.PG, ledger.Options{Zone: fixture.Caracas, Clock: b.Clock})
	broken := weekly.New(deps)
	for _, change := range []struct {
		name string
		run  func() error
	}{
		{"confirm", func() error {
			_, _, err := broken.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: s.ID, IdempotencyKey: "c"})
			return err
		}},
		{"pay", func() error {
			_, _, err := broken.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "p", IdempotencyKey: "p"})
			return err
		}},
	} {
		tables := func() []int64 {
			return []int64{
				b.Number(t, `SELECT count(*) FROM weekly_settlements WHERE confirmed_at IS NOT NULL`), b.Number(t, `SELECT count(*) FROM weekly_payments`),
				b.Number(t, `SELECT count(*) FROM postings`), b.Number(t, `SELECT count(*) FROM idempotency_keys`), b.Number(t, `SELECT count(*) FROM activity_logs`),
			}
		}
		before := tables()
		breaks := breaker.Each(t, change.run, func(error) { require.Equal(t, before, tables(), change.name) })
		require.GreaterOrEqual(t, breaks, 8, change.name)
		require.NotEqual(t, before, tables(), change.name)
	}
	require.Equal(t, weekly.Paid, b.of(t, seed.CodeAgency).Status)
	b.requireSound(t)
}

// Two workers draft a week once. A week that is drafted again while it is confirmed is one or the other.
func TestDraftsBesideConfirmations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 0), catalog.BetStraight, "10.00", "7"))
	week := b.week()
	b.nextWeek()
	b.count(t)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			_, err := b.Due(t.Context())
			assert.NoError(t, err)
		})
	}
	group.Wait()
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM weekly_settlements WHERE entity_id = $1`, fixture.EntityID(seed.CodeGroup)))

	for range 5 {
		group.Go(func() {
			err := b.Redraft(t.Context(), b.by, week, "VES")
			assert.True(t, err == nil || errors.Is(err, weekly.ErrConfirmed) || errors.Is(err, weekly.ErrNotNewest), "%v", err)
		})
	}
	for _, code := range branch() {
		group.Go(func() {
			for range 100 {
				_, _, err := b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: b.of(t, code).ID})
				if !errors.Is(err, weekly.ErrNotFound) { // drafted again meanwhile
					assert.NoError(t, err)
					return
				}
			}
		})
	}
	group.Wait()
	require.EqualValues(t, 4, b.Number(t, `SELECT count(*) FROM weekly_settlements WHERE confirmed_at IS NOT NULL`))
	b.requireSound(t)
}
