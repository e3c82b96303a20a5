package risk

import (
	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/models"
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

// uses returns the selections that use most of a limit, by the sales at its entity and below, at most top.
func (s *soldOpen) uses(r *kit.Request, limit *risk.Limit, top int) ([]use, error) {
	var sales []risk.DrawSales
	for id, of := range s.split.Of(limit.EntityPath, limit.Currency.ID) {
		sales = append(sales, openrisk.SalesOn(id, s.games[s.draws[id].GameID], of.Total, of.Selections))
	}
	found, err := s.Limits.UsesOf(r.Context(), limit, sales, top)
	if err != nil {
		return nil, err
	}
	return kit.Map(found, func(u *risk.Usage) use {
		draw := s.draws[u.DrawID]
		game := s.games[draw.GameID]
		return use{*u, game.Name + " " + r.View().Clock(draw.Time), elementText(game, u.Selection), u.BetType, limit.Currency.Digits}
	}), nil
}
