package web

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
)

const (
	formatParam = "format"
	formatCSV   = "csv"

	// exportRows bounds what one file holds; a longer list is narrowed by its filter.
	exportRows = 10_000
)

// csvAddress is the same list as a file.
func csvAddress(here *url.URL) string {
	query := here.Query()
	query.Set(formatParam, formatCSV)
	query.Del(pageParam)
	query.Del(doneParam)
	return here.Path + "?" + query.Encode()
}

// sendCSV sends a list as a file for a spreadsheet, in UTF-8 with the mark that Excel wants. The column names are
// keys of words.
func (w *Web) sendCSV(c *gin.Context, name string, columns []string, rows [][]string) {
	words := w.words[visitOf(c).language]
	head := make([]string, len(columns))
	for i, key := range columns {
		head[i] = words[key]
	}
	c.Header("Content-Type", "text/csv; charset=utf-8")
	c.Header("Content-Disposition", `attachment; filename="`+name+`.csv"`)
	c.Status(http.StatusOK)
	out := csv.NewWriter(c.Writer)
	_, _ = c.Writer.WriteString("\uFEFF") // an error means that the client is gone
	_ = out.Write(head)
	for _, row := range rows {
		for i := range row {
			row[i] = harmless(row[i])
		}
		_ = out.Write(row)
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
