package kit

import (
	"cmp"
	"iter"
	"net/http"
	"net/url"
	"strconv"

	"banca/internal/platform/sheet"
)

// ExportRows bounds the rows that are read at once for a file, and the rows of a list without pages.
const ExportRows = 10_000

const formatParam = "format"

// WantsFile reports whether the address asks for the list as a file.
func (r *Request) WantsFile() bool {
	_, ok := sheet.FormatOf(r.c.Query(formatParam))
	return ok
}

// fileAddress returns the address of the list as a file.
func fileAddress(here *url.URL, format sheet.Format) string {
	query := listQuery(here)
	query.Set(formatParam, string(format))
	return here.Path + "?" + query.Encode()
}

// OnePage returns rows as the only page of a file.
func OnePage[R any](rows []R) func() ([]R, bool, error) {
	return func() ([]R, bool, error) { return rows, false, nil }
}

// SendFile sends the columns of rows as a file, in the format that the address names. next returns the next page of rows and
// whether there are more. Errors: sheet.ErrTooLarge, those of next; then nothing is sent.
func SendFile[R any](r *Request, name string, columns []Column[R], next func() (rows []R, more bool, err error)) error {
	return sendFile(r, name, columns, func(cells func(row *R) []sheet.Cell) iter.Seq2[[]sheet.Cell, error] { return sheet.Pages(next, cells) })
}

// SendRows is SendFile of rows that are read one by one.
func SendRows[R any](r *Request, name string, columns []Column[R], rows iter.Seq2[R, error]) error {
	return sendFile(r, name, columns, func(cells func(row *R) []sheet.Cell) iter.Seq2[[]sheet.Cell, error] { return sheet.Rows(rows, cells) })
}

func sendFile[R any](r *Request, name string, columns []Column[R], rows func(cells func(row *R) []sheet.Cell) iter.Seq2[[]sheet.Cell, error]) error {
	var shown []Column[R]
	table := &sheet.Table{Name: name, Title: cmp.Or(r.fileTitle, r.T("file.title."+name), r.T(r.route.MenuTitle)), Lines: r.fileLines(), MadeBy: r.Caller.Name, MadeAt: r.Now()}
	for i := range columns {
		if columns[i].inFile() {
			shown = append(shown, columns[i])
			table.Columns = append(table.Columns, sheet.Column{Title: r.T(columns[i].Title), Sum: columns[i].Sum, Unit: columns[i].Unit, Hidden: technical(columns[i].Title)})
		}
	}
	cells, words := make([]sheet.Cell, len(shown)), r.View()
	table.Rows = rows(func(row *R) []sheet.Cell {
		for i := range shown {
			cells[i] = shown[i].fileCell(words, row)
		}
		return cells
	})
	format, _ := sheet.FormatOf(r.c.Query(formatParam)) // "" is CSV
	file, err := sheet.Create(table, format, sheet.Locale{Language: r.Language, Zone: r.Zone()})
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	r.c.Header("Content-Type", file.ContentType)
	r.c.Header("Content-Disposition", file.Disposition())
	r.c.Header("Content-Length", strconv.FormatInt(file.Size(), 10))
	r.c.Status(http.StatusOK)
	_, _ = file.WriteTo(r.c.Writer) // an error means that the client has disconnected
	return nil
}

// TitleFile sets the title of the file that is sent next, in place of the list's.
func (r *Request) TitleFile(title string) { r.fileTitle = title }

// fileLines are the conditions of the list.
func (r *Request) fileLines() []sheet.Line {
	if r.filter == nil {
		return nil
	}
	var lines []sheet.Line
	for i := range r.filter.Fields {
		field := &r.filter.Fields[i]
		if text, ok := field.text(r.View()); ok && field.Kind != hiddenKind && field.Value != "" {
			lines = append(lines, sheet.Line{Label: r.T(field.Label), Value: text})
		}
	}
	return lines
}

// technical reports whether the values of a column are for programs.
func technical(title string) bool {
	switch title {
	case "label.id", "label.hash", "entry.reverses", "entry.ticket":
		return true
	}
	return false
}

// inFile reports whether the column is in the file.
func (c *Column[R]) inFile() bool { return c.File != nil || c.Text != nil || c.Words != nil }

// fileCell returns the cell of a row in the file.
func (c *Column[R]) fileCell(v *View, row *R) sheet.Cell {
	switch {
	case c.File != nil:
		return c.File(row)
	case c.Words != nil:
		return sheet.Text(c.Words(v, row))
	default:
		return sheet.Text(c.Text(row))
	}
}
