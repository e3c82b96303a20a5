package sales_test

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
	"banca/internal/sales"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

// tally is what became of many sales.
type tally struct {
	mu       sync.Mutex
	tickets  []sales.Ticket // acknowledged, replays left out
	replayed int
	codes    map[string]int // of refusals
}

func (r *tally) add(sold *sales.Sold, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err != nil:
		if r.codes == nil {
			r.codes = map[string]int{}
		}
		r.codes[apperr.CodeOf(err)]++
	case sold.Replayed:
		r.replayed++
	default:
		r.tickets = append(r.tickets, sold.Ticket)
	}
}

func (r *tally) sold() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.tickets)
}

func (r *tally) refused(code string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.codes[code]
}

// atOnce makes n sales at the same time.
func atOnce(ctx context.Context, n int, sell func(ctx context.Context, i int) (*sales.Sold, error)) *tally {
	r := &tally{}
	start := make(chan struct{})
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() {
			<-start
			r.add(sell(ctx, i))
		})
	}
	close(start)
	running.Wait()
	return r
}

// traffic sells in several goroutines until it is stopped.
type traffic struct {
	tally
	rounds []atomic.Int64 // requests answered, by worker
	halt   func()
}

func (b *bundle) traffic(t testing.TB, workers int, request func(worker, n int) *sales.SellRequest) *traffic {
	t.Helper()
	tr := &traffic{rounds: make([]atomic.Int64, workers)}
	done := make(chan struct{})
	var running sync.WaitGroup
	for w := range workers {
		running.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-done:
					return
				default:
					sold, err := b.Sell(context.WithoutCancel(t.Context()), request(w, n))
					tr.add(sold, err)
					tr.rounds[w].Add(1)
					pauseAfter(err)
				}
			}
		})
	}
	var once sync.Once
	tr.halt = func() { once.Do(func() { close(done); running.Wait() }) }
	t.Cleanup(tr.halt)
	return tr
}

// pauseAfter is the pause of a refused client before it tries again, so that an outage costs no CPU.
func pauseAfter(err error) {
	if err != nil {
		time.Sleep(pollInterval)
	}
}

// awaitMore waits until so many more sales were acknowledged.
func (tr *traffic) awaitMore(t testing.TB, n int) {
	t.Helper()
	goal := tr.sold() + n
	require.Eventually(t, func() bool { return tr.sold() >= goal }, waitTimeout, pollInterval, "sales do not go on")
}

// awaitRound waits until every request under way has its answer.
func (tr *traffic) awaitRound(t testing.TB) {
	t.Helper()
	for w := range tr.rounds {
		goal := tr.rounds[w].Load() + 1
		require.Eventually(t, func() bool { return tr.rounds[w].Load() >= goal }, waitTimeout, pollInterval)
	}
}

// awaitRefusals waits until so many more sales were refused with a code.
func (tr *traffic) awaitRefusals(t testing.TB, code string, n int) {
	t.Helper()
	goal := tr.refused(code) + n
	require.Eventually(t, func() bool { return tr.refused(code) >= goal }, waitTimeout, pollInterval, "no refusals with %s", code)
}
