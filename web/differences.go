package web

import (
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
	"banca/internal/prizes"
)

// differencesPath is where the differences of paid prizes lie.
const differencesPath = "/admin/prize-differences"

func (w *Web) registerDifferences(g *gin.RouterGroup) {
	g.GET("", w.differences)
	adjust := g.Group("", w.needs(auth.PrizesAdjust))
	w.guard(adjust, "", "/:id/settle", w.settleDifference)
	w.guard(adjust, "", "/:id/write-off", w.writeOffDifference)
}

// differencesPage is the list of differences.
type differencesPage struct {
	Filter      url.Values
	States      []string
	Adjusts     bool
	Differences []prizes.Difference
}

func (w *Web) differences(c *gin.Context) { w.showDifferences(c, http.StatusOK, "") }

func (w *Web) showDifferences(c *gin.Context, status int, problem string) {
	pager := pageOf(c)
	asFile := pager.asFile(c)
	list, total, err := w.deps.Prizes.Differences(c.Request.Context(), &prizes.DifferenceFilter{
		Scope: scopeOf(c), Status: c.Query("status"), Limit: pager.limit, Offset: pager.offset(),
	})
	if err != nil {
		w.stop(c, err)
		return
	}
	if asFile {
		w.sendDifferences(c, list)
		return
	}
	page := differencesPage{
		Filter: c.Request.URL.Query(), States: prizes.DifferenceStates(), Adjusts: visitOf(c).principal.May(auth.PrizesAdjust), Differences: list,
	}
	w.show(c, status, "differences", &view{Page: page, Problem: problem, Pager: pager.count(c.Request.URL, len(list), total)})
}

// sendDifferences sends a list of differences as a file: times in UTC, amounts with a point.
func (w *Web) sendDifferences(c *gin.Context, list []prizes.Difference) {
	rows := make([][]string, len(list))
	for i := range list {
		d := &list[i]
		digits := d.Currency.Digits
		rows[i] = []string{
			d.CreatedAt.Format(time.RFC3339), d.Serial, d.Status, d.Entity, d.Paid.Format(digits), d.Due.Format(digits), d.Overpaid().Format(digits), d.Currency.Code,
			d.Note, d.ID.String(),
		}
	}
	w.sendCSV(c, "prize-differences", []string{
		"label.time", "label.serial", "label.state", "label.entity", "label.paid", "label.due", "label.overpaid", "label.currency", "label.note", "label.id",
	}, rows)
}

func (w *Web) settleDifference(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	_, err := w.deps.Prizes.Settle(c.Request.Context(), scopeOf(c), visitOf(c).principal.UserID, id)
	w.afterDifference(c, err, "difference.settled")
}

func (w *Web) writeOffDifference(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	_, err := w.deps.Prizes.WriteOff(c.Request.Context(), scopeOf(c), visitOf(c).principal.UserID, id, c.PostForm("note"))
	w.afterDifference(c, err, "difference.written_off")
}

func (w *Web) afterDifference(c *gin.Context, err error, what string) {
	if err == nil {
		w.done(c, differencesPath, what)
		return
	}
	w.explain(c, err, func(status int, words string) { w.showDifferences(c, status, words) })
}
