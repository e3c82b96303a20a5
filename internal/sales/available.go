package sales

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/caller"
	"banca/internal/catalog"
	"banca/internal/org"
	"banca/internal/risk"
	"banca/models"
)

// AvailableRequest asks how much a seller may still stake on selections of one draw.
type AvailableRequest struct {
	EntityID  uuid.UUID
	Currency  string // id or code
	DrawID    uuid.UUID
	BetType   string
	Selection []string // canonical selections; empty means every element of the game
}

// Availability is what may still be staked on one selection.
type Availability struct {
	Selection string
	Name      string
	Room      risk.Room
	Digits    int       // of the currency
	Stop      time.Time // when sales of the draw stop for the seller
	Stopped   bool      // the draw is not sold now, even if Room is left
}

// Available returns what may still be staked on each selection of a draw. It reserves nothing. Errors: those of a
// sale's request; risk.ErrUnavailable.
func (s *Service) Available(ctx context.Context, by caller.Caller, req *AvailableRequest) ([]Availability, error) {
	chain, err := s.Org.Chain(ctx, req.EntityID)
	if err != nil {
		return nil, err
	}
	if !by.Scope.Contains(chain.Path()) {
		return nil, org.ErrEntityNotFound
	}
	currency, err := s.Ledger.Currency(ctx, req.Currency)
	if err != nil {
		return nil, err
	}
	draw, err := s.Catalog.Draw(ctx, req.DrawID)
	if err != nil {
		return nil, err
	}
	game, err := s.Catalog.Game(ctx, draw.GameID)
	if err != nil {
		return nil, err
	}
	list, lines, err := s.selectionsOf(game, draw, req)
	if err != nil {
		return nil, err
	}
	rooms, err := s.Risk.Available(ctx, chain, risk.Currency{ID: currency.ID, Code: currency.Code, Digits: currency.Digits}, draw.ID, lines)
	now, stop := s.Clock.Now(), draw.StopFor(chain.SaleStop())
	stopped := game.Status != models.StatusActive || !draw.OpenAt(now) || !now.Before(stop)
	for i := range rooms {
		list[i].Room, list[i].Digits, list[i].Stop, list[i].Stopped = rooms[i], currency.Digits, stop, stopped
	}
	return list, err
}

// selectionsOf checks the requested selections; without any it returns every element.
func (s *Service) selectionsOf(game *catalog.Game, draw *catalog.Draw, req *AvailableRequest) ([]Availability, []risk.Line, error) {
	wanted := req.Selection
	if len(wanted) == 0 {
		for i := range game.Elements {
			wanted = append(wanted, game.Elements[i].Code)
		}
	}
	list, lines := make([]Availability, 0, len(wanted)), make([]risk.Line, 0, len(wanted))
	for _, text := range wanted {
		selection, refused := game.Select(req.BetType, strings.Split(text, ","))
		if refused != nil {
			return nil, nil, ErrInvalidTicket.WithDetails(refused.At("query.selection"))
		}
		list = append(list, Availability{Selection: selection.Key, Name: selection.Name})
		lines = append(lines, risk.Line{
			DrawID: draw.ID, GameID: game.ID, CategoryID: game.CategoryID, BetType: req.BetType, Selection: selection.Key,
			Payout: game.Rule(req.BetType).PayoutFor(selection.Key),
		})
	}
	return list, lines, nil
}
