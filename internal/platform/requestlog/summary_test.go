package requestlog

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

func TestSummary(t *testing.T) {
	t.Parallel()
	r := run(t)
	now := time.Now().UTC().Truncate(time.Minute)
	for i, e := range []Entry{
		{Status: 200}, {Status: 200}, {Status: 404}, {Status: 500, Took: 9 * time.Second}, {Path: "/admin/live", Took: time.Hour, Status: 200},
	} {
		e.ID, e.Method, e.At = uuid.Nil, "GET", now.Add(-time.Duration(i+1)*time.Minute)
		if e.Path == "" {
			e.Path = "/games"
		}
		r.Record(&e)
	}
	require.Eventually(t, func() bool { return r.Stats().Written == 5 }, testkit.WaitTimeout, 10*time.Millisecond)
	s, err := r.log.Summary(t.Context(), Filter{Asked: true}, now)
	require.NoError(t, err)
	assert.Equal(t, []any{int64(4), int64(1), int64(1), 9 * time.Second, time.Minute, 60}, []any{s.Requests, s.Errors, s.Refused, s.Most, s.Every, len(s.Steps)})
	assert.Equal(t, []int64{0, 1, 1, 1, 1}, s.Steps[55:])
	s, err = r.log.Summary(t.Context(), Filter{Class: 5, From: now.Add(-50 * time.Hour), To: now.Add(time.Hour)}, now)
	require.NoError(t, err)
	assert.Equal(t, []any{int64(1), time.Hour, 50}, []any{s.Requests, s.Every, len(s.Steps)})
	s, err = r.log.Summary(t.Context(), Filter{Prefix: "/none"}, now)
	require.NoError(t, err)
	assert.Zero(t, s.Requests)
}

// A summary of a large log reads a bounded number of rows by the primary key.
func TestSummaryIsBounded(t *testing.T) {
	t.Parallel()
	r := run(t)
	r.exec(t, `INSERT INTO request_logs (id, at, method, path, status, took_us)
		SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7000' || lpad(to_hex(n), 16, '8'))::uuid, at, 'GET', '/games', 200, n
		FROM (SELECT n, now() - n * interval '30 ms' AS at FROM generate_series(1, 60000) n) made`)
	s, err := r.log.Summary(t.Context(), Filter{Asked: true}, time.Now())
	require.NoError(t, err)
	assert.EqualValues(t, summed, s.Requests)
	assert.Less(t, len(s.Steps), 15)
	assert.Positive(t, s.Steps[0])
}
