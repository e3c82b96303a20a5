package ratelimit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A request asks Redis while a report is under way. Redis counts the report first, but answers the request first: once both
// have answered, the bucket counts each request once.
func TestAnswersThatOverlapCountOnce(t *testing.T) {
	t.Parallel()
	start := time.Unix(1_000_000, 0)
	c := newClass(100, 100*time.Minute) // one comes back in a minute
	b := &bucket{class: &c}
	b.update(start, 0)
	for range 5 {
		b.admit(start)
	}
	reported := b.send()
	b.update(start.Add(6*time.Minute), 0) // the answer to the request: it counts the five of the report, too
	b.update(start.Add(5*time.Minute), reported)
	assert.Equal(t, 94, c.rate.left(b.full, start))

	b.admit(start)
	assert.Equal(t, 93, c.rate.left(b.full, start), "with one that was not reported yet")
}
