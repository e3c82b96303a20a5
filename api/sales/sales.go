package sales

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/months"
	"banca/internal/platform/phone"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
)

func (o *operations) registerSales() {
	tags := []string{"Sales"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "sell-ticket", Method: http.MethodPost, Path: "/sales/tickets", Tags: tags,
		Summary:       "Sell a ticket",
		DefaultStatus: http.StatusCreated, SkipValidateBody: true,
		Description: "Checks every line, reserves it under the limits of every level and books the sale in one transaction. Repeat with the same Idempotency-Key, meaning the same, to get the first answer again.",
	}, kit.Can(auth.SalesSell), o.sell,
		ticketErrors(sales.ErrStaleRules, catalog.ErrDrawNotFound, ledger.ErrInsufficientBalance,
			ledger.ErrNoWallet, org.ErrCannotSell, phone.ErrInvalid, risk.ErrDrawClosed, risk.ErrLimitExceeded,
			risk.ErrUnavailable, sales.ErrBusy, sales.ErrCustomerNotFound, sales.ErrDrawsStopped,
			sales.ErrInvalidCustomer, sales.ErrInvalidTicket, sales.ErrNoLines, sales.ErrNotTicketPoint,
			sales.ErrPayments, sales.ErrPaymentsDiffer, sales.ErrNotArrived, sales.ErrPaymentUnclear, sales.ErrPaymentUsed, sales.ErrManyReferences,
			apperr.ErrStore, sales.ErrTooManyLines, idempotency.ErrUnknownOutcome)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-tickets", Method: http.MethodGet, Path: "/sales/tickets", Tags: tags,
		Summary: "Tickets of the caller's subtree, newest first",
	}, kit.Can(auth.SalesRead), o.listTickets,
		catalog.ErrGameNotFound, ledger.ErrCurrencyNotFound, months.ErrPeriodArchived)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-ticket", Method: http.MethodGet, Path: "/sales/tickets/{id}", Tags: tags,
		Summary: "One ticket",
	}, kit.Can(auth.SalesRead), o.getTicket, ticketErrors()...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "cancel-ticket", Method: http.MethodPost, Path: "/sales/tickets/{id}/cancel", Tags: tags,
		Summary: "Undo a sale: within its window and before its draws' sale stop",
	}, kit.Can(auth.SalesCancel), o.cancelTicket,
		ticketErrors(ledger.ErrInsufficientBalance, ledger.ErrNoWallet, risk.ErrUnavailable, sales.ErrCancelTooLate,
			sales.ErrDrawsStopped, sales.ErrNotCancellable, apperr.ErrStore, sales.ErrTooManyCancels,
			idempotency.ErrUnknownOutcome)...)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-receipt", Method: http.MethodGet, Path: "/sales/tickets/{id}/receipt", Tags: tags,
		Summary:   "The receipt as it stands now: a picture or printer commands",
		Responses: kit.PrintResponses("The receipt"),
	}, kit.Can(auth.SalesRead), o.getReceipt,
		ticketErrors(receipts.ErrQR, receipts.ErrTooLarge, receipts.ErrFormat)...)
}

type sellInput struct {
	kit.Idempotent
	Body sellBody
}

type sellBody struct {
	kit.Checked      `json:"-"`
	EntityID         uuid.UUID      `json:"entityId,omitempty" doc:"who sells; the caller's own entity when left out"`
	CurrencyID       string         `json:"currency_id,omitempty" maxLength:"36"`
	Currency         string         `json:"currency,omitempty" maxLength:"3" example:"VES" doc:"instead of currency_id"`
	CustomerID       uuid.UUID      `json:"customer_id,omitempty"`
	Customer         *customerInput `json:"customer,omitempty" doc:"instead of customer_id; created when unknown"`
	WantsPaymentInfo bool           `json:"wants_payment_info,omitempty" doc:"the buyer pays by bank: the receipt's message says where, if the customer has an id_document"`
	AcceptPartial    bool           `json:"accept_partial,omitempty" doc:"reduce or drop lines that exceed a limit, and list them in cuts"`
	Items            []lineInput    `json:"items"`
	Payments         []paymentInput `json:"payments,omitempty" maxItems:"8" doc:"how the ticket is paid; left out, in exact cash of its currency. At the rate of the day, less the change, they are the total"`
	Change           []changeInput  `json:"change,omitempty" maxItems:"4" doc:"what the buyer gets back in cash"`
}

type paymentInput struct {
	Means     string           `json:"means" enum:"cash,card,mobile"`
	Currency  string           `json:"currency,omitempty" maxLength:"36" example:"USD" doc:"code or id; left out, the currency of the ticket"`
	Amount    kit.DecimalInput `json:"amount"`
	Reference string           `json:"reference,omitempty" maxLength:"36" pattern:"^[0-9]*$" example:"5678" doc:"of a mobile payment its last four digits or more, which find the credit of the bank; of a card as it is on the slip"`
}

type changeInput struct {
	Currency string           `json:"currency,omitempty" maxLength:"36" doc:"code or id; left out, the currency of the ticket"`
	Amount   kit.DecimalInput `json:"amount"`
}

// Complete reports whether all required fields are present. A buyer's name and number, and payments, have bounds that
// only the schema checks.
func (b *sellBody) Complete() bool {
	return b.Customer == nil && b.Payments == nil && b.Change == nil && len(b.CurrencyID) <= 36 && len(b.Currency) <= 3 && b.Items != nil &&
		!slices.ContainsFunc(b.Items, func(l lineInput) bool {
			return l.DrawID == "" || len(l.DrawID) > 64 || l.BetType == "" || len(l.BetType) > 32 ||
				l.Selection == nil || len(l.Selection) > kit.MaxElements || l.Amount == "" || len(l.Amount) > kit.MaxDecimal
		})
}

type customerInput struct {
	Name       string `json:"name" maxLength:"200"`
	Phone      string `json:"phone" maxLength:"30" example:"04141234567" doc:"finds the customer"`
	IDDocument string `json:"id_document,omitempty" maxLength:"20" example:"V12345678" doc:"identity document: V, E, J, G or P and 5 to 10 digits; kept with the customer, and needed to pay the ticket by bank"`
}

type lineInput struct {
	DrawID    string           `json:"draw_id" maxLength:"64"`
	BetType   string           `json:"bet_type" maxLength:"32" example:"straight"`
	Selection kit.Selection    `json:"selection"`
	Amount    kit.DecimalInput `json:"amount"`
}

func (o *operations) sell(ctx context.Context, by caller.Caller, in *sellInput) (*kit.CreatedOnce[ticket], error) {
	if err := in.Body.Refusal(); err != nil {
		return nil, err
	}
	sold, err := o.sales.Sell(ctx, by, in.request(by))
	if err != nil {
		return nil, err
	}
	if sold.Replayed { // another user of the point may have sold the ticket
		sales.Redact(by, &sold.Ticket)
	}
	body := ticketBody(&sold.Ticket)
	body.Cuts = kit.Map(sold.Cuts, func(c sales.Cut) cut { return cutBody(c, sold.Ticket.Currency.Digits) })
	return kit.CreatedOnceOf(body, o.BasePath+"/sales/tickets/"+body.ID.String(), sold.Replayed), nil
}

// request maps the body to the domain's request.
func (in *sellInput) request(by caller.Caller) *sales.SellRequest {
	b := &in.Body
	req := &sales.SellRequest{
		EntityID: by.EntityID, Currency: b.Currency, CustomerID: b.CustomerID,
		WantsPaymentInfo: b.WantsPaymentInfo, AcceptPartial: b.AcceptPartial,
		IdempotencyKey: in.IdempotencyKey, Items: make([]sales.Item, len(b.Items)),
	}
	if b.EntityID != uuid.Nil {
		req.EntityID = b.EntityID
	}
	if b.CurrencyID != "" {
		req.Currency = b.CurrencyID
	}
	if b.Customer != nil {
		req.Customer = &sales.NewCustomer{Name: b.Customer.Name, Phone: b.Customer.Phone, IDDocument: b.Customer.IDDocument}
	}
	for i := range b.Items {
		l := &b.Items[i]
		req.Items[i] = sales.Item{
			DrawID: l.DrawID, BetType: l.BetType, Selection: l.Selection, Amount: string(l.Amount),
		}
	}
	req.Payments = kit.Map(b.Payments, func(p paymentInput) sales.PaymentItem {
		return sales.PaymentItem{Means: p.Means, Currency: p.Currency, Amount: string(p.Amount), Reference: p.Reference}
	})
	req.Change = kit.Map(b.Change, func(c changeInput) sales.ChangeItem {
		return sales.ChangeItem{Currency: c.Currency, Amount: string(c.Amount)}
	})
	return req
}

type ticketsInput struct {
	kit.PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	Status   string `query:"status" enum:"pending,won,lost,cancelled,paid"`
	Serial   string `query:"serial_code" maxLength:"20"`
	Date     string `query:"date" format:"date" doc:"business day of the sale"`
	Sort     string `query:"sort" enum:"-created_at,created_at" default:"-created_at"`
}

func (o *operations) listTickets(ctx context.Context, by caller.Caller, in *ticketsInput) (*kit.List[ticket], error) {
	filter := sales.Filter{
		Status: in.Status, Serial: in.Serial, Oldest: in.Sort == "created_at", Limit: in.PageSize, Offset: in.Offset(),
		EntityID: kit.ID(in.EntityID),
		Date:     kit.Day(in.Date),
	}
	tickets, total, err := o.sales.List(ctx, by, filter)
	if err != nil {
		return nil, err
	}
	page := kit.Map(tickets, func(t sales.Ticket) ticket { return ticketBody(&t) })
	return kit.ListOf(page, &in.PageParams, total), nil
}

func (o *operations) getTicket(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[ticket], error) {
	return kit.DataFromValue(ticketBody)(o.sales.GetPictured(ctx, by, in.ID))
}

type cancelInput struct {
	kit.OnceByID
}

func (o *operations) cancelTicket(ctx context.Context, by caller.Caller, in *cancelInput) (*kit.Once[ticket], error) {
	done, err := o.sales.Cancel(ctx, by, &sales.CancelRequest{
		TicketID: in.ID, IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	sales.Redact(by, &done.Ticket)
	return kit.OnceOf(ticketBody(&done.Ticket), done.Replayed), nil
}

type receiptInput struct {
	kit.ByID
	kit.PrintFormat
	Copy bool `query:"copy" doc:"a reprint: it is marked as a copy, and is in the activity log"`
}

func (o *operations) getReceipt(ctx context.Context, by caller.Caller, in *receiptInput) (*kit.Print, error) {
	draw := o.sales.Receipt
	if in.Copy {
		draw = o.sales.Reprint
	}
	return kit.PrintOf(draw(ctx, by, in.ID, in.Format))
}
