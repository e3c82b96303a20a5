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

// ExportRows bounds the rows of an exported file.
const ExportRows = 10_000

const (
	formatParam = "format"
	formatCSV   = "csv"
)

// FileTime formats an instant for a file, in UTC. The zero time is "".
func FileTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// WantsFile reports whether the address asks for the list as a file.
func (r *Request) WantsFile() bool { return r.c.Query(formatParam) == formatCSV }

// csvAddress returns the address of the list as a CSV file.
func csvAddress(here *url.URL) string {
	query := here.Query()
	query.Set(formatParam, formatCSV)
	query.Del(pageParam)
	query.Del(doneParam)
	query.Del(besideParam)
	return here.Path + "?" + query.Encode()
}

// SendCSV sends rows as a CSV file in UTF-8, with the byte order mark that Excel needs.
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
	_, _ = c.Writer.WriteString("\uFEFF") // an error means that the client has disconnected
	_ = out.Write(head)
	record := make([]string, len(columns))
	for i := range rows {
		for j := range columns {
			record[j] = escapeFormulas(columns[j].Text(&rows[i]))
		}
		_ = out.Write(record)
	}
	out.Flush()
}

// formulaSigns are the characters that begin a formula in a spreadsheet, with their full-width and small forms.
const formulaSigns = "=+-@\t\r\n＝＋－＠﹦﹢﹣﹫"

// escapeFormulas prefixes a text that a spreadsheet would run as a formula with a quote. It checks the text after each
// semicolon, too, because spreadsheets in languages with a decimal comma split cells there.
func escapeFormulas(cell string) string {
	parts := strings.Split(cell, ";")
	for i, part := range parts {
		if first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(part, isInvisible)); part != "" && strings.ContainsRune(formulaSigns, first) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, ";")
}

// isInvisible reports whether a spreadsheet may skip a character before a formula: spaces, byte order marks and other
// format characters.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Zs, unicode.Cf)
}
