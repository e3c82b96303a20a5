package sales_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/messaging"
	"banca/internal/platform/apperr"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// kept keeps the texts of receipts' messages.
type kept struct{ bodies []string }

func (k *kept) QueueTx(_ context.Context, _ pgx.Tx, list ...*messaging.Outgoing) (int, error) {
	for _, m := range list {
		k.bodies = append(k.bodies, m.Body)
	}
	return len(list), nil
}

func (*kept) WithdrawReceiptTx(context.Context, pgx.Tx, uuid.UUID) (bool, error) { return true, nil }

// The message of a ticket to be paid by bank names the account, and the payment is requested once; without an
// identity document the bank could not ask about the buyer, so neither happens.
func TestPaymentInfoGoesWithTheReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	messages := &kept{}
	b.Messages, b.Options.PaymentCurrency = messages, "VES"
	sell := func(wants bool, document string) {
		req := fixture.Ticket(straight(b.draw(t, "lotto-activo", 0), "5", "10.00"))
		req.Customer, req.WantsPaymentInfo = &sales.NewCustomer{Name: "María", Phone: "04149998877", IDDocument: document}, wants
		sold, err := b.Sell(t.Context(), req)
		require.NoError(t, err)
		for range 2 {
			require.NoError(t, b.RenderReceipt(t.Context(), sold.Ticket.ID))
		}
	}
	announced := func() int64 { return b.Number(t, `SELECT count(*) FROM outbox WHERE kind = 'bank.request'`) }
	document := func() string {
		var text string
		require.NoError(t, b.PG.Pool.QueryRow(t.Context(), `SELECT coalesce(string_agg(id_document, ' '), '') FROM customers`).Scan(&text))
		return text
	}
	sell(true, "")
	require.Empty(t, document())
	sell(false, "V-11.222.334")
	require.Equal(t, "V11222334", document(), "a customer without a document gets the sale's")
	require.Zero(t, announced())
	sell(true, "v11222333")
	require.Equal(t, "V11222333", document(), "another document replaces it")
	require.EqualValues(t, 1, announced())
	require.Len(t, messages.bodies, 6)
	for _, body := range messages.bodies[:4] {
		require.NotContains(t, body, "Pago móvil")
	}
	require.Contains(t, messages.bodies[5], "Pago móvil\nBanco: 0134\nTeléfono: "+seed.MerchantPhone+"\nC.I./RIF: "+seed.OperatorDocument+"\nMonto: Bs 10,00")
}

// A customer created with a document has it, and a sale that names none leaves it.
func TestIDDocumentOfANewCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, document := range []string{"J-40123456-7", ""} {
		req := fixture.Ticket(straight(b.draw(t, "lotto-activo", 0), "5", "10.00"))
		req.Customer = &sales.NewCustomer{Name: "María", Phone: "04149998877", IDDocument: document}
		_, err := b.Sell(t.Context(), req)
		require.NoError(t, err)
		require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM customers WHERE id_document = 'J401234567'`))
	}
	refused := fixture.Ticket(straight(b.draw(t, "lotto-activo", 0), "5", "10.00"))
	refused.Customer = &sales.NewCustomer{Name: "María", Phone: "04149998877", IDDocument: "X-1"}
	_, err := b.Sell(t.Context(), refused)
	require.ErrorIs(t, err, sales.ErrInvalidCustomer)
	require.Equal(t, "customer.id_document", apperr.From(err).Details[0].Location)
}

// Sales in two currencies share customers but not wallets: concurrent changes of the same documents do not deadlock.
func TestConcurrentDocumentsOfSharedCustomers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	draw := b.draw(t, "lotto-activo", 0)
	got := atOnce(t.Context(), 48, func(ctx context.Context, i int) (*sales.Sold, error) {
		req := b.request(draw, "5", "1.00")
		req.Currency = []string{"VES", "USD"}[i%2]
		req.Customer = &sales.NewCustomer{Name: "Ana", Phone: "+58414000000" + itoa(int64(i%5)), IDDocument: "V1000000" + itoa(int64(i%7))}
		return b.Sell(ctx, req)
	})
	require.Empty(t, got.codes)
	require.EqualValues(t, 5, b.Number(t, `SELECT count(*) FROM customers WHERE id_document IS NOT NULL`))
	b.quiet(t)
	b.requireSound(t)
}
