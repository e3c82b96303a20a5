package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/catalog"
	"banca/internal/ledger"
	"banca/internal/messaging"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/receipts"
	"banca/internal/risk"
	"banca/internal/sales"
)

// unlimited grants every sale its room without asking Redis, so that the commit stage is measured alone.
type unlimited struct{ epochs map[uuid.UUID]int64 }

// Reserve implements sales.Limits.
func (u unlimited) Reserve(_ context.Context, req *risk.Request) (*risk.Reservation, error) {
	r := &risk.Reservation{TicketID: req.TicketID, At: time.Now(), Epochs: u.epochs}
	for i := range req.Lines {
		r.Accepted = append(r.Accepted, req.Lines[i].Stake)
	}
	return r, nil
}

// Confirm implements sales.Limits.
func (unlimited) Confirm(context.Context, ...*risk.Reservation) error { return nil }

// Release implements sales.Limits.
func (unlimited) Release(context.Context, ...*risk.Reservation) error { return nil }

// Holds implements sales.Limits.
func (unlimited) Holds(context.Context, uuid.UUID, []uuid.UUID) (bool, error) { return false, nil }

// BeginCancellation implements sales.Limits.
func (unlimited) BeginCancellation(context.Context, uuid.UUID, org.Chain, string, []risk.SoldLine) (*risk.Cancellation, error) {
	return nil, risk.ErrUnavailable
}

// Apply implements sales.Limits.
func (unlimited) Apply(context.Context, *risk.Cancellation) error { return nil }

// Drop implements sales.Limits.
func (unlimited) Drop(context.Context, *risk.Cancellation) error { return nil }

// Available implements sales.Limits.
func (unlimited) Available(context.Context, org.Chain, risk.Currency, []risk.Line) ([]risk.Remaining, error) {
	return nil, risk.ErrUnavailable
}

// silent replaces messaging: the benchmark's tickets have no customers.
type silent struct{}

// QueueTx implements sales.Messages.
func (silent) QueueTx(context.Context, pgx.Tx, ...*messaging.Outgoing) (int, error) {
	return 0, nil
}

// WithdrawReceiptTx implements sales.Messages.
func (silent) WithdrawReceiptTx(context.Context, pgx.Tx, uuid.UUID) (bool, error) { return false, nil }

// engine is the sales domain in this process, without HTTP and without Redis.
type engine struct {
	sales *sales.Service
	draws [2]uuid.UUID
	scope caller.Scope // of the operator
	stop  func()
}

func (s *benchTestbed) openEngine(ctx context.Context, draws [2]uuid.UUID) (*engine, error) {
	epochs := make(map[uuid.UUID]int64, len(draws))
	for _, d := range draws {
		var epoch int64
		if err := s.pg.Pool.QueryRow(ctx, `SELECT risk_epoch FROM draws WHERE id = $1`, d).Scan(&epoch); err != nil {
			return nil, fmt.Errorf("epoch: %w", err)
		}
		epochs[d] = epoch
	}
	renderer, err := receipts.New()
	if err != nil {
		return nil, err
	}
	entities := org.New(s.pg.Gorm, org.Options{})
	scope, err := entities.Scope(ctx, rootID())
	if err != nil {
		return nil, err
	}
	cat := catalog.New(s.pg, clock.System{}, catalog.Options{Zone: s.cfg.Business.Zone, SaleStop: s.cfg.Business.SaleStop})
	e := &engine{draws: draws, scope: scope, sales: sales.New(sales.Deps{
		PG: s.pg, Org: entities, Catalog: cat, Ledger: ledger.New(s.pg, ledger.Options{Zone: time.UTC}), Risk: unlimited{epochs}, Messages: silent{},
		Renderer: renderer, Clock: clock.System{}, Log: s.log, Wake: func() {},
		Options: sales.Options{MaxLines: s.cfg.Business.MaxTicketLines, Zone: s.cfg.Business.Zone, PublicURL: "http://127.0.0.1"},
	})}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() { defer close(done); e.sales.Run(running) }()
	e.stop = func() { cancel(); <-done }
	return e, nil
}

// worker sells at a ticket point of the client's own, or all clients at the first one.
func (e *engine) worker(hot bool) func(ctx context.Context, client int) (func() (bool, error), error) {
	return func(ctx context.Context, client int) (func() (bool, error), error) {
		point := client
		if hot {
			point = 0
		}
		return func() (bool, error) {
			_, err := e.sales.Sell(ctx, caller.Caller{UserID: userID(client), EntityID: rootID(), Scope: e.scope}, &sales.SellRequest{
				EntityID: pointID(point), Currency: "VES",
				Items: items(e.draws, client), IdempotencyKey: uuid.NewString(),
			})
			return err == nil, err
		}, nil
	}
}

// items is the ticket that everything here sells: five lines on two draws.
func items(draws [2]uuid.UUID, client int) []sales.Item {
	list := make([]sales.Item, 5)
	for i := range list {
		list[i] = sales.Item{
			DrawID: draws[i%2].String(), BetType: catalog.BetStraight,
			Selection: []string{fmt.Sprint(1 + (client+7*i)%36)}, Amount: "1.00",
		}
	}
	return list
}

// itemsBody returns the items of a ticket as the API takes them.
func itemsBody(draws [2]uuid.UUID, client int) []map[string]any {
	var body []map[string]any
	for _, item := range items(draws, client) {
		body = append(body, map[string]any{"draw_id": item.DrawID, "bet_type": item.BetType, "selection": item.Selection[0], "amount": item.Amount})
	}
	return body
}
