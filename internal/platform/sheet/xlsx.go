package sheet

import (
	"archive/zip"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
)

// Bounds of a workbook: of the name of a sheet, of a text in UTF-16 units, and the widths of columns in characters.
const (
	maxSheetName = 31
	maxCellText  = 32_767
	minWidth     = 12
	maxWidth     = 60
)

// xlsxWriter writes one sheet. excelize keeps the rows in a temporary file when they exceed 16 MiB.
type xlsxWriter struct {
	locale Locale
	out    io.Writer
	file   *excelize.File
	stream *excelize.StreamWriter
	styles map[string]int // by number format
	row    int
	values []any
}

func newXLSX(out io.Writer, locale Locale, name string, columns []Column) (*xlsxWriter, error) {
	w := &xlsxWriter{locale: locale, out: out, file: excelize.NewFile(), styles: map[string]int{}}
	// The archive is written to out while it is made. Without this excelize keeps all of it in memory.
	w.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(out) })
	if err := w.begin(sheetName(name), columns); err != nil {
		_ = w.file.Close()
		return nil, fmt.Errorf("begin workbook: %w", err)
	}
	return w, nil
}

// begin writes the heads of the columns, which stay visible when the sheet is scrolled.
func (w *xlsxWriter) begin(name string, columns []Column) error {
	if err := w.file.SetSheetName(w.file.GetSheetName(0), name); err != nil {
		return err
	}
	var err error
	if w.stream, err = w.file.NewStreamWriter(name); err != nil {
		return err
	}
	for i := range columns {
		if err := w.stream.SetColWidth(i+1, i+1, float64(columns[i].width())); err != nil {
			return err
		}
	}
	panes := &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}
	if err := w.stream.SetPanes(panes); err != nil {
		return err
	}
	bold, err := w.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}})
	if err != nil {
		return err
	}
	heads := make([]any, len(columns))
	for i := range columns {
		heads[i] = excelize.Cell{StyleID: bold, Value: columns[i].Title}
	}
	w.row = 1
	return w.stream.SetRow("A1", heads)
}

func (w *xlsxWriter) writeRow(cells []Cell) error {
	w.values = w.values[:0]
	for i := range cells {
		value, err := w.value(&cells[i])
		if err != nil {
			return err
		}
		w.values = append(w.values, value)
	}
	w.row++
	if err := w.stream.SetRow("A"+strconv.Itoa(w.row), w.values); err != nil {
		return fmt.Errorf("write row: %w", err)
	}
	return nil
}

// value returns a cell as excelize writes it. A text is a string of the workbook, never a formula.
func (w *xlsxWriter) value(c *Cell) (any, error) {
	switch c.kind {
	case textKind:
		if len(c.text) > maxCellText && len(utf16.Encode([]rune(c.text))) > maxCellText {
			return nil, ErrTooLarge
		}
		return c.text, nil
	case numberKind:
		return w.numberValue(c)
	case dayKind:
		return w.styled(w.dayFormat(), c.day.UTC())
	case timeKind:
		at := c.at.In(w.locale.Zone)
		_, offset := at.Zone() // a workbook has no time zones
		return w.styled(w.dayFormat()+" hh:mm:ss", at.Add(time.Duration(offset)*time.Second).UTC().Truncate(time.Second))
	default:
		return nil, nil //nolint:nilnil // an empty cell
	}
}

// numberValue returns the value of a number. The shortest decimal of a float with 15 digits is the decimal that it was read from,
// and excelize writes that one, so the workbook has the exact digits. A longer number is a text, because spreadsheets would round it.
func (w *xlsxWriter) numberValue(c *Cell) (any, error) {
	if c.digits == 0 && c.exact() {
		return w.styled("#,##0", int64(c.number))
	}
	text := c.number.Format(c.digits)
	if !c.exact() {
		return text, nil
	}
	shown, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("number: %w", err)
	}
	return w.styled("#,##0."+strings.Repeat("0", c.digits), shown)
}

func (w *xlsxWriter) dayFormat() string {
	if w.locale.english() {
		return "yyyy-mm-dd"
	}
	return "dd/mm/yyyy"
}

// styled returns a value with a number format.
func (w *xlsxWriter) styled(format string, value any) (any, error) {
	style, ok := w.styles[format]
	if !ok {
		var err error
		if style, err = w.file.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
			return nil, fmt.Errorf("number format: %w", err)
		}
		w.styles[format] = style
	}
	return excelize.Cell{StyleID: style, Value: value}, nil
}

// close writes the file.
func (w *xlsxWriter) close() error {
	defer func() { _ = w.file.Close() }() // it removes the temporary file
	if err := w.stream.Flush(); err != nil {
		return fmt.Errorf("write workbook: %w", err)
	}
	if _, err := w.file.WriteTo(w.out); err != nil {
		return fmt.Errorf("write workbook: %w", err)
	}
	return nil
}

// abandon releases what the writer holds without a file.
func (w *xlsxWriter) abandon() { _ = w.file.Close() }

// sheetName returns a name that a workbook allows.
func sheetName(name string) string {
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`:\/?*[]'`, r) {
			return '-'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > maxSheetName {
		name = string(runes[:maxSheetName])
	}
	if name == "" {
		name = "1"
	}
	return name
}

// width returns the width of the column in characters.
func (c *Column) width() int {
	const margin = 2
	return min(max(minWidth, c.Width, len([]rune(c.Title))+margin), maxWidth)
}
