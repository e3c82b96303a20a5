package bank

import (
	"sync"
	"time"
)

// maxMetered bounds the keys of a meter. Further keys share one count.
const maxMetered = 10_000

// meter counts by key in windows of fixed length and reports whether a key exceeds its limit. It is kept in memory, so
// that the answers to the bank do not depend on Redis.
type meter struct {
	limit  int
	window time.Duration

	mu     sync.Mutex
	begin  time.Time
	counts map[string]int
}

func newMeter(limit int, window time.Duration) *meter {
	return &meter{limit: limit, window: window, counts: make(map[string]int)}
}

// allow increments the count of a key and reports whether it is within the limit.
func (m *meter) allow(key string, now time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if now.Sub(m.begin) >= m.window || now.Before(m.begin) {
		m.begin = now
		clear(m.counts)
	}
	if _, known := m.counts[key]; !known && len(m.counts) >= maxMetered {
		key = ""
	}
	m.counts[key]++
	return m.counts[key] <= m.limit
}
