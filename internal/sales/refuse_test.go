package sales_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

func TestRefusedLines(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := setup(t)
	animals, triples, stakes := b.draw(t, "lotto-activo", 0), b.draw(t, "triple-zulia", 0), b.draw(t, "loto-chaima", 0)
	b.Exec(t, `UPDATE draws SET status = 'closed' WHERE id = $1`, b.draw(t, "lotto-activo", 3).ID)
	closed := &sales.Item{}
	*closed = straight(animals, "5", "10.00")
	closed.DrawID = b.text(t, `SELECT id::text FROM draws WHERE status = 'closed'`)
	good := straight(animals, "7", "10.00")
	with := func(change func(i *sales.Item)) []sales.Item {
		item := straight(animals, "5", "10.00")
		change(&item)
		return []sales.Item{good, item}
	}
	second := []string{"items[1]"}
	tests := []struct {
		name  string
		items []sales.Item
		at    []string
	}{
		{"unknown draw", with(func(i *sales.Item) { i.DrawID = uuid.Must(uuid.NewV7()).String() }), second},
		{"draw id that is none", with(func(i *sales.Item) { i.DrawID = "draw-4711'; --" }), second},
		{"no draw id", with(func(i *sales.Item) { i.DrawID = "" }), second},
		{"closed draw", []sales.Item{good, *closed}, second},
		{"leading zero", with(func(i *sales.Item) { i.Selection = []string{"05"} }), second},
		{"three zeros", with(func(i *sales.Item) { i.Selection = []string{"000"} }), second},
		{"unknown element", with(func(i *sales.Item) { i.Selection = []string{"38"} }), second},
		{"endless element", with(func(i *sales.Item) { i.Selection = []string{strings.Repeat("9", 100_000)} }), second},
		{"null byte", with(func(i *sales.Item) { i.Selection = []string{"5\x00"} }), second},
		{"no selection", with(func(i *sales.Item) { i.Selection = nil }), second},
		{"two elements", with(func(i *sales.Item) { i.Selection = []string{"5", "6"} }), second},
		{"bet type not offered", with(func(i *sales.Item) { i.BetType = "tripleta" }), second},
		{"bet type unknown", with(func(i *sales.Item) { i.BetType = "quintuple" }), second},
		{"tripleta with an element twice", []sales.Item{fixture.Line(stakes, "tripleta", "10.00", "5", "12", "5")}, []string{"items[0]"}},
		{"tripleta with two elements", []sales.Item{fixture.Line(stakes, "tripleta", "10.00", "5", "12")}, []string{"items[0]"}},
		{"triple of two digits", []sales.Item{fixture.Line(triples, "triple", "10.00", "12")}, []string{"items[0]"}},
		{"triple with a sign", []sales.Item{fixture.Line(triples, "triple", "10.00", "123", "ARI")}, []string{"items[0]"}},
		{"sign that is none", []sales.Item{fixture.Line(triples, "triple_sign", "10.00", "123", "XYZW")}, []string{"items[0]"}},
		{"digits that are none", []sales.Item{fixture.Line(triples, "triple", "10.00", "١٢٣")}, []string{"items[0]"}},
		{"all wrong", []sales.Item{fixture.Line(triples, "triple", "10.00", "12"), good, straight(animals, "99", "10.00")}, []string{"items[0]", "items[2]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { b.requireRefused(t, fixture.Ticket(tt.items...), "INVALID_TICKET", tt.at...) })
	}
	for _, amount := range []string{
		"", "0", "0.00", "-1", "-10.00", "+5", "1.005", "1e3", "1E3", "1,50", " 5", "5 ", "0x10", "NaN", "Infinity", ".5", "5.",
		"100000000000000000000", "999999999999999", "1000000000000.01", "0.99", "100000.01",
	} {
		t.Run("amount "+amount, func(t *testing.T) {
			b.requireRefused(t, fixture.Ticket(good, straight(animals, "5", amount)), "INVALID_TICKET", "items[1]")
		})
	}
	require.Zero(t, b.sold(t))
	b.requireSound(t)
}

// text reads one text.
func (b *bundle) text(t testing.TB, sql string, args ...any) string {
	t.Helper()
	var s string
	require.NoError(t, b.PG.Pool.QueryRow(t.Context(), sql, args...).Scan(&s), sql)
	return s
}

func TestZeroAndDoubleZeroAreDifferent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	ticket := b.sell(t, straight(draw, "0", "10.00"), straight(draw, "00", "5.00"), straight(draw, "0", "2.00"))
	require.Len(t, ticket.Lines, 2, "identical lines are merged, others are not")
	require.Equal(t, "Delfín", ticket.Lines[0].Name)
	require.EqualValues(t, 12_00, ticket.Lines[0].Amount)
	require.Equal(t, "Ballena", ticket.Lines[1].Name)
	require.EqualValues(t, 17_00, ticket.Total)
	b.requireSound(t)
}

// The bounds of a stake hold for the sum of identical lines.
func TestStakeBoundsAfterMerging(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `DELETE FROM risk_limits`)
	b.Exec(t, `UPDATE wallets SET credit_limit = 100000000000`)
	draw, triples, chaima := b.draw(t, "lotto-activo", 0), b.draw(t, "triple-zulia", 0), b.draw(t, "loto-chaima", 0)

	below := b.requireRefused(t, fixture.Ticket(straight(draw, "5", "0.40"), straight(draw, "6", "1.01"), straight(draw, "5", "0.40")), "INVALID_TICKET", "items[0]")
	require.Contains(t, below[0].Message, "1.00")
	above := b.requireRefused(t, fixture.Ticket(straight(draw, "6", "1.00"), straight(draw, "5", "60000.00"), straight(draw, "5", "60000.00")), "INVALID_TICKET", "items[1]")
	require.Contains(t, above[0].Message, "100000.00")
	b.requireRefused(t, fixture.Ticket(fixture.Line(chaima, "tripleta", "60000.00", "5", "12", "33"), fixture.Line(chaima, "tripleta", "60000.00", "33", "5", "12")),
		"INVALID_TICKET", "items[0]")
	huge := slices.Repeat([]sales.Item{fixture.Line(triples, "triple_sign", "1000000000000.00", "123", "ARI")}, 200)
	b.requireRefused(t, fixture.Ticket(huge...), "INVALID_TICKET", "items[0]")

	ticket := b.sell(t, straight(draw, "5", "0.50"), straight(draw, "5", "0.50"))
	require.EqualValues(t, 1_00, ticket.Total)
	ticket = b.sell(t, straight(draw, "5", "50000.00"), straight(draw, "5", "50000.00"))
	require.EqualValues(t, 100_000_00, ticket.Total)
	b.requireSound(t)
}

// Amounts near the end of the integer range are refused, also if a game sets no bound of its own.
func TestHugeAmountsWithoutBounds(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE games SET betting_rules = '{"bet_types": [{"type": "triple_sign", "payout": "6000"}, {"type": "triple", "payout": "0.01"}]}' WHERE short_code = 'triple-zulia'`)
	draw := b.draw(t, "triple-zulia", 0)
	for _, bet := range []sales.Item{fixture.Line(draw, "triple_sign", "1000000000000.00", "123", "ARI"), fixture.Line(draw, "triple", "1000000000000.00", "123")} {
		b.requireRefused(t, fixture.Ticket(slices.Repeat([]sales.Item{bet}, 200)...), "INVALID_TICKET", "items[0]")
	}
}

func TestRefusedTickets(t *testing.T) { //nolint:tparallel // the cases share one bank
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `INSERT INTO currencies (id, code, name, digits, status) VALUES (gen_random_uuid(), 'EUR', 'Euro', 2, 'inactive')`)
	b.Exec(t, `INSERT INTO customers (id, entity_id, name, phone) VALUES ($1, $2, 'Otra', '+584140000099')`, foreignCustomer, fixture.EntityID(seed.CodeTicketPoint2))
	tests := []struct {
		name   string
		code   string
		change func(r *sales.SellRequest)
	}{
		{"no lines", "NO_LINES", func(r *sales.SellRequest) { r.Items = nil }},
		{"10,000 lines", "TOO_MANY_LINES", func(r *sales.SellRequest) { r.Items = slices.Repeat(r.Items, 10_000) }},
		{"201 lines", "TOO_MANY_LINES", func(r *sales.SellRequest) { r.Items = slices.Repeat(r.Items, 201) }},
		{"unknown currency", "CURRENCY_NOT_FOUND", func(r *sales.SellRequest) { r.Currency = "XXX" }},
		{"currency in lower case", "CURRENCY_NOT_FOUND", func(r *sales.SellRequest) { r.Currency = "ves" }},
		{"currency id of none", "CURRENCY_NOT_FOUND", func(r *sales.SellRequest) { r.Currency = uuid.NewString() }},
		{"currency that is none", "CURRENCY_NOT_FOUND", func(r *sales.SellRequest) { r.Currency = "V\x00S" }},
		{"no currency", "CURRENCY_NOT_FOUND", func(r *sales.SellRequest) { r.Currency = "" }},
		{"inactive currency", "CURRENCY_NOT_FOUND", func(r *sales.SellRequest) { r.Currency = "EUR" }},
		{"unknown entity", "ENTITY_NOT_FOUND", func(r *sales.SellRequest) { r.EntityID = uuid.New() }},
		{"no entity", "ENTITY_NOT_FOUND", func(r *sales.SellRequest) { r.EntityID = uuid.Nil }},
		{"entity that is no ticket point", "ENTITY_CANNOT_SELL", func(r *sales.SellRequest) { r.EntityID = fixture.EntityID(seed.CodeAgency) }},
		{"the root", "ENTITY_CANNOT_SELL", func(r *sales.SellRequest) { r.EntityID = fixture.RootID }},
		{"customer without a name", "INVALID_CUSTOMER", func(r *sales.SellRequest) { r.Customer = &sales.NewCustomer{Name: "  ", Phone: "04141234567"} }},
		{"customer with an endless name", "INVALID_CUSTOMER", func(r *sales.SellRequest) {
			r.Customer = &sales.NewCustomer{Name: strings.Repeat("ñ", 101), Phone: "04141234567"}
		}},
		{"customer with a broken name", "INVALID_CUSTOMER", func(r *sales.SellRequest) { r.Customer = &sales.NewCustomer{Name: "Ana\xff", Phone: "04141234567"} }},
		{"customer with a null byte", "INVALID_CUSTOMER", func(r *sales.SellRequest) { r.Customer = &sales.NewCustomer{Name: "Ana\x00", Phone: "04141234567"} }},
		{"customer with a wrong number", "INVALID_CUSTOMER", func(r *sales.SellRequest) { r.Customer = &sales.NewCustomer{Name: "Ana", Phone: "0414-CALL-ME"} }},
		{"customer without a number", "INVALID_CUSTOMER", func(r *sales.SellRequest) { r.Customer = &sales.NewCustomer{Name: "Ana"} }},
		{"unknown customer", "CUSTOMER_NOT_FOUND", func(r *sales.SellRequest) { r.CustomerID = uuid.New() }},
		{"customer of another ticket point", "CUSTOMER_NOT_FOUND", func(r *sales.SellRequest) { r.CustomerID = foreignCustomer }},
		{"key with a line break", "INVALID_IDEMPOTENCY_KEY", func(r *sales.SellRequest) { r.IdempotencyKey = "a\nb" }},
		{"key in another script", "INVALID_IDEMPOTENCY_KEY", func(r *sales.SellRequest) { r.IdempotencyKey = "llave-ñ" }},
		{"endless key", "INVALID_IDEMPOTENCY_KEY", func(r *sales.SellRequest) { r.IdempotencyKey = strings.Repeat("k", 201) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req := b.request(draw, "5", "10.00")
			tt.change(req)
			b.requireRefused(t, req, tt.code)
		})
	}
	for name, tt := range map[string]struct{ within, sells string }{
		"entity of another branch": {seed.CodeAgency, seed.CodeOtherPoint},
		"the caller's own parent":  {seed.CodeTicketPoint, seed.CodeGroup},
	} {
		t.Run(name, func(t *testing.T) {
			b.requireRefusedTo(t, b.within(t, tt.within), at(b.request(draw, "5", "10.00"), tt.sells), "ENTITY_NOT_FOUND")
		})
	}
	b.requireSound(t)
}

var foreignCustomer = uuid.MustParse("00000000-0000-7000-8000-0000000000c1") //nolint:gochecknoglobals // a constant

func (b *bundle) path(t testing.TB, code string) string {
	t.Helper()
	return b.text(t, `SELECT path FROM entities WHERE id = $1`, fixture.EntityID(code))
}

func TestAnInactiveAncestorRefusesSales(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	for _, code := range []string{seed.CodeOperator, seed.CodeSuperAgency, seed.CodeAgency, seed.CodeGroup, seed.CodeTicketPoint} {
		for _, status := range []string{"register", "suspended", "inactive"} {
			b.Exec(t, `UPDATE entities SET status = $2 WHERE id = $1`, fixture.EntityID(code), status)
			b.requireRefused(t, b.request(draw, "5", "10.00"), "ENTITY_CANNOT_SELL")
		}
		b.Exec(t, `UPDATE entities SET status = 'active' WHERE id = $1`, fixture.EntityID(code))
	}
	b.Exec(t, `UPDATE wallets SET status = 'inactive' WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	b.requireRefused(t, b.request(draw, "5", "10.00"), "WALLET_NOT_FOUND")
	b.Exec(t, `UPDATE wallets SET status = 'active' WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint))
	b.sell(t, straight(draw, "5", "10.00"))
}

func TestGameNotOnSale(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	for _, status := range []string{"suspended", "inactive"} {
		b.Exec(t, `UPDATE games SET status = $1 WHERE short_code = 'lotto-activo'`, status)
		b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
	}
	b.Exec(t, `UPDATE games SET status = 'active' WHERE short_code = 'lotto-activo'`)
	for _, status := range []string{"scheduled", "closed", "resulted", "settled", "suspended"} {
		b.Exec(t, `UPDATE draws SET status = $2 WHERE id = $1`, draw.ID, status)
		b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
	}
}

// The stop of a draw holds at its instant although the database still calls the draw open.
func TestNothingIsSoldAtTheStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Clock.Advance(draw.SaleStopAt.Sub(b.Clock.Now()) - time.Microsecond)
	b.sell(t, straight(draw, "5", "10.00"))
	b.Clock.Advance(time.Microsecond)
	b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
	require.Equal(t, "open", b.text(t, `SELECT status FROM draws WHERE id = $1`, draw.ID))
	b.requireSound(t)
}

// A seller's own stop is earlier than the draw's if its configuration says so.
func TestASellersOwnStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 900}' WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	b.Clock.Advance(draw.Time.Add(-15 * time.Minute).Sub(b.Clock.Now()))
	b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
	other := b.request(draw, "5", "10.00")
	other.EntityID = fixture.EntityID(seed.CodeOtherPoint)
	_, err := b.Sell(t.Context(), other)
	require.NoError(t, err)
}

// A stop given for a draw, or a game's own, takes precedence over a seller's inherited setting, in sales and in
// answers.
func TestAnExplicitStopWinsOverTheInheritedOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 900}' WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	b.Clock.Advance(draw.Time.Add(-15 * time.Minute).Sub(b.Clock.Now()))
	told := func() sales.Availability {
		list, err := b.Available(t.Context(), cashier(), &sales.AvailableRequest{
			EntityID: fixture.EntityID(seed.CodeTicketPoint), Currency: "VES", Draws: []uuid.UUID{draw.ID}, BetType: "straight", Selection: []string{"5"},
		})
		require.NoError(t, err)
		return list[0]
	}
	require.True(t, told().Stopped)
	require.Equal(t, draw.Time.Add(-15*time.Minute), told().Stop)
	b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
	for _, change := range []string{
		`UPDATE draws SET sale_stop_explicit = true WHERE id = $1`,
		`WITH inherited AS (UPDATE draws SET sale_stop_explicit = false WHERE id = $1 RETURNING game_id)
			UPDATE games SET sale_stop_seconds = 300 WHERE id IN (SELECT game_id FROM inherited)`,
	} {
		b.Exec(t, change, draw.ID)
		require.False(t, told().Stopped, change)
		require.Equal(t, draw.SaleStopAt, told().Stop, change)
		b.sell(t, straight(draw, "5", "10.00"))
	}
	b.Clock.Advance(10*time.Minute - time.Microsecond)
	b.sell(t, straight(draw, "5", "10.00"))
	b.Clock.Advance(time.Microsecond)
	require.True(t, told().Stopped)
	b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
}

// A seller's inherited stop holds from the moment that the game's own is removed, although this process's catalogue is behind.
func TestARemovedStopOfAGameTakesEffectBeforeTheCacheExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `UPDATE games SET sale_stop_seconds = 300 WHERE id = $1`, draw.GameID)
	b.Exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 900}' WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	b.Clock.Advance(draw.Time.Add(-15 * time.Minute).Sub(b.Clock.Now()))
	b.sell(t, straight(draw, "5", "10.00"))
	_, err := b.PG.Pool.Exec(t.Context(), `UPDATE games SET sale_stop_seconds = NULL WHERE id = $1`, draw.GameID) // and the caches stay
	require.NoError(t, err)
	b.requireRefused(t, b.request(draw, "5", "10.00"), "INVALID_TICKET", "items[0]")
	other := b.request(draw, "5", "10.00")
	other.EntityID = fixture.EntityID(seed.CodeOtherPoint)
	_, err = b.Sell(t.Context(), other)
	require.NoError(t, err)
}

// A draw closed by another process is refused, and named, although this one's catalogue is behind.
func TestADrawClosedByAnotherProcessIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw, other := b.draw(t, "lotto-activo", 0), b.draw(t, "la-granjita", 0)
	b.sell(t, straight(draw, "5", "10.00"))
	_, err := b.PG.Pool.Exec(t.Context(), `UPDATE draws SET status = 'closed' WHERE id = $1`, draw.ID) // and the caches stay
	require.NoError(t, err)
	b.requireRefused(t, fixture.Ticket(straight(other, "5", "10.00"), straight(draw, "5", "10.00")), "INVALID_TICKET", "items[1]")
}

func TestCreditLimitToTheCentimo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	b.Exec(t, `UPDATE wallets SET credit_limit = 90000 WHERE entity_id = $1`, fixture.EntityID(seed.CodeTicketPoint)) // 1,000 less 10 %
	b.requireRefused(t, b.request(draw, "5", "1000.01"), "INSUFFICIENT_BALANCE")
	b.sell(t, straight(draw, "5", "1000.00"))
	require.EqualValues(t, -900_00, b.balances(t)[seed.CodeTicketPoint])
	b.requireRefused(t, b.request(draw, "5", "1.00"), "INSUFFICIENT_BALANCE")
	b.requireSound(t)
}
