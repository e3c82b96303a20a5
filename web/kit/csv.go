package kit

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ExportRows bounds what one file holds; a longer list is narrowed by its filter.
const ExportRows = 10_000

const (
	formatParam = "format"
	formatCSV   = "csv"
)

// FileTime writes an instant in a file, in UTC; the zero one is empty.
func FileTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// WantsFile reports whether the address asks for the list as a file.
func (r *Request) WantsFile() bool { return r.c.Query(formatParam) == formatCSV }

// csvAddress is the same list as a file.
func csvAddress(here *url.URL) string {
	query := here.Query()
	query.Set(formatParam, formatCSV)
	query.Del(pageParam)
	query.Del(doneParam)
	query.Del(besideParam)
	return here.Path + "?" + query.Encode()
}

// SendCSV sends rows as a file for a spreadsheet, in UTF-8 with the mark that Excel wants.
func SendCSV[R any](r *Request, name string, columns []Column[R], rows []R) {
	columns = slices.DeleteFunc(slices.Clone(columns), func(c Column[R]) bool { return c.Text == nil })
	head := make([]string, len(columns))
	for i := range columns {
		head[i] = r.T(columns[i].Title)
	}
	c := r.c
	c.Header("Content-Type", "text/csv; charset=utf-8")
	c.Header("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	c.Status(http.StatusOK)
	out := csv.NewWriter(c.Writer)
	_, _ = c.Writer.WriteString("\uFEFF") // an error means that the client is gone
	_ = out.Write(head)
	record := make([]string, len(columns))
	for i := range rows {
		for j := range columns {
			record[j] = harmless(columns[j].Text(&rows[i]))
		}
		_ = out.Write(record)
	}
	out.Flush()
}

// formulaSigns begin a formula in a spreadsheet; some read the full-width and the small forms like the others.
const formulaSigns = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"

// harmless keeps a spreadsheet from running a client's text: a text that would be a formula is quoted. Spreadsheets
// of languages with a decimal comma, Spanish among them, begin another cell at each semicolon.
func harmless(cell string) string {
	parts := strings.Split(cell, ";")
	for i, part := range parts {
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(part, isUnseen)); part != "" && strings.ContainsRune(formulaSigns, first) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

// isUnseen reports whether a spreadsheet may skip a character before it looks for a sign: spaces, byte order marks and other
// characters without a shape.
func isUnseen(r rune) bool {
	return unicode.In(r, unicode.Zs, unicode.Cf)
}
