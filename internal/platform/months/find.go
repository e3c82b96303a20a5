package months

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/apperr"
	"banca/storage"
)

// Errors of archived rows.
var (
	ErrPeriodArchived = apperr.New(apperr.Invalid, "PERIOD_ARCHIVED", "the period begins with days that are in the archive; their tickets are found by serial code or id, their totals in the reports")
	ErrArchived       = apperr.New(
		apperr.Conflict, "ARCHIVED",
		"it belongs to a month that is in the archive: it cannot be changed any more, and only its totals are listed",
	)
)

// Ticket is an archived ticket: its rows in JSON.
type Ticket struct {
	Row   []byte   // of tickets
	Lines [][]byte // of ticket_items, in their order
}

// Archive finds archived tickets.
type Archive struct {
	PG      *storage.Postgres
	Objects Store
}

// object is a manifest.
type object struct {
	key, sum string
	ends     time.Time // of its month
	first    bool      // it also has all earlier rows
}

// Ticket returns an archived ticket by its id, or nil. Errors: ErrDamaged.
func (a *Archive) Ticket(ctx context.Context, id uuid.UUID) (*Ticket, error) {
	list, err := a.manifests(ctx, `$1::uuid >= least_id AND $1::uuid < before_id`, id)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	m, err := manifestOf(ctx, a.Objects, list[0].key, list[0].sum)
	if err != nil {
		return nil, err
	}
	rows, err := a.rowsOf(ctx, m.table("tickets"), "id", id.String())
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	lines, err := a.rowsOf(ctx, m.table("ticket_items"), "ticket_id", id.String())
	if err != nil {
		return nil, err
	}
	return &Ticket{Row: rows[0], Lines: lines}, nil
}

// BySerial returns the id of an archived ticket by its serial code, or Nil. in reports whether a ticket sold at an
// instant can have the code. Errors: ErrDamaged.
func (a *Archive) BySerial(ctx context.Context, serial string, in func(sold time.Time) bool) (uuid.UUID, error) {
	list, err := a.manifests(ctx, `$1::boolean`, true)
	if err != nil {
		return uuid.Nil, err
	}
	for _, o := range list {
		if !o.first && !in(o.ends.Add(-time.Hour)) {
			continue
		}
		m, err := manifestOf(ctx, a.Objects, o.key, o.sum)
		if err != nil {
			return uuid.Nil, err
		}
		rows, err := a.rowsOf(ctx, m.table(serials), "serial_code", serial)
		if err != nil {
			return uuid.Nil, err
		}
		if len(rows) > 0 {
			var found struct {
				ID uuid.UUID `json:"id"`
			}
			return found.ID, json.Unmarshal(rows[0], &found)
		}
	}
	return uuid.Nil, nil
}

// manifests returns the manifests of the archived months that a condition selects, newest first.
func (a *Archive) manifests(ctx context.Context, where string, arg any) ([]object, error) {
	return storage.Collect(ctx, a.PG.Pool, "archived months", func(row pgx.CollectableRow) (o object, err error) {
		return o, row.Scan(&o.key, &o.sum, &o.ends, &o.first)
	}, `SELECT manifest, sha256, ends AT TIME ZONE 'UTC', label LIKE 'before\_%' FROM month_archives
		WHERE state = 'archived' AND `+where+` ORDER BY ends DESC`, arg)
}

// rowsOf returns the rows of a table with a value of its sort field.
func (a *Archive) rowsOf(ctx context.Context, t *stored, field, value string) ([][]byte, error) {
	c, found := t.holding(value)
	if !found {
		return nil, nil
	}
	rows, err := c.rows(ctx, a.Objects)
	if err != nil {
		return nil, err
	}
	var list [][]byte
	for _, row := range rows {
		if !bytes.Contains(row, []byte(value)) {
			continue
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(row, &fields); err != nil {
			return nil, fmt.Errorf("%w: %s: %w", ErrDamaged, c.Object, err)
		}
		if string(fields[field]) == `"`+value+`"` {
			list = append(list, row)
		}
	}
	return list, nil
}
