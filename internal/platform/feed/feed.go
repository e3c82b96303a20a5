// Package feed reads the committed rows of append-only tables once each. It owns the table feeds.
//
// A table has a column xid, the id of the transaction that inserted the row. A reader keeps a position, and
// [Reader.Advance] gives it the rows from there up to the oldest transaction that still runs, in one database
// transaction with their effects. So no row is left out, whatever the order of the commits, and none is read twice,
// whatever fails. Transactions that run for long, such as a settlement, only delay the reader, also in other
// databases of the cluster.
//
// Ids of transactions belong to a cluster. A physical copy of a cluster goes on with them; rows restored from a dump
// into another cluster keep ids of the old one, and Advance returns [ErrOtherCluster] (docs/runbook.md says what to
// do).
package feed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/models"
	"banca/storage"
)

// ErrOtherCluster reports a position beyond the transactions of this cluster.
var ErrOtherCluster = errors.New("the position is beyond the transactions of this cluster: the rows come from another one")

// ErrArchivedRows reports that all rows should be read again, of which months are in the archive (docs/runbook.md).
var ErrArchivedRows = errors.New("months of rows are in the archive: return them first (banca months return)")

// Window holds ids of transactions: From is included, Before is not. Rows older than the column xid have the id 0.
type Window struct{ From, Before int64 }

// Reader reads rows into a table of its own.
type Reader struct {
	Name string
	Zone *time.Location // of the business days by which it counts

	Recent bool // its table keeps recent rows only, so it may be emptied though months of rows are in the archive

	// Read adds what the rows of a window say to the reader's table.
	Read func(ctx context.Context, tx pgx.Tx, w Window) error
	// Reset empties the reader's table, before the first window.
	Reset func(ctx context.Context, tx pgx.Tx) error
}

// A window holds at most windowIDs, or a windowParts part of what is behind, so that no statement of a reader runs for long.
const (
	windowIDs   = 200
	windowParts = 50
)

// Advance reads the rows that were committed since the last call, a window in each database transaction. If the reader
// is new or its time zone was changed, it empties the reader's table and reads all rows. Errors: ErrOtherCluster,
// ErrArchivedRows.
func (r *Reader) Advance(ctx context.Context, pg *storage.Postgres) error {
	for {
		if more, err := r.advance(ctx, pg, false); err != nil || !more {
			return err
		}
	}
}

// Rebuild empties the reader's table and reads all rows. Errors: ErrOtherCluster, ErrArchivedRows.
func (r *Reader) Rebuild(ctx context.Context, pg *storage.Postgres) error {
	_, err := r.advance(ctx, pg, true)
	return err
}

// advance reads one window. more reports that rows behind it are left.
func (r *Reader) advance(ctx context.Context, pg *storage.Postgres, rebuild bool) (more bool, err error) {
	err = pg.Retried(ctx, func(tx pgx.Tx) error {
		if err := storage.WithoutStatementTimeout(ctx, tx); err != nil { // a rebuild reads everything
			return err
		}
		w, known, err := r.lock(ctx, tx)
		if err != nil {
			return err
		}
		anew := rebuild || !known
		if anew {
			if err := storage.WithoutIdleTimeout(ctx, tx); err != nil {
				return err
			}
			if err := r.restart(ctx, tx); err != nil {
				return err
			}
			w.From = 0
		}
		more = !anew && w.cut()
		if w.From < w.Before {
			if err := r.Read(ctx, tx, w); err != nil {
				return err
			}
		}
		_, err = tx.Exec(
			ctx, `UPDATE feeds SET position = $2, zone = $3, read_at = CASE WHEN $4 THEN read_at ELSE clock_timestamp() END WHERE name = $1`, r.Name,
			w.Before, r.Zone.String(), more,
		)
		return err
	})
	if err != nil {
		return false, fmt.Errorf("feed %s: %w", r.Name, err)
	}
	return more, nil
}

// cut shortens a long window. It reports whether it has.
func (w *Window) cut() bool {
	most := max(windowIDs, (w.Before-w.From)/windowParts)
	if w.Before-w.From <= most {
		return false
	}
	w.Before = w.From + most
	return true
}

// restart empties the reader's table.
func (r *Reader) restart(ctx context.Context, tx pgx.Tx) error {
	if !r.Recent {
		if err := requireAllRows(ctx, tx); err != nil {
			return err
		}
	}
	return r.Reset(ctx, tx)
}

// requireAllRows refuses to empty a reader's table of what cannot be read again. Errors: ErrArchivedRows.
func requireAllRows(ctx context.Context, tx pgx.Tx) error {
	var archived bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM month_archives WHERE state = 'archived')`).Scan(&archived); err != nil {
		return err
	}
	if archived {
		return ErrArchivedRows
	}
	return nil
}

// lock locks the reader's position until the transaction ends and returns the window that follows it. known reports
// whether the reader has read rows in the same time zone before.
func (r *Reader) lock(ctx context.Context, tx pgx.Tx) (w Window, known bool, err error) {
	if _, err := tx.Exec(ctx, `INSERT INTO feeds (name) VALUES ($1) ON CONFLICT DO NOTHING`, r.Name); err != nil {
		return w, false, err
	}
	var zone string
	if err := tx.QueryRow(ctx, `SELECT position, zone FROM feeds WHERE name = $1 FOR UPDATE`, r.Name).Scan(&w.From, &zone); err != nil {
		return w, false, err
	}
	if err := tx.QueryRow(ctx, `SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint`).Scan(&w.Before); err != nil {
		return w, false, err
	}
	if w.From > w.Before {
		return w, false, ErrOtherCluster
	}
	return w, zone == r.Zone.String(), nil
}

// Position is how far a reader has read.
type Position struct {
	Xid    int64     // the first id that it has not read
	ReadAt time.Time // zero if it has never read
}

// PositionOf returns the position of a reader in the snapshot of q. A reader that has never read is at 0.
func PositionOf(ctx context.Context, q storage.RowQuerier, name string) (p Position, err error) {
	var at *time.Time
	err = q.QueryRow(ctx, `SELECT position, read_at FROM feeds WHERE name = $1`, name).Scan(&p.Xid, &at)
	if errors.Is(err, pgx.ErrNoRows) {
		return Position{}, nil
	}
	if err != nil {
		return p, fmt.Errorf("position of feed %s: %w", name, err)
	}
	p.ReadAt = models.Instant(at)
	return p, nil
}
