package health

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"banca/models"
	"banca/storage"
)

// Bounds of what the statements read, whatever the size of the tables.
const (
	counted   = 10_000
	bankCalls = 500
	salesKept = 60 * time.Minute
)

// Books reads figures from Postgres. All statements of a sample share a transaction, so that the monitor takes one
// connection of the pool.
type Books struct {
	Pool     *pgxpool.Pool
	Messages func(ctx context.Context, q storage.RowQuerier) (Messages, error)
	Leader   func(ctx context.Context, q storage.RowQuerier) (bool, error) // whether a scheduler leads
	Months   func(ctx context.Context, q storage.RowQuerier) (Months, error)
}

// Probe reads the figures that change with every sample.
func (b *Books) Probe() Probe {
	return Probe{Name: "books", Read: func(ctx context.Context) (func(*Figures), error) {
		var read Figures
		err := b.within(ctx, func(tx pgx.Tx) error { return b.read(ctx, tx, &read) })
		return func(f *Figures) {
			f.Outbox, f.Sales, f.Draws, f.Sources, f.Bank = read.Outbox, read.Sales, read.Draws, read.Sources, read.Bank
			f.Messages, f.Ledger, f.Leader = read.Messages, read.Ledger, read.Leader
		}, err
	}}
}

// SizeProbe reads the size of the database, the partitions of its tables and the versions of schema and server.
func (b *Books) SizeProbe() Probe {
	return Probe{Name: "database", Every: time.Minute, Read: func(ctx context.Context) (func(*Figures), error) {
		var d Database
		var schema int64
		var version string
		var months Months
		var backup Backup
		err := b.within(ctx, func(tx pgx.Tx) (err error) {
			if months, err = b.Months(ctx, tx); err != nil {
				return err
			}
			if backup, err = readBackup(ctx, tx); err != nil {
				return fmt.Errorf("backup: %w", err)
			}
			return tx.QueryRow(ctx, `SELECT pg_database_size(current_database()), (SELECT max(version_id) FROM goose_db_version WHERE is_applied),
				split_part(current_setting('server_version'), ' ', 1)`).Scan(&d.Size, &schema, &version)
		})
		return func(f *Figures) {
			f.Database, f.Months, f.Backup, f.Versions.Schema, f.Versions.Postgres = &d, &months, &backup, schema, version
		}, err
	}}
}

// readBackup reads the slots of the receivers of the log, and the size of the log if the role may.
func readBackup(ctx context.Context, q storage.RowQuerier) (b Backup, err error) {
	var may bool
	err = q.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE NOT active), count(*) FILTER (WHERE wal_status IN ('unreserved', 'lost')),
			coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)), 0)::bigint, has_function_privilege('pg_ls_waldir()', 'EXECUTE')
		FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary`).Scan(&b.Slots, &b.Inactive, &b.Lost, &b.Kept, &may)
	if err != nil || !may {
		return b, err
	}
	err = q.QueryRow(ctx, `SELECT coalesce(sum(size), 0)::bigint FROM pg_ls_waldir()`).Scan(&b.Log)
	return b, err
}

// within runs fn in a read-only transaction.
func (b *Books) within(ctx context.Context, fn func(tx pgx.Tx) error) error {
	err := pgx.BeginTxFunc(ctx, b.Pool, pgx.TxOptions{AccessMode: pgx.ReadOnly}, fn)
	if err != nil {
		return fmt.Errorf("health: %w", err)
	}
	return nil
}

func (b *Books) read(ctx context.Context, tx pgx.Tx, f *Figures) (err error) {
	if f.Outbox, err = outbox(ctx, tx); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	if f.Sales, err = countSales(ctx, tx); err != nil {
		return fmt.Errorf("sales: %w", err)
	}
	if f.Draws, err = draws(ctx, tx); err != nil {
		return fmt.Errorf("draws: %w", err)
	}
	if f.Sources, err = sources(ctx, tx); err != nil {
		return fmt.Errorf("sources of results: %w", err)
	}
	if f.Bank, err = bank(ctx, tx); err != nil {
		return fmt.Errorf("bank: %w", err)
	}
	if f.Ledger, err = ledger(ctx, tx); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	messages, err := b.Messages(ctx, tx)
	if err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	leader, err := b.Leader(ctx, tx)
	if err != nil {
		return fmt.Errorf("scheduler: %w", err)
	}
	f.Messages, f.Leader = &messages, &leader
	return nil
}

// outbox reads the rows that a relay has not moved. Rows that wait for another attempt count: their age is what
// matters.
func outbox(ctx context.Context, q storage.RowQuerier) (*Outbox, error) {
	o := &Outbox{}
	err := q.QueryRow(ctx, `SELECT count(*), coalesce(greatest(clock_timestamp() - min(created_at), '0'), '0'), (SELECT count(*) FROM outbox_dead)
		FROM (SELECT created_at FROM outbox ORDER BY id LIMIT $1) first`, counted).Scan(&o.Rows, &o.Age, &o.Dead)
	return o, err
}

func draws(ctx context.Context, q storage.RowQuerier) (*Draws, error) {
	d := &Draws{}
	var oldest *time.Time
	err := q.QueryRow(ctx, `SELECT count(*) FILTER (WHERE draw_time <= now()), count(*) FILTER (WHERE draw_time < now() - $2::interval), min(draw_time)
		FROM (SELECT draw_time FROM draws WHERE status = 'closed' AND result_id IS NULL ORDER BY sale_stop_at LIMIT $1) closed`, counted, resultOverdue).
		Scan(&d.Waiting, &d.Overdue, &oldest)
	d.OldestAt = models.Instant(oldest)
	return d, err
}

// bank reads the newest calls. Ids are in the order of time.
func bank(ctx context.Context, q storage.RowQuerier) (*Bank, error) {
	b := &Bank{}
	var last, good *time.Time
	var p95 int64
	err := q.QueryRow(ctx, `WITH newest AS (SELECT status, duration_us, greatest(received_at, last_repeat_at) AS at FROM bank_events ORDER BY id DESC LIMIT $1),
			good AS (SELECT max(at) AS at FROM newest WHERE status = 200)
		SELECT max(n.at), max(good.at), count(*) FILTER (WHERE n.status <> 200 AND n.at > coalesce(good.at, '-infinity')),
			coalesce(percentile_disc(0.95) WITHIN GROUP (ORDER BY n.duration_us) FILTER (WHERE n.status = 200), 0) FROM newest n, good`, bankCalls).
		Scan(&last, &good, &b.Refused, &p95)
	b.LastAt, b.LastGoodAt, b.P95 = models.Instant(last), models.Instant(good), time.Duration(p95)*time.Microsecond
	return b, err
}

// ledger reads the last verification of the books.
func ledger(ctx context.Context, q storage.RowQuerier) (*Ledger, error) {
	l := &Ledger{}
	err := q.QueryRow(ctx, `SELECT verified_at, checks, broken, warnings FROM ledger_verifications ORDER BY verified_at DESC LIMIT 1`).
		Scan(&l.VerifiedAt, &l.Checks, &l.Broken, &l.Warnings)
	if errors.Is(err, pgx.ErrNoRows) {
		return l, nil
	}
	return l, err
}

// countSales reads the tickets of the last hour by minute, as far as they are counted with the totals.
func countSales(ctx context.Context, tx pgx.Tx) (*Sales, error) {
	now, err := storage.Now(ctx, tx)
	if err != nil {
		return nil, err
	}
	first := now.Truncate(time.Minute).Add(time.Minute - salesKept)
	rows, err := tx.Query(ctx, `SELECT minute, tickets, last_at FROM sale_minutes WHERE minute >= $1`, first)
	if err != nil {
		return nil, err
	}
	s, counts := &Sales{}, map[int64]int64{}
	var minute, last time.Time
	var n int64
	_, err = pgx.ForEachRow(rows, []any{&minute, &n, &last}, func() error {
		counts[minute.Unix()] = n
		if last.After(s.LastAt) {
			s.LastAt = last.UTC()
		}
		return nil
	})
	for t := first; !t.After(now); t = t.Add(time.Minute) {
		s.Minutes = append(s.Minutes, Count{At: t, N: counts[t.Unix()]})
	}
	return s, err
}
