package customers_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/customers"
	"banca/internal/platform/apperr"
)

func TestACustomerIsCreatedReadAndUpdated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	c, err := b.Create(ctx, b.seller, uuid.Nil, customers.Person{Name: " María Ñáñez ", Phone: "0414-123.45.67", IDDocument: "v 12.345.678", Email: "maria@example.com"})
	require.NoError(t, err)
	require.Equal(t, customers.Person{Name: "María Ñáñez", Phone: "+584141234567", IDDocument: "V12345678", Email: "maria@example.com"}, c.Person)
	require.Equal(t, b.point.ID, c.EntityID)
	read, err := b.Get(ctx, b.admin, c.ID)
	require.NoError(t, err)
	require.Equal(t, c, read)
	updated, err := b.Update(ctx, b.admin, c.ID, customers.Person{Name: "María N.", Phone: "04141234568"})
	require.NoError(t, err)
	require.Equal(t, customers.Person{Name: "María N.", Phone: "+584141234568"}, updated.Person)
	again, err := b.Update(ctx, b.admin, c.ID, updated.Person)
	require.NoError(t, err)
	require.Equal(t, updated, again, "nothing differs, nothing is written")
	require.Equal(t, `create {} update {"fields": ["name", "phone", "id_document", "email"]}`,
		b.text(t, `SELECT string_agg(action || ' ' || details, ' ' ORDER BY seq) FROM activity_logs WHERE module = 'customers'`), "names of fields, no values")

	for name, err := range map[string]error{
		"get":    func() error { _, err := b.Get(ctx, b.foreign, c.ID); return err }(),
		"update": func() error { _, err := b.Update(ctx, b.foreign, c.ID, updated.Person); return err }(),
		"merge":  func() error { _, err := b.Merge(ctx, b.foreign, customers.Union{Kept: c.ID, Merged: c.ID}); return err }(),
		"delete": b.Delete(ctx, b.foreign, c.ID),
		"group":  func() error { _, err := b.Group(ctx, b.foreign, c.ID); return err }(),
	} {
		require.ErrorIs(t, err, customers.ErrNotFound, name)
	}
	_, err = b.Create(ctx, b.foreign, b.point.ID, updated.Person)
	require.ErrorIs(t, err, customers.ErrEntityNotFound)
	_, err = b.Create(ctx, b.admin, uuid.Nil, updated.Person)
	require.ErrorIs(t, err, customers.ErrNotTicketPoint)
}

// requireExists requires ErrExists that names a customer.
func requireExists(t *testing.T, err error, id uuid.UUID) {
	t.Helper()
	require.ErrorIs(t, err, customers.ErrExists)
	require.Equal(t, id.String(), apperr.From(err).Details[0].Args["id"])
}

func TestATelephoneBelongsToOneCustomerOfAnEntity(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	first, second := b.create(t, "Ana", numbered(1)), b.create(t, "Luis", numbered(2))
	_, err := b.Create(ctx, b.admin, b.point.ID, customers.Person{Name: "Otra", Phone: numbered(1)})
	requireExists(t, err, first.ID)
	_, err = b.Update(ctx, b.admin, second.ID, customers.Person{Name: "Luis", Phone: numbered(1)})
	requireExists(t, err, first.ID)
	_, err = b.Create(ctx, b.admin, b.second.ID, customers.Person{Name: "Ana", Phone: numbered(1)})
	require.NoError(t, err, "another entity knows the telephone, too")
	ids, err := b.sell(ctx, b.env.PG, b.buyer(numbered(1), "V12345678"), b.buyer(numbered(3), ""))
	require.NoError(t, err)
	require.Equal(t, first.ID, ids[0])
	sold, err := b.Get(ctx, b.seller, ids[1])
	require.NoError(t, err)
	require.Equal(t, "Comprador", sold.Name)
	_, total, err := b.List(ctx, b.seller, &customers.Filter{Search: "COMPRÁDOR", Limit: 5})
	require.NoError(t, err)
	require.EqualValues(t, 1, total, "a sale writes search_name")
}

func TestInvalidFieldsAreNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for location, p := range map[string]customers.Person{
		"name":        {Name: "  ", Phone: numbered(1)},
		"phone":       {Name: "Ana", Phone: strings.Repeat("4", 40)},
		"id_document": {Name: "Ana", Phone: numbered(1), IDDocument: "X1"},
		"email":       {Name: "Ana", Phone: numbered(1), Email: "Ana <ana@example.com>"},
	} {
		_, err := b.Create(t.Context(), b.seller, uuid.Nil, p)
		require.ErrorIs(t, err, customers.ErrInvalid, location)
		require.Equal(t, location, apperr.From(err).Details[0].Location)
	}
	for _, name := range []string{strings.Repeat("ñ", 101), "a\x00b", "a\xffb", "\u2003"} {
		_, err := b.Create(t.Context(), b.seller, uuid.Nil, customers.Person{Name: name, Phone: numbered(1)})
		require.ErrorIs(t, err, customers.ErrInvalid, "%q", name)
	}
	for i, name := range []string{"👩‍👧 Ana", "\u202eanA", strings.Repeat("ñ", 100), "\u0301", `%_\`} {
		require.Equal(t, name, b.create(t, name, numbered(10+i)).Name)
	}
}
