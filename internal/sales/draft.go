package sales

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/sales/drafts"
)

// ParsedDraft is what a seller could sell of a text.
type ParsedDraft struct {
	Parts    []drafts.Part
	Currency ledger.Currency
	Lines    int          // bet lines that are understood
	Total    money.Amount // of these
}

// ParseDraft reads bets as buyers write them, on what the seller can sell now. Chosen are the draws of bets that name no game. It changes
// nothing. Errors: errors of Catalogue.
func (s *Service) ParseDraft(ctx context.Context, by caller.Caller, desk Desk, text string, chosen []uuid.UUID) (*ParsedDraft, error) {
	chain, currency, err := s.deskOf(ctx, by, desk)
	if err != nil {
		return nil, err
	}
	c := &Catalogue{}
	if err := s.offer(ctx, chain, c); err != nil {
		return nil, err
	}
	offer := &drafts.Offer{
		Games: c.Games, Chosen: chosen, Now: s.Clock.Now(), Zone: s.Options.Zone, Currency: currency.Code, Digits: currency.Digits,
	}
	games := make(map[uuid.UUID]*catalog.Game, len(c.Games))
	for _, game := range c.Games {
		games[game.ID] = game
	}
	for _, draw := range c.Draws {
		offer.Draws = append(offer.Draws, drafts.Draw{ID: draw.ID, Game: games[draw.GameID], Time: draw.Time})
	}
	parsed := &ParsedDraft{Parts: drafts.Read(text, offer), Currency: currency}
	for i := range parsed.Parts {
		for _, line := range parsed.Parts[i].Lines {
			parsed.Lines++
			parsed.Total += line.Amount
		}
	}
	return parsed, nil
}
