package openrisk

import (
	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/risk"
	"banca/internal/risk/exposure"
	"banca/models"
	"banca/web/kit"
)

// Sold is the sales of entities on the draws on sale, in all currencies.
type Sold struct {
	split *exposure.Split
	draws map[uuid.UUID]*catalog.Draw
	games map[uuid.UUID]*catalog.Game
}

// ReadSold reads the sales of entities on the draws on sale, in one statement for all draws.
func (rd *Reader) ReadSold(r *kit.Request) (*Sold, error) {
	ctx := r.Context()
	open, _, err := rd.Catalog.Draws(ctx, catalog.DrawFilter{Status: models.DrawOpen, Limit: MaxDraws})
	if err != nil {
		return nil, err
	}
	s := &Sold{draws: map[uuid.UUID]*catalog.Draw{}, games: map[uuid.UUID]*catalog.Game{}}
	asked := make([]exposure.DrawOf, len(open))
	for i, draw := range open {
		asked[i], s.draws[draw.ID] = exposure.DrawOf{DrawID: draw.ID, GameID: draw.GameID}, draw
		if s.games[draw.GameID], err = rd.Catalog.Game(ctx, draw.GameID); err != nil { // kept in memory
			return nil, err
		}
	}
	all, err := rd.Exposure.Currencies(ctx)
	if err != nil {
		return nil, err
	}
	currencies := kit.Map(all, func(c *ledger.Currency) uuid.UUID { return c.ID })
	s.split, err = rd.Exposure.RecentSplit(ctx, r.Caller, currencies, asked)
	return s, err
}

// Of returns the sales at the entity of a limit and below, in its currency.
func (s *Sold) Of(limit *risk.Limit) (sales []risk.DrawSales) {
	for id, of := range s.split.Of(limit.EntityPath, limit.Currency.ID) {
		sales = append(sales, SalesOn(id, s.games[s.draws[id].GameID], of.Total, of.Selections))
	}
	return sales
}

// Draw returns a draw on sale, and its game.
func (s *Sold) Draw(id uuid.UUID) (*catalog.Draw, *catalog.Game) {
	draw := s.draws[id]
	return draw, s.games[draw.GameID]
}
