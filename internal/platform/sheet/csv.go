package sheet

import (
	"encoding/csv"
	"io"
)

// byteOrderMark tells spreadsheets that the file is in UTF-8.
const byteOrderMark = "\uFEFF"

// csvWriter writes CSV. Errors of out are kept by the csv.Writer.
type csvWriter struct {
	locale Locale
	out    *csv.Writer
	record []string
}

func newCSV(out io.Writer, locale Locale, columns []Column) (*csvWriter, error) {
	if _, err := io.WriteString(out, byteOrderMark); err != nil {
		return nil, err
	}
	w := &csvWriter{locale: locale, out: csv.NewWriter(out), record: make([]string, len(columns))}
	w.out.Comma = locale.separator()
	for i := range columns {
		w.record[i] = escapeFormulas(columns[i].Title)
	}
	return w, w.out.Write(w.record)
}

func (w *csvWriter) writeRow(cells []Cell) error {
	w.record = w.record[:0]
	for i := range cells {
		w.record = append(w.record, w.locale.plain(&cells[i]))
	}
	return w.out.Write(w.record)
}

func (w *csvWriter) close() error {
	w.out.Flush()
	return w.out.Error()
}
