package bank

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
