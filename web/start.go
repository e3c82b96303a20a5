package web

import (
	"context"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
	"banca/internal/bank"
)

// startPage is the overview of the day.
type startPage struct {
	HasQueues bool
	Unlocks   bool         // may change the queues
	Bank      *bankFigures // nil for users who may not see the bank
}

// bankFigures count today's calls of the bank and the payments that wait for an operator.
type bankFigures struct {
	Calls, Unreconciled, Conflicts, Alerts int64
	Complete                               bool // whether the bank can call at all
}

func (w *Web) start(c *gin.Context) {
	p := &visitOf(c).principal
	page := startPage{HasQueues: w.seesQueues(p), Unlocks: w.seesQueues(p) && p.May(auth.QueuesWrite)}
	if w.deps.Bank != nil && operatorAdmin(p) {
		figures, err := w.bankFigures(c.Request.Context(), p.EntityPath)
		if err != nil {
			w.stop(c, err)
			return
		}
		page.Bank = figures
	}
	w.render(c, "start", page)
}

func (w *Web) bankFigures(ctx context.Context, scope string) (*bankFigures, error) {
	identity, err := w.deps.Bank.Identity(ctx, scope)
	if err != nil {
		return nil, err
	}
	f := &bankFigures{Complete: identity.Complete}
	if _, f.Calls, err = w.deps.Bank.Events(ctx, scope, &bank.EventFilter{Date: w.deps.Clock.Now().In(w.deps.Zone), Limit: 1}); err != nil {
		return nil, err
	}
	if _, f.Unreconciled, err = w.deps.Bank.Payments(ctx, scope, &bank.PaymentFilter{States: bank.Unreconciled(), Limit: 1}); err != nil {
		return nil, err
	}
	if _, f.Conflicts, err = w.deps.Bank.Payments(ctx, scope, &bank.PaymentFilter{States: bank.Conflicts(), Limit: 1}); err != nil {
		return nil, err
	}
	_, f.Alerts, err = w.deps.Bank.Alerts(ctx, scope, &bank.AlertFilter{Open: true, Limit: 1})
	return f, err
}
