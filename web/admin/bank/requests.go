package bank

import (
	"crypto/rand"
	"time"

	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/models"
	"banca/web/admin/parts/banks"
	"banca/web/kit"
)

// requestsPage is the form above the list of announced payments.
type requestsPage struct{ Form *kit.Form }

// Announce asks for a payment to expect.
func (p *requestsPage) Announce(v *kit.View) *kit.Question {
	return v.Question(v.T("bank.requests.new"), requestsPath, v.T("bank.requests.new.lead"), v.T("bank.requests.create")).
		With("key", rand.Text()).WithForm(p.Form).Opened(v.Problem != "")
}

// newRequest is a payment to expect, as it is typed.
type newRequest struct {
	bank.NewRequest

	Entity string // name or code
}

// form returns the form of the payment. sender is the choice of a bank.
func (q *newRequest) form(sender kit.Input) *kit.Form {
	return kit.NewForm(
		kit.EntityInput("entity", "label.entity").Required().Into(&q.Entity),
		kit.MoneyInput("amount", "label.amount", bank.AmountDigits).WithRule("field.amount", false).Required().Into(&q.Amount),
		kit.RIFInput("client_id", "label.client_id").WithRule("field.client_id", false).Into(&q.ClientID),
		kit.PhoneInput("client_phone", "label.client_phone").WithRule("field.client_phone", false).Into(&q.ClientPhone),
		sender.Into(&q.Bank),
		kit.TextInput("reference", "label.reference", 36).With("inputmode=numeric").WithRule("field.reference", false).
			Into(&q.Reference),
		kit.TextInput("note", "label.note", 200).WithRule("field.note", false).Into(&q.Note),
	).WithPrefix("r-")
}

type requestRow struct {
	bank.Request

	Entity string
}

func (p *pages) requestRows(r *kit.Request, w kit.Window) ([]requestRow, int64, error) {
	filter := bank.RequestFilter{Status: r.Query("status"), Origin: r.Query("origin"), ClientID: r.Query("client"), Limit: w.Limit, Offset: w.Offset}
	list, total, err := p.Bank.Requests(r.Context(), r.Caller, &filter)
	names := kit.EntityNames(r, list, func(q *bank.Request) uuid.UUID { return q.EntityID })
	return kit.Map(list, func(q *bank.Request) requestRow { return requestRow{*q, names[q.EntityID]} }), total, err
}

// requestsPageOf returns the form; a refused one keeps its fields.
func (p *pages) requestsPageOf(r *kit.Request, _ []requestRow) (*requestsPage, error) {
	sender, err := banks.Input(r, p.Bank, "")
	return &requestsPage{Form: (&newRequest{}).form(sender).FillFrom(r)}, err
}

func requestFilter(r *kit.Request) (*kit.Filter, error) {
	open := kit.SavedView{Title: "bank.request.view.open", Values: map[string]string{"status": models.RequestOpen}}
	return &kit.Filter{Views: []kit.SavedView{{Title: "label.list.all"}, open}, Fields: []kit.FilterField{
		kit.SelectField("status", "label.state", r.States("request", models.RequestOpen, models.RequestPaid, models.RequestExpired, models.RequestCancelled)),
		kit.SelectField("origin", "label.origin", r.Options("origin.", models.OriginManual, models.OriginTopUp, models.OriginTicket)),
		kit.TextField("client", "label.client_id", 12),
	}}, nil
}

func requestAddress(row *requestRow) string { return requestsPath + "/" + row.ID.String() }

func requestColumns() []kit.Column[requestRow] {
	return []kit.Column[requestRow]{
		kit.TimeColumn("label.created", func(row *requestRow) time.Time { return row.CreatedAt }),
		kit.StateColumn("request", func(row *requestRow) string { return row.Status }),
		kit.AmountColumn("label.amount", func(row *requestRow) (money.Amount, int) { return row.Amount, row.Currency.Digits }).Summed(),
		kit.CurrencyColumn(func(row *requestRow) (code, symbol string) { return row.Currency.Code, row.Currency.Unit() }),
		kit.MonoColumn("label.client_id", func(row *requestRow) string { return row.ClientID }).
			WithCell(func(_ *kit.View, row *requestRow) kit.Cell { return kit.Mono(row.Document()) }),
		kit.PhoneColumn("label.client_phone", func(row *requestRow) string { return row.ClientPhone }),
		kit.TextColumn("label.entity", func(row *requestRow) string { return row.Entity }),
		kit.WordColumn("label.origin", func(v *kit.View, row *requestRow) string { return v.T("origin." + row.Origin) }),
		kit.TimeColumn("label.expires", func(row *requestRow) time.Time { return row.ExpiresAt }),
	}
}

// createRequest announces a payment into the wallet of the entity with a code.
func (p *pages) createRequest(r *kit.Request) (err error) {
	var made *bank.Request
	request := &newRequest{NewRequest: bank.NewRequest{IdempotencyKey: r.Form("key")}}
	request.form(kit.TextInput("bank", "", 0)).Take(r)
	if request.EntityID, err = p.Org.Named(r.Context(), r.Caller, request.Entity); err == nil {
		made, _, err = p.Bank.CreateRequest(r.Context(), r.Caller, &request.NewRequest)
	}
	if err == nil {
		return r.Done(requestsPath+"/"+made.ID.String(), "created")
	}
	return p.requests.AsPage().ShowRefusal(r, err, func(page *requestsPage) { page.Form.RefuseBy(err, "") })
}

// requestPage is one announced payment.
type requestPage struct {
	bank.Request

	Entity string
	Held   bool
}

func (p *pages) loadRequest(r *kit.Request) (*requestPage, error) {
	request, err := p.Bank.NamedRequest(r.Context(), r.Caller, r.ID)
	if err != nil {
		return nil, err
	}
	held := request.Status == models.RequestOpen && request.HeldUntil.After(r.Now())
	return &requestPage{Request: *request, Entity: kit.EntityName(r, request.EntityID), Held: held}, nil
}

func (p *pages) cancelRequest(r *kit.Request) error {
	_, err := p.Bank.CancelRequest(r.Context(), r.Caller, r.ID)
	if err != nil && apperr.From(err).Kind != apperr.Conflict {
		return err
	}
	return p.request.Submit(r, err, "cancelled")
}
