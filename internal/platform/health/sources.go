package health

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// sourceAnswers bounds the newest answers of sources that a sample reads.
const sourceAnswers = 500

// sources reads the newest answers of the sources of results. An answer without a result yet is a good one. Answers
// that repeat another of the same draw count once more each.
func sources(ctx context.Context, q storage.Querier) ([]Source, error) {
	rows, err := q.Query(ctx, `WITH newest AS (
			SELECT source, last_at, duration_ms, repeats + 1 AS calls, outcome IN ('result', 'not_yet') AS good
			FROM result_fetches ORDER BY last_at DESC LIMIT $1),
		last AS (SELECT source, max(last_at) AS at, max(last_at) FILTER (WHERE good) AS good_at FROM newest GROUP BY source)
		SELECT l.source, l.at, l.good_at, coalesce((SELECT sum(n.calls) FROM newest n WHERE n.source = l.source AND NOT n.good AND n.last_at > coalesce(l.good_at, '-infinity')), 0)::bigint,
			(SELECT n.duration_ms FROM newest n WHERE n.source = l.source ORDER BY n.last_at DESC LIMIT 1)
		FROM last l ORDER BY l.source`, sourceAnswers)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, scanSource)
}

func scanSource(row pgx.CollectableRow) (Source, error) {
	var s Source
	var good *time.Time
	var took int64
	err := row.Scan(&s.Name, &s.At, &good, &s.Failed, &took)
	s.At, s.GoodAt, s.Took = s.At.UTC(), models.Instant(good), time.Duration(took)*time.Millisecond
	return s, err
}
