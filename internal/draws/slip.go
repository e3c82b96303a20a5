package draws

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/receipts"
	"banca/models"
)

const (
	// resultsOnSlip bounds the results of a slip, which is one strip of paper.
	resultsOnSlip = 400
	slipHour      = "03:04 PM"
	slipDay       = "02/01/2006"
)

// Slip draws the list of the verified results of a day, of some games or of all, in a format of sales, and returns it with its media type. The games
// stand in the order of their last draws. Errors: receipts.ErrFormat, receipts.ErrTooLarge.
func (s *Service) Slip(ctx context.Context, by caller.Caller, day businessday.Day, games []uuid.UUID, format string) ([]byte, string, error) {
	results, _, err := s.Results(ctx, by, &ResultFilter{Games: games, Status: models.ResultVerified, Date: day, Limit: resultsOnSlip})
	if err != nil {
		return nil, "", err
	}
	chain, err := s.Org.Chain(ctx, by.EntityID)
	if err != nil {
		return nil, "", err
	}
	printing := chain.Printing()
	slip := &receipts.Slip{
		Title: printing.Title, Subtitle: printing.Subtitle, Header: printing.Header, Heading: "RESULTADOS " + day.Format(slipDay),
		Footer: []string{"Impreso " + s.Clock.Now().In(s.Zone).Format(slipDay+" "+slipHour)},
	}
	for i := range results {
		if err := s.addToSlip(ctx, slip, &results[i]); err != nil {
			return nil, "", err
		}
	}
	return s.Renderer.Render(slip, format)
}

// addToSlip adds a result below its game.
func (s *Service) addToSlip(ctx context.Context, slip *receipts.Slip, r *Result) error {
	game, err := s.Catalog.Game(ctx, r.Game.ID)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(slip.Sections, func(section receipts.Section) bool { return section.Title == r.Game.Name })
	if at < 0 {
		at = len(slip.Sections)
		slip.Sections = append(slip.Sections, receipts.Section{Title: r.Game.Name})
	}
	slip.Sections[at].Rows = append(slip.Sections[at].Rows, receipts.SlipRow{Label: r.Draw.Time.In(s.Zone).Format(slipHour), Value: resultText(game, &r.Outcome)})
	return nil
}
