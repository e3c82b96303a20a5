package months

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// States of a month in the archive.
const (
	StateFrozen   = "frozen"   // rows are immutable
	StateWritten  = "written"  // and stored, read back and compared
	StateArchived = "archived" // and removed from the tables
	StateReturned = "returned" // and restored, until the next run archives it
)

// returnedFor is how long a returned month stays in the tables.
const returnedFor = 7 * 24 * time.Hour

// Partition is a month of the tables; the first one also has all earlier rows.
type Partition struct {
	Label  string    // as in the names of its partitions: 202703, before_202701
	Least  uuid.UUID // first id
	Before uuid.UUID // first id after it
	Ends   time.Time
}

// ErrOpen reports a month that is not closed, with its open draws, tickets or closes.
var ErrOpen = errors.New("the month is not closed")

// ErrOvertaken reports that another run changed the state of the month.
var ErrOvertaken = errors.New("another run has changed the state of the month")

// Archive moves the months that ended more than Keep months ago to the object store, oldest first, and returns their
// number. It stops without an error at a month that is not closed (see State), and resumes an interrupted attempt.
func (s *Service) Archive(ctx context.Context) (done int, err error) {
	for {
		partition, state, found, err := s.next(ctx)
		if err != nil || !found {
			return done, err
		}
		switch err := s.archive(ctx, partition, state); {
		case errors.Is(err, ErrOpen):
			s.Log.WarnContext(ctx, "a month cannot be archived", "month", partition.Label, "open", err.Error())
			return done, nil
		case err != nil:
			return done, fmt.Errorf("archive month %s: %w", partition.Label, err)
		}
		done++
	}
}

// limit is the instant before which a month must have ended to be archived.
func (s *Service) limit() time.Time {
	now := s.Clock.Now().UTC()
	return time.Date(now.Year(), now.Month()-time.Month(s.Keep), 1, 0, 0, 0, 0, time.UTC)
}

// duePartitions selects the oldest partitions that ended by $1, with their states; a returned one waits until $2.
const duePartitions = ` FROM monthly_parts() p LEFT JOIN month_archives m ON m.label = p.label
	WHERE p.ends <= $1::timestamptz AT TIME ZONE 'UTC' AND (m.state IS DISTINCT FROM 'returned' OR m.returned_at < $2)`

// next returns the oldest month to archive.
func (s *Service) next(ctx context.Context) (p Partition, state string, found bool, err error) {
	if s.Keep <= 0 {
		return p, "", false, nil
	}
	err = s.PG.Pool.QueryRow(ctx, `SELECT p.label, p.least_id, p.before_id, p.ends AT TIME ZONE 'UTC', coalesce(m.state, '')`+duePartitions+` ORDER BY p.ends LIMIT 1`,
		s.limit(), s.Clock.Now().Add(-returnedFor)).Scan(&p.Label, &p.Least, &p.Before, &p.Ends, &state)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, "", false, nil
	}
	if err != nil {
		return p, "", false, fmt.Errorf("month to archive: %w", err)
	}
	return p, state, true, nil
}

// archive takes a month through its remaining states.
func (s *Service) archive(ctx context.Context, p Partition, state string) error {
	switch state {
	case "":
		if err := s.freeze(ctx, p); err != nil {
			return err
		}
		fallthrough
	case StateFrozen, StateReturned:
		if err := s.write(ctx, p); err != nil {
			return err
		}
	default: // written by an earlier run
		if err := s.readAgain(ctx, p); errors.Is(err, ErrDamaged) {
			if err := s.write(ctx, p); err != nil {
				return err
			}
		} else if err != nil {
			return err
		}
	}
	return s.drop(ctx, p)
}

// readAgain reads the objects of a written month. Errors: ErrDamaged.
func (s *Service) readAgain(ctx context.Context, p Partition) error {
	var key, sum string
	if err := s.PG.Pool.QueryRow(ctx, `SELECT manifest, sha256 FROM month_archives WHERE label = $1`, p.Label).Scan(&key, &sum); err != nil {
		return fmt.Errorf("manifest of a month: %w", err)
	}
	m, err := manifestOf(ctx, s.Objects, key, sum)
	if err != nil {
		return err
	}
	return readBack(ctx, s.Objects, m)
}

// freeze makes the rows of a closed month immutable by triggers. It checks before, because settlements wait for the
// triggers, and again after installing them, so the check cannot race with a write. An ended month gets no new lines.
func (s *Service) freeze(ctx context.Context, p Partition) error {
	var until *time.Time
	err := s.long(ctx, func(tx pgx.Tx) error {
		if err := requireClosed(ctx, tx, p); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT max(d.draw_time) FROM draws d WHERE d.id IN (SELECT draw_id FROM ticket_items
			WHERE ticket_id >= $1 AND ticket_id < $2)`,
			p.Least, p.Before).Scan(&until)
	})
	if err != nil {
		return err
	}
	return s.long(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT monthly_freeze($1)`, p.Label); err != nil {
			return err
		}
		if err := requireClosed(ctx, tx, p); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO month_archives (label, least_id, before_id, ends, state, draws_until, frozen_at)
			VALUES ($1, $2, $3, $4::timestamptz AT TIME ZONE 'UTC', 'frozen', $5, $6)`, p.Label, p.Least, p.Before,
			p.Ends, until, s.Clock.Now())
		return err
	})
}

// obstacle names open rows of a month, with the statement that counts them between the ids $1 and $2.
type obstacle struct{ what, sql string }

func obstacles() []obstacle {
	return []obstacle{
		{"tickets wait for draws", `SELECT count(*) FROM tickets WHERE id >= $1 AND id < $2 AND status = 'pending'`},
		{"prizes are neither paid nor expired", `SELECT count(*) FROM tickets WHERE id >= $1 AND id < $2 AND status = 'won' AND expired_at IS NULL`},
		{"differences of prizes are open", `SELECT count(*) FROM prize_differences WHERE ticket_id >= $1 AND ticket_id < $2 AND status = 'open'`},
		{"transactions are not in the sums of days", `SELECT count(*) FROM transactions WHERE id >= $1 AND id < $2 AND xid >= (SELECT coalesce(min(position), 0) FROM feeds)`},
		{
			"events of its tickets are not in the totals", `SELECT (SELECT count(*) FROM transactions WHERE ticket_id >= $1 AND ticket_id < $2 AND id >= $2 AND xid >= (SELECT coalesce(min(position), 0) FROM feeds))
				+ (SELECT count(*) FROM winning_lines WHERE ticket_id >= $1 AND ticket_id < $2 AND greatest(xid, annulled_xid) >= (SELECT coalesce(min(position), 0) FROM feeds))`,
		},
		{
			"results of draws wait for a second person", `SELECT count(*) FROM results r WHERE r.status = 'proposed'
				AND EXISTS (SELECT FROM ticket_items i WHERE i.draw_id = r.draw_id AND i.ticket_id >= $1 AND i.ticket_id < $2)`,
		},
		{
			"suspended draws are not refunded", `SELECT count(*) FROM draws d WHERE d.status = 'suspended'
				AND d.refunded_at IS NULL
				AND EXISTS (SELECT FROM ticket_items i WHERE i.draw_id = d.id AND i.ticket_id >= $1
					AND i.ticket_id < $2)`,
		},
		{
			"wallets of ticket points have days without a close", `SELECT count(*) FROM wallets w
				JOIN entities e ON e.id = w.entity_id AND e.entity_type = 'TICKET_POINT'
				WHERE w.kind = 'main' AND EXISTS (SELECT FROM postings p WHERE p.wallet_id = w.id AND p.direct
					AND p.transaction_id >= $1 AND p.transaction_id < $2
					AND p.created_at >= coalesce((SELECT max(c.ends_at) FROM daily_closes c WHERE c.wallet_id = w.id
						AND c.status = 'closed'), '-infinity'))`,
		},
	}
}

// requireClosed returns ErrOpen with the open rows of a month.
func requireClosed(ctx context.Context, tx pgx.Tx, p Partition) error {
	var found []string
	for _, o := range obstacles() {
		var n int64
		if err := tx.QueryRow(ctx, o.sql, p.Least, p.Before).Scan(&n); err != nil {
			return fmt.Errorf("look whether %s: %w", o.what, err)
		}
		if n > 0 {
			found = append(found, fmt.Sprintf("%d %s", n, o.what))
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("%w: %s", ErrOpen, strings.Join(found, ", "))
	}
	return nil
}

// write writes a frozen month to the store, reads it back, and keeps its sums.
func (s *Service) write(ctx context.Context, p Partition) error {
	w := &writer{store: s.Objects, pg: s.PG, partition: p, rows: cmp.Or(s.chunk, chunkRows)}
	m, key, sum, err := w.write(ctx)
	if err != nil {
		return err
	}
	again, err := manifestOf(ctx, s.Objects, key, sum)
	if err != nil {
		return err
	}
	if err := readBack(ctx, s.Objects, again); err != nil {
		return err
	}
	return s.long(ctx, func(tx pgx.Tx) error {
		if err := lockMonth(ctx, tx, p.Label, StateFrozen, StateReturned, StateWritten); err != nil {
			return err
		}
		if err := requireAll(ctx, tx, p, again); err != nil {
			return err
		}
		if err := keepSums(ctx, tx, p); err != nil {
			return err
		}
		rows, size := m.totals()
		tag, err := tx.Exec(ctx, `UPDATE month_archives SET state = 'written', manifest = $2, sha256 = $3, rows = $4, bytes = $5, written_at = $6, returned_at = NULL
			WHERE label = $1 AND coalesce(rows, $4) = $4`, p.Label, key, sum, rows, size, s.Clock.Now())
		if err == nil && tag.RowsAffected() == 0 {
			return fmt.Errorf("the month has %d rows, and had others when it was written before", rows)
		}
		return err
	})
}

// lockMonth locks the row of a month, whose state must be one of the given. Errors: ErrOvertaken.
func lockMonth(ctx context.Context, tx pgx.Tx, label string, states ...string) error {
	var state string
	err := tx.QueryRow(ctx, `SELECT state FROM month_archives WHERE label = $1 FOR UPDATE`, label).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && !slices.Contains(states, state) {
		return ErrOvertaken
	}
	if err != nil {
		return fmt.Errorf("lock month: %w", err)
	}
	return nil
}

// requireAll compares the row counts of a manifest with the tables.
func requireAll(ctx context.Context, tx pgx.Tx, p Partition, m *manifest) error {
	for _, t := range sources() {
		var n int64
		if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM %[1]s WHERE %[2]s >= $1 AND %[2]s < $2`, t.name, t.key), p.Least, p.Before).Scan(&n); err != nil {
			return fmt.Errorf("count %s: %w", t.name, err)
		}
		if written := m.table(t.name).Rows; written != n {
			return fmt.Errorf("%d of %d rows of %s are written", written, n, t.name)
		}
	}
	if t, n := m.table("tickets").Rows, m.table(serials).Rows; t != n {
		return fmt.Errorf("%d of %d serial codes are written", n, t)
	}
	return nil
}

// keepSums stores the sums of a month for verification.
func keepSums(ctx context.Context, tx pgx.Tx, p Partition) error {
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM archived_postings WHERE label = $1`, p.Label)
	b.Queue(`DELETE FROM archived_prizes WHERE label = $1`, p.Label)
	b.Queue(`INSERT INTO archived_postings (label, wallet_id, type, direct, amount) SELECT $1, p.wallet_id, t.type, p.direct, sum(p.amount)
		FROM postings p JOIN transactions t ON t.id = p.transaction_id
		WHERE p.transaction_id >= $2 AND p.transaction_id < $3 AND t.id >= $2 AND t.id < $3 GROUP BY 2, 3, 4`, p.Label, p.Least, p.Before)
	b.Queue(`INSERT INTO archived_prizes (label, entity_id, currency_id, won) SELECT $1, t.entity_id, t.currency_id, sum(w.prize)
		FROM winning_lines w JOIN tickets t ON t.id = w.ticket_id
		WHERE w.ticket_id >= $2 AND w.ticket_id < $3 AND t.id >= $2 AND t.id < $3 AND w.annulled_xid IS NULL GROUP BY 2, 3`, p.Label, p.Least, p.Before)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("keep sums: %w", err)
	}
	return nil
}

// lockTries is the number of retries of a table lock, lockPause apart.
const (
	lockTries = 9
	lockPause = 15 * time.Second
)

// drop detaches a written month from the tables. It waits for their readers for two seconds at most, because sales wait
// behind it, and is then retried.
func (s *Service) drop(ctx context.Context, p Partition) error {
	return s.retryLocks(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT monthly_drop($1)`, p.Label); err != nil {
			return err
		}
		_, err := tx.Exec(
			ctx, `UPDATE month_archives SET state = 'archived', archived_at = $2 WHERE label = $1`, p.Label,
			s.Clock.Now(),
		)
		return err
	})
}

// retryLocks runs fn like long and retries lock timeouts.
func (s *Service) retryLocks(ctx context.Context, fn func(pgx.Tx) error) error {
	return storage.RetryLocks(ctx, lockTries, lockPause, func() error { return s.long(ctx, fn) })
}

// long runs fn in a transaction whose statements the context bounds instead of the pool.
func (s *Service) long(ctx context.Context, fn func(pgx.Tx) error) error {
	return s.PG.InTx(ctx, func(tx pgx.Tx) error {
		if err := storage.WithoutStatementTimeout(ctx, tx); err != nil {
			return err
		}
		return fn(tx)
	})
}
