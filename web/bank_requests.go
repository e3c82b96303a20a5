package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/apperr"
	"banca/internal/bank"
	"banca/models"
)

// requestsPage is the list of announced payments, with the form that announces one.
type requestsPage struct {
	Filter   url.Values
	Statuses []string
	Origins  []string
	Requests []requestRow
	Form     url.Values        // as typed
	Wrong    map[string]string // error of a field, by its name
	Key      string
}

type requestRow struct {
	bank.Request
	Entity string
}

func (w *Web) paymentRequests(c *gin.Context) { w.showRequests(c, http.StatusOK, &view{}, nil) }

// showRequests lists the requests below the form; a refused form keeps its fields.
func (w *Web) showRequests(c *gin.Context, status int, v *view, wrong map[string]string) {
	pager := pageOf(c)
	filter := &bank.RequestFilter{
		Scope: scopeOf(c), Status: c.Query("status"), Origin: c.Query("origin"), ClientID: c.Query("client"), Limit: pageSize, Offset: pager.offset(),
	}
	list, total, err := w.deps.Bank.Requests(c.Request.Context(), filter)
	if err != nil {
		w.stop(c, err)
		return
	}
	rows := make([]requestRow, len(list))
	for i := range list {
		rows[i] = requestRow{Request: list[i], Entity: w.entityName(c, list[i].EntityID)}
	}
	v.Page = requestsPage{
		Filter: c.Request.URL.Query(), Statuses: []string{models.RequestOpen, models.RequestPaid, models.RequestExpired, models.RequestCancelled},
		Origins: []string{models.OriginManual, models.OriginTopUp, models.OriginTicket}, Requests: rows, Form: typed(c), Wrong: wrong, Key: rand.Text(),
	}
	v.Pager = pager.count(c.Request.URL, len(list), total)
	w.show(c, status, "bank-requests", v)
}

// createPaymentRequest announces a payment into the wallet of the entity with a code.
func (w *Web) createPaymentRequest(c *gin.Context) {
	ctx, form := c.Request.Context(), c.PostForm
	entity, err := w.deps.Org.ByCode(ctx, scopeOf(c), strings.TrimSpace(form("entity")))
	var made *bank.Request
	if err == nil {
		n := &bank.NewRequest{
			Caller: bankCaller(c), EntityID: entity, Amount: decimalPoint(form("amount")), ClientID: strings.TrimSpace(form("client_id")),
			ClientPhone: strings.TrimSpace(form("client_phone")), Reference: strings.TrimSpace(form("reference")), Bank: strings.TrimSpace(form("bank")),
			Note: form("note"), IdempotencyKey: form("key"),
		}
		made, _, err = w.deps.Bank.CreateRequest(ctx, n)
	}
	if err == nil {
		w.done(c, bankPath+"/requests/"+made.ID.String(), "created")
		return
	}
	w.explain(c, err, func(status int, words string) { w.showRequests(c, status, &view{Problem: words}, wrongFields(err)) })
}

// wrongFields names the fields that an error refused.
func wrongFields(err error) map[string]string {
	wrong := map[string]string{}
	for _, d := range apperr.From(err).Details {
		wrong[d.Location] = "field." + d.Location
	}
	return wrong
}

// decimalPoint reads an amount typed with a decimal comma, as people in Venezuela do. Thousands are not separated.
func decimalPoint(typed string) string {
	typed = strings.TrimSpace(typed)
	if strings.Count(typed, ",") == 1 && !strings.Contains(typed, ".") {
		return strings.Replace(typed, ",", ".", 1)
	}
	return typed
}

// requestPage is one announced payment.
type requestPage struct {
	bank.Request
	Entity string
	Held   bool
}

func (w *Web) paymentRequest(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	w.showRequest(c, id, http.StatusOK, "")
}

func (w *Web) showRequest(c *gin.Context, id uuid.UUID, status int, problem string) {
	r, err := w.deps.Bank.Request(c.Request.Context(), scopeOf(c), id)
	if err != nil {
		w.stop(c, err)
		return
	}
	page := requestPage{Request: *r, Entity: w.entityName(c, r.EntityID)}
	page.Held = r.Status == models.RequestOpen && r.HeldUntil.After(w.deps.Clock.Now())
	w.show(c, status, "bank-request", &view{Page: page, Problem: problem})
}

func (w *Web) cancelPaymentRequest(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	_, err := w.deps.Bank.CancelRequest(c.Request.Context(), bankCaller(c), id)
	if err == nil {
		w.done(c, bankPath+"/requests/"+id.String(), "cancelled")
		return
	}
	if status, words, known := w.refusal(c, err); known && status == http.StatusConflict {
		w.showRequest(c, id, status, words)
		return
	}
	w.stop(c, err)
}
