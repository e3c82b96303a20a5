package bank

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/idempotency"
	"banca/models"
	"banca/models/migrations"
)

// Two processes get one key at once: one of them creates the request, and every equal request has its answer.
func TestOneKeyInTwoProcessesCreatesOneRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	processes := []*Service{b.Service, b.second(t)}
	ids := make([]uuid.UUID, 20)
	var created atomic.Int64
	var running sync.WaitGroup
	for i := range ids {
		running.Go(func() {
			n := &NewRequest{EntityID: pointID(), Amount: "5.00", Currency: []string{"", "VES"}[i/2%2], ClientID: "V1234567", IdempotencyKey: "k"}
			r, replayed, err := processes[i%2].CreateRequest(t.Context(), b.admin, n)
			if !assert.NoError(t, err) {
				return
			}
			if ids[i] = r.ID; !replayed {
				created.Add(1)
			}
		})
	}
	running.Wait()
	require.EqualValues(t, 1, created.Load())
	require.Len(t, slices.Compact(ids), 1)
	require.Equal(t, 1, b.count(t, "payment_requests", "true"))
	require.Equal(t, 1, b.count(t, "idempotency_keys", "true"))
}

// Two processes get one key with two meanings at once: the first meaning is resolved, and the other one is refused.
func TestOneKeyInTwoProcessesResolvesOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.False(t, b.notify(t))
	p := b.onlyPayment(t)
	processes := []*Service{b.Service, b.second(t)}
	var done, replays, reused atomic.Int64
	var running sync.WaitGroup
	for i := range 20 {
		running.Go(func() {
			r := &Resolution{PaymentID: p.ID, EntityID: pointID(), Note: []string{"a", "b"}[i/2%2], IdempotencyKey: "k"}
			got, replayed, err := processes[i%2].Assign(t.Context(), b.admin, r)
			switch {
			case errors.Is(err, idempotency.ErrKeyReused):
				reused.Add(1)
			case !assert.NoError(t, err):
			case assert.Equal(t, r.Note, got.Note) && replayed:
				replays.Add(1)
			default:
				done.Add(1)
			}
		})
	}
	running.Wait()
	require.Equal(t, []int64{1, 9, 10}, []int64{done.Load(), replays.Load(), reused.Load()})
	require.EqualValues(t, 150_00, b.point(t))
	require.Equal(t, 1, b.count(t, "idempotency_keys", "true"))
	b.requireSound(t)
}

// A key is used for one operation: whichever stored it, the others refuse it and have no effect.
func TestAKeyOfAnotherOperationIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, reference := range []string{"555555", "777777"} {
		require.False(t, b.notify(t, "Referencia", reference))
	}
	payments, _, err := b.Payments(t.Context(), b.admin, &PaymentFilter{Limit: 2})
	require.NoError(t, err)
	operations := map[string]func(key string) error{
		"request": func(key string) error {
			_, _, err := b.CreateRequest(t.Context(), b.admin, &NewRequest{EntityID: pointID(), Amount: "5.00", ClientID: "V1234567", IdempotencyKey: key})
			return err
		},
		"assign": func(key string) error {
			_, _, err := b.Assign(t.Context(), b.admin, &Resolution{PaymentID: payments[0].ID, EntityID: pointID(), IdempotencyKey: key})
			return err
		},
		"refund": func(key string) error {
			_, _, err := b.Refund(t.Context(), b.admin, &Resolution{PaymentID: payments[1].ID, IdempotencyKey: key})
			return err
		},
	}
	elsewhere := []string{"sell", "pay", "withdraw"}
	for _, operation := range elsewhere {
		key, err := idempotency.KeyOf(b.admin.EntityID, operation)
		require.NoError(t, err)
		use := idempotency.Use{Key: key, Meaning: idempotency.Of(operation, "5.00")}
		require.NoError(t, b.PG.InTx(t.Context(), func(tx pgx.Tx) error {
			return use.StoreTx(t.Context(), tx, &idempotency.Answer{TicketID: uuid.New()})
		}))
	}
	refused := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			for name, do := range operations {
				if name != key {
					require.ErrorIs(t, do(key), idempotency.ErrKeyReused, "%s with the key of %s", name, key)
				}
			}
		}
	}
	refused(elsewhere...)
	require.Zero(t, b.count(t, "payment_requests", "true")+b.count(t, "transactions", "true")+b.count(t, "bank_payments", "state <> 'unmatched'"))
	for name, do := range operations {
		require.NoError(t, do(name), name)
	}
	refused("request", "assign", "refund")
	require.Equal(t, 1, b.count(t, "payment_requests", "true"))
	require.EqualValues(t, 150_00, b.point(t))
	b.requireSound(t)
}

// keysMigration is the number of the migration that moves the keys to idempotency_keys.
const keysMigration = "0035"

// migrateKeysAgain takes back the migration of the keys, and the later ones, calls then, and migrates again.
func (b *bundle) migrateKeysAgain(t *testing.T, then func()) {
	t.Helper()
	names, err := fs.Glob(migrations.FS, "*.sql")
	require.NoError(t, err)
	names = slices.DeleteFunc(names, func(name string) bool { return name < keysMigration })
	part := func(name string, of func(up, down string) string) {
		raw, err := migrations.FS.ReadFile(name)
		require.NoError(t, err)
		up, down, found := strings.Cut(string(raw), "-- +goose Down")
		require.True(t, found, name)
		b.Exec(t, strings.ReplaceAll(of(up, down), " CONCURRENTLY", "")) // one statement of Exec is a transaction
	}
	for _, name := range slices.Backward(names) {
		part(name, func(_, down string) string { return down })
	}
	then()
	for _, name := range names {
		part(name, func(up, _ string) string { return up })
	}
	b.PG.Pool.Reset() // its connections have statements for the old columns
	b.start(t)
}

// The migration keeps the keys of payment requests and resolutions: a repeat is answered as before it, and another
// request with the key is refused. A key that a sale has stored stays the sale's.
func TestTheMigrationKeepsTheKeys(t *testing.T) {
	t.Parallel()
	env := testkit.NewUndivided(t) // migrations are taken back
	b := setupOn(t, env, env.PG)
	require.False(t, b.notify(t))
	payment := b.onlyPayment(t).ID
	resolution := Resolution{PaymentID: payment, EntityID: pointID(), Note: "found", IdempotencyKey: "resolution"}
	requested := NewRequest{EntityID: pointID(), Amount: "5.00", ClientID: "v-1.234.567", ClientPhone: "0414-1234567", Bank: "134", Reference: "7", Note: " a ", IdempotencyKey: "request"}
	shared := NewRequest{EntityID: pointID(), Amount: "6.00", ClientID: "V1234567", IdempotencyKey: "shared"}
	first, _, err := b.CreateRequest(t.Context(), b.admin, &requested)
	require.NoError(t, err)
	other, _, err := b.CreateRequest(t.Context(), b.admin, &shared)
	require.NoError(t, err)
	_, _, err = b.Assign(t.Context(), b.admin, &resolution)
	require.NoError(t, err)
	keyOf := func(text string) uuid.UUID {
		key, err := idempotency.KeyOf(b.admin.EntityID, text)
		require.NoError(t, err)
		return key
	}
	meaning := func(operation string, fields ...string) []byte {
		m := idempotency.Of(operation, fields...)
		return m[:]
	}
	sale := meaning("sell", "x")

	b.migrateKeysAgain(t, func() {
		b.Exec(t, `DELETE FROM idempotency_keys`)
		b.Exec(t, `INSERT INTO idempotency_keys (id, request_hash, status) VALUES ($1, $2, 201)`, keyOf("shared"), sale)
		b.Exec(t, `UPDATE payment_requests SET idempotency_key = $2, request_hash = $3 WHERE id = $1`, first.ID, keyOf("request"),
			meaning("payment request", pointID().String(), "5", "V1234567", "+584141234567", "7", "0134", "0s", "a"))
		b.Exec(t, `UPDATE payment_requests SET idempotency_key = $2, request_hash = $3 WHERE id = $1`, other.ID, keyOf("shared"),
			meaning("payment request", pointID().String(), "6", "V1234567", "", "", "", "0s", ""))
		b.Exec(t, `UPDATE bank_payments SET resolution_key = $2, resolution_hash = $3 WHERE id = $1`, payment, keyOf("resolution"),
			meaning("assign", payment.String(), pointID().String(), uuid.Nil.String(), "found"))
	})
	require.Equal(t, 3, b.count(t, "idempotency_keys", "true"))
	require.Equal(t, 2, b.count(t, "idempotency_keys k JOIN (SELECT id, created_at FROM payment_requests UNION ALL SELECT id, resolved_at FROM bank_payments) r ON k.response = uuid_send(r.id)",
		"k.created_at = r.created_at"))

	for _, currency := range []string{"", "VES", first.Currency.ID.String()} {
		requested.Currency = currency
		again, replayed, err := b.CreateRequest(t.Context(), b.admin, &requested)
		require.NoError(t, err, currency)
		require.True(t, replayed)
		require.Equal(t, first, again)
	}
	for _, currency := range []string{"USD", "XXX"} {
		requested.Currency = currency
		_, _, err = b.CreateRequest(t.Context(), b.admin, &requested)
		require.ErrorIs(t, err, idempotency.ErrKeyReused, currency)
	}
	_, _, err = b.CreateRequest(t.Context(), b.admin, &shared)
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	p, replayed, err := b.Assign(t.Context(), b.admin, &resolution)
	require.NoError(t, err)
	require.True(t, replayed)
	require.Equal(t, models.PaymentAssigned, p.State)
	resolution.Note = "other"
	_, _, err = b.Assign(t.Context(), b.admin, &resolution)
	require.ErrorIs(t, err, idempotency.ErrKeyReused)
	require.Equal(t, 2, b.count(t, "payment_requests", "true"))
	require.EqualValues(t, 150_00, b.point(t))
	b.requireSound(t)
}
