package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/charmap"

	"banca/internal/platform/apperr"
)

// Errors of a file that is read.
var (
	ErrUnreadable  = apperr.New(apperr.Invalid, "IMPORT_FILE", "the file is neither CSV nor an XLSX workbook that can be read; save it again as CSV or XLSX")
	ErrTooManyRows = apperr.New(apperr.Invalid, "IMPORT_TOO_LARGE", "the file has more rows, columns or content than can be imported at once (20,000 rows, 64 columns); divide it")
)

// Bounds of a file that is read.
const (
	MaxReadRows  = 20_000
	maxReadCols  = 64
	maxReadCell  = 500      // characters
	maxReadTotal = 16 << 20 // bytes of all cells
	maxUnzipped  = 48 << 20 // bytes of all parts of a workbook
	zipSignature = "PK\x03\x04"
)

// Read returns the rows of the first sheet of a workbook, or the lines of a CSV file, as texts without surrounding spaces. A CSV
// file is in UTF-8 or Windows-1252, its cells are separated by semicolons, commas or tabs. The content decides about
// the format. A workbook is unzipped within a bound. Errors: ErrUnreadable, ErrTooManyRows.
func Read(raw []byte) ([][]string, error) {
	if IsWorkbook(raw) {
		return readXLSX(raw)
	}
	return readCSV(raw)
}

// IsWorkbook reports whether a file is a workbook by its first bytes.
func IsWorkbook(raw []byte) bool { return bytes.HasPrefix(raw, []byte(zipSignature)) }

func readXLSX(raw []byte) ([][]string, error) {
	book, err := excelize.OpenReader(bytes.NewReader(raw), excelize.Options{
		UnzipSizeLimit: maxUnzipped, UnzipXMLSizeLimit: maxUnzipped,
	})
	if err != nil {
		if strings.Contains(err.Error(), "unzip size exceeds") {
			return nil, ErrTooManyRows.WithCause(err)
		}
		return nil, ErrUnreadable.WithCause(err)
	}
	defer func() { _ = book.Close() }()
	sheets := book.GetSheetList()
	if len(sheets) == 0 {
		return nil, ErrUnreadable
	}
	rows, err := book.Rows(sheets[0])
	if err != nil {
		return nil, ErrUnreadable.WithCause(err)
	}
	defer func() { _ = rows.Close() }()
	all := &readRows{}
	for rows.Next() {
		cells, err := rows.Columns()
		if err != nil {
			return nil, ErrUnreadable.WithCause(err)
		}
		if err := all.add(cells); err != nil {
			return nil, err
		}
	}
	if rows.Error() != nil {
		return nil, ErrUnreadable.WithCause(rows.Error())
	}
	return all.rows, nil
}

func readCSV(raw []byte) ([][]string, error) {
	raw = bytes.TrimPrefix(raw, []byte(byteOrderMark))
	if bytes.IndexByte(raw, 0) >= 0 {
		return nil, ErrUnreadable
	}
	if !utf8.Valid(raw) {
		var err error
		if raw, err = charmap.Windows1252.NewDecoder().Bytes(raw); err != nil {
			return nil, ErrUnreadable.WithCause(err)
		}
	}
	r := csv.NewReader(bytes.NewReader(raw))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.ReuseRecord = separatorOf(raw), -1, true, true
	all := &readRows{}
	for {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all.rows, nil
		}
		if err != nil {
			return nil, ErrUnreadable.WithCause(err)
		}
		line, _ := r.FieldPos(0)
		for len(all.rows) < min(line-1, MaxReadRows) { // the reader skips empty lines
			all.rows = append(all.rows, nil)
		}
		if err := all.add(cells); err != nil {
			return nil, err
		}
	}
}

// separatorOf returns the separator that the first line has most of.
func separatorOf(raw []byte) rune {
	line, _, _ := bytes.Cut(raw, []byte("\n"))
	best := ','
	for _, c := range ";\t" {
		if bytes.Count(line, []byte(string(c))) > bytes.Count(line, []byte(string(best))) {
			best = c
		}
	}
	return best
}

// readRows are the rows that are read.
type readRows struct {
	rows  [][]string
	total int // bytes
}

// add appends the cells of a row within the bounds. Empty cells at its end are dropped.
func (r *readRows) add(cells []string) error {
	for len(cells) > 0 && strings.TrimSpace(cells[len(cells)-1]) == "" {
		cells = cells[:len(cells)-1]
	}
	if len(r.rows) >= MaxReadRows || len(cells) > maxReadCols {
		return ErrTooManyRows
	}
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = strings.Clone(strings.TrimSpace(cell))
		if r.total += len(row[i]); r.total > maxReadTotal || utf8.RuneCountInString(row[i]) > maxReadCell {
			return ErrTooManyRows
		}
	}
	r.rows = append(r.rows, row)
	return nil
}
