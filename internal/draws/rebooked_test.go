package draws_test

import (
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/sales"
	"banca/models"
)

// refund suspends a draw and refunds it.
func (h *world) refund(t *testing.T, draw *catalog.Draw) {
	t.Helper()
	require.NoError(t, h.Suspend(t.Context(), fixture.As(fixture.Typist), draw.ID, "the machine broke"))
	require.NoError(t, h.Refund(t.Context(), draw.ID))
}

// rename gives a booking another id, as an earlier release wrote it.
func (h *world) rename(t *testing.T, from, to uuid.UUID) {
	t.Helper()
	for _, table := range []string{"transactions", "postings"} {
		h.Exec(t, `ALTER TABLE `+table+` DISABLE TRIGGER USER`)
	}
	h.Exec(t, `UPDATE transactions SET id = $2 WHERE id = $1`, from, to)
	h.Exec(t, `UPDATE postings SET transaction_id = $2 WHERE transaction_id = $1`, from, to)
	for _, table := range []string{"transactions", "postings"} {
		h.Exec(t, `ALTER TABLE `+table+` ENABLE TRIGGER USER`)
	}
}

func (h *world) mixed(t *testing.T, draws []*catalog.Draw) *sales.Ticket {
	t.Helper()
	var items []sales.Item
	for _, d := range draws {
		items = append(items, fixture.Line(d, catalog.BetStraight, "9.99", "5"))
	}
	return h.sell(t, items...)
}

// The rest of a refunded ticket is booked in the month of the refund, and again for each further draw.
func TestTheRestOfATicketIsBookedInAMonth(t *testing.T) {
	t.Parallel()
	h := setup(t)
	list := h.OpenDraws(t, "lotto-activo")[:3]
	ticket := h.mixed(t, list)
	for n, draw := range list {
		h.refund(t, draw)
		require.Equal(t, "false", h.Text(t, `SELECT stray::text FROM monthly_state()`))
		require.EqualValues(t, n+1, h.Number(t, `SELECT refunds FROM tickets WHERE id = $1`, ticket.ID))
		require.Zero(t, h.Number(t, `SELECT count(*) FROM transactions WHERE substr(id::text, 15, 1) <> '7'`))
		h.requireSound(t)
	}
	require.EqualValues(t, 2, h.Number(t, `SELECT count(rebooked_id) FROM draw_refunds`))
	require.Equal(t, models.TicketCancelled+" 0", h.state(t, ticket))
}

// A ticket whose rest an earlier release booked under digests of its id, before or behind the bound of migration
// 0063, is refunded further.
func TestTheRestThatAnEarlierReleaseBooked(t *testing.T) {
	t.Parallel()
	for kind, dated := range map[string]bool{"a digest": false, "a dated digest": true} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			h := setup(t)
			list := h.OpenDraws(t, "lotto-activo")[:3]
			ticket := h.mixed(t, list)
			h.refund(t, list[0])
			booked := uuid.MustParse(h.Text(t, `SELECT rebooked_id::text FROM draw_refunds`))
			h.Exec(t, `UPDATE draw_refunds SET rebooked_id = NULL`)
			at := h.Text(t, `SELECT substr(first_id_at(date_trunc('milliseconds', created_at AT TIME ZONE
				'UTC'))::text, 1, 14) FROM draw_refunds`)
			for _, id := range []uuid.UUID{booked, ledger.CommissionID(booked)} {
				of := ticket.ID
				if id != booked {
					of = ledger.CommissionID(ticket.ID)
				}
				digest := uuid.NewSHA1(of, []byte(strconv.Itoa(1)))
				if dated {
					digest = uuid.MustParse(at + "7" + digest.String()[15:])
				}
				h.rename(t, id, digest)
			}
			require.Equal(t, "false", h.Text(t, `SELECT stray::text FROM monthly_state()`))
			for _, draw := range list[1:] {
				h.refund(t, draw)
				h.requireSound(t)
			}
			require.Equal(t, models.TicketCancelled+" 0", h.state(t, ticket))
		})
	}
}
