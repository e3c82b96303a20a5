package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"banca/storage"
)

// Beside is a load of simulated points of sale beside something that the caller measures.
type Beside struct {
	Clients int     // at most 64; each sells at a ticket point of its own
	Pace    float64 // sales a second of all clients together; zero for as many as are answered
}

// Sold is what a load has done.
type Sold struct {
	Tickets, Refused int
	Rate             float64 // tickets a second
	P50, P95         time.Duration
}

// Start adds the ticket points of the benchmark to a seeded database and sells at the address of its platform. stop ends the load after the
// calls that are being answered. Errors: of the preparation; stop returns the first one of a client.
func (b Beside) Start(ctx context.Context, pg *storage.Postgres, addr string) (stop func() (*Sold, error), _ error) {
	if b.Clients < 1 || b.Clients > maxClients {
		return nil, fmt.Errorf("clients: %d of 1 to %d", b.Clients, maxClients)
	}
	s := &benchTestbed{pg: pg}
	if err := s.addPoints(ctx); err != nil {
		return nil, err
	}
	work, _, err := s.posWorkers(ctx, &child{addr: addr})
	if err != nil {
		return nil, err
	}
	ended, finished := make(chan struct{}), make(chan struct{})
	var done *result
	var failed error
	go func() {
		defer close(finished)
		done, failed = drive(ctx, load{clients: b.Clients, time: math.MaxInt64, pace: b.Pace, ended: ended}, refusing(work))
	}()
	return func() (*Sold, error) {
		close(ended)
		<-finished
		if failed != nil {
			return nil, failed
		}
		return &Sold{Tickets: done.done, Refused: done.refused, Rate: done.rate(), P50: done.quantile(0.50), P95: done.quantile(0.95)}, nil
	}, nil
}

// refusing counts a sale that is answered 503 as refused, where the load itself is not what is measured.
func refusing(work worker) worker {
	return func(ctx context.Context, client int) (func() (bool, error), error) {
		call, err := work(ctx, client)
		return func() (bool, error) {
			sold, err := call()
			if errors.Is(err, errUnavailable) {
				return false, nil
			}
			return sold, err
		}, err
	}
}
