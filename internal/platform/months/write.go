package months

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// source is a table in the order of its primary key, which begins with the id of the month's range.
type source struct{ name, key, order string }

func sources() []source {
	return []source{
		{"tickets", "id", "id"},
		{"ticket_items", "ticket_id", "ticket_id, line_no"},
		{"transactions", "id", "id"},
		{"postings", "transaction_id", "transaction_id, wallet_id"},
	}
}

// statement reads at most $4 rows after the key $1, with ids from $2 to before $3, in the order of an index. The key as
// a text has another name, because a sort by it would read the whole month for every chunk.
func (s source) statement() string {
	return fmt.Sprintf(`SELECT %[1]s::text AS key, row_to_json(x)::text FROM %[2]s x WHERE %[1]s > $1 AND %[1]s >= $2 AND %[1]s < $3 ORDER BY %[3]s LIMIT $4`, s.key, s.name, s.order)
}

// serialStatement reads as source.statement, by serial code.
const serialStatement = `SELECT serial_code, json_build_object('serial_code', serial_code, 'id', id)::text FROM tickets
	WHERE serial_code > $1 AND id >= $2 AND id < $3 ORDER BY serial_code LIMIT $4`

// serials is the name of the list of the serial codes of a month with the ids of their tickets.
const serials = "serials"

// chunkRows is the number of rows of an object: it bounds the memory of a process and the read of a lookup.
const chunkRows = 20_000

// writer writes a month to the store.
type writer struct {
	store     Store
	pg        *storage.Postgres
	partition Partition
	rows      int // of a chunk
}

// write writes the tables of the month and their manifest, and returns it with its key and hash.
func (w *writer) write(ctx context.Context) (m *manifest, key, sum string, err error) {
	m = &manifest{Label: w.partition.Label}
	for _, s := range sources() {
		t, err := w.table(ctx, s)
		if err != nil {
			return nil, "", "", fmt.Errorf("write %s of month %s: %w", s.name, w.partition.Label, err)
		}
		m.Tables = append(m.Tables, t)
	}
	t, err := w.serials(ctx)
	if err != nil {
		return nil, "", "", fmt.Errorf("write serial codes of month %s: %w", w.partition.Label, err)
	}
	m.Tables = append(m.Tables, t)
	body, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return nil, "", "", err
	}
	sum = hashOf(body)
	key = fmt.Sprintf("archive/%s/manifest-%s.json", w.partition.Label, sum[:16])
	_, err = w.store.Put(ctx, key, "application/json", body)
	return m, key, sum, err
}

// table writes the rows of the month. All rows of an id are in one chunk.
func (w *writer) table(ctx context.Context, s source) (*stored, error) {
	t := &stored{Name: s.name}
	for after := uuid.Nil; ; {
		keys, rows, err := w.page(ctx, s.statement(), after, w.partition.Least, w.partition.Before, w.rows)
		if err != nil {
			return nil, err
		}
		if len(rows) == w.rows { // the last id may go on
			n := len(keys) - 1
			for n > 0 && keys[n-1] == keys[n] {
				n--
			}
			if n == 0 {
				return nil, fmt.Errorf("%s has more than %d rows", keys[0], w.rows)
			}
			keys, rows = keys[:n], rows[:n]
		}
		if len(rows) == 0 {
			return t, nil
		}
		if err := w.put(ctx, t, keys, rows); err != nil {
			return nil, err
		}
		if after, err = uuid.Parse(keys[len(keys)-1]); err != nil {
			return nil, err
		}
	}
}

// page reads rows and their keys.
func (w *writer) page(ctx context.Context, sql string, args ...any) (keys []string, rows [][]byte, err error) {
	err = w.pg.Snapshot(ctx, func(tx pgx.Tx) error {
		found, err := tx.Query(ctx, sql, args...)
		if err != nil {
			return err
		}
		var key string
		var row []byte
		_, err = pgx.ForEachRow(found, []any{&key, &row}, func() error {
			keys, rows = append(keys, key), append(rows, append(make([]byte, 0, len(row)+1), row...))
			return nil
		})
		return err
	})
	return keys, rows, err
}

// serials writes the serial codes of the month in their order.
func (w *writer) serials(ctx context.Context) (*stored, error) {
	t := &stored{Name: serials}
	for after := ""; ; {
		keys, rows, err := w.page(ctx, serialStatement, after, w.partition.Least, w.partition.Before, w.rows)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			return t, nil
		}
		if err := w.put(ctx, t, keys, rows); err != nil {
			return nil, err
		}
		after = keys[len(keys)-1]
	}
}

// put stores a chunk.
func (w *writer) put(ctx context.Context, t *stored, keys []string, rows [][]byte) error {
	body, err := pack(rows)
	if err != nil {
		return err
	}
	c := chunk{First: keys[0], Last: keys[len(keys)-1], Rows: len(rows), Bytes: len(body), SHA256: hashOf(body)}
	c.Object = fmt.Sprintf("archive/%s/%s/%05d-%s.jsonl.gz", w.partition.Label, t.Name, len(t.Chunks)+1, c.SHA256[:16])
	if _, err := w.store.Put(ctx, c.Object, "application/gzip", body); err != nil {
		return err
	}
	t.Chunks, t.Rows = append(t.Chunks, c), t.Rows+int64(len(rows))
	return nil
}

// readBack reads every object of a manifest and compares it with its hash and number of rows.
func readBack(ctx context.Context, store Store, m *manifest) error {
	for _, t := range m.Tables {
		for i := range t.Chunks {
			if _, err := t.Chunks[i].rows(ctx, store); err != nil {
				return err
			}
		}
	}
	return nil
}
