package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/models"
)

// drawsPath is where draws and their results lie.
const drawsPath = "/admin/draws"

func (w *Web) registerDraws(g *gin.RouterGroup) {
	g.GET("", w.drawList)
	g.GET("/alerts", w.operatorUser, w.drawAlerts)
	w.act(g.Group("", w.operatorUser, w.may(auth.ResultsWrite)), "/alerts", "/:id/acknowledge", w.acknowledgeDrawAlert)
	g.GET("/:id", w.drawPage)
	enter := g.Group("", w.operatorUser, w.may(auth.ResultsWrite))
	w.guard(enter, "/:id", "/enter", w.enterResult)
	w.guard(enter, "/:id", "/correct", w.correctResult)
	verify := g.Group("", w.operatorUser, w.may(auth.ResultsVerify))
	w.guard(verify, "/:id", "/verify", w.verifyResult)
	w.guard(verify, "/:id", "/reject", w.rejectResult)
	w.guard(verify, "/:id", "/seal", w.acceptSeal)
	w.guard(g.Group("", w.operatorUser, w.may(auth.DrawsSuspend)), "/:id", "/suspend", w.suspendDraw)
}

// operatorUser lets users of the entity at the root pass: draws are the same for everybody, and so are their results.
func (w *Web) operatorUser(c *gin.Context) {
	if !visitOf(c).principal.AtRoot() {
		w.refuse(c, http.StatusForbidden, "error.operator")
	}
}

// drawsMenu are the links to draws and alerts.
func (w *Web) drawsMenu(p *auth.Principal) []menuLink {
	if w.deps.Draws == nil || !p.May(auth.ResultsRead) {
		return nil
	}
	links := []menuLink{{Title: "draws.title", Path: drawsPath}}
	if p.AtRoot() {
		links = append(links, menuLink{Title: "draws.alerts.title", Path: drawsPath + "/alerts"})
	}
	return links
}

// drawsPage is a list of draws with their results.
type drawsPage struct {
	Filter url.Values
	Day    string // that is shown, YYYY-MM-DD; "" for all days
	States []string
	Games  []*catalog.Game
	Draws  []draws.View
	Hides  bool // proposed values, from a user who verifies by retyping
}

func (w *Web) drawList(c *gin.Context) {
	pager := pageOf(c)
	asFile := pager.asFile(c)
	filter, day := w.drawFilter(c)
	filter.Limit, filter.Offset = pager.limit, pager.offset()
	ctx := c.Request.Context()
	list, total, err := w.deps.Draws.Views(ctx, filter)
	if err != nil {
		w.stop(c, err)
		return
	}
	if !visitOf(c).principal.AtRoot() { // what awaits its second person is no result yet
		for i := range list {
			list[i].Proposed = ""
		}
	}
	if asFile {
		w.sendDraws(c, list)
		return
	}
	games, err := w.deps.Catalog.Games(ctx)
	if err != nil {
		w.stop(c, err)
		return
	}
	page := drawsPage{Filter: c.Request.URL.Query(), Day: day, States: drawStates(), Games: games, Draws: list, Hides: mayVerify(c)}
	w.show(c, http.StatusOK, "draws", &view{Page: page, Pager: pager.count(c.Request.URL, len(list), total)})
}

// drawFilter reads the filter. Without a day it selects today, and waiting draws of any day.
func (w *Web) drawFilter(c *gin.Context) (*draws.ViewFilter, string) {
	now := w.deps.Clock.Now()
	f := &draws.ViewFilter{Status: c.Query("status"), Waiting: c.Query("waiting") != "", Now: now}
	f.GameID, _ = uuid.Parse(c.Query("game")) // an invalid id means no filter
	day, given := c.GetQuery("date")
	if !given && !f.Waiting {
		day = now.In(w.deps.Zone).Format(time.DateOnly)
	}
	var err error
	if f.Date, err = time.Parse(time.DateOnly, day); err != nil {
		return f, ""
	}
	return f, day
}

// mayVerify reports whether the visitor verifies results.
func mayVerify(c *gin.Context) bool {
	p := &visitOf(c).principal
	return p.AtRoot() && p.May(auth.ResultsVerify)
}

func drawStates() []string {
	return []string{models.DrawScheduled, models.DrawOpen, models.DrawClosed, models.DrawResulted, models.DrawSettled, models.DrawSuspended}
}

func (w *Web) sendDraws(c *gin.Context, list []draws.View) {
	rows := make([][]string, len(list))
	for i := range list {
		d := &list[i]
		proposed := d.Proposed
		if proposed != "" && mayVerify(c) {
			proposed = models.ResultProposed
		}
		rows[i] = []string{d.Time.Format(time.RFC3339), d.Game.Name, d.Number, d.Status, d.Value, proposed, d.ID.String()}
	}
	w.sendCSV(c, "draws", []string{"label.time", "label.game", "label.draw", "label.state", "label.result", "draws.proposed", "label.id"}, rows)
}

// drawAlertsPage is the list of alerts.
type drawAlertsPage struct {
	Open   bool
	Alerts []draws.Alert
}

func (w *Web) drawAlerts(c *gin.Context) {
	pager := pageOf(c)
	open := c.Query("all") == ""
	alerts, total, err := w.deps.Draws.Alerts(c.Request.Context(), open, pageSize, pager.offset())
	if err != nil {
		w.stop(c, err)
		return
	}
	w.show(c, http.StatusOK, "draw-alerts", &view{Page: drawAlertsPage{open, alerts}, Pager: pager.count(c.Request.URL, len(alerts), total)})
}

func (w *Web) acknowledgeDrawAlert(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if err := w.deps.Draws.Acknowledge(c.Request.Context(), visitOf(c).principal.UserID, id); err != nil {
		w.stop(c, err)
		return
	}
	w.done(c, drawsPath+"/alerts", "acknowledged")
}
