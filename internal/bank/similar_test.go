package bank

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Open requests of the amount of a payment are ordered by what else of them fits, then by their time.
func TestSimilarRequestsOfAPayment(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 28, 16, 0, 0, 0, time.UTC)
	payment := &Payment{SenderPhone: "+584141234567", Reference: "000012345678", Bank: "0134", Concept: "ticket V12345678", ReceivedAt: at}
	var got [][]string
	for _, s := range similarTo(payment, []Request{
		{ClientPhone: "+584140000000", CreatedAt: at.Add(-48 * time.Hour)}, {ClientID: "V12345678", ClientPhone: "+584141234567", CreatedAt: at.Add(-time.Minute)},
		{CreatedAt: at.Add(-3 * time.Hour)}, {ClientID: "V", Reference: "345678", Bank: "0102", CreatedAt: at.Add(time.Minute)},
	}) {
		got = append(got, s.Fits)
	}
	assert.Equal(t, [][]string{{FitsAmount, FitsPhone, FitsIDDocument, FitsTime}, {FitsAmount, FitsReference}, {FitsAmount}, {FitsAmount}}, got)
}

// The likely request of a payment is the first of its similar ones. There is none if two requests fit equally well.
func TestLikelyRequestsAreTheFirstSimilarOnes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	of := func(amount string) *Request {
		return b.expect(t, func(n *NewRequest) { n.Amount = amount })
	}
	for range 2 {
		of("40.00")
	}
	of("20.00")
	known := b.expect(t, func(n *NewRequest) { n.Amount, n.ClientPhone = "20.00", "04141112233" })
	only := of("30.00")
	payments := []Payment{
		{ID: uuid.New(), Amount: 20_00, SenderPhone: known.ClientPhone, ReceivedAt: b.Clock.Now()}, {ID: uuid.New(), Amount: 30_00, ReceivedAt: b.Clock.Now()},
		{ID: uuid.New(), Amount: 40_00, ReceivedAt: b.Clock.Now()}, {ID: uuid.New(), Amount: 50_00, ReceivedAt: b.Clock.Now()},
		{ID: uuid.New(), Amount: 30_00, ReceivedAt: b.Clock.Now().Add(-time.Minute)}, // before the request: only the amount fits
	}
	likely, err := b.Likely(t.Context(), b.admin, payments)
	require.NoError(t, err)
	require.Len(t, likely, len(payments))
	for i, want := range []uuid.UUID{known.ID, only.ID, uuid.Nil, uuid.Nil, uuid.Nil} {
		assert.Equal(t, want, likely[i].ID, i)
		similar, err := b.Similar(t.Context(), b.admin, &payments[i])
		require.NoError(t, err)
		if want != uuid.Nil {
			assert.Equal(t, similar[0].Request, likely[i], i)
		}
	}
	none, err := b.Likely(t.Context(), b.admin, nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}
