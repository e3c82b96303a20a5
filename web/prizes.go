package web

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/prizes"
)

// prizesPath is where prizes lie.
const prizesPath = "/admin/prizes"

func (w *Web) registerPrizes(g *gin.RouterGroup) {
	g.GET("", w.prizes)
	g.GET("/:id", w.prize)
	pay := g.Group("", w.needs(auth.PrizesPay))
	w.act(pay, "/:id", "/pay", w.payPrize)
	w.guard(g.Group("", w.needs(auth.PrizesCancel)), "/:id", "/cancel", w.unpayPrize)
}

// prizesList is the list of prizes.
type prizesList struct {
	Filter url.Values
	States []string
	Sums   []prizes.Sum
	Prizes []prizes.Prize
}

func (w *Web) prizes(c *gin.Context) {
	ctx, pager := c.Request.Context(), pageOf(c)
	asFile := pager.asFile(c)
	f := &prizes.Filter{Scope: scopeOf(c), State: c.Query("status"), Serial: strings.ToUpper(strings.TrimSpace(c.Query("serial"))), Limit: pager.limit, Offset: pager.offset()}
	f.DrawID, _ = uuid.Parse(c.Query("draw"))              // an invalid id means no filter
	f.Date, _ = time.Parse(time.DateOnly, c.Query("date")) // as above
	if f.Serial != "" && !asFile {                         // a whole serial code leads to its ticket, won or not
		if id, err := w.deps.Prizes.BySerial(ctx, f.Scope, f.Serial); err == nil {
			c.Redirect(http.StatusSeeOther, prizesPath+"/"+id.String())
			return
		}
	}
	list, total, err := w.deps.Prizes.List(ctx, f)
	if err != nil {
		w.stop(c, err)
		return
	}
	if asFile {
		w.sendPrizes(c, list)
		return
	}
	sums, err := w.deps.Prizes.Summary(ctx, f)
	if err != nil {
		w.stop(c, err)
		return
	}
	page := prizesList{Filter: c.Request.URL.Query(), States: prizes.States(), Sums: sums, Prizes: list}
	w.show(c, http.StatusOK, "prizes", &view{Page: page, Pager: pager.count(c.Request.URL, len(list), total)})
}

// sendPrizes sends a list of prizes as a file: times in UTC, amounts with a point.
func (w *Web) sendPrizes(c *gin.Context, list []prizes.Prize) {
	rows := make([][]string, len(list))
	for i := range list {
		p := &list[i]
		paid := ""
		if !p.PaidAt.IsZero() {
			paid = p.PaidAt.Format(time.RFC3339)
		}
		rows[i] = []string{
			p.SettledAt.Format(time.RFC3339), p.Serial, p.State, p.Entity, p.Prize.Format(p.Currency.Digits), p.Paid.Format(p.Currency.Digits), p.Currency.Code,
			p.ExpiresAt.Format(time.RFC3339), paid, p.TicketID.String(),
		}
	}
	w.sendCSV(c, "prizes", []string{
		"label.settled", "label.serial", "label.state", "label.entity", "label.prize", "label.paid", "label.currency", "label.expires", "label.paid_at", "label.id",
	}, rows)
}

// prizePage is the prize of one ticket with what can be done with it.
type prizePage struct {
	*prizes.Detail
	Pays, Cancels bool
	Key           string // of the form, so that sending it twice does one thing
}

// Live is the payment that stands; nil without one.
func (p *prizePage) Live() *prizes.Payment {
	for i := range p.Payments {
		if p.Payments[i].CancelledAt.IsZero() {
			return &p.Payments[i]
		}
	}
	return nil
}

func (w *Web) prize(c *gin.Context) { w.showPrize(c, http.StatusOK, "") }

func (w *Web) showPrize(c *gin.Context, status int, problem string) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	detail, err := w.deps.Prizes.Get(c.Request.Context(), scopeOf(c), id)
	if err != nil {
		w.stop(c, err)
		return
	}
	user := &visitOf(c).principal
	w.show(c, status, "prize", &view{Problem: problem, Page: &prizePage{
		Detail: detail, Pays: user.May(auth.PrizesPay), Cancels: user.May(auth.PrizesCancel), Key: rand.Text(),
	}})
}

// payPrize pays a ticket whose validation code was typed.
func (w *Web) payPrize(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	code := strings.TrimSpace(c.PostForm("code"))
	_, err := w.deps.Prizes.Pay(c.Request.Context(), &prizes.PayRequest{
		TicketID: id, UserID: visitOf(c).principal.UserID, Scope: scopeOf(c), ValidationCode: code,
		IdempotencyKey: c.PostForm("key"),
	})
	w.afterPrize(c, id, err, "prize.paid")
}

func (w *Web) unpayPrize(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	reason := strings.TrimSpace(c.PostForm("reason"))
	_, err := w.deps.Prizes.Cancel(c.Request.Context(), &prizes.CancelRequest{
		TicketID: id, UserID: visitOf(c).principal.UserID, Scope: scopeOf(c), Reason: reason,
		IdempotencyKey: c.PostForm("key"),
	})
	w.afterPrize(c, id, err, "prize.cancelled")
}

// afterPrize shows the result where the click was.
func (w *Web) afterPrize(c *gin.Context, id uuid.UUID, err error, what string) {
	if err == nil {
		w.done(c, prizesPath+"/"+id.String(), what)
		return
	}
	w.explain(c, err, func(status int, words string) { w.showPrize(c, status, words) })
}
