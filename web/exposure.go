package web

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/exposure"
	"banca/internal/ledger"
	"banca/internal/money"
	"banca/internal/risk"
)

const (
	// exposurePath is where the exposure of draws lies.
	exposurePath = "/admin/exposure"

	exposureTop   = 20  // outcomes on a page
	exposureDraws = 100 // draws to choose from
	allOutcomes   = exposure.MaxTop
)

func (w *Web) registerExposure(g *gin.RouterGroup) {
	g.GET("", w.exposures)
	g.GET("/:id", w.exposure)
	change := g.Group("", w.needs(auth.RiskWrite))
	w.guard(change, "/:id", "/block", w.blockElement)
	w.guard(change, "/:id", "/unblock", w.unblockElement)
}

// exposuresPage chooses a draw.
type exposuresPage struct {
	Date  string
	Draws []drawChoice
}

type drawChoice struct {
	*catalog.Draw
	Game string
}

func (w *Web) exposures(c *gin.Context) {
	ctx, day := c.Request.Context(), w.deps.Clock.Now().In(w.deps.Zone)
	if typed, err := time.Parse(time.DateOnly, c.Query("date")); err == nil {
		day = typed
	}
	draws, _, err := w.deps.Catalog.Draws(ctx, catalog.DrawFilter{Date: day, Limit: exposureDraws})
	if err != nil {
		w.stop(c, err)
		return
	}
	page := exposuresPage{Date: day.Format(time.DateOnly)}
	for _, d := range draws {
		game, err := w.deps.Catalog.Game(ctx, d.GameID)
		if err != nil {
			w.stop(c, err)
			return
		}
		page.Draws = append(page.Draws, drawChoice{d, game.Name})
	}
	w.render(c, "exposures", page)
}

// exposurePage shows the possible cost of a draw.
type exposurePage struct {
	*exposure.Exposure
	Filter     url.Values
	Currencies []ledger.Currency
	Bars       []bar
	Blocks     []blockedElement
	Blocked    map[string]bool
	Changes    bool
}

// blockedElement is an element that is blocked for an entity, in one currency or more.
type blockedElement struct {
	risk.Limit
	Currencies string
	IDs        []uuid.UUID
}

// blockedElements joins the blocks of an element for an entity, which are sold again together.
func blockedElements(blocks []risk.Limit) []blockedElement {
	var list []blockedElement
	for i := range blocks {
		b := &blocks[i]
		at := slices.IndexFunc(list, func(e blockedElement) bool { return e.EntityID == b.EntityID && e.Element == b.Element })
		if at < 0 {
			list = append(list, blockedElement{Limit: *b, Currencies: b.Currency.Code, IDs: []uuid.UUID{b.ID}})
			continue
		}
		list[at].Currencies += ", " + b.Currency.Code
		list[at].IDs = append(list[at].IDs, b.ID)
	}
	return list
}

// bar is one outcome in the chart. All lengths are in the chart's own units.
type bar struct {
	exposure.Outcome
	Y, Text      int
	Width, Stake int
}

// The chart, in units of its view box.
const (
	chartWidth = 600
	barHeight  = 22
	barLeft    = 150
)

// ChartHeight is the height of the chart's view box.
func (p *exposurePage) ChartHeight() int { return len(p.Bars) * barHeight }

func barsOf(top []exposure.Outcome) []bar {
	if len(top) == 0 || top[0].Liability == 0 {
		return nil
	}
	bars := make([]bar, len(top))
	longest := max(top[0].Liability, 1)
	for i := range top {
		longest = max(longest, top[i].Stake)
	}
	length := func(a money.Amount) int { return int(a * (chartWidth - barLeft) / longest) }
	for i := range top {
		bars[i] = bar{Outcome: top[i], Y: i*barHeight + 3, Text: i*barHeight + 15, Width: length(top[i].Liability), Stake: length(top[i].Stake)}
	}
	return bars
}

func (w *Web) exposure(c *gin.Context) { w.showExposure(c, http.StatusOK, "") }

func (w *Web) showExposure(c *gin.Context, status int, problem string) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	ctx := c.Request.Context()
	currency, asFile := c.DefaultQuery("currency", "VES"), pageOf(c).asFile(c)
	req := &exposure.Request{Scope: scopeOf(c), DrawID: id, Currency: currency, Top: exposureTop}
	if asFile {
		req.Top = allOutcomes
	}
	e, err := w.deps.Exposure.Of(ctx, req)
	if err != nil {
		w.stop(c, err)
		return
	}
	if asFile {
		w.sendExposure(c, e)
		return
	}
	page := &exposurePage{Exposure: e, Filter: c.Request.URL.Query(), Bars: barsOf(e.Top), Blocked: map[string]bool{}, Changes: visitOf(c).principal.May(auth.RiskWrite)}
	var blocks []risk.Limit
	if page.Currencies, err = w.deps.Exposure.Currencies(ctx); err == nil {
		blocks, _, err = w.deps.Limits.Limits(ctx, &risk.LimitFilter{Scope: scopeOf(c), DrawID: id, Blocks: true, Limit: allOutcomes})
	}
	if err != nil {
		w.stop(c, err)
		return
	}
	page.Blocks = blockedElements(blocks)
	for i := range page.Blocks {
		page.Blocked[page.Blocks[i].Element] = true
	}
	w.show(c, status, "exposure", &view{Page: page, Problem: problem, Pager: &pager{CSV: csvAddress(c.Request.URL)}})
}

// sendExposure sends an exposure as a file, amounts with a point.
func (w *Web) sendExposure(c *gin.Context, e *exposure.Exposure) {
	rows := make([][]string, len(e.Top))
	digits := e.Currency.Digits
	for i := range e.Top {
		o := &e.Top[i]
		rows[i] = []string{
			o.Value, o.Sign, o.Name, o.Stake.Format(digits), money.Amount(o.Share).Format(2), o.Liability.Format(digits), o.Announced.Format(digits),
			o.Result.Format(digits), e.Currency.Code,
		}
	}
	w.sendCSV(c, "exposure", []string{
		"label.element", "label.sign", "label.name", "label.stake", "label.share", "label.liability", "label.announced", "label.house", "label.currency",
	}, rows)
}

func riskCallerOf(c *gin.Context) risk.Caller {
	p := &visitOf(c).principal
	return risk.Caller{UserID: p.UserID, EntityID: p.EntityID, Scope: p.EntityPath}
}

func (w *Web) blockElement(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	_, err := w.deps.Limits.Block(c.Request.Context(), &risk.BlockRequest{Caller: riskCallerOf(c), DrawID: id, Element: c.PostForm("element"), Reason: c.PostForm("reason")})
	w.afterBlock(c, id, err, "element.blocked")
}

func (w *Web) unblockElement(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	caller := riskCallerOf(c)
	var err error
	for _, text := range c.PostFormArray("block") {
		block, _ := uuid.Parse(text) // an invalid id names no block
		if _, failed := w.deps.Limits.Unblock(c.Request.Context(), &caller, block); failed != nil {
			err = failed
		}
	}
	w.afterBlock(c, id, err, "element.unblocked")
}

func (w *Web) afterBlock(c *gin.Context, id uuid.UUID, err error, what string) {
	if err == nil {
		w.done(c, exposurePath+"/"+id.String(), what)
		return
	}
	w.explain(c, err, func(status int, words string) { w.showExposure(c, status, words) })
}
