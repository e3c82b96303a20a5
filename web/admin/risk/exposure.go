// Package risk has the board of the draws on sale by what they may cost, the exposure of each draw with the blocks of its elements, and the limits.
package risk

import (
	"embed"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/drawstate"
	"banca/web/admin/parts/openrisk"
	"banca/web/admin/parts/tabs"
	"banca/web/kit"
)

const (
	path        = links.Exposure
	exposureTop = 20 // outcomes on a page
	allOutcomes = exposure.MaxTop
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	exposure kit.Page[exposurePage]
	limits   kit.List[limitRow, struct{}]
	limit    kit.Page[limitPage]
	created  kit.Page[newLimitPage]
}

// Area returns the pages of exposure and of limits.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.exposure = kit.Page[exposurePage]{Template: "exposure", Load: p.load}
	p.limits = kit.List[limitRow, struct{}]{
		Template: "limits", File: "limits", Columns: limitColumns(), Link: limitAddress, Empty: "limits.none", Rows: p.limitRows, Filter: p.limitFilter, Group: func(v *kit.View, l *limitRow) string { return l.group(v) },
	}
	p.limit = kit.Page[limitPage]{Template: "limit", Load: p.loadLimit}
	p.created = kit.Page[newLimitPage]{Template: "newlimit", Load: p.loadNewLimit}
	read, write := kit.Can(auth.RiskRead), kit.Can(auth.RiskWrite).Sensitive()
	saves := kit.Can(auth.RiskWrite).SensitiveIf(func(r *kit.Request) bool { return !kit.Calculates(r) })
	return kit.Area{Templates: templates, Guide: "panel#the-boards-of-the-day", Routes: []kit.Route{
		kit.Get(path, read, p.board).Menu("nav.draws", "exposure.title").In(tabs.Draws()).Live(),
		kit.Get(path+"/:id", read, p.show),
		kit.Action(path+"/:id", "/block", write, p.block),
		kit.Action(path+"/:id", "/unblock", write, p.unblock),
		kit.Get(limitsPath, read, p.limits.Show).Menu("nav.draws", "limits.title"),
		kit.Get(limitsPath+"/elements", read, kit.Suggestions(p.suggestElements)),
		kit.Get(limitsPath+"/new", kit.Can(auth.RiskWrite), p.created.Show),
		kit.Post(limitsPath+"/new", saves, p.createLimit),
		kit.Get(limitsPath+"/:id", read, p.limit.Show),
		kit.Action(limitsPath+"/:id", "/change", saves, p.changeLimit),
		kit.Action(limitsPath+"/:id", "/delete", write, p.deleteLimit),
	}}
}

// exposurePage shows the possible cost of a draw.
type exposurePage struct {
	*exposure.Exposure

	Table     kit.Rows // of the shown outcomes
	Shown     []exposure.Outcome
	BlockRows kit.Rows     // nil without blocks
	Changes   bool         // the user may block, and the draw is on sale
	Own       bool         // the user may change limits
	Kept      money.Amount // sales less commissions: the house loses if more is due
	Bound     openrisk.Bound
	Result    string // of a draw that has one
	drawn     string // it as draws.View has its value
	State     string // of the draw

	Currencies []kit.Choice
	blocked    []blockedElement
}

// blockedElement is an element that is blocked for an entity, in one currency or more.
type blockedElement struct {
	risk.Limit

	Currencies string
	IDs        []uuid.UUID // of the blocks that the user may take away
	Own        bool        // they are of the entity of the user
}

// blockOf returns the block of an element, that of the entity of the user first; nil without one.
func (p *exposurePage) blockOf(element string) (found *blockedElement) {
	for i := range p.blocked {
		if b := &p.blocked[i]; b.Element == element && (found == nil || !found.Own) {
			found = b
		}
	}
	return found
}

// blockedElements joins the blocks of an element for an entity, which are sold again together.
func blockedElements(by caller.Caller, blocks []risk.Limit) []blockedElement {
	var list []blockedElement
	for i := range blocks {
		b := &blocks[i]
		at := slices.IndexFunc(list, func(e blockedElement) bool { return e.EntityID == b.EntityID && e.Element == b.Element })
		if at < 0 {
			at = len(list)
			list = append(list, blockedElement{Limit: *b, Currencies: b.Currency.Unit()})
		} else {
			list[at].Currencies += ", " + b.Currency.Unit()
		}
		if !b.SetAbove(by) {
			list[at].IDs, list[at].Own = append(list[at].IDs, b.ID), b.EntityID == by.EntityID
		}
	}
	return list
}

// Tense is the end of the keys of texts about a draw: nothing is due any more on one that is settled or suspended.
func (p *exposurePage) Tense() string {
	if p.Draw.Status == models.DrawSettled || p.Draw.Status == models.DrawSuspended {
		return ".past"
	}
	return ""
}

// show shows the exposure of a draw, or sends all its outcomes as a file.
func (p *pages) show(r *kit.Request) error {
	if !r.WantsFile() {
		return p.exposure.Show(r)
	}
	e, err := p.of(r, allOutcomes)
	if err != nil {
		return err
	}
	fees, _, err := p.open().Commissions(r, e.Currency.Code, []uuid.UUID{r.ID})
	if err != nil {
		return err
	}
	return kit.SendFile(r, "exposure", (&exposurePage{Exposure: e, Kept: e.Sales - fees[r.ID]}).columns(), kit.OnePage(e.Top))
}

func (p *pages) of(r *kit.Request, top int) (*exposure.Exposure, error) {
	chosen, _, err := currency.ChooseOne(r, p.Exposure)
	if err != nil {
		return nil, err
	}
	return p.Exposure.RecentOf(r.Context(), r.Caller, &exposure.Request{DrawID: r.ID, Currency: chosen.Code, Top: top})
}

func (p *pages) load(r *kit.Request) (*exposurePage, error) {
	e, err := p.of(r, allOutcomes)
	if err != nil {
		return nil, err
	}
	shown, err := p.Draws.Show(r.Context(), r.ID)
	if err != nil {
		return nil, err
	}
	page := &exposurePage{Exposure: e, Own: r.May(auth.RiskWrite), Shown: openrisk.Dearest(r, e.Top, exposureTop, shown.Value), Result: shown.Result, drawn: shown.Value}
	page.State, page.Changes = drawstate.Of(shown, r.Now(), r.Caller.IsOperator()), page.Own && e.Draw.OpenAt(r.Now())
	if _, page.Currencies, err = currency.ChooseOne(r, p.Exposure); err != nil {
		return nil, err
	}
	of, err := p.open().Of(r, e.Currency, &e.Draw)
	if err != nil {
		return nil, err
	}
	page.Bound, page.Kept = of.Bound, e.Sales-(of.Sales-of.Kept)
	if err := p.loadBlocks(r, page); err != nil {
		return nil, err
	}
	page.Table = kit.RowsOf(page.columns(), page.Shown, nil, "exposure.empty")
	r.OfferFile()
	return page, nil
}

// loadBlocks loads the blocked elements of the draw.
func (p *pages) loadBlocks(r *kit.Request, page *exposurePage) error {
	list, _, err := p.Limits.Limits(r.Context(), r.Caller, &risk.LimitFilter{DrawID: r.ID, Blocks: true, Limit: allOutcomes})
	if err != nil {
		return err
	}
	page.blocked = blockedElements(r.Caller, list)
	if len(list) > 0 {
		page.BlockRows = kit.RowsOf(page.blockColumns(), page.blocked, nil, "")
	}
	return nil
}

// Alarms reports whether a draw without a result has an alarm: its dearest outcome loses too much.
func (p *exposurePage) Alarms() bool {
	return p.Tense() == "" && p.Worst() != nil && p.Bound.Alarms(p.Left(p.Worst()))
}

// WorstText is the dearest outcome as the table names it; "" if no outcome costs.
func (p *exposurePage) WorstText() string {
	if len(p.Shown) == 0 {
		return ""
	}
	return openrisk.OutcomeText(&p.Shown[0])
}

// Left is what is left if an outcome is drawn, after commissions.
func (p *exposurePage) Left(o *exposure.Outcome) money.Amount { return p.Kept - o.Liability }

func (p *pages) block(r *kit.Request) error {
	draw, err := p.Catalog.Draw(r.Context(), r.ID)
	if err != nil {
		return err
	}
	if !draw.OpenAt(r.Now()) {
		return p.exposure.Present(r, http.StatusConflict, r.T("exposure.block.closed"))
	}
	_, err = p.Limits.Block(r.Context(), r.Caller, &risk.BlockRequest{DrawID: r.ID, Element: elementCode(r.Form("element")), Reason: r.Form("reason")})
	return p.afterBlock(r, err, "element.blocked")
}

func (p *pages) unblock(r *kit.Request) error {
	var err error
	for _, text := range r.Forms("block") {
		block, _ := uuid.Parse(text) // an invalid id names no block
		if _, failed := p.Limits.Unblock(r.Context(), r.Caller, block); failed != nil {
			err = failed
		}
	}
	return p.afterBlock(r, err, "element.unblocked")
}

// afterBlock answers a script with the cell of the element, and a form with its page.
func (p *pages) afterBlock(r *kit.Request, err error, notice string) error {
	if err != nil || !r.Scripted() {
		return p.exposure.Submit(r, err, notice)
	}
	e, err := p.of(r, allOutcomes)
	if err != nil {
		return err
	}
	page := &exposurePage{Exposure: e, Changes: true, Own: true}
	if err := p.loadBlocks(r, page); err != nil {
		return err
	}
	page.Shown = openrisk.JoinSigns(r, e.Top)
	for i := range page.Shown {
		if o := &page.Shown[i]; o.Value == r.Form("element") && o.Sign == r.Form("sign") {
			return r.Part("exposure", "block", &blockView{page: page, outcome: o, Focus: true})
		}
	}
	return kit.NotFound()
}
