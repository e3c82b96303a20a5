package web

import (
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"

	"banca/internal/bank"
)

// alertsPage is the list of security alerts.
type alertsPage struct {
	Filter url.Values
	Kinds  []string
	Alerts []bank.Alert
}

func (w *Web) bankAlerts(c *gin.Context) {
	pager := pageOf(c)
	alerts, total, err := w.deps.Bank.Alerts(c.Request.Context(), scopeOf(c), &bank.AlertFilter{
		Kind: c.Query("kind"), Open: c.Query("open") != "", Limit: pageSize, Offset: pager.offset(),
	})
	if err != nil {
		w.stop(c, err)
		return
	}
	page := alertsPage{Filter: c.Request.URL.Query(), Kinds: bank.AlertKinds(), Alerts: alerts}
	w.show(c, http.StatusOK, "bank-alerts", &view{Page: page, Pager: pager.count(c.Request.URL, len(alerts), total)})
}

func (w *Web) acknowledgeAlert(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if err := w.deps.Bank.Acknowledge(c.Request.Context(), bankCaller(c), id); err != nil {
		w.stop(c, err)
		return
	}
	w.done(c, bankPath+"/alerts", "acknowledged")
}
