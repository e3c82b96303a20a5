package customers_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
)

func TestAMergedCustomerIsTheOneThatRemains(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	first, second, third := b.create(t, "Ana", numbered(1)), b.create(t, "Anita", numbered(2)), b.create(t, "Ana María", numbered(3))
	_, err := b.Update(ctx, b.admin, third.ID, customers.Person{Name: "Ana María", Phone: numbered(3), IDDocument: "V12345678", Email: "ana@example.com"})
	require.NoError(t, err)
	_, err = b.Merge(ctx, b.admin, customers.Union{Kept: second.ID, Merged: third.ID})
	require.NoError(t, err)
	kept, err := b.Merge(ctx, b.admin, customers.Union{Kept: first.ID, Merged: third.ID}) // which names the second one
	require.NoError(t, err)
	require.Equal(t, customers.Person{Name: "Ana", Phone: numbered(1), IDDocument: "V12345678", Email: "ana@example.com"}, kept.Person, "it adopts what it lacks")
	for _, id := range []uuid.UUID{first.ID, second.ID, third.ID} {
		g, err := b.Group(ctx, b.seller, id)
		require.NoError(t, err)
		require.Equal(t, kept, g.Customer)
		require.Equal(t, []string{"V12345678"}, g.Documents)
		require.Equal(t, []uuid.UUID{first.ID, second.ID, third.ID}, g.IDs)
		resolved, err := customers.Resolve(ctx, b.env.PG.Pool, id, b.point.ID)
		require.NoError(t, err)
		require.Equal(t, first.ID, resolved)
		_, err = b.Merge(ctx, b.admin, customers.Union{Kept: first.ID, Merged: id})
		require.ErrorIs(t, err, customers.ErrMerge, "with itself")
	}
	ids, err := b.sell(ctx, b.env.PG, b.buyer(numbered(3), "V87654321"), b.buyer(numbered(2), ""), b.buyer(numbered(1), "V87654321"))
	require.NoError(t, err)
	require.Equal(t, []uuid.UUID{first.ID, first.ID, first.ID}, ids, "its telephones are those of the merged ones, too")
	contact, err := customers.ContactOf(ctx, b.env.PG.Pool, third.ID)
	require.NoError(t, err)
	require.Equal(t, customers.Contact{Name: "Ana", Phone: numbered(1), IDDocument: "V87654321"}, contact)
	_, err = b.Create(ctx, b.admin, b.point.ID, customers.Person{Name: "Otra", Phone: numbered(2)})
	requireExists(t, err, first.ID)
	exchanged, err := b.Update(ctx, b.admin, third.ID, customers.Person{Name: "Ana", Phone: numbered(2)})
	require.NoError(t, err, "the telephone of a row merged into it")
	require.Equal(t, first.ID, exchanged.ID)
	require.Equal(t, numbered(1), b.text(t, `SELECT phone FROM customers WHERE id = $1`, second.ID))

	stranger, err := b.Create(ctx, b.admin, b.second.ID, customers.Person{Name: "Ana", Phone: numbered(1)})
	require.NoError(t, err)
	_, err = b.Merge(ctx, b.admin, customers.Union{Kept: first.ID, Merged: stranger.ID})
	require.ErrorIs(t, err, customers.ErrMerge, "of another entity")
	_, err = b.Merge(ctx, b.seller, customers.Union{Kept: first.ID, Merged: stranger.ID})
	require.ErrorIs(t, err, customers.ErrNotFound, "out of the caller's scope")
	require.NoError(t, b.Delete(ctx, b.admin, stranger.ID))
	_, err = b.Merge(ctx, b.admin, customers.Union{Kept: first.ID, Merged: stranger.ID})
	require.ErrorIs(t, err, customers.ErrNotFound, "deleted")
}

func TestADeletedCustomerIsForgottenWithWhatIsMergedIntoIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	var forgotten []uuid.UUID
	b.Service = customers.New(b.env.PG, func(_ context.Context, _ pgx.Tx, ids []uuid.UUID) error {
		forgotten = ids
		return nil
	})
	kept, merged := b.create(t, "Ana", numbered(1)), b.create(t, "Anita", numbered(2))
	_, err := b.Merge(ctx, b.admin, customers.Union{Kept: kept.ID, Merged: merged.ID})
	require.NoError(t, err)
	require.NoError(t, b.Delete(ctx, b.admin, merged.ID), "a merged row names the customer")
	require.ElementsMatch(t, []uuid.UUID{kept.ID, merged.ID}, forgotten)
	require.Equal(t, "||||t||||t", b.text(t, `SELECT string_agg(concat_ws('|', name, search_name, coalesce(phone, ''), coalesce(email, ''), deleted_at IS NOT NULL), '')
		FROM customers WHERE id_document IS NULL`))
	for _, id := range []uuid.UUID{kept.ID, merged.ID} {
		require.ErrorIs(t, b.Delete(ctx, b.admin, id), customers.ErrNotFound)
		_, err = customers.Resolve(ctx, b.env.PG.Pool, id, b.point.ID)
		require.ErrorIs(t, err, customers.ErrNotFound)
		contact, err := customers.ContactOf(ctx, b.env.PG.Pool, id)
		require.NoError(t, err)
		require.Zero(t, contact)
	}
	again := b.create(t, "Ana", numbered(1))
	require.NotEqual(t, kept.ID, again.ID, "the telephone is free")
	require.NotContains(t, b.text(t, `SELECT string_agg(details::text, '') FROM activity_logs`), "Ana")
}

// A merge and a deletion whose connection breaks at any statement change nothing.
func TestABrokenMergeOrDeletionHasNoEffect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	breaker := b.env.Breaker(t)
	broken := customers.New(breaker.PG)
	first, second := b.create(t, "Ana", numbered(1)), b.create(t, "Anita", numbered(2))
	state := func() string {
		return b.text(t, `SELECT md5(string_agg(x, '|' ORDER BY x)) FROM (SELECT c::text AS x FROM customers c UNION ALL SELECT l::text FROM activity_logs l) x`)
	}
	for name, change := range map[string]func() error{
		"update": func() error {
			_, err := broken.Update(ctx, b.admin, first.ID, customers.Person{Name: "Ana", Phone: numbered(5)})
			return err
		},
		"merge": func() error {
			_, err := broken.Merge(ctx, b.admin, customers.Union{Kept: first.ID, Merged: second.ID})
			return err
		},
	} {
		before := state()
		require.Positive(t, breaker.Each(t, change, func(error) { require.Equal(t, before, state(), name) }), name)
		require.NotEqual(t, before, state(), name)
	}
	before := state()
	require.Positive(t, breaker.Each(t, func() error { return broken.Delete(ctx, b.admin, first.ID) }, func(error) { require.Equal(t, before, state()) }))
	require.Equal(t, "2", b.text(t, `SELECT count(*)::text FROM customers WHERE deleted_at IS NOT NULL`))
}

// Merges in a circle, deletions, changes and sales of the same customers at once leave no chain, no lost telephone of a customer
// that was not deleted, and nothing of a deleted one.
func TestConcurrentMergesDeletionsAndSales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	const n = 8
	ids := make([]uuid.UUID, n)
	for i := range ids {
		ids[i] = b.create(t, "Ana", numbered(i)).ID
	}
	var wg sync.WaitGroup
	run := func(fn func() error) {
		wg.Go(func() {
			if err := fn(); !slices.ContainsFunc([]error{nil, customers.ErrMerge, customers.ErrNotFound, customers.ErrExists}, func(want error) bool { return errors.Is(err, want) }) {
				assert.NoError(t, err)
			}
		})
	}
	for i := range n {
		run(func() error {
			_, err := b.Merge(ctx, b.admin, customers.Union{Kept: ids[i], Merged: ids[(i+1)%n]})
			return err
		})
		run(func() error {
			_, err := b.Merge(ctx, b.admin, customers.Union{Kept: ids[(i+3)%n], Merged: ids[i]})
			return err
		})
		run(func() error {
			_, err := b.Update(ctx, b.admin, ids[i], customers.Person{Name: "Ana", Phone: numbered((i + 1) % n)})
			return err
		})
		run(func() error {
			_, err := b.sell(ctx, b.env.PG, b.buyer(numbered(i), "V1234567"+string(rune('0'+i))), b.buyer(numbered((i+2)%n), "V12345678"))
			return err
		})
		if i%4 == 0 {
			run(func() error { return b.Delete(ctx, b.admin, ids[i]) })
		}
	}
	wg.Wait()
	require.Equal(t, "0", b.text(t, `SELECT count(*)::text FROM customers c JOIN customers k ON k.id = c.merged_into WHERE k.merged_into IS NOT NULL`), "no chain")
	require.Equal(t, "0", b.text(t, `SELECT count(*)::text FROM customers c JOIN customers k ON k.id = c.merged_into WHERE (k.deleted_at IS NULL) <> (c.deleted_at IS NULL)`))
	require.Equal(t, "0", b.text(t, `SELECT count(*)::text FROM customers WHERE deleted_at IS NOT NULL AND (id_document IS NOT NULL OR phone IS NOT NULL)`))
}

// Fifty persons who create the same telephone at once get one customer and its id.
func TestConcurrentCreationsOfOneTelephone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var created []uuid.UUID
	var refused []error
	for range 50 {
		wg.Go(func() {
			c, err := b.Create(t.Context(), b.seller, uuid.Nil, customers.Person{Name: "Ana", Phone: numbered(1)})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				refused = append(refused, err)
				return
			}
			created = append(created, c.ID)
		})
	}
	wg.Wait()
	require.Len(t, created, 1)
	for _, err := range refused {
		requireExists(t, err, created[0])
	}
}
