package prizes_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/draws"
	"banca/internal/prizes"
	"banca/internal/sales"
	"banca/models"
)

// A settlement of a draw that a ticket is not on leaves the ticket's difference to the transaction that closes it.
func TestASettlementLeavesTheDifferencesOfOtherTickets(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		end    func(ctx context.Context, b *bundle, d *prizes.Difference) error
		status string
	}{
		"settled": {func(ctx context.Context, b *bundle, d *prizes.Difference) error {
			_, err := b.Resolve(ctx, b.by, d.ID)
			return err
		}, models.TicketPaid},
		"written off": {func(ctx context.Context, b *bundle, d *prizes.Difference) error {
			_, err := b.WriteOff(ctx, b.by, d.ID, "the customer had given it back")
			return err
		}, models.TicketWon},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			list := b.open(t)
			ticket := b.sell(t, "5", list[0])
			b.sell(t, "5", list[1])
			b.collectedAgain(t, ticket, b.settle(t, list[0], "5"))
			d := b.difference(t, ticket)
			b.Exec(t, `CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$`)
			b.Exec(t, `CREATE CONSTRAINT TRIGGER hold AFTER UPDATE ON prize_differences DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
				WHEN (NEW.status IN ('settled', 'written_off')) EXECUTE FUNCTION hold()`)
			ended := make(chan error, 1)
			go func() { ended <- tt.end(context.WithoutCancel(t.Context()), b, d) }()
			require.Eventually(t, func() bool {
				return b.Number(t, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`) == 1
			}, 10*time.Second, 5*time.Millisecond)
			b.settle(t, list[1], "6")
			require.NoError(t, <-ended)
			require.Equal(t, tt.status, b.status(t, ticket))
			require.Zero(t, b.Number(t, `SELECT count(*) FROM prize_differences WHERE status = 'open'`), "the difference stays closed")
			b.requireSound(t)
			if tt.status == models.TicketWon {
				_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
				require.NoError(t, err, "the holder is paid after a write-off")
				b.requireSound(t)
			}
		})
	}
}

// The amount owed to a point for a collected prize that was won again is summed once and listed in one state: as
// underpaid, not also as to be collected.
func TestAReopenedDifferenceIsSummedOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.open(t)[0]
	ticket := b.sell(t, "5", draw)
	other := b.sell(t, "5", draw)
	b.collectedAgain(t, ticket, b.settle(t, draw, "5"))
	d := b.difference(t, ticket)
	sum := func() prizes.Sum {
		sums, err := b.Summary(t.Context(), b.by, &prizes.Filter{})
		require.NoError(t, err)
		require.Len(t, sums, 1)
		return sums[0]
	}
	listed := func(state string) []uuid.UUID {
		list, total, err := b.List(t.Context(), b.by, &prizes.Filter{State: state, Limit: 10})
		require.NoError(t, err)
		require.Len(t, list, int(total))
		var ids []uuid.UUID
		for i := range list {
			ids = append(ids, list[i].TicketID)
		}
		return ids
	}
	open := sum()
	require.Equal(t, []uuid.UUID{other.ID}, listed(models.TicketWon))
	require.Equal(t, []uuid.UUID{ticket.ID}, listed(prizes.StateDifferences))
	require.ElementsMatch(t, []uuid.UUID{ticket.ID, other.ID}, listed(""))
	require.Equal(t, d.Due, open.Underpaid)
	require.Equal(t, d.Due, open.Won, "the other ticket's")
	require.EqualValues(t, 1, open.WonTickets)
	b.Clock.Advance(60 * 24 * time.Hour)
	late := sum()
	require.Equal(t, d.Due, late.Underpaid)
	require.Equal(t, d.Due, late.Expired)
	require.EqualValues(t, 1, late.ExpiredOnes)
	require.Equal(t, []uuid.UUID{other.ID}, listed(prizes.StateExpired))
	require.Empty(t, listed(models.TicketWon))
	_, err := b.Resolve(t.Context(), b.by, d.ID)
	require.NoError(t, err)
	require.Zero(t, sum().Underpaid)
	require.Equal(t, d.Due, sum().Paid)
}

// collectedAgain pays a ticket, corrects its result away, settles the difference and corrects the result back.
func (b *bundle) collectedAgain(t testing.TB, ticket *sales.Ticket, result *draws.Result) {
	t.Helper()
	_, err := b.Pay(t.Context(), b.by, b.ask(ticket, ""))
	require.NoError(t, err)
	wrong := b.correct(t, result, "6")
	_, err = b.Resolve(t.Context(), b.by, b.difference(t, ticket).ID)
	require.NoError(t, err)
	b.correct(t, wrong, "5")
}
