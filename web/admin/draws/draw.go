package draws

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/platform/months"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/drawstate"
	"banca/web/admin/parts/openrisk"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// drawPage is one draw with its results and what can be done with it.
type drawPage struct {
	*draws.View

	Versions  []draws.Result // the latest first
	Verified  *draws.Result  // nil without one
	Proposed  *draws.Result  // the latest that awaits verification; nil while none does
	Proposals []draws.Result // all that do: sources that disagree make several
	Changes   []moneyChange  // of the proposed correction
	Previews  []moneyChange  // of the typed correction
	Next      string         // the typed correction with its name, such as 1 Carnero; "" before it was tried
	SoldRows  kit.Rows       // of sales in several currencies; nil for users below the root
	Dearest   []kit.Rows     // outcomes, in each currency; nil without the permission to read them
	Archived  bool           // the sales are in the archive

	Seal *draws.SealAcceptance // proposed by one person, of tickets that do not fit the seal; nil without one

	MayEnter, MayVerify, MaySuspend, Own, MaySeal, OwnSeal bool

	Unsealed      bool // a proposed correction is refused because the seal is broken
	Related       []kit.MenuLink
	Before, After draws.Neighbour // of the same game

	sold    []soldIn
	names   *sentence.Names // of the users of the versions, and of the suspension
	stopped uuid.UUID       // the user who suspended the draw; Nil if it is not known
	game    *catalog.Game
	outcome []kit.Input  // fields of a result
	request *kit.Request // with what was typed
}

// soldIn and moneyChange are sums with the currency they are in.
type (
	soldIn struct {
		draws.Sold

		Currency ledger.Currency
		risk     *openrisk.Draw // of a draw without a result; nil without the permission to read it
	}
	moneyChange struct {
		draws.Change

		Currency ledger.Currency
		Points   kit.Rows // the ticket points with the largest changes
	}
	pointChange struct {
		draws.PointDifference

		Name   string
		Digits int
	}
)

func (p *pages) load(r *kit.Request) (*drawPage, error) {
	ctx, atRoot := r.Context(), r.Caller.IsOperator()
	shown, err := p.Draws.Show(ctx, r.ID)
	if err != nil {
		return nil, err
	}
	game, err := p.Catalog.Game(ctx, shown.Game.ID)
	if err != nil {
		return nil, err
	}
	page := &drawPage{View: shown, outcome: outcomeInputs(r, game, &catalog.Outcome{}), game: game, request: r, names: new(sentence.Names)}
	if page.Versions, _, err = p.Draws.Results(ctx, r.Caller, &draws.ResultFilter{DrawID: r.ID, Limit: kit.PageSize}); err != nil {
		return nil, err
	}
	page.sort()
	page.Related = r.Links(
		kit.MenuLink{Title: "exposure.title", Path: links.Exposure + "/" + r.ID.String()},
		kit.MenuLink{Title: "prizes.title", Path: links.Prizes + "?draw=" + r.ID.String()},
	)
	if page.Before, page.After, err = p.Draws.Neighbours(ctx, shown); err != nil || !atRoot {
		return page, err
	}
	if err := p.nameUsers(r, page); err != nil {
		return nil, err
	}
	page.allow(&r.Caller, r.Now().Before(shown.Time))
	if err := p.loadSums(r, page); err != nil {
		return nil, err
	}
	if page.MaySeal = shown.SealBroken && r.May(auth.ResultsVerify); page.MaySeal {
		if page.Seal, err = p.Draws.ProposedSeal(ctx, r.ID); err != nil {
			return nil, err
		}
		page.OwnSeal = page.Seal != nil && page.Seal.ProposedBy == r.Caller.UserID
	}
	return page, nil
}

// nameUsers reads the names of the users who typed, verified and rejected results, and who suspended the draw.
func (p *pages) nameUsers(r *kit.Request, page *drawPage) (err error) {
	var ids []uuid.UUID
	for i := range page.Versions {
		v := &page.Versions[i]
		ids = append(ids, v.EnteredBy, v.VerifiedBy, v.ClosedBy)
	}
	if !page.SuspendedAt.IsZero() {
		entries, _, err := p.Activity.List(r.Context(), r.Caller, &activity.Filter{Module: "draws", Action: "suspend", Target: page.ID.String(), Limit: 1})
		if err != nil {
			return err
		}
		for i := range entries {
			page.stopped = entries[i].UserID
		}
		ids = append(ids, page.stopped)
	}
	page.names, err = sentence.NamesOf(r, p.Activity, nil, ids...)
	return err
}

// Name names the draw by its game, hour and day.
func (d *drawPage) Name(v *kit.View) string {
	return d.Game.Name + " " + v.TimeOfDay(d.Time) + " · " + v.ShortDay(d.LocalDate)
}

// sort finds the verified version of the result and the proposed ones.
func (d *drawPage) sort() {
	for i := range d.Versions {
		switch v := &d.Versions[i]; v.Status {
		case models.ResultVerified:
			d.Verified = v
		case models.ResultProposed:
			d.Proposals = append(d.Proposals, *v)
		}
	}
	if len(d.Proposals) > 0 {
		d.Proposed = &d.Proposals[0]
	}
}

// allow sets which actions the user may take on the draw in its state.
func (d *drawPage) allow(p *caller.Caller, ahead bool) {
	over := !ahead && slices.Contains([]string{models.DrawClosed, models.DrawResulted, models.DrawSettled}, d.Status)
	typed := slices.ContainsFunc(d.Proposals, func(r draws.Result) bool { return r.Origin == models.ResultTyped })
	d.MayEnter = over && !typed && p.May(auth.ResultsWrite)
	d.Own = d.Proposed != nil && !slices.ContainsFunc(d.Proposals, func(r draws.Result) bool { return r.EnteredBy != p.UserID })
	d.MayVerify = d.Proposed != nil && p.May(auth.ResultsVerify)
	d.MaySuspend = slices.Contains([]string{models.DrawScheduled, models.DrawOpen, models.DrawClosed}, d.Status) && p.May(auth.DrawsSuspend)
}

// loadSums adds the draw's sales and the effect of a proposed correction.
func (p *pages) loadSums(r *kit.Request, page *drawPage) error {
	sold, err := p.Draws.SoldOn(r.Context(), page.ID)
	if page.Archived = errors.Is(err, months.ErrArchived); err != nil && !page.Archived {
		return err
	}
	for _, s := range sold {
		sums, err := p.Ledger.AnyCurrency(r.Context(), s.CurrencyID.String())
		if err != nil {
			return err
		}
		of, err := p.riskOf(r, page, sums)
		if err != nil {
			return err
		}
		page.sold = append(page.sold, soldIn{s, sums, of})
	}
	if len(page.sold) > 1 {
		page.SoldRows = kit.RowsOf(soldColumns(), page.sold, nil, "")
	}
	if page.Proposed == nil || page.Proposed.Supersedes == uuid.Nil || !page.MayVerify || page.Own {
		return nil
	}
	difference, err := p.Draws.PreviewOf(r.Context(), page.Proposed.ID)
	if errors.Is(err, draws.ErrSealBroken) {
		page.Unsealed, page.SealBroken = true, true
		return nil
	}
	if err != nil {
		return err
	}
	page.Changes, err = p.changes(r, difference)
	return err
}

// riskOf reads the risk of a draw without a result, and the dearest outcomes of each draw.
func (p *pages) riskOf(r *kit.Request, page *drawPage, in ledger.Currency) (*openrisk.Draw, error) {
	s := slot{View: *page.View}
	if !r.May(auth.RiskRead) || s.Value == "" && !s.undecided() {
		return nil, nil //nolint:nilnil // no risk to show
	}
	draw, dearest, err := (&openrisk.Reader{Services: p.Services}).WithDearest(r, in, page.ID, s.Value)
	page.Dearest = append(page.Dearest, dearest)
	return draw, err
}

// changes returns the effect of a correction, with its currencies.
func (p *pages) changes(r *kit.Request, d *draws.Difference) (list []moneyChange, err error) {
	for _, change := range d.Currencies {
		sums, err := p.Ledger.AnyCurrency(r.Context(), change.CurrencyID.String())
		if err != nil {
			return nil, err
		}
		list = append(list, moneyChange{change.Change, sums, pointRows(r, change.Points, sums.Digits)})
	}
	return list, nil
}

// pointsShown bounds the ticket points that the effect of a correction names.
const pointsShown = 20

// pointRows returns the ticket points whose prizes a correction changes most.
func pointRows(r *kit.Request, points []draws.PointDifference, digits int) kit.Rows {
	slices.SortFunc(points, func(a, b draws.PointDifference) int { return cmp.Compare(b.Moved(), a.Moved()) })
	points = points[:min(len(points), pointsShown)]
	names := kit.EntityNames(r, points, func(d *draws.PointDifference) uuid.UUID { return d.EntityID })
	rows := kit.Map(points, func(d *draws.PointDifference) pointChange { return pointChange{*d, names[d.EntityID], digits} })
	return kit.RowsOf(pointColumns(), rows, func(d *pointChange) string { return links.Organisation + "/" + d.EntityID.String() }, "")
}

func soldColumns() []kit.Column[soldIn] {
	return []kit.Column[soldIn]{
		kit.TextColumn("label.currency", func(s *soldIn) string { return s.Currency.Unit() }),
		kit.CountColumn("draw.tickets", func(s *soldIn) int { return s.Tickets }),
		kit.AmountColumn("draw.stakes", func(s *soldIn) (money.Amount, int) { return s.Stakes, s.Currency.Digits }),
		kit.CountColumn("draw.winners", func(s *soldIn) int { return s.Winners }),
		kit.AmountColumn("draw.prizes", func(s *soldIn) (money.Amount, int) { return s.Prizes, s.Currency.Digits }),
		kit.AmountColumn("draw.given_back", func(s *soldIn) (money.Amount, int) { return s.Refunded, s.Currency.Digits }),
		kit.AmountColumn("draw.net", func(s *soldIn) (money.Amount, int) { return s.net(), s.Currency.Digits }),
	}
}

// net is what the draw leaves before commissions.
func (s *soldIn) net() money.Amount { return s.Stakes - s.Refunded - s.Prizes }

// OnSale reports whether the sale stop is ahead.
func (d *drawPage) OnSale() bool {
	return d.Status == models.DrawOpen && d.SaleStopAt.After(d.request.Now())
}

// Sums are the figures of sales in one currency; a draw without a result has no prizes yet.
func (d *drawPage) Sums(v *kit.View) (list []*kit.Stat) {
	for i := range d.sold {
		s := &d.sold[i]
		add := func(has bool, a money.Amount, key, hint string) {
			if has {
				list = append(list, v.Stat(a, s.Currency.Digits, v.T(key)).WithUnit(s.Currency.Unit()).WithHint(hint))
			}
		}
		alone := len(d.sold) == 1 // sales in several currencies are a table
		add(alone, s.Stakes, "risk.sold", v.N("board.tickets", int64(s.Tickets)))
		add(alone && s.Refunded > 0, s.Refunded, "draw.given_back", "")
		add(alone && d.Verified != nil, s.Prizes, "draw.prizes", v.N("draw.winning", int64(s.Winners)))
		add(alone && d.Verified != nil, s.net(), "draw.net", v.T("draw.net.hint"))
		if of := s.risk; of != nil && of.Worst != nil {
			add(true, of.Due(), "risk.worst", v.T("exposure.worst", of.WorstText()))
			add(d.OnSale() && of.Bound.Limited, of.Left(), "draw.left", v.T("draw.left.of", v.Figure(of.Bound.Amount, s.Currency.Digits), s.Currency.Unit()))
		}
	}
	return kit.Evenly(list...)
}

func pointColumns() []kit.Column[pointChange] {
	column := func(title string, of func(c *draws.Change) money.Amount) kit.Column[pointChange] {
		return kit.AmountColumn(title, func(p *pointChange) (money.Amount, int) { return of(&p.Change), p.Digits })
	}
	return []kit.Column[pointChange]{
		kit.TextColumn("label.ticket_point", func(p *pointChange) string { return p.Name }),
		column("draw.before", func(c *draws.Change) money.Amount { return c.Before }),
		column("draw.after", func(c *draws.Change) money.Amount { return c.After }),
		column("draw.overpaid", func(c *draws.Change) money.Amount { return c.Overpaid }),
		column("draw.underpaid", func(c *draws.Change) money.Amount { return c.Underpaid }),
	}
}

// Facts are all figures of a change, one below the other, so that none is out of sight in a narrow place.
func (c *moneyChange) Facts(v *kit.View) []kit.Fact {
	amount := func(a money.Amount) kit.Cell { return kit.Text(currency.Text(v, a, c.Currency)) }
	return []kit.Fact{
		{Name: v.T("draw.lowered"), Value: kit.Text(v.Count(c.Lowered))},
		{Name: v.T("draw.raised"), Value: kit.Text(v.Count(c.Raised))},
		{Name: v.T("draw.before"), Value: amount(c.Before).WithSecondLine(v.N("board.tickets", c.WinnersBefore))},
		{Name: v.T("draw.after"), Value: amount(c.After).WithSecondLine(v.N("board.tickets", c.WinnersAfter))},
		{Name: v.T("draw.undecided"), Value: amount(c.Undecided).WithSecondLine(v.N("board.tickets", c.UndecidedTickets))},
		{Name: v.T("draw.overpaid"), Value: amount(c.Overpaid).WithSecondLine(v.N("board.tickets", c.OverpaidTickets))},
		{Name: v.T("draw.underpaid"), Value: amount(c.Underpaid).WithSecondLine(v.N("board.tickets", c.UnderpaidTickets))},
	}
}

// ShownState is the state of the draw on the page.
func (d *drawPage) ShownState() string {
	return drawstate.Of(d.View, d.request.Now(), d.request.Caller.IsOperator())
}
