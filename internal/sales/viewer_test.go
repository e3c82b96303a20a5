package sales_test

import (
	"bytes"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/sales"
)

// One rule decides about the validation code, the address of the picture and the receipt in every format.
func TestWhoSeesTheCodeOfATicket(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.buy(t)
	require.NoError(t, b.RenderReceipt(t.Context(), id))
	code := b.text(t, `SELECT validation_code FROM tickets WHERE id = $1`, id)
	seller := uuid.MustParse(b.text(t, `SELECT user_id FROM tickets WHERE id = $1`, id))
	point := uuid.MustParse(b.text(t, `SELECT entity_id FROM tickets WHERE id = $1`, id))
	root, other := "/"+b.root.String()+"/", uuid.New()
	for name, c := range map[string]struct {
		viewer               sales.Viewer
		shown, listed, looks bool
	}{
		"the person who sold it":               {viewer: sales.Viewer{EntityID: point, UserID: seller, Pays: true, Seller: true}, shown: true, listed: true},
		"the same without the right to pay":    {viewer: sales.Viewer{EntityID: point, UserID: seller, Seller: true}, shown: true, listed: true},
		"a colleague at the point":             {viewer: sales.Viewer{EntityID: point, UserID: other, Pays: true, Seller: true}, shown: true, listed: true},
		"a colleague who may not pay":          {viewer: sales.Viewer{EntityID: point, UserID: other, Seller: true}},
		"a seller of an entity above":          {viewer: sales.Viewer{EntityID: b.root, UserID: other, Pays: true, Seller: true}},
		"an administrator":                     {viewer: sales.Viewer{EntityID: b.root, UserID: other, Pays: true}, shown: true, looks: true},
		"an administrator who may not pay":     {viewer: sales.Viewer{EntityID: b.root, UserID: other}},
		"a partner of the point":               {viewer: sales.Viewer{EntityID: point, UserID: other}},
		"a partner of an entity above, denied": {viewer: sales.Viewer{EntityID: b.root, UserID: other}},
	} {
		c.viewer.Scope = root
		before := b.number(t, `SELECT count(*) FROM activity_logs WHERE action = 'view_code'`)
		ticket, err := b.Get(t.Context(), &c.viewer, id)
		require.NoError(t, err)
		assert.Equal(t, c.shown, ticket.ValidationCode == code, name)
		assert.Equal(t, !c.shown, ticket.ValidationCode == "", name)
		assert.Equal(t, c.shown, ticket.ImageURL != "", name)
		looks := b.number(t, `SELECT count(*) FROM activity_logs WHERE action = 'view_code' AND target = $1`, id.String()) - before
		assert.Equal(t, c.looks, looks == 1, "%s: %d looks", name, looks)

		list, _, err := b.List(t.Context(), sales.Filter{Viewer: &c.viewer, Limit: 10})
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, c.listed, list[0].ValidationCode == code, name)
		assert.Equal(t, c.listed, list[0].ImageURL != "", name)

		paper, _, err := b.Receipt(t.Context(), &c.viewer, id, sales.FormatESCPOS)
		require.NoError(t, err)
		assert.Equal(t, c.shown, bytes.Contains(paper, []byte(code)), name)
		public, _, err := b.Receipt(t.Context(), &sales.Viewer{Scope: root, EntityID: point, UserID: seller}, id, sales.FormatPNG)
		require.NoError(t, err)
		picture, _, err := b.Receipt(t.Context(), &c.viewer, id, sales.FormatPNG)
		require.NoError(t, err)
		assert.Equal(t, c.shown, string(public) == string(picture), name)
	}
}
