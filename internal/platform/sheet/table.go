package sheet

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"
)

// MaxRows bounds the rows of a file.
const MaxRows = 100_000

// Format is a kind of file.
type Format string

// Formats.
const (
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// XLSXType is the content type of a workbook, CSVType the type of a CSV file.
const (
	CSVType  = "text/csv; charset=utf-8"
	XLSXType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
)

// FormatOf returns the format with a name, or false.
func FormatOf(name string) (Format, bool) {
	f := Format(name)
	return f, f == CSV || f == XLSX
}

// ContentType returns the content type of files of the format.
func (f Format) ContentType() string {
	if f == XLSX {
		return XLSXType
	}
	return CSVType
}

// Column is a column of a file.
type Column struct {
	Title  string
	Sum    bool // its numbers have a total below them in a workbook
	Unit   bool // it has the currency of the amounts, of which there is no total where a file has several
	Hidden bool // a workbook has it, but neither shows nor prints it: it is for programs
}

// Columns returns columns with titles.
func Columns(titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i].Title = title
	}
	return columns
}

// Line is a line above the columns of a workbook, such as a period with its days.
type Line struct{ Label, Value string }

// Table is what a file has: its name, its columns and its rows, each with a cell for every column. Rows ends with an
// error if the rows cannot be read. A CSV file, which programs read, has neither a title nor lines nor totals.
type Table struct {
	Name    string // of the file without the format, and of the sheet
	Title   string // above all others in a workbook; without one it has only the columns and the rows
	Lines   []Line // below the title; those without a value are left out
	MadeBy  string // the person for whom the file is made, the last of the lines
	MadeAt  time.Time
	Columns []Column
	Rows    iter.Seq2[[]Cell, error]
	Total   int64 // number of rows; 0 if it is not known before they are read
}

// Pages returns the cells of rows that are read page by page. next returns the next page and whether there are more.
func Pages[R any](next func() (rows []R, more bool, err error), cells func(row *R) []Cell) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for more := true; more; {
			var rows []R
			var err error
			if rows, more, err = next(); err != nil {
				yield(nil, err)
				return
			}
			for i := range rows {
				if !yield(cells(&rows[i]), nil) {
					return
				}
			}
		}
	}
}

// Rows returns the cells of rows that are read one by one.
func Rows[R any](rows iter.Seq2[R, error], cells func(row *R) []Cell) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for row, err := range rows {
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(cells(&row), nil) {
				return
			}
		}
	}
}

// writer writes rows in a format.
type writer interface {
	writeRow(cells []Cell) error
	close() error
}

// File is a complete file. Close releases it.
type File struct {
	Name        string
	ContentType string
	Rows        int64

	content spool
}

// Writing bounds and watches the writing of a file.
type Writing struct {
	MaxRows int64
	// Progress is called with the number of written rows after every thousand of them; nil for none. An error ends
	// the writing.
	Progress func(rows int64) error
}

// progressRows is the number of rows between two calls of Progress.
const progressRows = 1_000

// Create is CreateLarge with at most MaxRows rows.
func Create(t *Table, format Format, locale Locale) (*File, error) {
	return CreateLarge(t, format, locale, Writing{MaxRows: MaxRows})
}

// CreateLarge writes a table. The file is complete before anything of it is sent, so a refusal is never half a file.
// Errors: ErrTooLarge, errors of the rows and of the progress.
func CreateLarge(t *Table, format Format, locale Locale, w Writing) (*File, error) {
	if t.Total > w.MaxRows {
		return nil, ErrTooLarge
	}
	f := &File{Name: fileName(t.Name) + "." + string(format), ContentType: format.ContentType()}
	if err := f.write(t, format, locale, w); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func (f *File) write(t *Table, format Format, locale Locale, watch Writing) error {
	w, err := newWriter(&f.content, t, format, locale)
	if err != nil {
		return err
	}
	if f.Rows, err = writeRows(w, t, watch); err != nil {
		if x, ok := w.(*xlsxWriter); ok {
			x.abandon()
		}
		return err
	}
	return w.close()
}

func newWriter(out io.Writer, t *Table, format Format, locale Locale) (writer, error) {
	if format == XLSX {
		return newXLSX(out, locale, t)
	}
	return newCSV(out, locale, t.Columns)
}

// writeRows returns the number of written rows.
func writeRows(w writer, t *Table, watch Writing) (n int64, err error) {
	for cells, err := range t.Rows {
		switch {
		case err != nil:
			return n, err
		case n == watch.MaxRows:
			return n, ErrTooLarge
		case len(cells) != len(t.Columns):
			return n, fmt.Errorf("sheet %s: a row of %d cells for %d columns", t.Name, len(cells), len(t.Columns))
		}
		if err := w.writeRow(cells); err != nil {
			return n, err
		}
		n++
		if watch.Progress == nil || n%progressRows != 0 {
			continue
		}
		if err := watch.Progress(n); err != nil {
			return n, err
		}
	}
	return n, nil
}

// Size returns the number of bytes.
func (f *File) Size() int64 { return f.content.size }

// Disposition returns the value of the header Content-Disposition.
func (f *File) Disposition() string { return `attachment; filename="` + f.Name + `"` }

// Reader returns a reader of the whole file, in place.
func (f *File) Reader() io.Reader { return f.content.reader() }

// WriteTo writes the file. It implements io.WriterTo.
func (f *File) WriteTo(out io.Writer) (int64, error) { return f.content.WriteTo(out) }

// Close releases the file.
func (f *File) Close() error { return f.content.Close() }

// fileName returns a name of letters, digits, dots, hyphens and underscores.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '_':
			return r
		default:
			return '-'
		}
	}, name)
}
