package web

import (
	"errors"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/models"
)

// drawPage is one draw with its results and what can be done with it.
type drawPage struct {
	*draws.View
	Catalog   *catalog.Game
	Signs     []string
	Versions  []draws.Result // the latest first
	Verified  *draws.Result  // nil without one
	Proposed  *draws.Result  // the latest that awaits verification; nil while none does
	Proposals []draws.Result // all that do: sources that disagree make several
	Changes   []moneyChange  // of the proposed correction
	Sold      []soldIn       // nil for users below the root
	Typed     catalog.Outcome
	Reason    string
	Previews  []moneyChange // of the typed correction
	Previewed bool

	Seal *draws.SealAcceptance // proposed by one person, of tickets that do not fit the seal; nil without one

	MayEnter, MayVerify, MaySuspend, Own bool

	MaySeal, OwnSeal bool
	Unsealed         bool // a proposed correction is refused because the seal is broken
	Related          []menuLink
}

// soldIn and moneyChange are sums with the currency they are in.
type (
	soldIn struct {
		draws.Sold
		Currency string
		Digits   int
	}
	moneyChange struct {
		draws.CurrencyDifference
		Currency string
		Digits   int
	}
)

func (w *Web) drawPage(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showDraw(c, id, http.StatusOK, "", nil)
	}
}

// showDraw shows a draw; fill fills the forms in.
func (w *Web) showDraw(c *gin.Context, id uuid.UUID, status int, problem string, fill func(*drawPage)) {
	page, err := w.loadDraw(c, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	if fill != nil {
		fill(page)
	}
	w.show(c, status, "draw", &view{Page: page, Problem: problem})
}

func (w *Web) loadDraw(c *gin.Context, id uuid.UUID) (*drawPage, error) {
	ctx, p := c.Request.Context(), &visitOf(c).principal
	shown, err := w.deps.Draws.Show(ctx, id)
	if err != nil {
		return nil, err
	}
	page := &drawPage{View: shown, Signs: catalog.Signs()}
	if page.Catalog, err = w.deps.Catalog.Game(ctx, shown.Game.ID); err != nil {
		return nil, err
	}
	if page.Versions, _, err = w.deps.Draws.Results(ctx, &draws.ResultFilter{DrawID: id, Published: !p.AtRoot(), Limit: pageSize}); err != nil {
		return nil, err
	}
	for i := range page.Versions {
		switch r := &page.Versions[i]; r.Status {
		case models.ResultVerified:
			page.Verified = r
		case models.ResultProposed:
			page.Proposals = append(page.Proposals, *r)
		}
	}
	if len(page.Proposals) > 0 {
		page.Proposed = &page.Proposals[0]
	}
	page.Related = w.aboutDraw(p, id)
	if !p.AtRoot() {
		return page, nil
	}
	page.allow(p, w.deps.Clock.Now().Before(shown.Time))
	if err := w.loadSums(c, page); err != nil {
		return nil, err
	}
	if page.MaySeal = shown.SealBroken && p.May(auth.ResultsVerify); page.MaySeal {
		if page.Seal, err = w.deps.Draws.ProposedSeal(ctx, id); err != nil {
			return nil, err
		}
		page.OwnSeal = page.Seal != nil && page.Seal.ProposedBy == p.UserID
	}
	return page, nil
}

// aboutDraw leads to what else there is of a draw.
func (w *Web) aboutDraw(p *auth.Principal, id uuid.UUID) []menuLink {
	var links []menuLink
	if w.deps.Exposure != nil && p.May(auth.RiskRead) {
		links = append(links, menuLink{Title: "exposure.title", Path: exposurePath + "/" + id.String()})
	}
	if w.deps.Prizes != nil && p.May(auth.PrizesRead) {
		links = append(links, menuLink{Title: "prizes.title", Path: prizesPath + "?draw=" + id.String()})
	}
	return links
}

// allow sets which actions the user may take on the draw in its state.
func (d *drawPage) allow(p *auth.Principal, ahead bool) {
	over := !ahead && slices.Contains([]string{models.DrawClosed, models.DrawResulted, models.DrawSettled}, d.Status)
	typed := slices.ContainsFunc(d.Proposals, func(r draws.Result) bool { return r.Origin == models.ResultTyped })
	d.MayEnter = over && !typed && p.May(auth.ResultsWrite)
	d.Own = d.Proposed != nil && !slices.ContainsFunc(d.Proposals, func(r draws.Result) bool { return r.EnteredBy != p.UserID })
	d.MayVerify = d.Proposed != nil && p.May(auth.ResultsVerify)
	d.MaySuspend = slices.Contains([]string{models.DrawScheduled, models.DrawOpen, models.DrawClosed}, d.Status) && p.May(auth.DrawsSuspend)
}

// loadSums adds the draw's sales and the effect of a proposed correction.
func (w *Web) loadSums(c *gin.Context, page *drawPage) error {
	sold, err := w.deps.Draws.SoldOn(c.Request.Context(), page.ID)
	if err != nil {
		return err
	}
	page.Sold = []soldIn{}
	for _, s := range sold {
		code, digits, err := w.currency(c, s.CurrencyID)
		if err != nil {
			return err
		}
		page.Sold = append(page.Sold, soldIn{s, code, digits})
	}
	if page.Proposed == nil || page.Proposed.Supersedes == uuid.Nil || !page.MayVerify || page.Own {
		return nil
	}
	difference, err := w.deps.Draws.PreviewOf(c.Request.Context(), page.Proposed.ID)
	if errors.Is(err, draws.ErrSealBroken) {
		page.Unsealed, page.SealBroken = true, true
		return nil
	}
	if err != nil {
		return err
	}
	page.Changes, err = w.changes(c, difference)
	return err
}

// changes returns the effect of a correction, with its currencies.
func (w *Web) changes(c *gin.Context, d *draws.Difference) ([]moneyChange, error) {
	list := []moneyChange{}
	for _, change := range d.Currencies {
		code, digits, err := w.currency(c, change.CurrencyID)
		if err != nil {
			return nil, err
		}
		list = append(list, moneyChange{change, code, digits})
	}
	return list, nil
}

// currency returns the code and the digits of a currency.
func (w *Web) currency(c *gin.Context, id uuid.UUID) (string, int, error) {
	currency, err := w.deps.Ledger.CurrencyEver(c.Request.Context(), id.String())
	return currency.Code, currency.Digits, err
}

// outcomeForm holds the fields of a result as a form shows them.
type outcomeForm struct {
	Prefix string // of the ids of its fields
	Game   *catalog.Game
	Typed  catalog.Outcome
	Signs  []string
}

// Form returns a result form of the page, with its fields.
func (d *drawPage) Form(prefix string) *outcomeForm {
	return &outcomeForm{Prefix: prefix, Game: d.Catalog, Typed: d.Typed, Signs: d.Signs}
}

// Has reports whether a flag was typed.
func (f *outcomeForm) Has(code string) bool { return slices.Contains(f.Typed.Flags, code) }

// Hides reports whether the proposed value is hidden: a user who verifies it must read it from the source.
func (d *drawPage) Hides() bool { return d.MayVerify && !d.Own }
