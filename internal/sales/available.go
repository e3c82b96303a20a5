package sales

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/risk"
	"banca/models"
)

// AvailableRequest asks how much a seller may still stake on selections of draws.
type AvailableRequest struct {
	EntityID  uuid.UUID
	Currency  string      // id or code
	Draws     []uuid.UUID // a draw that is named again is ignored
	BetType   string
	Selection []string // canonical selections; empty means every element of the draw's game
}

// Availability is the remaining stake on one selection of a draw.
type Availability struct {
	DrawID    uuid.UUID
	Selection string
	Name      string
	Remaining risk.Remaining
	Digits    int       // of the currency
	Stop      time.Time // when sales of the draw stop for the seller
	Stopped   bool      // the draw is not sold now, even if a stake remains
}

// Available returns the remaining stake on each selection of the draws, in the order of the draws and of the
// selections. It reserves nothing. Of several draws, one whose game does not offer the bet type is left out, and so
// is a selection that is not of the draw's game; a game of numbers is answered for requested selections only. Errors:
// errors of a sale's request; risk.ErrUnavailable.
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
	list, lines, err := s.offered(ctx, chain, req)
	if err != nil {
		return nil, err
	}
	remaining, err := s.Risk.Available(
		ctx, chain, risk.Currency{ID: currency.ID, Code: currency.Code, Digits: currency.Digits}, lines,
	)
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].Digits = currency.Digits
	}
	for i := range lines {
		list[lines[i].Item].Remaining = remaining[i]
	}
	return list, nil
}

// offered returns the selections of the draws, and the lines of those that are counted; a line's Item is the position
// of its selection.
func (s *Service) offered(
	ctx context.Context, chain org.Chain, req *AvailableRequest,
) ([]Availability, []risk.Line, error) {
	var list []Availability
	var lines []risk.Line
	ids := unrepeated(req.Draws)
	draws, err := s.Catalog.DrawsByID(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	now := s.Clock.Now()
	for _, id := range ids {
		draw := draws[id]
		game, err := s.Catalog.Game(ctx, draw.GameID)
		if err != nil {
			return nil, nil, err
		}
		own, err := selectionsOf(game, draw, req, len(ids) > 1)
		if err != nil {
			return nil, nil, err
		}
		stop := draw.StopFor(chain.SaleStop())
		stopped := game.Status != models.StatusActive || !draw.OpenAt(now) || !now.Before(stop)
		first := len(list)
		for i := range own {
			own[i].Stop, own[i].Stopped, own[i].Remaining.Unlimited = stop, stopped, true
			if risk.Counted(draw.Time, now) {
				lines = append(lines, lineOf(game, draw, req.BetType, own[i].Selection, first+i))
			}
		}
		list = append(list, own...)
	}
	return list, lines, nil
}

// lineOf is a selection as the limits see it.
func lineOf(game *catalog.Game, draw *catalog.Draw, betType, selection string, item int) risk.Line {
	return risk.Line{
		Item: item, DrawID: draw.ID, GameID: game.ID, CategoryID: game.CategoryID, BetType: betType,
		Selection: selection,
		Payout:    game.Rule(betType).PayoutFor(selection),
	}
}

// unrepeated drops ids that occurred before.
func unrepeated(ids []uuid.UUID) []uuid.UUID {
	seen := make(map[uuid.UUID]bool, len(ids))
	list := make([]uuid.UUID, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	return list
}

// selectionsOf checks the requested selections; without any it returns every element. Of several draws, a selection
// that cannot be bet on is left out, and so are the numbers of a game of numbers that are not requested: a thousand
// each. Errors: ErrInvalidTicket.
func selectionsOf(game *catalog.Game, draw *catalog.Draw, req *AvailableRequest, several bool) ([]Availability, error) {
	wanted := req.Selection
	if len(wanted) == 0 && several && game.Mechanics().Kind == catalog.DrawsNumber {
		return nil, nil
	}
	if len(wanted) == 0 {
		for i := range game.Elements {
			wanted = append(wanted, game.Elements[i].Code)
		}
	}
	list := make([]Availability, 0, len(wanted))
	for _, text := range wanted {
		selection, refused := game.Select(req.BetType, strings.Split(text, ","))
		switch {
		case refused != nil && several:
			continue
		case refused != nil:
			return nil, ErrInvalidTicket.WithDetails(refused.At("query.selection"))
		}
		list = append(list, Availability{DrawID: draw.ID, Selection: selection.Key, Name: selection.Name})
	}
	return list, nil
}
