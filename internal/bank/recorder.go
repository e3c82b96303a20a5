package bank

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/alerts"
	"banca/storage"
)

// Bounds of the cost of refused calls. Every call with a valid address and token is recorded. Of other calls, a sample
// is recorded, and alerts count all of them.
const (
	samplePerAddress = 20  // refused calls recorded per address, check and hour
	sampleTotal      = 500 // refused calls recorded per hour for all addresses together
	sampleWindow     = time.Hour
	sampleBody       = 1 << 10 // bytes stored of the body of a refused call
	maxQueued        = 5_000   // events waiting to be written; beyond that new events are dropped and counted
	maxAlerts        = 1_000   // alerts per hour; further addresses share one alert
	flushEvery       = 250 * time.Millisecond
	flushTimeout     = 3 * time.Second
	flushBatch       = 500
)

// manyAddresses is the address of the alert that further addresses share.
const manyAddresses = "(many)"

// alertKey identifies an alert.
type alertKey struct {
	kind, address string
	hour          time.Time
	subject       uuid.UUID
}

type alertCount struct {
	count       int64
	first, last time.Time
}

// recorder writes the events of refused calls and alerts in the background, in batches.
type recorder struct {
	log       *slog.Logger
	perSource *meter
	total     *meter

	mu      sync.Mutex
	events  []*event
	alerts  map[alertKey]alertCount
	hour    time.Time
	sources map[string]bool // addresses with an alert of their own in this hour
	dropped int64
}

func newRecorder(log *slog.Logger) *recorder {
	return &recorder{
		log: log, perSource: newMeter(samplePerAddress, sampleWindow), total: newMeter(sampleTotal, sampleWindow),
		alerts: make(map[alertKey]alertCount), sources: make(map[string]bool),
	}
}

// record adds the event of a call without effect, unless the sampling leaves it out, and counts its alert.
func (r *recorder) record(e *event, now time.Time) {
	e.took = now.Sub(e.at)
	kind := map[string]string{CheckAddress: alerts.AddressBlocked, CheckToken: alerts.TokenWrong, CheckTLS: alerts.TLSMissing}[e.outcome]
	if kind != "" {
		r.alert(kind, sourceKey(e.from), uuid.Nil, e.at)
	}
	if e.slot == "" {
		if !r.sampled(e) {
			return
		}
		e.raw = e.raw[:min(len(e.raw), sampleBody)]
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.events) >= maxQueued {
		r.dropped++
		return
	}
	r.events = append(r.events, e)
}

// sampled reports whether the event of a call without a valid token is recorded. A call beyond the limit of its address
// is not.
func (r *recorder) sampled(e *event) bool {
	return e.status != http.StatusTooManyRequests && r.perSource.allow(e.outcome+" "+sourceKey(e.from), e.at) && r.total.allow("", e.at)
}

// alert increments the count of a security alert.
func (r *recorder) alert(kind, address string, subject uuid.UUID, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	hour := at.Truncate(time.Hour)
	if !hour.Equal(r.hour) {
		r.hour = hour
		clear(r.sources)
	}
	if !r.sources[address] {
		if len(r.sources) >= maxAlerts || len(r.alerts) >= maxAlerts {
			address = manyAddresses
		} else {
			r.sources[address] = true
		}
	}
	k := alertKey{kind, address, hour, subject}
	c := r.alerts[k]
	if c.count == 0 {
		c.first = at
	}
	c.count, c.last = c.count+1, at
	r.alerts[k] = c
}

// run flushes periodically until ctx ends, and then once more.
func (r *recorder) run(ctx context.Context, flush func(context.Context) error) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	failing := false
	for ended := false; !ended; {
		select {
		case <-ctx.Done():
			ended = true
		case <-tick.C:
		}
		flushing, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		err := flush(flushing)
		cancel()
		if (err != nil) != failing {
			failing = err != nil
			r.log.WarnContext(ctx, "bank: recording of events changed state", slog.Bool("failing", failing), slog.Any("error", err))
		}
	}
}

// drain removes and returns the waiting alerts and up to flushBatch events.
func (r *recorder) drain() (events []*event, counts map[alertKey]alertCount, dropped int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.events), flushBatch)
	events, counts, dropped = r.events[:n:n], r.alerts, r.dropped
	r.events, r.alerts, r.dropped = r.events[n:], make(map[alertKey]alertCount), 0
	if len(r.events) == 0 {
		r.events = nil
	}
	return events, counts, dropped
}

// putBack adds events and alerts that could not be written, for the next flush.
func (r *recorder) putBack(events []*event, counts map[alertKey]alertCount) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(events, r.events...)
	for k, c := range counts {
		if newer, ok := r.alerts[k]; ok {
			c.count, c.last = c.count+newer.count, newer.last
		}
		r.alerts[k] = c
	}
}

// flush writes at most flushBatch waiting events, and all waiting alerts.
func (r *recorder) flush(ctx context.Context, pg *storage.Postgres, now time.Time) error {
	events, counts, dropped := r.drain()
	if dropped > 0 {
		r.log.WarnContext(ctx, "bank: events were dropped", slog.Int64("count", dropped))
	}
	if len(events) == 0 && len(counts) == 0 {
		return nil
	}
	b := &pgx.Batch{}
	if err := queueEvents(b, events, now); err != nil {
		return err
	}
	for k, c := range counts {
		alerts.Queue(b, &alerts.Occurrences{
			Kind: k.kind, Source: k.address, SubjectID: k.subject, Count: c.count, First: c.first, Last: c.last,
		})
	}
	err := pg.InTx(ctx, func(tx pgx.Tx) error { return tx.SendBatch(ctx, b).Close() })
	if errors.Is(storage.Refused(err), storage.ErrRefused) {
		events = nil // one of them is invalid and would make every later flush fail
	}
	if err != nil {
		r.putBack(events, counts)
	}
	return err
}
