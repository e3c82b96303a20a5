package sheet

import (
	"archive/zip"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
)

// Bounds of a workbook: of the name of a sheet, of a text in UTF-16 units, and the widths of columns in characters.
const (
	maxSheetName = 31
	maxCellText  = 32_767
	minWidth     = 9
	maxWidth     = 60
	widthMargin  = 3   // for the arrow of the filter
	measured     = 200 // rows that decide the widths
)

// xlsxWriter writes one sheet. excelize keeps the rows in a temporary file when they exceed 16 MiB.
type xlsxWriter struct {
	locale Locale
	table  *Table
	out    io.Writer
	file   *excelize.File
	stream *excelize.StreamWriter
	styles map[string]int // by number format
	row    int
	values []any
	ahead  [][]Cell // the first rows, until the widths are known
	totals totals
}

func newXLSX(out io.Writer, locale Locale, t *Table) (*xlsxWriter, error) {
	w := &xlsxWriter{locale: locale, table: t, out: out, file: excelize.NewFile(), styles: map[string]int{}, totals: newTotals(t.Columns)}
	// The archive is written to out while it is made. Without this excelize keeps all of it in memory.
	w.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return zip.NewWriter(out) })
	if err := w.open(sheetName(t.Name)); err != nil {
		_ = w.file.Close()
		return nil, fmt.Errorf("begin workbook: %w", err)
	}
	return w, nil
}

// open begins the sheet, which is printed across, one page wide.
func (w *xlsxWriter) open(name string) error {
	if err := w.file.SetSheetName(w.file.GetSheetName(0), name); err != nil {
		return err
	}
	fit := true
	if err := w.file.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &fit}); err != nil {
		return err
	}
	var err error
	w.stream, err = w.file.NewStreamWriter(name)
	return err
}

func (w *xlsxWriter) writeRow(cells []Cell) error {
	w.totals.add(cells)
	if w.row == 0 && len(w.ahead) < measured {
		w.ahead = append(w.ahead, slices.Clone(cells))
		return nil
	}
	if err := w.begin(); err != nil {
		return err
	}
	return w.addRow(cells)
}

// begin writes the head and the rows that decided the widths, once.
func (w *xlsxWriter) begin() error {
	if w.row > 0 {
		return nil
	}
	if err := w.writeHead(); err != nil {
		return err
	}
	for _, cells := range w.ahead {
		if err := w.addRow(cells); err != nil {
			return err
		}
	}
	w.ahead = nil
	return nil
}

func (w *xlsxWriter) addRow(cells []Cell) error {
	w.values = w.values[:0]
	for i := range cells {
		value, err := w.value(&cells[i])
		if err != nil {
			return err
		}
		w.values = append(w.values, value)
	}
	return w.setRow(w.values)
}

func (w *xlsxWriter) setRow(values []any, options ...excelize.RowOpts) error {
	w.row++
	if err := w.stream.SetRow("A"+strconv.Itoa(w.row), values, options...); err != nil {
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
		return w.styled(c.format(), int64(c.number))
	}
	text := c.number.Format(c.digits)
	if !c.exact() {
		return text, nil
	}
	shown, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, fmt.Errorf("number: %w", err)
	}
	return w.styled(c.format(), shown)
}

// format is the number format of a number.
func (c Cell) format() string {
	if c.digits == 0 {
		return "#,##0"
	}
	return "#,##0." + strings.Repeat("0", c.digits)
}

func (w *xlsxWriter) dayFormat() string {
	if w.locale.english() {
		return "yyyy-mm-dd"
	}
	return "dd/mm/yyyy"
}

// styled returns a value with a number format.
func (w *xlsxWriter) styled(format string, value any) (any, error) {
	style, err := w.style(format, false)
	return excelize.Cell{StyleID: style, Value: value}, err
}

// style returns the style of a number format, "" for a text.
func (w *xlsxWriter) style(format string, bold bool) (int, error) {
	key := format + strconv.FormatBool(bold)
	if style, ok := w.styles[key]; ok {
		return style, nil
	}
	s := &excelize.Style{}
	if format != "" {
		s.CustomNumFmt = &format
	}
	if strings.HasPrefix(format, w.dayFormat()) { // beside a text, which a day on the right would touch
		s.Alignment = &excelize.Alignment{Horizontal: "left"}
	}
	if bold {
		s.Font = &excelize.Font{Bold: true}
	}
	style, err := w.file.NewStyle(s)
	if err != nil {
		return 0, fmt.Errorf("style of a cell: %w", err)
	}
	w.styles[key] = style
	return style, nil
}

// close writes the file.
func (w *xlsxWriter) close() error {
	defer func() { _ = w.file.Close() }() // it removes the temporary file
	if err := w.begin(); err != nil {
		return err
	}
	if err := w.writeFoot(); err != nil {
		return err
	}
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

// width returns the width of a column in characters: of the longest word of its title and of the rows that were kept to be measured.
func (w *xlsxWriter) width(column int) int {
	width := 0
	for word := range strings.FieldsSeq(w.table.Columns[column].Title) {
		width = max(width, utf8.RuneCountInString(word))
	}
	for _, cells := range w.ahead {
		width = max(width, w.locale.length(&cells[column]))
	}
	return min(max(minWidth, width+widthMargin), maxWidth)
}

// length is about how many characters a cell has in a workbook, where numbers have separators of thousands.
func (l Locale) length(c *Cell) int {
	text := l.plain(c)
	if c.kind == numberKind {
		return len(text) + len(text)/4
	}
	return utf8.RuneCountInString(text)
}
