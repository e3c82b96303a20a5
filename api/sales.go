package api

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/sales"
	"banca/models"
)

func (a *API) registerSales() {
	tags := []string{"Sales"}
	handle(a, huma.Operation{
		OperationID: "sell-ticket", Method: http.MethodPost, Path: "/sales/tickets", Tags: tags, Summary: "Sell a ticket",
		DefaultStatus: http.StatusCreated, SkipValidateBody: true,
		Description: "Checks every line, reserves it under the limits of every level and books the sale in one transaction. Repeat with the same Idempotency-Key, meaning the same, to get the first answer again.",
	}, Can(auth.SalesSell), a.sell)
	handle(a, huma.Operation{
		OperationID: "list-tickets", Method: http.MethodGet, Path: "/sales/tickets", Tags: tags, Summary: "Tickets of the caller's subtree, newest first",
	}, Can(auth.SalesRead), a.listTickets)
	handle(a, huma.Operation{
		OperationID: "get-ticket", Method: http.MethodGet, Path: "/sales/tickets/{id}", Tags: tags, Summary: "One ticket",
	}, Can(auth.SalesRead), a.getTicket)
	handle(a, huma.Operation{
		OperationID: "cancel-ticket", Method: http.MethodPost, Path: "/sales/tickets/{id}/cancel", Tags: tags,
		Summary: "Undo a sale: within its window and before its draws' sale stop",
	}, Can(auth.SalesCancel), a.cancelTicket)
	handle(a, huma.Operation{
		OperationID: "get-receipt", Method: http.MethodGet, Path: "/sales/tickets/{id}/receipt", Tags: tags,
		Summary: "The receipt as it stands now: a picture or printer commands", Responses: receiptResponses(),
	}, Can(auth.SalesRead), a.getReceipt)
}

type sellInput struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"names this sale; a repeat sells nothing"`
	Body           sellBody
}

type sellBody struct {
	Checked          `json:"-"`
	EntityID         uuid.UUID      `json:"entityId,omitempty" doc:"who sells; the caller's own entity when left out"`
	CurrencyID       string         `json:"currency_id,omitempty" maxLength:"36"`
	Currency         string         `json:"currency,omitempty" maxLength:"3" example:"VES" doc:"instead of currency_id"`
	CustomerID       uuid.UUID      `json:"customer_id,omitempty"`
	Customer         *customerInput `json:"customer,omitempty" doc:"instead of customer_id; created when unknown"`
	WantsPaymentInfo bool           `json:"wants_payment_info,omitempty" doc:"the buyer pays by bank: the receipt's message says where, if the customer has an id_document"`
	AcceptPartial    bool           `json:"accept_partial,omitempty" doc:"sell what fits under the limits, and say what was cut"`
	Items            []lineInput    `json:"items"`
}

// complete implements checkedBody. A buyer's name and number have bounds that only the schema checks.
func (b *sellBody) complete() bool {
	return b.Customer == nil && len(b.CurrencyID) <= 36 && len(b.Currency) <= 3 && b.Items != nil &&
		!slices.ContainsFunc(b.Items, func(l lineInput) bool {
			return l.DrawID == "" || len(l.DrawID) > 64 || l.BetType == "" || len(l.BetType) > 32 ||
				l.Selection == nil || len(l.Selection) > maxElements || l.Amount == "" || len(l.Amount) > maxDecimal
		})
}

type customerInput struct {
	Name       string `json:"name" maxLength:"200"`
	Phone      string `json:"phone" maxLength:"30" example:"04141234567" doc:"finds the customer"`
	IDDocument string `json:"id_document,omitempty" maxLength:"20" example:"V12345678" doc:"identity document: V, E, J, G or P and 5 to 10 digits; kept with the customer, and needed to pay the ticket by bank"`
}

type lineInput struct {
	DrawID    string       `json:"draw_id" maxLength:"64"`
	BetType   string       `json:"bet_type" maxLength:"32" example:"straight"`
	Selection Selection    `json:"selection"`
	Amount    DecimalInput `json:"amount"`
}

type sellOutput struct {
	Location string `header:"Location"`
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[ticket]
}

func (a *API) sell(ctx context.Context, in *sellInput) (*sellOutput, error) {
	if err := in.Body.Refusal(); err != nil {
		return nil, err
	}
	p := middleware.PrincipalFrom(ctx)
	sold, err := a.deps.Sales.Sell(ctx, in.request(p.UserID, p.EntityID, p.EntityPath))
	if err != nil {
		return nil, err
	}
	if sold.Replayed { // another user of the point may have sold the ticket
		viewerOf(&p).Redact(&sold.Ticket)
	}
	body := ticketBody(&sold.Ticket)
	body.Cuts = mapped(sold.Cuts, func(c sales.Cut) cut { return cutBody(c, sold.Ticket.Currency.Digits) })
	return &sellOutput{Location: a.deps.BasePath + "/sales/tickets/" + body.ID.String(), Replayed: replayed(sold.Replayed), Body: Envelope[ticket]{Data: body}}, nil
}

// request maps the body to what the domain sells.
func (in *sellInput) request(user, entity uuid.UUID, scope string) *sales.SellRequest {
	b := &in.Body
	req := &sales.SellRequest{
		UserID: user, Scope: scope, EntityID: entity, Currency: b.Currency, CustomerID: b.CustomerID,
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
		req.Items[i] = sales.Item{DrawID: l.DrawID, BetType: l.BetType, Selection: l.Selection, Amount: string(l.Amount)}
	}
	return req
}

type ticketsInput struct {
	PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only this entity"`
	Status   string `query:"status" enum:"pending,won,lost,cancelled,paid"`
	Serial   string `query:"serial_code" maxLength:"20"`
	Date     string `query:"date" format:"date" doc:"business day of the sale"`
	Sort     string `query:"sort" enum:"-created_at,created_at" default:"-created_at"`
}

func (a *API) listTickets(ctx context.Context, in *ticketsInput) (*List[ticket], error) {
	p := middleware.PrincipalFrom(ctx)
	filter := sales.Filter{
		Viewer: viewerOf(&p), Status: in.Status, Serial: in.Serial, Oldest: in.Sort == "created_at", Limit: in.PageSize, Offset: in.Offset(),
	}
	filter.EntityID, _ = uuid.Parse(in.EntityID)        // the format was checked; empty is none
	filter.Date, _ = time.Parse(time.DateOnly, in.Date) // as above
	tickets, total, err := a.deps.Sales.List(ctx, filter)
	if err != nil {
		return nil, err
	}
	page := mapped(tickets, func(t sales.Ticket) ticket { return ticketBody(&t) })
	return list(page, &in.PageParams, total), nil
}

// viewerOf is the caller as the sales see it, who decides about the secrets of tickets.
func viewerOf(p *auth.Principal) *sales.Viewer {
	return &sales.Viewer{
		Scope: p.EntityPath, EntityID: p.EntityID, UserID: p.UserID, Pays: p.May(auth.PrizesPay), Seller: p.Role == models.RoleTaquilla,
	}
}

// TicketParams names a ticket. It is exported because huma looks into exported embedded structs only.
type TicketParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) getTicket(ctx context.Context, in *TicketParams) (*Data[ticket], error) {
	p := middleware.PrincipalFrom(ctx)
	t, err := a.deps.Sales.Get(ctx, viewerOf(&p), in.ID)
	if err != nil {
		return nil, err
	}
	return data(ticketBody(t)), nil
}

type cancelInput struct {
	TicketParams
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"a repeat answers the same again"`
}

type cancelOutput struct {
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[ticket]
}

func (a *API) cancelTicket(ctx context.Context, in *cancelInput) (*cancelOutput, error) {
	p := middleware.PrincipalFrom(ctx)
	done, err := a.deps.Sales.Cancel(ctx, &sales.CancelRequest{
		TicketID: in.ID, UserID: p.UserID, Scope: p.EntityPath, Supervisor: p.May(auth.SalesCancelAny),
		IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	viewerOf(&p).Redact(&done.Ticket)
	return &cancelOutput{Replayed: replayed(done.Replayed), Body: Envelope[ticket]{Data: ticketBody(&done.Ticket)}}, nil
}

type receiptInput struct {
	TicketParams
	Format string `query:"format" enum:"png,png1,escpos,escpos-raster" default:"png"`
}

type receiptOutput struct {
	ContentType  string `header:"Content-Type"`
	CacheControl string `header:"Cache-Control"`
	Body         []byte
}

func (a *API) getReceipt(ctx context.Context, in *receiptInput) (*receiptOutput, error) {
	p := middleware.PrincipalFrom(ctx)
	raw, mediaType, err := a.deps.Sales.Receipt(ctx, viewerOf(&p), in.ID, in.Format)
	if err != nil {
		return nil, err
	}
	return &receiptOutput{ContentType: mediaType, CacheControl: "private, no-store", Body: raw}, nil
}

func receiptResponses() map[string]*huma.Response {
	binary := &huma.Schema{Type: huma.TypeString, Format: "binary"}
	return contentResponses("The receipt", map[string]*huma.Schema{"image/png": binary, "application/octet-stream": binary})
}

// replayed is the header that marks the answer to an earlier, equal request.
func replayed(yes bool) string {
	if yes {
		return "true"
	}
	return ""
}
