package risk

import (
	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/models"
	"banca/web/admin/parts/currency"
	"banca/web/admin/parts/openrisk"
	"banca/web/kit"
)

// use is how much of a limit a selection of a draw on sale uses.
type use struct {
	risk.Usage

	Draw, Selection, Bet string
	digits               int
}

// soldOpen is the sales of entities on the draws on sale.
type soldOpen struct {
	*pages

	split *exposure.Split
	draws map[uuid.UUID]*catalog.Draw
	games map[uuid.UUID]*catalog.Game
}

// readSold reads the sales of entities on the draws on sale, in one statement for all draws.
func (p *pages) readSold(r *kit.Request) (*soldOpen, error) {
	ctx := r.Context()
	open, _, err := p.Catalog.Draws(ctx, catalog.DrawFilter{Status: models.DrawOpen, Limit: openrisk.MaxDraws})
	if err != nil {
		return nil, err
	}
	sold := &soldOpen{pages: p, draws: map[uuid.UUID]*catalog.Draw{}, games: map[uuid.UUID]*catalog.Game{}}
	asked := make([]exposure.DrawOf, len(open))
	for i, draw := range open {
		asked[i], sold.draws[draw.ID] = exposure.DrawOf{DrawID: draw.ID, GameID: draw.GameID}, draw
		if sold.games[draw.GameID], err = p.Catalog.Game(ctx, draw.GameID); err != nil { // kept in memory
			return nil, err
		}
	}
	all, err := p.Exposure.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	currencies := kit.Map(all, func(c *ledger.Currency) uuid.UUID { return c.ID })
	sold.split, err = p.Exposure.RecentSplit(ctx, r.Caller, currencies, asked)
	return sold, err
}

// of returns the sales at the entity of a limit and below, in its currency.
func (s *soldOpen) of(limit *risk.Limit) (sales []risk.DrawSales) {
	for id, of := range s.split.Of(limit.EntityPath, limit.Currency.ID) {
		sales = append(sales, openrisk.SalesOn(id, s.games[s.draws[id].GameID], of.Total, of.Selections))
	}
	return sales
}

// uses returns the selections that use most of a limit, at most top.
func (s *soldOpen) uses(r *kit.Request, limit *risk.Limit, top int) ([]use, error) {
	found, err := s.Limits.UsesOf(r.Context(), limit, s.of(limit))
	return kit.Map(found[:min(top, len(found))], func(u *risk.Usage) use { return s.named(r, limit, u) }), err
}

// named adds the names of the draw and the selection of a usage.
func (s *soldOpen) named(r *kit.Request, limit *risk.Limit, u *risk.Usage) use {
	draw := s.draws[u.DrawID]
	game := s.games[draw.GameID]
	return use{*u, game.Name + " " + r.View().Clock(draw.Time), elementText(game, u.Selection), u.BetType, limit.Currency.Digits}
}

// effect says what a limit stops of the draws on sale before it is saved, and what has sold most. blank means that no amount is typed yet.
func (s *soldOpen) effect(r *kit.Request, draft *risk.Limit, blank bool) ([]string, error) {
	e, err := s.Limits.EffectOf(r.Context(), draft, s.of(draft))
	v := r.View()
	if err != nil || e.Most == nil {
		return []string{v.T("limits.uses.none")}, err
	}
	u := s.named(r, draft, e.Most)
	most := v.T("limits.effect."+draft.Metric, u.Selection, u.Draw, currency.Text(v, u.Sold, draft.Currency))
	switch {
	case blank:
		return []string{most}, nil
	case e.All:
		return []string{v.T("limits.effect.all"), most}, nil
	case e.Spent == 0:
		return []string{v.T("limits.effect.none"), most}, nil
	}
	return []string{v.N("limits.effect", e.Spent), most}, nil
}
