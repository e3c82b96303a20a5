package sales_test

import (
	"encoding/hex"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/sales"
)

// TestStoredMeaningsMatch: the hashes are stored by release 0.4.0, whose keys must be found again.
func TestStoredMeaningsMatch(t *testing.T) {
	t.Parallel()
	const (
		currency = "0198a000-0000-7000-8000-000000000002"
		draw     = "0198a000-0000-7000-8000-000000000003"
	)
	entity := uuid.MustParse("0198a000-0000-7000-8000-000000000001")
	for want, c := range map[string]struct {
		currency string
		req      sales.SellRequest
	}{
		"815b0dac601dae5a059d54e6a1a731eadc528bab84aad01a10202c73ac000b45": {currency, sales.SellRequest{
			WantsPaymentInfo: true, Customer: &sales.NewCustomer{Name: " Ana ", Phone: "0414-123.45.67", IDDocument: "v-12.345.678"},
			Items: []sales.Item{
				{DrawID: draw, BetType: catalog.BetDupleta, Selection: []string{"5", "12"}, Amount: "012.50"},
				{DrawID: "0198A000-0000-7000-8000-000000000003", BetType: catalog.BetTripleSign, Selection: []string{"123", "leo"}, Amount: "1.00"},
			},
		}},
		"16f6b77fb8058860292a2826f318c2e363dde49729cc6b8e21857a3b3e1ed57c": {"XXX", sales.SellRequest{
			AcceptPartial: true, Customer: &sales.NewCustomer{Name: "Ana", Phone: "call me", IDDocument: "X-1"},
			Items: []sales.Item{{DrawID: "no id", BetType: catalog.BetStraight, Selection: []string{"5"}, Amount: "1,5"}},
		}},
		"4daea62cd69464cb912aa3676519fc09028d942692d14cfd3e40395288e3e2a5": {currency, sales.SellRequest{
			CustomerID: uuid.MustParse("0198a000-0000-7000-8000-000000000004"),
			Items:      []sales.Item{{DrawID: draw, BetType: catalog.BetStraight, Selection: []string{"05"}, Amount: "100"}},
		}},
	} {
		c.req.EntityID = entity
		got := sales.MeaningOf(&c.req, c.currency)
		require.Equal(t, want, hex.EncodeToString(got[:]))
	}
}
