package months_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/clock"
	"banca/internal/platform/months"
)

// shop sells tickets of the first month of a database, and looks back at them months later.
type shop struct {
	*months.Service

	env   *testkit.Env
	store *brittle
}

func newShop(t *testing.T) *shop {
	t.Helper()
	env := testkit.NewUndivided(t)
	store := &brittle{Store: env.Private}
	now := time.Now().UTC()
	later := time.Date(now.Year(), now.Month()+8, 10, 0, 0, 0, 0, time.UTC) // only the first partition, which ends with the next month, is due
	s := &shop{env: env, store: store, Service: &months.Service{
		PG: env.PG, Objects: store, Clock: clock.NewFake(later), Keep: 6, Log: env.Log,
	}}
	s.ChunkOf(3)
	s.exec(t, `INSERT INTO feeds (name, position) VALUES ('wallet_days', 9000000000000000000)`)
	return s
}

func (s *shop) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := s.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// sold sells tickets whose draws are decided, and returns their ids.
func (s *shop) sold(t *testing.T, n int) []uuid.UUID {
	t.Helper()
	for i := range n {
		sell(t, s.env, time.Now(), fmt.Sprintf("S%d", i))
	}
	s.exec(t, `UPDATE tickets SET status = 'lost'`)
	rows, err := s.env.PG.Pool.Query(t.Context(), `SELECT id FROM tickets ORDER BY id`)
	require.NoError(t, err)
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		require.NoError(t, rows.Scan(&id))
		ids = append(ids, id)
	}
	require.NoError(t, rows.Err())
	return ids
}

// count returns the rows of the divided tables.
func (s *shop) count(t *testing.T) (n int) {
	t.Helper()
	require.NoError(t, s.env.PG.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM tickets) + (SELECT count(*) FROM ticket_items) + (SELECT count(*) FROM transactions) + (SELECT count(*) FROM postings)`).Scan(&n))
	return n
}

// label returns the label of the first month.
func (s *shop) label(t *testing.T) string {
	t.Helper()
	list, err := s.List(t.Context())
	require.NoError(t, err)
	return list[0].Label
}

var errStore = errors.New("the store is away")

// brittle is a store that fails once, and spoils what it is told to.
type brittle struct {
	months.Store

	failAt  int // the call that fails; 0 for none
	calls   int
	spoiled string           // the prefix of keys whose objects are returned changed
	meet    func(key string) // is called before an object is read
}

func (b *brittle) called() error {
	if b.calls++; b.calls == b.failAt {
		return errStore
	}
	return nil
}

func (b *brittle) Put(ctx context.Context, key, contentType string, body []byte) (string, error) {
	if err := b.called(); err != nil {
		return "", err
	}
	return b.Store.Put(ctx, key, contentType, body)
}

func (b *brittle) Get(ctx context.Context, key string) (body []byte, contentType string, err error) {
	if err := b.called(); err != nil {
		return nil, "", err
	}
	if b.meet != nil {
		b.meet(key)
	}
	body, contentType, err = b.Store.Get(ctx, key)
	if b.spoiled != "" && strings.Contains(key, b.spoiled) {
		body[len(body)/2]++
	}
	return body, contentType, err
}

// A month in which something is open stays as it is, and the list says what it is.
func TestAnOpenMonthIsNotArchived(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	sell(t, s.env, time.Now(), "A")
	done, err := s.Archive(t.Context())
	require.NoError(t, err)
	assert.Zero(t, done)
	assert.Equal(t, 5, s.count(t))
	list, err := s.List(t.Context())
	require.NoError(t, err)
	assert.Contains(t, list[0].Open, "1 tickets wait for draws")
	assert.Empty(t, list[0].State)
	state, err := s.State(t.Context(), s.env.PG.Pool)
	require.NoError(t, err)
	assert.Equal(t, list[0].Ends.AddDate(0, 6, 0), state.Due)
	s.exec(t, `UPDATE tickets SET status = 'won'`)
	done, err = s.Archive(t.Context())
	require.NoError(t, err)
	assert.Zero(t, done, "its prize is to be paid")
}

// What happened to tickets of a month in a later one, such as a prize that was paid or a refund, is counted with
// their rows before they leave.
func TestAMonthWaitsUntilItsEventsAreCounted(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ids := s.sold(t, 2)
	s.exec(t, `UPDATE feeds SET position = (SELECT max(xid) + 1 FROM transactions)`)
	s.exec(t, `INSERT INTO transactions (id, type, entity_id, currency_id, amount, ticket_id, reference, created_at) SELECT (substr(first_id_at($2 AT TIME ZONE 'UTC')::text, 1, 14) || '7'
		|| substr(gen_random_uuid()::text, 16))::uuid, 'prize', $1, $1, 100, $1, '', now()`, ids[0], monthAt(2))
	s.exec(t, `INSERT INTO winning_lines (ticket_id, line_no, draw_id, result_id, prize, created_at) VALUES ($1, 1, $1, $1, 100, now())`, ids[0])
	done, err := s.Archive(t.Context())
	require.NoError(t, err)
	require.Zero(t, done)
	list, err := s.List(t.Context())
	require.NoError(t, err)
	require.Contains(t, list[0].Open, "2 events of its tickets are not in the totals")
	s.exec(t, `UPDATE feeds SET position = 9000000000000000000`)
	done, err = s.Archive(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, done)
}

// Whatever call of the store fails, all rows are in the tables, and the next run goes on; at the end each is in the
// archive as it was.
func TestArchivingIsTakenUpAfterAFailure(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ids := s.sold(t, 7)
	rows := s.count(t)
	require.Equal(t, 7*5, rows)
	failures := 0
	for s.store.failAt = 1; ; s.store.failAt++ {
		s.store.calls = 0
		_, err := s.Archive(t.Context())
		if err == nil {
			break
		}
		failures++
		require.ErrorIs(t, err, errStore)
		require.Equal(t, rows, s.count(t))
		_, err = s.env.PG.Pool.Exec(t.Context(), `UPDATE tickets SET status = 'won' WHERE id = $1`, ids[0])
		require.ErrorContains(t, err, "in a month that is archived", "a month that is being written does not change")
	}
	require.Greater(t, failures, 20, "7 tickets in objects of 3 rows")
	require.Zero(t, s.count(t))
	found := &months.Archive{PG: s.env.PG, Objects: s.env.Private}
	for i, id := range ids {
		ticket, err := found.Ticket(t.Context(), id)
		require.NoError(t, err)
		require.NotNil(t, ticket, i)
		assert.Contains(t, string(ticket.Row), id.String())
		assert.Len(t, ticket.Lines, 1)
	}
	id, err := found.BySerial(t.Context(), "S4", func(time.Time) bool { return false })
	require.NoError(t, err)
	assert.Contains(t, ids, id, "the first partition has the serial codes of all months before it")
	absent, err := found.BySerial(t.Context(), "S9", func(time.Time) bool { return true })
	require.NoError(t, err)
	assert.Equal(t, uuid.Nil, absent)
	none, err := found.Ticket(t.Context(), uuid.Must(uuid.NewV7()))
	require.NoError(t, err)
	assert.Nil(t, none)
}

// A damaged object is noticed when it is written, when a ticket is looked up, and when its month is restored.
func TestADamagedObjectIsNoticed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ids := s.sold(t, 4)
	s.store.spoiled = "/postings/"
	_, err := s.Archive(t.Context())
	require.ErrorIs(t, err, months.ErrDamaged)
	require.Equal(t, 4*5, s.count(t), "nothing is dropped that the store does not have")
	s.store.spoiled = ""
	_, err = s.Archive(t.Context())
	require.NoError(t, err)
	require.Zero(t, s.count(t))

	list, err := s.List(t.Context())
	require.NoError(t, err)
	label := list[0].Label
	require.Equal(t, months.StateArchived, list[0].State)
	whole, err := s.Check(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, whole)
	for _, object := range []string{"manifest", "/serials/"} {
		s.store.spoiled = object
		whole, err = s.Check(t.Context())
		require.ErrorIs(t, err, months.ErrDamaged, object)
		require.Zero(t, whole)
	}
	s.store.spoiled = "/tickets/"
	_, err = (&months.Archive{PG: s.env.PG, Objects: s.store}).Ticket(t.Context(), ids[0])
	require.ErrorIs(t, err, months.ErrDamaged)
	s.store.spoiled = "/postings/"
	_, err = s.Return(t.Context(), label)
	require.ErrorIs(t, err, months.ErrDamaged)
	require.Zero(t, s.count(t), "a month returns whole or not at all")
	s.store.spoiled = ""
	n, err := s.Return(t.Context(), label)
	require.NoError(t, err)
	require.Equal(t, int64(4*5), n)
	require.Equal(t, 4*5, s.count(t))
	_, err = s.Return(t.Context(), label)
	require.ErrorIs(t, err, months.ErrNotArchived)
	_, err = s.Return(t.Context(), "nonsense")
	require.ErrorIs(t, err, months.ErrNotArchived)
}

// A chunk is read by an index: a sort would read the whole month for each of its chunks.
func TestChunksAreReadWithoutASort(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t)
	tx, err := env.PG.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(t.Context()) }()
	_, err = tx.Exec(t.Context(), `SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_sort', 'enable_seqscan', 'enable_bitmapscan']) name`)
	require.NoError(t, err)
	for _, sql := range months.Statements() {
		if strings.Contains(sql, "serial_code > $1") {
			sql = strings.Replace(sql, "$1", `'A'`, 1)
		}
		sql = strings.NewReplacer("$1", "first_id_at(now()::timestamp)", "$2", "first_id_at(now()::timestamp)", "$3", "first_id_at(now()::timestamp + interval '1 day')", "$4", "1000").Replace(sql)
		rows, err := tx.Query(t.Context(), "EXPLAIN "+sql)
		require.NoError(t, err)
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		assert.NotContains(t, strings.Join(plan, "\n"), "Sort  (cost", sql)
	}
}

// A run that stood still while another one archived its month changes nothing of what that one wrote.
func TestAnOvertakenRunChangesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	ids := s.sold(t, 4)
	s.store.failAt = 1
	_, err := s.Archive(t.Context())
	require.ErrorIs(t, err, errStore)
	s.store.failAt = 0
	late, err := s.Due(t.Context())
	require.NoError(t, err)
	done, err := s.Archive(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, done)

	require.ErrorIs(t, late(t.Context()), months.ErrOvertaken)
	found, err := (&months.Archive{PG: s.env.PG, Objects: s.env.Private}).Ticket(t.Context(), ids[0])
	require.NoError(t, err)
	require.NotNil(t, found)
	_, err = s.Return(t.Context(), s.label(t))
	require.NoError(t, err)
	require.Equal(t, 4*5, s.count(t))
}

// A month that is written is read back again before it is dropped by a later run, and written again if the store lost
// something of it.
func TestAWrittenMonthIsReadAgainBeforeItIsDropped(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.sold(t, 4)
	s.exec(t, `CREATE VIEW reader AS SELECT 1 FROM tickets_`+s.label(t)) // the partition cannot be dropped
	_, err := s.Archive(t.Context())
	require.ErrorContains(t, err, "cannot drop")
	list, err := s.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, months.StateWritten, list[0].State)
	s.exec(t, `DROP VIEW reader`)

	s.store.spoiled = "/postings/"
	_, err = s.Archive(t.Context())
	require.ErrorIs(t, err, months.ErrDamaged)
	require.Equal(t, 4*5, s.count(t))
	s.store.spoiled = ""
	keys, err := s.env.Private.Keys(t.Context(), "archive/")
	require.NoError(t, err)
	require.NotEmpty(t, keys)
	for _, key := range keys {
		require.NoError(t, s.env.Private.Delete(t.Context(), key))
	}
	done, err := s.Archive(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, done)
	require.Zero(t, s.count(t))
	_, err = s.Return(t.Context(), s.label(t))
	require.NoError(t, err)
	require.Equal(t, 4*5, s.count(t))
}

// A return that is overtaken by another one, which fails, attaches nothing of it.
func TestAnOvertakenReturnAttachesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.sold(t, 4)
	_, err := s.Archive(t.Context())
	require.NoError(t, err)
	label := s.label(t)
	other := *s.Service
	other.Objects = &brittle{Store: s.env.Private, failAt: 3} // after the first of two objects of tickets
	s.store.meet = func(key string) {
		if strings.Contains(key, "/ticket_items/") {
			s.store.meet = nil
			_, err := other.Return(t.Context(), label)
			assert.ErrorIs(t, err, errStore)
		}
	}
	_, err = s.Return(t.Context(), label)
	require.ErrorIs(t, err, months.ErrOvertaken)
	require.Zero(t, s.count(t))
	n, err := s.Return(t.Context(), label)
	require.NoError(t, err)
	require.Equal(t, int64(4*5), n)
	require.Equal(t, 4*5, s.count(t))
}

// A month with a suspended draw that is not refunded, or with days of a ticket point that no close covers, stays in
// the tables.
func TestAMonthWaitsForRefundsAndCloses(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.ChunkOf(10)
	s.sold(t, 2)
	archived := func(open string) {
		t.Helper()
		done, err := s.Archive(t.Context())
		require.NoError(t, err)
		list, err := s.List(t.Context())
		require.NoError(t, err)
		require.Contains(t, list[0].Open, open)
		require.Equal(t, open == "", done == 1)
	}
	s.exec(t, `INSERT INTO game_categories (id, name, code) VALUES ('01900000-0000-7000-8000-000000000001',
		'Animalitos', 'animalitos')`)
	s.exec(t, `INSERT INTO games (id, category_id, name, short_code) SELECT game_id,
		'01900000-0000-7000-8000-000000000001', 'Lotto', 'lotto' FROM ticket_items LIMIT 1`)
	s.exec(t, `INSERT INTO draws (id, game_id, draw_number, local_date, draw_time, sale_stop_at, status) SELECT
		draw_id, g.id, '1', current_date, now(), transaction_timestamp(), 'suspended' FROM ticket_items, games g LIMIT 1`)
	archived("1 suspended draws are not refunded")
	s.exec(t, `UPDATE draws SET refunded_at = now()`)
	s.exec(t, `INSERT INTO entities (id, entity_type, name, code, path) SELECT id, 'TICKET_POINT', 'Point', 'P1', '/'
		|| id || '/' FROM (SELECT gen_random_uuid() AS id) e`)
	s.exec(t, `INSERT INTO currencies (id, code, name, symbol, digits) VALUES (gen_random_uuid(), 'VES', 'Bolivar',
		'Bs', 2)`)
	s.exec(t, `INSERT INTO wallets (id, entity_id, currency_id) SELECT gen_random_uuid(), e.id, c.id FROM entities e,
		currencies c`)
	s.exec(t, `INSERT INTO postings (transaction_id, wallet_id, amount, direct, created_at) SELECT t.id, w.id, CASE
		row_number() OVER () WHEN 1 THEN 100 ELSE -100 END, true, now()
		FROM (SELECT id FROM transactions LIMIT 1) t, (SELECT id FROM wallets UNION ALL SELECT gen_random_uuid()) w`)
	archived("1 wallets of ticket points have days without a close")
	s.exec(t, `INSERT INTO daily_closes (id, entity_id, currency_id, wallet_id, day, status, seen, ends_at,
		opened_at, closed_at)
		SELECT gen_random_uuid(), entity_id, currency_id, id, current_date, 'closed', pg_current_snapshot(), now() +
			interval '1 minute', now(), now() FROM wallets`)
	archived("")
}

// The partitions of a month are attached without a look at their rows, which are checked as they are inserted.
func TestAReturnedMonthIsAttachedWithoutAScan(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.sold(t, 4)
	_, err := s.Archive(t.Context())
	require.NoError(t, err)
	var notices []string
	config, err := pgx.ParseConfig(s.env.PostgresURL)
	require.NoError(t, err)
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if strings.Contains(n.Message, "partition constraint") || strings.Contains(n.Message, "verifying") {
			notices = append(notices, n.Message)
		}
	}
	conn, err := pgx.ConnectConfig(t.Context(), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close(t.Context())) }()
	label := s.label(t)
	_, err = conn.Exec(t.Context(), `SET client_min_messages = debug1; SELECT monthly_return('`+label+`')`)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `INSERT INTO transactions_`+label+` (id, type, entity_id, currency_id, amount,
		created_at) SELECT first_id_at(now()::timestamp + interval '2 years'), 'sale', x.id, id, 1, now()
		FROM (SELECT gen_random_uuid() AS id) x`)
	require.ErrorContains(t, err, "month_bound")
	notices = nil
	_, err = conn.Exec(t.Context(), `SELECT monthly_attach('`+label+`')`)
	require.NoError(t, err)
	all := strings.Join(notices, "\n")
	for _, table := range []string{"tickets", "ticket_items", "transactions", "postings"} {
		require.Contains(t, all,
			`partition constraint for table "`+table+`_`+label+`" is implied by existing constraints`)
		require.NotContains(t, all, `verifying table "`+table+`_`+label+`"`)
	}
	var left int
	require.NoError(t, s.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_constraint WHERE conname =
		'month_bound'`).Scan(&left))
	require.Zero(t, left)
}
