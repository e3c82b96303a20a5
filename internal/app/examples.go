package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/internal/catalog"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/sales"
	"banca/internal/setup/seed"
	"banca/models"
)

// SeedExamples adds the records that the request examples of the OpenAPI document name: an open draw, a closed draw
// without a result, and a ticket that has won. `banca-dev dev` calls it before it closes draws that are due; no other command
// does.
//
// The ticket is sold, and its draw closed, decided by two users and settled, by the services, so every invariant holds.
// They run on a clock of their own that begins before the sale stop of the draw, and take the ticket's id and codes from
// [sales.Deps.Identify]. A run that was interrupted is continued by the next one.
func (a *App) SeedExamples(ctx context.Context) error {
	if err := seed.Examples(ctx, a.stores.pg, a.seedOptions(), a.clock.Now().In(a.cfg.Business.Zone)); err != nil {
		return err
	}
	a.services.catalog.Forget()
	root, err := a.services.org.Root(ctx)
	if err != nil {
		return err
	}
	draw, err := a.services.draws.Show(ctx, uuid.MustParse(seed.ExampleSettledDraw))
	if err != nil || draw.Status == models.DrawSettled || draw.Status == models.DrawSuspended {
		return err
	}
	then := clock.NewFake(draw.SaleStopAt.Add(-time.Minute))
	s, err := newServices(a.stores, a.cfg, a.mode, then, a.log)
	if err != nil {
		return err
	}
	if draw.Status == models.DrawOpen {
		if err := s.sellExample(ctx, root); err != nil {
			return fmt.Errorf("sell the example ticket: %w", err)
		}
	}
	then.Advance(draw.Time.Sub(then.Now()))
	for _, id := range []string{seed.ExampleClosedDraw, seed.ExampleSettledDraw} {
		if err := s.draws.Close(ctx, uuid.MustParse(id)); err != nil {
			return fmt.Errorf("close an example draw: %w", err)
		}
	}
	return s.settleExample(ctx, root, draw)
}

// sellExample sells the ticket at the second ticket point: the guides show balances of the first one. Its idempotency key makes a repeat a no-op.
func (s *services) sellExample(ctx context.Context, root uuid.UUID) error {
	s.sales.Identify = func(time.Time) sales.Identity {
		return sales.Identity{ID: uuid.MustParse(seed.ExampleTicket), SerialCode: seed.ExampleSerial, ValidationCode: seed.ExampleCode}
	}
	running, stop := context.WithCancel(ctx)
	var confirmations sync.WaitGroup
	confirmations.Go(func() { s.sales.Run(running) })
	defer confirmations.Wait()
	defer stop()
	seller, err := s.seeded(ctx, root, seed.Users()[0].Email)
	if err != nil {
		return err
	}
	_, err = s.sales.Sell(ctx, seller, &sales.SellRequest{
		EntityID: seed.ID("entity", seed.CodeTicketPoint2), Currency: "VES",
		IdempotencyKey: "example-ticket",
		Items:          []sales.Item{{DrawID: seed.ExampleSettledDraw, BetType: catalog.BetStraight, Selection: []string{seed.ExampleSelection}, Amount: "10.00"}},
	})
	return err
}

// seeded returns the user of the operator that was seeded with an email.
func (s *services) seeded(ctx context.Context, root uuid.UUID, email string) (caller.Caller, error) {
	scope, err := s.org.Scope(ctx, root)
	if err != nil {
		return caller.Caller{}, fmt.Errorf("scope of a seeded user: %w", err)
	}
	return caller.Caller{UserID: seed.ID("user", email), EntityID: root, Scope: scope}, nil
}

// settleExample enters the result by one user, verifies it by another one, and settles the draw.
func (s *services) settleExample(ctx context.Context, root uuid.UUID, draw *draws.View) error {
	typist, err := s.seeded(ctx, root, seed.Users()[0].Email)
	if err != nil {
		return err
	}
	verifier, err := s.seeded(ctx, root, seed.Verifier().Email)
	if err != nil {
		return err
	}
	if draw.Status != models.DrawResulted {
		_, err := s.draws.Enter(ctx, typist, draw.ID, catalog.Outcome{Value: seed.ExampleSelection})
		if err != nil && !errors.Is(err, draws.ErrResultPending) {
			return fmt.Errorf("enter the result of the example draw: %w", err)
		}
		proposed, _, err := s.draws.Results(ctx, typist, &draws.ResultFilter{DrawID: draw.ID, Status: models.ResultProposed, Limit: 1})
		if err != nil || len(proposed) == 0 {
			return fmt.Errorf("result of the example draw: %w", errors.Join(err, draws.ErrResultNotFound))
		}
		if _, _, err := s.draws.Verify(ctx, verifier, proposed[0].ID, nil); err != nil {
			return fmt.Errorf("verify the result of the example draw: %w", err)
		}
	}
	if _, err := s.draws.Settle(ctx, draw.ID); err != nil {
		return fmt.Errorf("settle the example draw: %w", err)
	}
	return nil
}
