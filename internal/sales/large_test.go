package sales_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// A table of which a sequential scan reads some 1,500 blocks: the tickets of many days. The first ones belong to
// the ticket point that lists them, as if it had not sold for long.
const (
	largeTickets = 40_000
	ownTickets   = 300
	largeDays    = 80
)

// sellLarge writes the tickets straight into the table, day by day. Each gets a picture and is settled, and a vacuum
// gives the space of the old versions to later days, so the table is not in the order of time. It returns the first
// day.
func (b *bundle) sellLarge(t testing.TB) time.Time {
	t.Helper()
	first := b.Clock.Now().AddDate(0, 0, -largeDays)
	const perDay = largeTickets / largeDays
	for day := range largeDays {
		b.Exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, created_at, total,
				cancel_before, potential_prize, expires_at)
			SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || '8' || lpad(to_hex(g), 15, '0'))::uuid, 'L-' || g, '123456',
				CASE WHEN g <= $3 THEN $4::uuid ELSE $5::uuid END, gen_random_uuid(), $6, $7, 'pending', at, 5000, at, 150000, at
			FROM generate_series($1::int, $2::int) g, LATERAL (SELECT $8::timestamptz + g * $9::interval AS at) x`,
			day*perDay+1, (day+1)*perDay, ownTickets, fixture.EntityID(seed.CodeTicketPoint), fixture.EntityID(seed.CodeTicketPoint2), seed.ID("wallet", seed.CodeTicketPoint, "VES"),
			seed.ID("currency", "VES"), first, 24*time.Hour/perDay)
		b.Exec(t, `UPDATE tickets SET image_url = 'https://s3.example/receipts/' || id WHERE image_url IS NULL`)
		b.Exec(t, `UPDATE tickets SET status = 'lost', settled_at = created_at WHERE status = 'pending'`)
		if day%8 == 7 {
			b.Exec(t, `VACUUM tickets`)
		}
	}
	b.Exec(t, `VACUUM (ANALYZE) tickets`)
	b.Exec(t, `ANALYZE entities`)
	return first
}

// Lists of a ticket point and of a past day read the rows they list by an index, not the table from its end.
func TestListsOfTicketsReadFewBlocksOfManyTickets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	past := businessday.Of(b.sellLarge(t), time.UTC).AddDays(3)
	b.Exec(t, `UPDATE tickets SET status = 'won', prize = 1, settled_at = created_at + interval '1 hour' WHERE right(serial_code, 1) = '0'`)
	b.Exec(t, `UPDATE tickets SET status = 'paid', settled_at = NULL WHERE right(serial_code, 3) = '777'`)
	b.Exec(t, `UPDATE tickets SET settled_at = NULL WHERE right(serial_code, 3) = '770'`) // those whose payment was taken back after that
	const won = largeTickets / largeDays / 10
	b.Exec(t, `VACUUM (ANALYZE) tickets`)
	for _, tt := range []struct {
		name   string
		by     caller.Caller
		filter sales.Filter
		total  int64
		most   int64 // blocks, three of them a row for its key; planning reads some 160, the first of each index of each month
	}{
		{"a ticket point", b.within(t, seed.CodeTicketPoint), sales.Filter{}, ownTickets, 310},
		{"a ticket point, by its id", cashier(), sales.Filter{EntityID: fixture.EntityID(seed.CodeTicketPoint)}, ownTickets, 310},
		{"a past day", cashier(), sales.Filter{Date: past}, largeTickets / largeDays, 360},
		{"a past day, oldest first", cashier(), sales.Filter{Date: past, Oldest: true}, largeTickets / largeDays, 360},
		{"those that won of a past day, counted up to a few", cashier(), sales.Filter{Date: past, Status: models.TicketWon, Counted: 40}, 40, 1000},
		{"those that won of a day of this week", cashier(), sales.Filter{Date: past.AddDays(largeDays - 6), Status: models.TicketWon}, won, 1000},
		{"those that won of a past day", cashier(), sales.Filter{Date: past, Status: models.TicketWon}, won, 1000},
		{"one of a past day that was paid and is open again", cashier(), sales.Filter{Date: past, Status: models.TicketPaid}, 1, 1000},
		{"a past day of a ticket point", b.within(t, seed.CodeTicketPoint2), sales.Filter{Date: past}, largeTickets / largeDays, 250},
	} {
		tt.filter.Limit = 20
		blocks := b.Env.BlocksRead(t, "tickets", func(pg *storage.Postgres) {
			deps := b.Deps
			deps.PG = pg
			list, total, err := sales.New(deps).List(t.Context(), tt.by, tt.filter)
			require.NoError(t, err, tt.name)
			assert.Equal(t, min(tt.total, storage.MaxCounted), total, tt.name)
			require.Len(t, list, int(min(tt.total, 20)), tt.name)
			for i := 1; i < len(list); i++ {
				assert.Equal(t, tt.filter.Oldest, list[i].CreatedAt.After(list[i-1].CreatedAt), tt.name)
			}
		})
		t.Logf("%s: %d blocks", tt.name, blocks)
		assert.LessOrEqual(t, blocks, tt.most, tt.name)
	}
	_, total, err := b.List(t.Context(), b.within(t, seed.CodeTicketPoint), sales.Filter{EntityID: fixture.EntityID(seed.CodeTicketPoint2), Limit: 1})
	require.NoError(t, err)
	require.Zero(t, total, "a ticket point lists its own")
	_, total, err = b.List(t.Context(), testkit.Operator(uuid.New()), sales.Filter{Limit: 1})
	require.NoError(t, err)
	require.Zero(t, total)
}

// The last purchase of a page of customers is read by one probe for each of them, whether they have few tickets or half of all.
func TestLastPurchasesReadFewBlocksOfManyTickets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellLarge(t)
	const shown = 50
	b.Exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) SELECT gen_random_uuid(), $1, 'Ana', 'ana', '+58412' || lpad(g::text, 7, '0')
		FROM generate_series(1, $2) g`, fixture.EntityID(seed.CodeTicketPoint), shown)
	b.Exec(t, `UPDATE tickets t SET customer_id = c.id FROM (SELECT id, row_number() OVER () - 1 AS n FROM customers) c
		WHERE n = CASE WHEN right(serial_code, 1) < '5' THEN 0 ELSE abs(hashtext(serial_code)) % $1 END`, shown)
	b.Exec(t, `VACUUM (ANALYZE) tickets`)
	by := b.within(t, seed.CodeTicketPoint)
	list, _, err := customers.New(b.PG).List(t.Context(), by, &customers.Filter{Limit: shown})
	require.NoError(t, err)
	ids := make([]uuid.UUID, 0, shown)
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	blocks := b.Env.BlocksRead(t, "tickets", func(pg *storage.Postgres) {
		last, err := customers.New(pg).LastBought(t.Context(), by, ids)
		require.NoError(t, err)
		assert.Len(t, last, shown)
	})
	t.Logf("%d blocks", blocks)
	assert.LessOrEqual(t, blocks, int64(160+shown*15), "a probe of each of three months reads four blocks, and one the row")
}
