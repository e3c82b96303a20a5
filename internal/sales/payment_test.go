package sales_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/sales"
	"banca/internal/seed"
)

// kept keeps the texts of receipts' messages.
type kept struct{ bodies []string }

func (k *kept) QueueReceiptTx(_ context.Context, _ pgx.Tx, _, _ uuid.UUID, _, body, _ string) (uuid.UUID, bool, error) {
	k.bodies = append(k.bodies, body)
	return uuid.New(), true, nil
}

// The message of a ticket to be paid by bank says where, and the payment is announced once; without an identity
// document the bank could not ask about the buyer, so nothing is said.
func TestPaymentInfoGoesWithTheReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	messages := &kept{}
	b.Messages, b.Options.Payable = messages, "VES"
	sell := func(wants bool, document string) {
		req := b.ask(straight(b.draw(t, "lotto-activo", 0), "5", "10.00"))
		req.Customer, req.WantsPaymentInfo = &sales.NewCustomer{Name: "María", Phone: "04149998877"}, wants
		sold, err := b.Sell(t.Context(), req)
		require.NoError(t, err)
		b.exec(t, `UPDATE customers SET id_document = nullif($1, '')`, document)
		for range 2 {
			require.NoError(t, b.RenderReceipt(t.Context(), sold.Ticket.ID))
		}
	}
	announced := func() int64 { return b.number(t, `SELECT count(*) FROM outbox WHERE kind = 'bank.request'`) }
	sell(true, "")
	sell(false, "V11222333")
	require.Zero(t, announced())
	sell(true, "V11222333")
	require.EqualValues(t, 1, announced())
	require.Len(t, messages.bodies, 6)
	for _, body := range messages.bodies[:4] {
		require.NotContains(t, body, "Pago móvil")
	}
	require.Contains(t, messages.bodies[5], "Pago móvil\nBanco: 0134\nTeléfono: "+seed.MerchantPhone+"\nC.I./RIF: "+seed.OperatorDocument+"\nMonto: VES 10,00")
}
