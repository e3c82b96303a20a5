package bank

import (
	"sync"
	"time"
)

// maxMetered bounds the keys of a meter; further ones share one counter.
const maxMetered = 10_000

// meter counts by key in windows of fixed length and reports when a key is over its limit. It is in this process on
// purpose: the answers to the bank's own calls must not depend on Redis.
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

// allow counts one more and reports whether the key is still within its limit.
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
