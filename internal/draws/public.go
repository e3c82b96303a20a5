package draws

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/models"
)

const (
	// PublicDays is how many business days have public results, with the current one.
	PublicDays = 31
	// resultsOfDay bounds the public results of a day.
	resultsOfDay = 2000
)

// PublicDay is the verified results of a business day, which everybody may read. Callers must not change it.
type PublicDay struct {
	House string // the name above receipts
	Date  businessday.Day
	Today bool
	Older bool         // the day before has public results, too
	Games []PublicGame // in the order of the catalogue; games without a result are left out
}

// PublicGame is the results of a game, the latest first.
type PublicGame struct {
	Name    string
	Results []PublicResult
}

// PublicResult is a result with the name of its value, such as 05 León.
type PublicResult struct {
	Time   time.Time
	Result string
}

// PublicResults returns the results of a day; the zero day is the current one. A day that is to come or not among the last
// PublicDays has none. The answer may be some seconds old, and callers at the same time share a query.
func (s *Service) PublicResults(ctx context.Context, day businessday.Day) (*PublicDay, error) {
	today := businessday.Of(s.Clock.Now(), s.Zone)
	if day.IsZero() {
		day = today
	}
	oldest := today.AddDays(1 - PublicDays)
	if day.After(today) || day.Before(oldest) {
		return &PublicDay{Date: day}, nil
	}
	return s.public.Get(ctx, day, func(ctx context.Context) (*PublicDay, error) {
		games, err := s.publicGames(ctx, day)
		if err != nil {
			return nil, err
		}
		root, err := s.Org.Root(ctx)
		if err != nil {
			return nil, err
		}
		chain, err := s.Org.Chain(ctx, root)
		if err != nil {
			return nil, err
		}
		return &PublicDay{House: chain.Printing().Title, Date: day, Today: day == today, Older: day.After(oldest), Games: games}, nil
	})
}

// publicGames reads the verified results of a day: those that a user without an entity may see.
func (s *Service) publicGames(ctx context.Context, day businessday.Day) ([]PublicGame, error) {
	results, _, err := s.Results(ctx, caller.Caller{}, &ResultFilter{Status: models.ResultVerified, Date: day, Limit: resultsOfDay})
	if err != nil {
		return nil, err
	}
	games, err := s.Catalog.Games(ctx)
	if err != nil {
		return nil, err
	}
	listed := make([]PublicGame, len(games))
	at := map[uuid.UUID]int{}
	for i, game := range games {
		at[game.ID], listed[i].Name = i, game.Name
	}
	for i := range results {
		if place, ok := at[results[i].Game.ID]; ok {
			listed[place].Results = append(listed[place].Results, PublicResult{Time: results[i].Draw.Time, Result: resultText(games[place], &results[i].Outcome)})
		}
	}
	return slices.DeleteFunc(listed, func(g PublicGame) bool { return len(g.Results) == 0 }), nil
}

// resultText is a result with the name of its value and its sign.
func resultText(game *catalog.Game, outcome *catalog.Outcome) string {
	text := game.ResultText(outcome.Value)
	if outcome.Sign != "" {
		text += " " + outcome.Sign
	}
	return text
}
