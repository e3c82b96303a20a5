package app

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/target"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/internal/platform/feed"
	"banca/internal/platform/months"
	"banca/internal/prizes"
	"banca/internal/rollup"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/internal/setup/seed/partitions"
	"banca/internal/setup/volume"
	"banca/internal/tickets"
)

// old is a platform with monthsOld months of sales, of which six months and the current one stay in the tables.
type old struct {
	*App

	env   *testkit.Env
	clock *clock.Fake
}

const keepsOld = 6 // months

// monthsOld is how old the platform is: some months more than a year, or three years in `make long`.
func monthsOld() int {
	if target.Runs(target.Long) {
		return 36
	}
	return 15
}

func newOld(t *testing.T) *old {
	t.Helper()
	o := &old{env: testkit.NewUndivided(t), clock: clock.NewFake(time.Now().UTC().Truncate(time.Microsecond))}
	cfg := settings(o.env)
	cfg.Business.DrawDaysAhead = 1
	cfg.Postgres.ArchiveAfter = keepsOld
	var err error
	o.App, err = Open(t.Context(), cfg, config.Mode(RoleAPI), o.env.Log)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, o.Close()) })
	o.services.months.Clock, o.services.months.Objects = o.clock, o.env.Private
	o.services.sales.Archive = &months.Archive{PG: o.env.PG, Objects: o.env.Private}
	require.NoError(t, partitions.Divide(t.Context(), o.env.PG, monthsOld()))
	require.NoError(t, o.Seed(t.Context()))
	o.sell(t)
	return o
}

func (o *old) exec(t *testing.T, sql string) {
	t.Helper()
	_, err := o.env.PG.Pool.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// sell writes three days of each month.
func (o *old) sell(t *testing.T) {
	t.Helper()
	w, err := volume.Open(t.Context(), o.env.PG, volume.Options{Root: uuid.MustParse(seed.RootEntityID), Now: o.clock.Now(), Zone: time.UTC, Points: 4, Progress: io.Discard})
	require.NoError(t, err)
	today := businessday.Of(o.clock.Now(), time.UTC)
	for n := monthsOld(); n >= 0; n-- {
		for _, days := range []int{0, 13, 27} {
			if day := today.FirstOfMonth().AddMonths(-n).AddDays(days); day.Before(today) {
				require.NoError(t, w.WriteDay(t.Context(), day, 60))
			}
		}
	}
	for folded := 1; folded > 0; {
		folded, err = o.services.ledger.Fold(t.Context())
		require.NoError(t, err)
	}
	for closed := 1; closed > 0; {
		closed, err = o.services.closes.Due(t.Context())
		require.NoError(t, err)
	}
	last := valueOf[int64](t, o, `SELECT max(xid) FROM transactions`)
	require.Eventually(t, func() bool {
		require.NoError(t, o.services.ledger.CountDays(t.Context()))
		require.NoError(t, o.services.rollup.Advance(t.Context()))
		return valueOf[int64](t, o, `SELECT min(position) FROM feeds`) > last
	}, testkit.WaitTimeout, 100*time.Millisecond)
}

func valueOf[T any](t *testing.T, o *old, sql string, args ...any) (n T) {
	t.Helper()
	require.NoError(t, o.env.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

// requireSound verifies every invariant.
func (o *old) requireSound(t *testing.T) {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, o.Verify(t.Context(), &out), out.String())
}

// requireRefused asks for what an archived ticket would be in: nothing is listed as if it had not been, and no record of its day differs.
func (o *old) requireRefused(t *testing.T, ticket *sales.Ticket) {
	t.Helper()
	ctx, by := t.Context(), testkit.Operator(uuid.MustParse(seed.RootEntityID))
	day := businessday.Of(ticket.CreatedAt, time.UTC)
	_, err := o.services.closes.Balance(ctx, by, uuid.MustParse(seed.RootEntityID), day)
	require.ErrorIs(t, err, months.ErrPeriodArchived)
	_, _, err = o.services.prizes.List(ctx, by, &prizes.Filter{Date: day, Limit: 20})
	require.ErrorIs(t, err, months.ErrPeriodArchived)
	_, err = o.services.prizes.Summary(ctx, by, &prizes.Filter{DrawID: ticket.Lines[0].DrawID})
	require.ErrorIs(t, err, months.ErrArchived)
	_, err = o.services.prizes.Get(ctx, by, ticket.ID)
	require.ErrorIs(t, err, months.ErrArchived)
}

// Of three years of sales the closed months move to the object store. The books stay verified, and a ticket, a statement and the totals of an archived month are found or
// refused, never silently less; a month returns to the tables as it was, and leaves again.
func TestMonthsLeaveForTheArchive(t *testing.T) {
	t.Parallel()
	o := newOld(t)
	o.requireSound(t)
	ctx, by := t.Context(), testkit.Operator(uuid.MustParse(seed.RootEntityID))
	rows := valueOf[int64](t, o, `SELECT count(*) FROM tickets`)
	oldest := valueOf[uuid.UUID](t, o, `SELECT id FROM tickets ORDER BY id LIMIT 1`)
	before, err := o.services.sales.Get(ctx, by, oldest)
	require.NoError(t, err)
	sums := valueOf[string](t, o, `SELECT array_agg((id, balance, moved) ORDER BY id)::text FROM wallet_balances`)
	label := before.CreatedAt.Format("200601")
	digest := `SELECT md5(string_agg(x::text, '' ORDER BY x::text)) FROM (SELECT t::text FROM tickets t WHERE id < $1 UNION ALL SELECT i::text FROM ticket_items i WHERE ticket_id < $1
		UNION ALL SELECT x::text FROM transactions x WHERE id < $1 UNION ALL SELECT p::text FROM postings p WHERE transaction_id < $1) x`
	second := valueOf[uuid.UUID](t, o, `SELECT before_id FROM monthly_parts() WHERE label = $1`, label)
	content := valueOf[string](t, o, digest, second)

	done, err := o.services.months.Archive(ctx)
	require.NoError(t, err)
	require.Equal(t, monthsOld()-keepsOld, done)
	o.requireSound(t)
	kept := valueOf[int64](t, o, `SELECT count(*) FROM tickets`)
	require.Positive(t, kept)
	require.Less(t, kept, rows*(keepsOld+2)/int64(monthsOld()))
	require.Equal(t, sums, valueOf[string](t, o, `SELECT array_agg((id, balance, moved) ORDER BY id)::text FROM wallet_balances`))

	o.exec(t, `UPDATE archived_postings SET amount = amount + 1 WHERE label = '`+label+`'`)
	require.ErrorIs(t, o.Verify(ctx, io.Discard), ErrBroken, "the sums of the archive are part of the books")
	o.exec(t, `UPDATE archived_postings SET amount = amount - 1 WHERE label = '`+label+`'`)

	found, err := o.services.sales.Get(ctx, by, oldest)
	require.NoError(t, err)
	require.Equal(t, before, found, "found in the archive as it was")
	status, err := o.services.sales.StatusOf(ctx, before.SerialCode)
	require.NoError(t, err)
	require.Equal(t, before.Status, status)
	public, err := o.services.sales.PublicOf(ctx, before.SerialCode)
	require.NoError(t, err)
	require.Equal(t, before.ID, public.Ticket.ID)
	list, total, err := o.services.sales.List(ctx, by, sales.Filter{Serial: before.SerialCode, Limit: 20})
	require.NoError(t, err)
	require.Equal(t, int64(1), total)
	require.Equal(t, before.ID, list[0].ID)
	_, total, err = o.services.sales.List(ctx, by, sales.Filter{Serial: before.SerialCode, Date: businessday.Of(o.clock.Now(), time.UTC), Limit: 20})
	require.NoError(t, err)
	require.Zero(t, total, "it was not sold on that day")
	_, err = o.services.sales.StatusOf(ctx, sales.SerialCode(before.CreatedAt, func(int) int { return 0 }))
	require.ErrorIs(t, err, tickets.ErrNotFound)

	_, _, err = o.services.sales.List(ctx, by, sales.Filter{Date: businessday.Of(before.CreatedAt, time.UTC), Limit: 20})
	require.ErrorIs(t, err, months.ErrPeriodArchived)
	wallet := valueOf[uuid.UUID](t, o, `SELECT wallet_id FROM archived_postings WHERE direct ORDER BY label LIMIT 1`)
	_, err = o.services.ledger.Statement(ctx, by, wallet, &ledger.StatementFilter{From: businessday.Of(before.CreatedAt, time.UTC), Limit: 20})
	require.ErrorIs(t, err, months.ErrPeriodArchived)
	st, err := o.services.ledger.Statement(ctx, by, wallet, &ledger.StatementFilter{Limit: 20})
	require.NoError(t, err)
	require.False(t, st.KeptFrom.IsZero())
	_, err = o.services.ledger.Wallet(ctx, by, wallet, before.CreatedAt)
	require.ErrorIs(t, err, months.ErrPeriodArchived)
	require.ErrorContains(t, o.RebuildRollups(ctx), "in the archive")
	err = o.env.PG.InTx(ctx, func(tx pgx.Tx) error { return rollup.AdoptTx(ctx, tx) })
	require.ErrorIs(t, err, feed.ErrArchivedRows)
	o.requireRefused(t, before)

	n, err := o.services.months.Return(ctx, label)
	require.NoError(t, err)
	require.Positive(t, n)
	require.Equal(t, content, valueOf[string](t, o, digest, second), "returned as it was")
	o.requireSound(t)
	first := businessday.Of(before.CreatedAt, time.UTC).FirstOfMonth()
	_, total, err = o.services.sales.List(ctx, by, sales.Filter{Date: businessday.Of(before.CreatedAt, time.UTC), Limit: 20})
	require.NoError(t, err)
	require.Positive(t, total)
	_, err = o.services.ledger.Statement(ctx, by, wallet, &ledger.StatementFilter{From: first, To: first.AddMonths(1).AddDays(-2), Limit: 20})
	require.NoError(t, err)
	_, err = o.services.ledger.Statement(ctx, by, wallet, &ledger.StatementFilter{From: first, To: first.AddMonths(1).AddDays(1), Limit: 20})
	require.ErrorIs(t, err, months.ErrPeriodArchived, "the next month is still away")
	_, err = o.env.PG.Pool.Exec(ctx, `UPDATE tickets SET status = 'won' WHERE id = $1`, oldest)
	require.ErrorContains(t, err, "in a month that is archived")
	done, err = o.services.months.Archive(ctx)
	require.NoError(t, err)
	require.Zero(t, done, "it stays for a week")
	o.clock.Advance(8 * 24 * time.Hour)
	done, err = o.services.months.Archive(ctx)
	require.NoError(t, err)
	require.GreaterOrEqual(t, done, 1)
	o.requireSound(t)
	found, err = o.services.sales.Get(ctx, by, oldest)
	require.NoError(t, err)
	require.Equal(t, before, found)
}
