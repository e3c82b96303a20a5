package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/bank"
)

// bankPath is where the bank's side of the panel lies.
const bankPath = "/admin/bank"

// operator admits administrators of the root entity only: calls of the bank concern the operator alone.
func (w *Web) operator(c *gin.Context) {
	if !operatorAdmin(&visitOf(c).principal) {
		w.refuse(c, http.StatusForbidden, "error.operator")
	}
}

func (w *Web) registerBank(g *gin.RouterGroup) {
	g.GET("", w.bankIdentity)
	g.GET("/events", w.bankEvents)
	g.GET("/events/news", w.bankNews)
	g.GET("/events/:id", w.bankEvent)
	w.guard(g, "/events/:id", "/erase", w.eraseBankEvent)
	g.GET("/payments", w.bankPayments)
	g.GET("/payments/:id", w.bankPayment)
	w.guard(g, "/payments/:id", "/assign", w.assignPayment)
	w.guard(g, "/payments/:id", "/refund", w.refundPayment)
	g.GET("/requests", w.paymentRequests)
	g.POST("/requests", w.sameForm, w.createPaymentRequest)
	g.GET("/requests/:id", w.paymentRequest)
	w.act(g, "/requests/:id", "/cancel", w.cancelPaymentRequest)
	g.GET("/alerts", w.bankAlerts)
	w.act(g, "/alerts", "/:id/acknowledge", w.acknowledgeAlert)
	g.GET("/statements", w.bankStatements)
	g.POST("/statements", w.limitUpload, w.sameForm, w.importStatement)
	g.GET("/statements/:id", w.bankStatement)
	g.GET("/directory", w.bankDirectory)
	g.POST("/directory/banks", w.sameForm, w.saveBank)
	g.POST("/directory/codes", w.sameForm, w.saveNetworkCode)
	if w.deps.Simulator != nil {
		g.GET("/simulator", w.simulator)
		g.POST("/simulator", w.sameForm, w.simulate)
	}
}

// bankMenu is the bank's part of the side.
func bankMenu(simulator bool) menuArea {
	area := menuArea{Title: "nav.bank", Links: []menuLink{
		{Title: "bank.identity.title", Path: bankPath},
		{Title: "bank.events.title", Path: bankPath + "/events"},
		{Title: "bank.payments.title", Path: bankPath + "/payments"},
		{Title: "bank.requests.title", Path: bankPath + "/requests"},
		{Title: "bank.alerts.title", Path: bankPath + "/alerts"},
		{Title: "bank.statements.title", Path: bankPath + "/statements"},
		{Title: "bank.directory.title", Path: bankPath + "/directory"},
	}}
	if simulator {
		area.Links = append(area.Links, menuLink{Title: "bank.simulator.title", Path: bankPath + "/simulator"})
	}
	return area
}

// scopeOf returns the scope of the user.
func scopeOf(c *gin.Context) string { return visitOf(c).principal.EntityPath }

// bankCaller names the user to the bank's domain.
func bankCaller(c *gin.Context) bank.Caller {
	p := &visitOf(c).principal
	return bank.Caller{UserID: p.UserID, EntityID: p.EntityID, Scope: p.EntityPath}
}

// idOf reads the id in the address; ok is false, and the answer is 404, if it is invalid.
func (w *Web) idOf(c *gin.Context) (uuid.UUID, bool) {
	id, err := uuid.Parse(c.Param("id"))
	if err != nil {
		w.refuse(c, http.StatusNotFound, "error.missing")
	}
	return id, err == nil
}

// bankIdentity shows how the bank is recognised.
func (w *Web) bankIdentity(c *gin.Context) {
	identity, err := w.deps.Bank.Identity(c.Request.Context(), scopeOf(c))
	if err != nil {
		w.stop(c, err)
		return
	}
	w.render(c, "bank-identity", identity)
}
