package customers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
	"banca/models"
	"banca/storage"
)

const largeCustomers = 100_000

// A search among the 100,000 customers of an agency reads one index twice, whatever the text, and does not read other agencies' rows.
func TestASearchReadsFewBlocksOfManyCustomers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	points := []*models.Entity{b.point, b.second}
	for range 18 {
		points = append(points, b.entity(t, b.agency, models.EntityTicketPoint, "T"+numbered(len(points))))
	}
	for i, p := range points {
		b.exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) SELECT gen_random_uuid(), $1, initcap(n), n, '+58414' || lpad((g * 7919 % 10000000)::text, 7, '0')
			FROM (SELECT g, (array['maria', 'jose', 'ana', 'luis', 'carmen', 'juan', 'rosa', 'pedro', 'yulimar', 'francisco', 'antonia', 'manuel'])[1 + g * 31 % 12] || ' '
				|| (array['gonzalez', 'fernandez', 'rodriguez', 'perez', 'lopez', 'garcia', 'martinez', 'sanchez', 'diaz', 'hernandez', 'nanez'])[1 + g * 17 % 11] || ' '
				|| substr(md5(g::text), 1, 5) AS n FROM generate_series($2::integer, $3::integer) g) x`, p.ID, i*largeCustomers/len(points)+1, (i+1)*largeCustomers/len(points))
	}
	b.exec(t, `INSERT INTO customers (id, entity_id, name, search_name, phone) SELECT gen_random_uuid(), $1, 'Ana', 'ana', '+58412' || lpad(g::text, 7, '0')
		FROM generate_series(1, $2::integer) g`, b.foreign.EntityID, largeCustomers)
	b.exec(t, `VACUUM (ANALYZE) customers`)
	b.exec(t, `ANALYZE entities`)
	var pages int64
	require.NoError(t, b.env.PG.Pool.QueryRow(t.Context(), `SELECT relpages FROM pg_class WHERE relname = 'customers_search'`).Scan(&pages))
	for text, least := range map[string]int64{"": largeCustomers, "an": 50_000, "maria gonzalez": 700, "4567": 50, "maria 4567": 1, "zz": 0, "yulimar nanez 0414": 700} {
		blocks := b.env.BlocksRead(t, "customers", func(pg *storage.Postgres) {
			list, total, err := customers.New(pg).List(t.Context(), b.admin, &customers.Filter{Search: text, Limit: 20})
			require.NoError(t, err)
			assert.GreaterOrEqual(t, total, min(least, storage.MaxCounted), text)
			assert.Len(t, list, int(min(total, 20)), text)
		})
		assert.LessOrEqual(t, blocks, pages+600, "%q", text)
		fastest := time.Hour
		for range 5 {
			began := time.Now()
			_, _, err := b.List(t.Context(), b.admin, &customers.Filter{Search: text, Limit: 20})
			require.NoError(t, err)
			fastest = min(fastest, time.Since(began))
		}
		t.Logf("%q: %d blocks, the index has %d; %v", text, blocks, pages, fastest)
	}
}
