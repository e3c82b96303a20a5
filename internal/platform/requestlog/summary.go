package requestlog

import (
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Summary are the figures of the requests that a filter selects between its bounds.
type Summary struct {
	Requests, Errors, Refused int64         // errors have a status from 500 on, refusals from 400 on
	Most                      time.Duration // 95 of 100 answers took no longer
	From                      time.Time     // of the first step
	Every                     time.Duration // a step
	Steps                     []int64       // requests of each step
}

// summed bounds the rows that a summary reads.
const summed = 5_000

// stepOf returns the length of a step, so that a period has at most some sixty.
func stepOf(period time.Duration) time.Duration {
	const day, most = 24 * time.Hour, 60
	switch {
	case period <= most*time.Minute:
		return time.Minute
	case period <= most*time.Hour:
		return time.Hour
	default:
		return day
	}
}

// Summary returns the figures of the requests between f.From and f.To up to now; without f.From, of the hour before f.To. It reads the newest
// summed of them by the primary key: with more of them, the steps begin at the oldest one that was read.
func (l *Log) Summary(ctx context.Context, f Filter, now time.Time) (*Summary, error) {
	if f.To.IsZero() || f.To.After(now) {
		f.To = now
	}
	if f.From.IsZero() || f.From.After(f.To) {
		f.From = f.To.Add(-time.Hour)
	}
	var w storage.Where
	w.And(`id >= ` + w.Arg(storage.FirstID(f.From)) + ` AND id < ` + w.Arg(storage.FirstID(f.To)))
	s := &Summary{From: f.From, Every: stepOf(f.To.Sub(f.From))}
	newest := `SELECT id, at, method, path, status, took_us FROM request_logs` + w.SQL() + ` ORDER BY id DESC LIMIT ` + strconv.Itoa(summed)
	statement := `WITH newest AS MATERIALIZED (` + newest + `), known AS (
			SELECT floor(extract(epoch FROM at - ` + w.Arg(f.From) + `)::float8 / ` + w.Arg(int64(s.Every/time.Second)) + `)::bigint AS step, * FROM newest` + f.matching(&w) + `)
		SELECT step, count(*), count(*) FILTER (WHERE status >= 500), count(*) FILTER (WHERE status BETWEEN 400 AND 499),
			coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY took_us), 0),
			(SELECT CASE WHEN count(*) = ` + strconv.Itoa(summed) + ` THEN min(at) END FROM newest)
		FROM known GROUP BY GROUPING SETS ((step), ()) ORDER BY step NULLS FIRST`
	type row struct {
		step                      *int64
		requests, errors, refused int64
		took                      int64
		oldest                    *time.Time
	}
	rows, err := storage.Collect(ctx, l.pg.Pool, "sum requests", func(r pgx.CollectableRow) (out row, err error) {
		err = r.Scan(&out.step, &out.requests, &out.errors, &out.refused, &out.took, &out.oldest)
		return out, err
	}, statement, w.Args()...)
	if err != nil || len(rows) == 0 {
		return s, err
	}
	s.Requests, s.Errors, s.Refused, s.Most = rows[0].requests, rows[0].errors, rows[0].refused, time.Duration(rows[0].took)*time.Microsecond
	first := int64(0)
	if rows[0].oldest != nil {
		first = max(0, int64(rows[0].oldest.Sub(f.From)/s.Every))
	}
	s.From = f.From.Add(time.Duration(first) * s.Every)
	s.Steps = make([]int64, (f.To.Sub(s.From)+s.Every-1)/s.Every)
	for _, r := range rows[1:] {
		if at := *r.step - first; at >= 0 && at < int64(len(s.Steps)) {
			s.Steps[at] = r.requests
		}
	}
	return s, nil
}
