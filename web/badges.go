package web

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/internal/alerts"
	"banca/internal/bank"
	"banca/internal/draws"
	"banca/web/kit"
)

const (
	badgesFor = 5 * time.Second // how long counts are shown again
	maxBadges = 1000            // entities whose counts are kept
)

// badges counts what waits for an operator, for the menu. The users of an entity share the counts for some seconds.
type badges struct {
	alerts *alerts.Service
	bank   *bank.Service
	draws  *draws.Service

	mu   sync.Mutex
	kept map[badgeKey]keptCount
}

// badgeKey names a count: what the users of an entity see on a page.
type badgeKey struct {
	entity uuid.UUID
	path   string
}

type keptCount struct {
	count int64
	at    time.Time
}

// counter counts what waits on a page.
type counter struct {
	path  string
	count func(r *kit.Request) (int64, error)
}

// counters are the pages with a count.
func (w *badges) counters() []counter {
	return []counter{
		{"/admin/bank/payments", func(r *kit.Request) (total int64, err error) {
			_, total, err = w.bank.Payments(r.Context(), r.Caller, &bank.PaymentFilter{States: bank.Unreconciled(), Limit: 1})
			return total, err
		}},
		{"/admin/bank/alerts", func(r *kit.Request) (total int64, err error) {
			_, total, err = w.alerts.List(r.Context(), r.Caller, &alerts.Filter{Open: true, Limit: 1})
			return total, err
		}},
		{"/admin/draws/alerts", func(r *kit.Request) (total int64, err error) {
			_, total, err = w.draws.Alerts(r.Context(), &draws.AlertFilter{Open: true}, 1, 0)
			return total, err
		}},
	}
}

// counts returns the counts of the pages that the caller may open, by path. A count that cannot be read is missing.
func (w *badges) counts(r *kit.Request) map[string]int64 {
	counts := map[string]int64{}
	for _, c := range w.counters() {
		if !r.MayOpen(c.path) {
			continue
		}
		key := badgeKey{r.Caller.EntityID, c.path}
		if count, fresh := w.get(key, r.Now()); fresh {
			counts[c.path] = count
			continue
		}
		if count, err := c.count(r); err == nil {
			counts[c.path] = count
			w.put(key, keptCount{count, r.Now()})
		}
	}
	return counts
}

func (w *badges) get(key badgeKey, now time.Time) (count int64, fresh bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	kept, known := w.kept[key]
	return kept.count, known && now.Sub(kept.at).Abs() < badgesFor
}

func (w *badges) put(key badgeKey, count keptCount) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.kept == nil || len(w.kept) >= maxBadges {
		w.kept = map[badgeKey]keptCount{}
	}
	w.kept[key] = count
}
