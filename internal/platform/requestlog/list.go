package requestlog

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// scanned bounds the rows that one page looks through.
const scanned = 50_000

// Filter selects entries. A zero field selects all.
type Filter struct {
	Method string
	Class  int           // first digit of the status
	Prefix string        // of the path
	Least  time.Duration // that the answer took
	Asked  bool          // leaves out what open pages ask for by themselves
	From   time.Time
	To     time.Time // is not included
	Before uuid.UUID // a cursor
	Limit  int
}

// List returns entries, the newest first, and the cursor of the next page; uuid.Nil on the last one. A page looks through a bounded number
// of rows, so that it may be short, or empty, although there are more.
func (l *Log) List(ctx context.Context, f *Filter) ([]Entry, uuid.UUID, error) {
	var w storage.Where
	if f.Before != uuid.Nil {
		w.And(`id < ` + w.Arg(f.Before))
	}
	if !f.From.IsZero() {
		w.And(`id >= ` + w.Arg(storage.FirstID(f.From)))
	}
	if !f.To.IsZero() {
		w.And(`id < ` + w.Arg(storage.FirstID(f.To)))
	}
	newest := `FROM request_logs` + w.SQL() + ` ORDER BY id DESC `
	args := w.Args()
	matching := f.matching(&w)
	statement := `SELECT id, at, method, path, status, took_us, address, user_id FROM (SELECT * ` + newest + `LIMIT ` + strconv.Itoa(scanned) + `) newest` + matching +
		` ORDER BY id DESC LIMIT ` + w.Arg(f.Limit+1)
	list, err := storage.Collect(ctx, l.pg.Pool, "list requests", scan, statement, w.Args()...)
	if err != nil {
		return nil, uuid.Nil, err
	}
	if len(list) > f.Limit {
		return list[:f.Limit], list[f.Limit-1].ID, nil
	}
	if matching == "" {
		return list, uuid.Nil, nil
	}
	next, err := l.last(ctx, newest, args)
	return list, next, err
}

// matching is the clause of the conditions that no index has.
func (f *Filter) matching(w *storage.Where) string {
	var conditions []string
	if f.Method != "" {
		conditions = append(conditions, `method = `+w.Arg(f.Method))
	}
	if f.Class != 0 {
		const classes = 100
		conditions = append(conditions, `status >= `+w.Arg(f.Class*classes)+` AND status < `+w.Arg((f.Class+1)*classes))
	}
	if f.Prefix != "" {
		conditions = append(conditions, `starts_with(path, `+w.Arg(strings.ToValidUTF8(strings.ReplaceAll(f.Prefix, "\x00", ""), ""))+`)`)
	}
	if f.Asked {
		conditions = append(conditions, `path !~ '/(live|news|stream)$'`)
	}
	if f.Least > 0 {
		conditions = append(conditions, `took_us >= `+w.Arg(f.Least.Microseconds()))
	}
	if len(conditions) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(conditions, ` AND `)
}

// last returns the id of the last row that a page looked through; uuid.Nil if it looked through all.
func (l *Log) last(ctx context.Context, newest string, args []any) (id uuid.UUID, err error) {
	err = l.pg.Pool.QueryRow(ctx, `SELECT id `+newest+`OFFSET `+strconv.Itoa(scanned-1)+` LIMIT 1`, args...).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) {
		return uuid.Nil, nil
	}
	if err != nil {
		return uuid.Nil, fmt.Errorf("list requests: %w", err)
	}
	return id, nil
}

func scan(row pgx.CollectableRow) (Entry, error) {
	var e Entry
	var took int64
	var address *netip.Addr
	var user uuid.NullUUID
	if err := row.Scan(&e.ID, &e.At, &e.Method, &e.Path, &e.Status, &took, &address, &user); err != nil {
		return e, err
	}
	e.At, e.Took, e.UserID = e.At.UTC(), time.Duration(took)*time.Microsecond, user.UUID
	if address != nil {
		e.Address = *address
	}
	return e, nil
}
