package bank

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/setup/seed"
	"banca/models"
)

// stranger is a user of another entity than the operator.
func stranger() caller.Caller {
	return testkit.Within("/" + fixture.RootID.String() + "/" + uuid.NewString() + "/")
}

// Malformed entries of the directory change nothing; what payments name stays.
func TestMalformedBanksAndCodesAreRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	digest := `SELECT md5(string_agg(x::text, '|' ORDER BY x::text)) FROM (SELECT b::text FROM banks b UNION ALL SELECT c::text FROM network_codes c) x`
	before := b.Text(t, digest)
	long := strings.Repeat("ñ", maxName+1)
	for name, bad := range map[string]Bank{
		"no code": {Name: "X"}, "three digits": {Code: "999", Name: "X"}, "letters": {Code: "99A9", Name: "X"}, "five digits": {Code: "99999", Name: "X"},
		"no name": {Code: "9999", Name: " "}, "long name": {Code: "9999", Name: long}, "NUL": {Code: "9999", Name: "a\x00b"}, "not UTF-8": {Code: "9999", Name: "a\xff"},
		"unknown status": {Code: "9999", Name: "X", Status: "closed"},
	} {
		assert.ErrorIs(t, b.AddBank(ctx, b.admin, bad), ErrInvalidEntry, name)
		bad.Code = strings.Replace(bad.Code, "9999", "0134", 1)
		assert.ErrorIs(t, b.UpdateBank(ctx, b.admin, bad), ErrInvalidEntry, name)
	}
	for _, bad := range [][2]string{{"", "x"}, {"é", "x"}, {"123456789", "x"}, {"5 1", "x"}, {"77", ""}, {"77", long}, {"77", "\x00"}} {
		assert.ErrorIs(t, b.AddNetworkCode(ctx, b.admin, bad[0], bad[1]), ErrInvalidEntry, "%q", bad)
		assert.ErrorIs(t, b.UpdateNetworkCode(ctx, b.admin, bad[0], bad[1]), ErrInvalidEntry, "%q", bad)
	}
	assert.ErrorIs(t, b.AddBank(ctx, b.admin, Bank{Code: "0134", Name: "Twice"}), ErrBankExists)
	assert.ErrorIs(t, b.AddNetworkCode(ctx, b.admin, Approved, "Twice"), ErrCodeExists)
	assert.ErrorIs(t, b.DeleteNetworkCode(ctx, b.admin, Approved), ErrCodeFixed)
	assert.ErrorIs(t, b.DeleteNetworkCode(ctx, b.admin, "Q7"), ErrCodeNotFound)
	assert.ErrorIs(t, b.UpdateNetworkCode(ctx, b.admin, "Q7", "x"), ErrCodeNotFound)
	for name, err := range map[string]error{
		"add": b.AddBank(ctx, stranger(), Bank{Code: "9999", Name: "X"}), "update": b.UpdateBank(ctx, stranger(), Bank{Code: "0134", Name: "X"}),
		"delete": b.DeleteBank(ctx, stranger(), "0134"), "add code": b.AddNetworkCode(ctx, stranger(), "Q7", "x"),
		"update code": b.UpdateNetworkCode(ctx, stranger(), "51", "x"), "delete code": b.DeleteNetworkCode(ctx, stranger(), Approved),
	} {
		assert.ErrorIs(t, err, ErrOperatorOnly, name)
	}
	require.Equal(t, before, b.Text(t, digest))

	require.False(t, b.notify(t))
	require.ErrorIs(t, b.DeleteBank(ctx, b.admin, "0134"), ErrBankInUse, "a payment names it")
	b.expect(t, func(n *NewRequest) { n.Bank = "0102" })
	require.ErrorIs(t, b.DeleteBank(ctx, b.admin, "0102"), ErrBankInUse, "a payment request names it")
	require.ErrorIs(t, b.DeleteBank(ctx, stranger(), "0102"), ErrOperatorOnly, "without a word about its use")
}

// A change of a bank is effective for the next notification, in the process that made it at once.
func TestAChangeOfABankIsEffectiveAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	pay := func(reference, code string) bool {
		return b.notify(t, "Referencia", reference, "BancoEmisor", code, "TelefonoEmisor", "04149998877")
	}
	require.False(t, pay("1", "9999"))
	require.Equal(t, ReasonUnknownBank, b.Text(t, `SELECT reason FROM bank_payments WHERE reference = '1'`))
	require.NoError(t, b.AddBank(t.Context(), b.admin, Bank{Code: "9999", Name: " Banco Nuevo ", Status: models.BankRetired}))
	require.False(t, pay("2", "9999"))
	require.Equal(t, ReasonRetiredBank, b.Text(t, `SELECT reason FROM bank_payments WHERE reference = '2'`))
	require.NoError(t, b.UpdateBank(t.Context(), b.admin, Bank{Code: "9999", Name: "Banco Nuevo"}))
	require.True(t, pay("3", "9999"), "without a status it is active")
	require.False(t, pay("1", "9999"), "a repeat gets the first answer")
	list, total, err := b.Banks(t.Context(), models.BankActive, 1_000, 0)
	require.NoError(t, err)
	require.Contains(t, list, Bank{Code: "9999", Name: "Banco Nuevo", Status: models.BankActive})
	require.Len(t, list, int(total))
	b.requireSound(t)
}

// Each filter of payments selects by its field alone, and pages are cut from the same order.
func TestFiltersOfPayments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, p := range [][]any{
		{"Referencia", "1", "FechaHora", "2026-03-01", "TelefonoEmisor", "04141110001"},
		{"Referencia", "2", "FechaHora", "2026-03-02", "TelefonoEmisor", "04141110002", "BancoEmisor", "0102"},
		{"Referencia", "2", "FechaHora", "2026-03-02", "TelefonoEmisor", "04141110002", "BancoEmisor", "0102", "Monto", "151.00"},
		{"Referencia", "02", "FechaHora", "2026-03-03"},
	} {
		require.False(t, b.notify(t, p...))
		b.Clock.Advance(time.Second)
	}
	day := func(n int) businessday.Day {
		return businessday.Of(time.Date(2026, 3, n, 12, 0, 0, 0, time.UTC), time.UTC)
	}
	for name, c := range map[string]struct {
		f    PaymentFilter
		want []string
	}{
		"all, newest first":    {PaymentFilter{}, []string{"02", "2", "2", "1"}},
		"by reference as text": {PaymentFilter{Reference: "2"}, []string{"2", "2"}},
		"unreconciled":         {PaymentFilter{States: Unreconciled()}, []string{"02", "2", "1"}},
		"conflicts":            {PaymentFilter{States: Conflicts()}, []string{"2"}},
		"by telephone":         {PaymentFilter{Phone: "+584141110001"}, []string{"1"}},
		"by bank":              {PaymentFilter{Bank: "0134"}, []string{"02", "1"}},
		"from a day":           {PaymentFilter{From: day(2)}, []string{"02", "2", "2"}},
		"to a day":             {PaymentFilter{To: day(2)}, []string{"2", "2", "1"}},
		"of one day":           {PaymentFilter{From: day(3), To: day(3)}, []string{"02"}},
		"the second page":      {PaymentFilter{Offset: 3}, []string{"1"}},
		"of all at once":       {PaymentFilter{Bank: "0102", From: day(2), To: day(2), States: Conflicts(), Reference: "2"}, []string{"2"}},
		"nothing":              {PaymentFilter{Bank: "0102", Phone: "+584141110001"}, nil},
	} {
		c.f.Limit = 10
		list, total, err := b.Payments(t.Context(), b.admin, &c.f)
		require.NoError(t, err, name)
		var references []string
		for _, p := range list {
			references = append(references, p.Reference)
		}
		assert.Equal(t, c.want, references, name)
		assert.EqualValues(t, len(c.want)+c.f.Offset, total, name)
	}
	_, _, err := b.Payments(t.Context(), stranger(), &PaymentFilter{Limit: 10})
	require.ErrorIs(t, err, ErrOperatorOnly)
	_, err = b.Payment(t.Context(), stranger(), uuid.New())
	require.ErrorIs(t, err, ErrOperatorOnly)
	_, err = b.Payment(t.Context(), b.admin, uuid.New())
	require.ErrorIs(t, err, ErrPaymentNotFound)
}

// Each filter of payment requests selects by its field alone, within the caller's subtree.
func TestFiltersOfPaymentRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.expect(t)
	b.expect(t, func(n *NewRequest) { n.Amount, n.ClientID = "20.00", "J-11222333" })
	b.expect(t, func(n *NewRequest) {
		n.EntityID, n.Amount, n.ClientID = fixture.EntityID(seed.CodeOtherPoint), "20.00", "V7654321"
	})
	own, _, err := b.CreateRequest(t.Context(), b.admin, &NewRequest{EntityID: pointID(), Amount: "30.00"})
	require.NoError(t, err)
	_, err = b.CancelRequest(t.Context(), b.admin, own.ID)
	require.NoError(t, err)
	_, err = b.CancelRequest(t.Context(), b.admin, own.ID)
	require.NoError(t, err, "a repeated cancellation")
	other := testkit.Within(b.Text(t, `SELECT path FROM entities WHERE id = $1`, fixture.EntityID(seed.CodeOtherPoint)))
	for name, c := range map[string]struct {
		by   caller.Caller
		f    RequestFilter
		want int
	}{
		"all":                      {b.admin, RequestFilter{}, 4},
		"by entity":                {b.admin, RequestFilter{EntityID: pointID()}, 3},
		"by status":                {b.admin, RequestFilter{Status: models.RequestCancelled}, 1},
		"by origin":                {b.admin, RequestFilter{Origin: models.OriginTopUp}, 1},
		"by document, any letter":  {b.admin, RequestFilter{ClientID: "11.222.333"}, 2},
		"by an unreadable one":     {b.admin, RequestFilter{ClientID: "' OR 1=1"}, 0},
		"of the other point":       {other, RequestFilter{}, 1},
		"of the other point's own": {other, RequestFilter{EntityID: pointID()}, 0},
		"of no scope":              {caller.Caller{}, RequestFilter{}, 0},
	} {
		c.f.Limit = 10
		list, total, err := b.Requests(t.Context(), c.by, &c.f)
		require.NoError(t, err, name)
		assert.Len(t, list, c.want, name)
		assert.EqualValues(t, c.want, total, name)
	}
	_, err = b.Request(t.Context(), other, own.ID)
	require.ErrorIs(t, err, ErrRequestNotFound)
	_, err = b.CancelRequest(t.Context(), other, own.ID)
	require.ErrorIs(t, err, ErrRequestNotFound)
}

// The identity shows the three layers as they are configured, and no token.
func TestTheIdentityShowsNoToken(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *Options) { o.NextToken = nextToken })
	b.expect(t)
	require.True(t, b.query(t))
	i, err := b.Identity(t.Context(), b.admin)
	require.NoError(t, err)
	require.True(t, i.Complete)
	require.Equal(t, UnmatchedReject, i.Unmatched)
	require.Equal(t, 15*time.Minute, i.Hold)
	require.Contains(t, i.Phones, "+58"+seed.MerchantPhone[1:])
	require.Equal(t, []TokenState{
		{Slot: SlotCurrent, Set: true, Masked: "••••" + testToken[len(testToken)-4:], LastUsedAt: b.Clock.Now()}, {Slot: SlotNext, Set: true, Masked: "••••" + nextToken[len(nextToken)-4:]},
	}, i.Tokens)
	_, err = b.Identity(t.Context(), stranger())
	require.ErrorIs(t, err, ErrOperatorOnly)
	none := setup(t, func(o *Options) { o.AllowedIPs = nil })
	i, err = none.Identity(t.Context(), none.admin)
	require.NoError(t, err)
	require.False(t, i.Complete, "without addresses no call passes")
	require.Equal(t, TokenState{Slot: SlotNext}, i.Tokens[1])
}
