package sales_test

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
	"banca/internal/sales"
	"banca/models"
)

// user returns a user of an entity whose scope is the whole organisation.
func user(entity, id uuid.UUID, permissions ...caller.Permission) caller.Caller {
	by := testkit.Operator(fixture.RootID, permissions...)
	by.EntityID, by.UserID = entity, id
	return by
}

// One rule decides about the validation code, the address of the picture and the receipt in every format.
func TestTheCodeOfATicketIsForItsSeller(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.buy(t)
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	code := b.text(t, `SELECT validation_code FROM tickets WHERE id = $1`, id)
	seller := uuid.MustParse(b.text(t, `SELECT user_id FROM tickets WHERE id = $1`, id))
	point := uuid.MustParse(b.text(t, `SELECT entity_id FROM tickets WHERE id = $1`, id))
	other := uuid.New()
	for name, c := range map[string]struct {
		by                   caller.Caller
		role                 string
		shown, listed, looks bool
	}{
		"the person who sold it":               {by: user(point, seller, auth.PrizesPay), role: models.RoleTaquilla, shown: true, listed: true},
		"the same without the right to pay":    {by: user(point, seller), role: models.RoleTaquilla, shown: true, listed: true},
		"a colleague at the point":             {by: user(point, other, auth.PrizesPay), role: models.RoleTaquilla, shown: true, listed: true},
		"a colleague who may not pay":          {by: user(point, other), role: models.RoleTaquilla},
		"a seller of an entity above":          {by: user(fixture.RootID, other, auth.PrizesPay), role: models.RoleTaquilla},
		"an administrator":                     {by: user(fixture.RootID, other, auth.PrizesPay), shown: true, looks: true},
		"an administrator who may not pay":     {by: user(fixture.RootID, other)},
		"a partner of the point":               {by: user(point, other)},
		"a partner of an entity above, denied": {by: user(fixture.RootID, other)},
	} {
		c.by.Role = c.role
		before := b.Number(t, `SELECT count(*) FROM activity_logs WHERE action = 'view_code'`)
		ticket, err := b.Get(t.Context(), c.by, id)
		require.NoError(t, err)
		assert.Equal(t, c.shown, ticket.ValidationCode == code, name)
		assert.Equal(t, !c.shown, ticket.ValidationCode == "", name)
		assert.Equal(t, c.shown, ticket.ImageURL != "", name)
		looks := b.Number(t, `SELECT count(*) FROM activity_logs WHERE action = 'view_code' AND target = $1`, id.String()) - before
		assert.Equal(t, c.looks, looks == 1, "%s: %d looks", name, looks)

		list, _, err := b.List(t.Context(), c.by, sales.Filter{Limit: 10})
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, c.listed, list[0].ValidationCode == code, name)
		assert.Equal(t, c.listed, list[0].ImageURL != "", name)

		paper, _, err := b.Receipt(t.Context(), c.by, id, receipts.FormatESCPOS)
		require.NoError(t, err)
		assert.Equal(t, c.shown, bytes.Contains(paper, []byte(code)), name)
		public, _, err := b.Receipt(t.Context(), user(point, seller), id, receipts.FormatPNG)
		require.NoError(t, err)
		picture, _, err := b.Receipt(t.Context(), c.by, id, receipts.FormatPNG)
		require.NoError(t, err)
		assert.Equal(t, c.shown, string(public) == string(picture), name)
	}
}
