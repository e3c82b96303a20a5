package web

import (
	"sync"
	"time"

	"github.com/google/uuid"

	"banca/web/admin/start"
	"banca/web/kit"
)

const (
	badgesFor = 5 * time.Second // how long counts are shown again
	maxBadges = 1000            // entities whose counts are kept
)

// badges counts what waits for an operator, for the menu. The users of an entity share the counts for some seconds.
type badges struct {
	waiting map[string]start.Count // by page

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

// counts returns the counts of the pages that the caller may open, by path. A count that cannot be read is missing.
func (w *badges) counts(r *kit.Request) map[string]int64 {
	counts := map[string]int64{}
	for path, read := range w.waiting {
		if !r.MayOpen(path) {
			continue
		}
		key := badgeKey{r.Caller.EntityID, path}
		if count, fresh := w.get(key, r.Now()); fresh {
			counts[path] = count
			continue
		}
		if count, err := read(r); err == nil {
			counts[path] = count
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
