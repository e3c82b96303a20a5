package sales_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// desk is the first ticket point, which sells in VES.
func desk() sales.Desk {
	return sales.Desk{EntityID: fixture.EntityID(seed.CodeTicketPoint), Currency: "VES"}
}

func (b *bundle) catalogue(t testing.TB) *sales.Catalogue {
	t.Helper()
	c, err := b.Catalogue(t.Context(), cashier(), desk())
	require.NoError(t, err)
	return c
}

// Every draw of a catalogue is sold, and a draw that is not in it is refused.
func TestTheCatalogueHasWhatIsSold(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 900, "cancel_seconds": 77}' WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	b.Exec(t, `UPDATE games SET status = 'suspended' WHERE short_code = 'cazaloton'`)
	first := b.draw(t, "lotto-activo", 0)
	b.Clock.Advance(first.Time.Add(-15 * time.Minute).Sub(b.Clock.Now())) // the stop of the group, not of the draw
	c := b.catalogue(t)
	require.Equal(t, seed.CodeTicketPoint, c.Seller.Code)
	require.Equal(t, 77*time.Second, c.Cancel)
	require.Equal(t, 200, c.MaxLines)
	games, drawn := map[uuid.UUID]bool{}, map[uuid.UUID]bool{}
	for i, g := range c.Games {
		games[g.ID] = true
		require.NotEqual(t, "cazaloton", g.ShortCode)
		require.True(t, i == 0 || c.Games[i-1].Position <= g.Position)
	}
	in := map[uuid.UUID]bool{}
	for i, d := range c.Draws {
		drawn[d.GameID], in[d.ID] = true, true
		require.True(t, b.Clock.Now().Before(d.Stop))
		require.True(t, i == 0 || !d.Time.Before(c.Draws[i-1].Time))
	}
	require.Equal(t, games, drawn, "a game has a draw, and a draw its game")
	require.False(t, in[first.ID])
	require.NotEmpty(t, c.Draws)
	for _, d := range b.OpenDraws(t, "lotto-activo") {
		req := b.request(d, "5", "1.00")
		if !in[d.ID] {
			b.requireRefused(t, req, "INVALID_TICKET", "items[0]")
			continue
		}
		_, err := b.Sell(t.Context(), req)
		require.NoError(t, err)
	}
	other, err := b.Catalogue(t.Context(), cashier(), sales.Desk{EntityID: fixture.EntityID(seed.CodeOtherPoint), Currency: "VES"})
	require.NoError(t, err)
	require.Equal(t, first.ID, other.Draws[0].ID, "another group stops later")
}

// The currencies are the active ones, with the rate of their pair with the currency of the stakes.
func TestTheCatalogueHasRates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range b.catalogue(t).Currencies {
		require.Nil(t, c.Rate)
	}
	b.Exec(t, `INSERT INTO exchange_rates (base_id, quote_id, day, rate, source, updated_at) VALUES ($1, $2, '2026-01-02', 24566480000, 'fetched', now())`,
		seed.ID("currency", "USD"), seed.ID("currency", "VES"))
	list := b.catalogue(t).Currencies
	require.Equal(t, "VES", list[0].Code)
	require.Nil(t, list[0].Rate)
	dollar := list[slices.IndexFunc(list, func(c sales.RatedCurrency) bool { return c.Code == "USD" })]
	require.Equal(t, "245.6648", dollar.Rate.Rate.String())
	require.Equal(t, "USD", dollar.Rate.Base.Code)
	require.True(t, dollar.Wallet)
	b.Exec(t, `UPDATE wallets SET status = 'inactive' WHERE currency_id = $1`, dollar.ID)
	list = b.catalogue(t).Currencies
	require.False(t, list[slices.IndexFunc(list, func(c sales.RatedCurrency) bool { return c.Code == "USD" })].Wallet, "an inactive wallet sells nothing")
	require.True(t, list[0].Wallet)
	b.Exec(t, `UPDATE currencies SET status = 'inactive' WHERE code = 'USD'`)
	require.Len(t, b.catalogue(t).Currencies, len(list)-1)
}

// The catalogue and the quota have the refusals of a sale.
func TestADeskIsCheckedAsASale(t *testing.T) {
	t.Parallel()
	b := setup(t)
	both := func(by caller.Caller, d sales.Desk, want error) {
		_, err := b.Catalogue(t.Context(), by, d)
		require.ErrorIs(t, err, want)
		_, err = b.Quota(t.Context(), by, d)
		require.ErrorIs(t, err, want)
	}
	both(b.within(t, seed.CodeOtherAgency), desk(), org.ErrEntityNotFound)
	both(testkit.Operator(uuid.New()), desk(), org.ErrEntityNotFound)
	both(cashier(), sales.Desk{EntityID: uuid.New(), Currency: "VES"}, org.ErrEntityNotFound)
	both(cashier(), sales.Desk{EntityID: fixture.EntityID(seed.CodeAgency), Currency: "VES"}, sales.ErrNotTicketPoint)
	both(cashier(), sales.Desk{EntityID: fixture.RootID, Currency: "VES"}, sales.ErrNotTicketPoint)
	for _, currency := range []string{"XXX", "", "' OR 1=1", uuid.NewString(), strings.Repeat("V", 36)} {
		both(cashier(), sales.Desk{EntityID: desk().EntityID, Currency: currency}, ledger.ErrCurrencyNotFound)
	}
	b.Exec(t, `UPDATE entities SET status = 'suspended' WHERE id = $1`, fixture.EntityID(seed.CodeAgency))
	both(cashier(), desk(), org.ErrCannotSell)
}

// The quota is what a sale is compared with: exactly it can be sold, net of the commission, and no more.
func TestTheQuotaIsWhatASaleNeeds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `UPDATE wallets SET credit_limit = 90000 WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint)) // 1,000 less 10 %
	left := func() *sales.Quota {
		q, err := b.Quota(t.Context(), cashier(), desk())
		require.NoError(t, err)
		return q
	}
	require.Equal(t, []money.Amount{0, 900_00, 900_00}, []money.Amount{left().Balance, left().CreditLimit, left().Available})
	b.sell(t, straight(draw, "5", "600.00"))
	require.Equal(t, []money.Amount{-540_00, 360_00}, []money.Amount{left().Balance, left().Available})
	b.requireRefused(t, b.request(draw, "5", "400.01"), "INSUFFICIENT_BALANCE")
	b.sell(t, straight(draw, "5", "400.00"))
	require.Zero(t, left().Available)
	b.Exec(t, `UPDATE wallets SET credit_limit = 1000 WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	require.Zero(t, left().Available, "not below 0")
	b.Exec(t, `UPDATE wallets SET unlimited = true WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	require.True(t, left().Unlimited)
	b.Exec(t, `UPDATE wallets SET status = 'inactive' WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	require.False(t, left().Unlimited)
	require.Zero(t, left().Available)
	b.Exec(t, `INSERT INTO currencies (id, code, name, symbol, digits) VALUES (gen_random_uuid(), 'EUR', 'Euro', '', 2)`)
	q, err := b.Quota(t.Context(), cashier(), sales.Desk{EntityID: desk().EntityID, Currency: "EUR"})
	require.NoError(t, err)
	require.Equal(t, []money.Amount{0, 0, 0}, []money.Amount{q.Balance, q.CreditLimit, q.Available}, "it has no wallet")
	require.Zero(t, b.Number(t, `SELECT count(*) FROM wallets w JOIN currencies c ON c.id = w.currency_id WHERE c.code = 'EUR'`), "a question opens none")
}

// What the catalogue costs with the games of the seed.
func BenchmarkCatalogue(b *testing.B) {
	t := setup(b)
	b.Logf("%d games, %d draws", len(t.catalogue(b).Games), len(t.catalogue(b).Draws))
	for b.Loop() {
		t.catalogue(b)
	}
}

// What the quota costs.
func BenchmarkQuota(b *testing.B) {
	t := setup(b)
	for b.Loop() {
		if _, err := t.Quota(b.Context(), cashier(), desk()); err != nil {
			b.Fatal(err)
		}
	}
}
