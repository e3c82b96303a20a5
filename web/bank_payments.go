package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/bank"
	"banca/models"
)

// paymentsPage is a list of notified payments.
type paymentsPage struct {
	Filter   url.Values
	List     string // unreconciled, conflicts or "" for all
	States   []string
	Payments []bank.Payment
}

func (w *Web) bankPayments(c *gin.Context) {
	pager := pageOf(c)
	filter := paymentFilter(c)
	asFile := pager.asFile(c)
	filter.Limit, filter.Offset = pager.limit, pager.offset()
	payments, total, err := w.deps.Bank.Payments(c.Request.Context(), scopeOf(c), filter)
	if err != nil {
		w.stop(c, err)
		return
	}
	if asFile {
		w.sendPayments(c, payments)
		return
	}
	page := paymentsPage{Filter: c.Request.URL.Query(), List: c.Query("list"), States: paymentStates(), Payments: payments}
	w.show(c, http.StatusOK, "bank-payments", &view{Page: page, Pager: pager.count(c.Request.URL, len(payments), total)})
}

// paymentStates are those a payment can be in.
func paymentStates() []string {
	return []string{
		models.PaymentCredited, models.PaymentUnmatched, models.PaymentSuspense, models.PaymentConflict, models.PaymentAssigned, models.PaymentRefunded,
	}
}

// sendPayments sends a list of payments as a file: times in UTC, amounts with a point.
func (w *Web) sendPayments(c *gin.Context, payments []bank.Payment) {
	rows := make([][]string, len(payments))
	for i := range payments {
		p := &payments[i]
		rows[i] = []string{
			p.ReceivedAt.Format(time.RFC3339), p.Date.Format(time.DateOnly), p.State, p.Amount.Format(p.Currency.Digits), p.Currency.Code, p.Reference, p.Bank,
			p.SenderPhone, p.Concept, p.Reason, p.ID.String(),
		}
	}
	w.sendCSV(c, "payments", []string{
		"label.received", "label.date", "label.state", "label.amount", "label.currency", "label.reference", "label.bank", "label.sender", "label.concept",
		"label.reason", "label.id",
	}, rows)
}

func paymentFilter(c *gin.Context) *bank.PaymentFilter {
	f := &bank.PaymentFilter{Reference: c.Query("reference"), Phone: bank.SearchPhone(c.Query("phone")), Bank: bank.SearchBank(c.Query("bank"))}
	switch {
	case c.Query("state") != "":
		f.States = []string{c.Query("state")}
	case c.Query("list") == "unreconciled":
		f.States = bank.Unreconciled()
	case c.Query("list") == "conflicts":
		f.States = bank.Conflicts()
	}
	f.From, _ = time.Parse(time.DateOnly, c.Query("from")) // an invalid day means no filter
	f.To, _ = time.Parse(time.DateOnly, c.Query("to"))     // as above
	return f
}

// paymentPage is one payment with what can be done with it.
type paymentPage struct {
	bank.Payment
	Entity   string         // whose wallet was credited
	Waits    bool           // for an operator
	Requests []bank.Request // open ones of its amount
	Key      string         // of the form, so that sending it twice does one thing
	Code     string         // of an entity, as typed
	NoteText string         // as typed
}

func (w *Web) bankPayment(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	page, err := w.paymentPage(c, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	w.render(c, "bank-payment", page)
}

// candidates bounds the open requests that are offered for a payment.
const candidates = 20

func (w *Web) paymentPage(c *gin.Context, id uuid.UUID) (*paymentPage, error) {
	ctx := c.Request.Context()
	payment, err := w.deps.Bank.Payment(ctx, scopeOf(c), id)
	if err != nil {
		return nil, err
	}
	page := &paymentPage{Payment: *payment, Key: rand.Text()}
	page.Waits = slices.Contains(append(bank.Unreconciled(), bank.Conflicts()...), payment.State)
	if payment.EntityID != uuid.Nil {
		page.Entity = w.entityName(c, payment.EntityID)
	}
	if page.Waits {
		page.Requests, _, err = w.deps.Bank.Requests(ctx, &bank.RequestFilter{
			Scope: scopeOf(c), Status: models.RequestOpen, Amount: payment.Amount, Limit: candidates,
		})
	}
	return page, err
}

// assignPayment books a payment that waits to an open request, or into the wallet of the entity with a code.
func (w *Web) assignPayment(c *gin.Context) {
	w.resolve(c, "assigned", func(r *bank.Resolution) error {
		var err error
		if request := c.PostForm("request"); request != "" {
			if r.RequestID, err = uuid.Parse(request); err != nil {
				return bank.ErrRequestNotFound
			}
		}
		if code := strings.TrimSpace(c.PostForm("entity")); code != "" {
			if r.EntityID, err = w.deps.Org.ByCode(c.Request.Context(), scopeOf(c), code); err != nil {
				return err
			}
		}
		_, _, err = w.deps.Bank.Assign(c.Request.Context(), r) // which refuses neither and both
		return err
	})
}

// refundPayment marks a payment that waits as given back.
func (w *Web) refundPayment(c *gin.Context) {
	w.resolve(c, "refunded", func(r *bank.Resolution) error {
		_, _, err := w.deps.Bank.Refund(c.Request.Context(), r)
		return err
	})
}

// resolve does what both have in common: read the form, act, show the result where the click was.
func (w *Web) resolve(c *gin.Context, what string, act func(*bank.Resolution) error) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	err := act(&bank.Resolution{
		Caller: bankCaller(c), PaymentID: id, Note: c.PostForm("note"), IdempotencyKey: c.PostForm("key"),
	})
	if err == nil {
		w.done(c, bankPath+"/payments/"+id.String(), what)
		return
	}
	w.explain(c, err, func(status int, words string) {
		page, err := w.paymentPage(c, id)
		if err != nil {
			w.stop(c, err)
			return
		}
		page.Code, page.NoteText = c.PostForm("entity"), c.PostForm("note")
		w.show(c, status, "bank-payment", &view{Page: page, Problem: words})
	})
}
