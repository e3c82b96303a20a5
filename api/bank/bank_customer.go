package bank

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/customers"
	"banca/internal/platform/caller"
)

func (o *operations) registerCustomerPayments() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-customer-payments", Method: http.MethodGet, Path: "/sales/customers/{id}/payments",
		Tags:        []string{"Customers"},
		Summary:     "Payment requests of a customer and of those merged into it, with their payments, newest first",
		Description: "Payments for its tickets, and payments at its ticket point with its identity document.",
	}, kit.Can(auth.PaymentRequestsRead), o.listCustomerPayments, customers.ErrNotFound)
}

// customerPayment is a payment request with the payment that closed it.
type customerPayment struct {
	Request paymentRequest   `json:"request"`
	Payment *receivedPayment `json:"payment" doc:"null while it is not paid"`
}

type receivedPayment struct {
	ID         uuid.UUID   `json:"id"`
	Bank       string      `json:"bank" example:"0134"`
	Reference  string      `json:"reference"`
	Date       string      `json:"date" format:"date"`
	Amount     kit.Decimal `json:"amount"`
	ReceivedAt time.Time   `json:"received_at"`
}

type customerPaymentsInput struct {
	kit.PageParams
	kit.ByID
}

func (o *operations) listCustomerPayments(
	ctx context.Context, by caller.Caller, in *customerPaymentsInput,
) (*kit.List[customerPayment], error) {
	group, err := o.customers.Group(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.ListFrom(customerPaymentBody, &in.PageParams)(o.bank.CustomerPayments(ctx, by, group, in.PageSize, in.Offset()))
}

func customerPaymentBody(p bank.CustomerPayment) customerPayment {
	body := customerPayment{Request: paymentRequestBody(p.Request)}
	if paid := p.Payment; paid != nil {
		body.Payment = &receivedPayment{
			ID: paid.ID, Bank: paid.Bank, Reference: paid.Reference, Date: paid.Date.String(),
			Amount:     kit.DecimalOf(paid.Amount, paid.Currency.Digits),
			ReceivedAt: paid.ReceivedAt,
		}
	}
	return body
}
