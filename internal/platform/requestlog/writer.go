package requestlog

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The rhythm and the bounds of writing.
const (
	writeEvery   = time.Second
	writeTimeout = 2 * time.Second
	flushTimeout = 2 * time.Second // of everything at the end
	againAfter   = 5 * time.Second // a failure
)

// Codes of Postgres.
const (
	noPartition = "23514" // check_violation
	writtenOnce = "23505" // unique_violation
)

// writer writes batches on a connection of its own, so that it takes none from the pool of the requests. Its commits
// do not wait for the disk.
type writer struct {
	config *pgx.ConnConfig
	conn   *pgx.Conn // nil before the first batch and after an error
}

func newWriter(session *pgx.ConnConfig) *writer {
	config := session.Copy()
	config.RuntimeParams["application_name"] = "banca-requests"
	config.RuntimeParams["synchronous_commit"] = "off"
	config.RuntimeParams["statement_timeout"] = strconv.FormatInt(writeTimeout.Milliseconds(), 10)
	return &writer{config: config}
}

// Run writes the recorded rows until ctx ends, and then the rest within two seconds. Its connection keeps its session.
func (r *Recorder) Run(ctx context.Context, session *pgx.ConnConfig, log *slog.Logger) {
	w := newWriter(session)
	defer w.close(ctx)
	ticks := time.NewTicker(writeEvery)
	defer ticks.Stop()
	failing := false
	var resting time.Time // after a failure
	for {
		select {
		case <-ctx.Done():
			rest, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
			defer cancel()
			if err := r.flush(rest, w); err != nil {
				log.WarnContext(
					ctx, "rows of the request log were lost at the end", slog.Int("rows", r.Stats().Buffered),
					slog.Any("error", err),
				)
			}
			return
		case <-ticks.C:
		case <-r.full:
		}
		if r.clock.Now().Before(resting) {
			continue
		}
		err := r.flush(ctx, w)
		if err != nil && ctx.Err() == nil {
			resting = r.clock.Now().Add(againAfter)
			if !failing {
				log.WarnContext(
					ctx, "the request log was not written; rows are kept while there is room", slog.Any("error", err),
				)
			}
		}
		failing = err != nil
	}
}

// flush writes batches until the buffer is empty or one fails.
func (r *Recorder) flush(ctx context.Context, w *writer) error {
	for {
		batch := r.batch()
		if len(batch) == 0 {
			return nil
		}
		err := w.write(ctx, batch)
		r.written(len(batch), err)
		if err != nil {
			return err
		}
	}
}

// write writes a batch. It is written whole or not at all; a batch that was written before is no error.
func (w *writer) write(ctx context.Context, batch []Entry) error {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := w.connect(ctx)
	if err == nil {
		err = w.copy(ctx, batch)
	}
	if codeOf(err) == noPartition { // the task that makes them has not run for days, or a connection has ended that was open for days
		if err = w.prepare(ctx, batch); err == nil {
			err = w.copy(ctx, batch)
		}
	}
	if codeOf(err) == writtenOnce {
		return nil
	}
	if err != nil {
		w.close(ctx)
	}
	return err
}

// prepare makes the partitions of all days of a batch.
func (w *writer) prepare(ctx context.Context, batch []Entry) error {
	made := map[string]bool{}
	for i := range batch {
		day := batch[i].At.UTC().Format(time.DateOnly)
		if made[day] {
			continue
		}
		if _, err := w.conn.Exec(ctx, `SELECT request_logs_prepare($1::text::date, 1)`, day); err != nil {
			return err
		}
		made[day] = true
	}
	return nil
}

func codeOf(err error) string {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failure.Code
	}
	return ""
}

func (w *writer) connect(ctx context.Context) (err error) {
	if w.conn == nil || w.conn.IsClosed() {
		w.conn, err = pgx.ConnectConfig(ctx, w.config)
	}
	return err
}

func (w *writer) copy(ctx context.Context, batch []Entry) error {
	_, err := w.conn.CopyFrom(ctx, pgx.Identifier{"request_logs"}, []string{"id", "at", "method", "path", "status", "took_us", "address", "user_id"},
		pgx.CopyFromSlice(len(batch), func(i int) ([]any, error) {
			e := &batch[i]
			var address *netip.Addr
			if e.Address.IsValid() {
				address = &e.Address
			}
			return []any{[16]byte(e.ID), e.At, e.Method, e.Path, int16(e.Status), e.Took.Microseconds(), address, uuid.NullUUID{UUID: e.UserID, Valid: e.UserID != uuid.Nil}}, nil
		}))
	return err
}

func (w *writer) close(ctx context.Context) {
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	_ = w.conn.Close(ctx) // it is given up either way
	w.conn = nil
}
