package closes

import (
	"context"

	"banca/internal/platform/caller"
)

// withhold leaves the amounts of open days out that a caller counts first: a user of a ticket point that counts blindly. Users above it see them.
func (s *Service) withhold(ctx context.Context, by caller.Caller, list []Close) error {
	for i := range list {
		c := &list[i]
		if c.Status != Open || c.Above() || c.EntityID != by.EntityID {
			continue
		}
		chain, err := s.Org.Chain(ctx, c.EntityID) // kept in memory
		if err != nil {
			return err
		}
		if !chain.BlindCount() {
			continue
		}
		c.Blind, c.Totals = true, Totals{}
		for j := range c.Means {
			c.Means[j].Expected, c.Means[j].Value = 0, 0
		}
	}
	return nil
}
