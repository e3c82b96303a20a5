package imports

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"io"
	"strings"

	"banca/internal/platform/sheet"
)

// maxEncoded bounds the rows that Decode unpacks, in bytes.
const maxEncoded = 32 << 20

// Encode returns the known cells of the plan's file as a packed CSV file with the same line numbers, so that a page can
// hold a file between its review and its import.
func (p *Plan) Encode() ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	w := csv.NewWriter(packed)
	var names []string
	for _, c := range Columns() {
		names = append(names, c[0])
	}
	line := 1
	if err := w.Write(names); err != nil {
		return nil, err
	}
	cells := make([]string, len(names))
	for i := range p.file.Rows {
		row := &p.file.Rows[i]
		for w.Flush(); line < row.Line-1; line++ {
			if _, err := io.WriteString(packed, "\n"); err != nil {
				return nil, err
			}
		}
		line = row.Line
		for j, name := range names {
			cells[j] = strings.NewReplacer("\r", " ", "\n", " ").Replace(row.Cells[name])
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return nil, fmt.Errorf("pack the import: %w", err)
	}
	if err := packed.Close(); err != nil {
		return nil, fmt.Errorf("pack the import: %w", err)
	}
	return out.Bytes(), nil
}

// Decode unpacks rows of Encode. Errors: sheet.ErrUnreadable, sheet.ErrTooManyRows.
func Decode(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, sheet.ErrUnreadable.WithCause(err)
	}
	raw, err := io.ReadAll(io.LimitReader(r, maxEncoded+1))
	switch {
	case err != nil:
		return nil, sheet.ErrUnreadable.WithCause(err)
	case len(raw) > maxEncoded:
		return nil, sheet.ErrTooManyRows
	}
	return raw, nil
}
