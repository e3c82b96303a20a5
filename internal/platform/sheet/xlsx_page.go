package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"

	"banca/internal/platform/money"
)

const (
	titleSize   = 14 // points
	lineHeight  = 15 // points
	letterPaper = 1
	landscape   = "landscape"
	totalWord   = "Total" // in both languages
)

// titled reports whether the workbook is more than columns and rows.
func (w *xlsxWriter) titled() bool { return w.table.Title != "" }

// writeHead writes the title, its lines and the heads of the columns, which stay visible when the sheet is scrolled and are
// printed on every page.
func (w *xlsxWriter) writeHead() error {
	for i := range w.table.Columns {
		if err := w.stream.SetColWidth(i+1, i+1, float64(w.width(i))); err != nil {
			return err
		}
		if err := w.stream.SetColVisible(i+1, i+1, !w.table.Columns[i].Hidden); err != nil {
			return err
		}
	}
	heads := w.headRow()
	panes := &excelize.Panes{Freeze: true, YSplit: heads, TopLeftCell: "A" + strconv.Itoa(heads+1), ActivePane: "bottomLeft"}
	if err := w.stream.SetPanes(panes); err != nil {
		return err
	}
	if w.titled() {
		if err := w.writeTitle(); err != nil {
			return err
		}
	}
	values, lines := make([]any, len(w.table.Columns)), 1
	for i := range w.table.Columns {
		lines = max(lines, w.headLines(i))
		style, err := w.headStyle(i)
		if err != nil {
			return err
		}
		values[i] = excelize.Cell{StyleID: style, Value: w.table.Columns[i].Title}
	}
	w.row = heads - 1
	return w.setRow(values, excelize.RowOpts{Height: float64(lines * lineHeight)})
}

// headLines is how many lines the head of a column has.
func (w *xlsxWriter) headLines(column int) int {
	lines, used, width := 1, -1, w.width(column)-widthMargin
	for word := range strings.FieldsSeq(w.table.Columns[column].Title) {
		n := utf8.RuneCountInString(word)
		if used > 0 && used+1+n > width {
			lines, used = lines+1, -1
		}
		used += 1 + n
	}
	return lines
}

// headStyle returns the style of the head of a column, which is on the side of its values.
func (w *xlsxWriter) headStyle(column int) (int, error) {
	const thin = 1
	s := &excelize.Style{Font: &excelize.Font{Bold: true}, Alignment: &excelize.Alignment{WrapText: true, Vertical: "bottom"}, Border: []excelize.Border{{Type: "bottom", Style: thin, Color: "000000"}}}
	for _, cells := range w.ahead {
		if c := &cells[column]; !c.Empty() {
			if c.kind == numberKind {
				s.Alignment.Horizontal = "right"
			}
			break
		}
	}
	return w.file.NewStyle(s)
}

// headRow is the number of the row with the heads of the columns.
func (w *xlsxWriter) headRow() int {
	if !w.titled() {
		return 1
	}
	return len(w.lines()) + 3 //nolint:mnd // below the title and an empty row
}

// lines are the lines below the title.
func (w *xlsxWriter) lines() []Line {
	lines := slices.DeleteFunc(slices.Clone(w.table.Lines), func(l Line) bool { return l.Value == "" })
	if !w.table.MadeAt.IsZero() {
		at := w.table.MadeAt.In(w.locale.Zone).Format(w.locale.DayLayout() + " 15:04")
		lines = append(lines, Line{Label: w.locale.made(), Value: at + ", " + w.table.MadeBy})
	}
	return lines
}

func (w *xlsxWriter) writeTitle() error {
	style, err := w.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true, Size: titleSize}})
	if err != nil {
		return err
	}
	if err := w.setRow([]any{excelize.Cell{StyleID: style, Value: w.table.Title}}); err != nil {
		return err
	}
	for _, line := range w.lines() {
		if err := w.setRow([]any{line.Label + ": " + line.Value}); err != nil {
			return err
		}
	}
	return nil
}

// writeFoot writes the totals and how the sheet is filtered and printed.
func (w *xlsxWriter) writeFoot() error {
	if !w.titled() {
		return nil
	}
	heads, last, name := w.headRow(), w.row, w.stream.Sheet
	corner, err := excelize.CoordinatesToCellName(max(1, len(w.table.Columns)), last)
	if err != nil {
		return err
	}
	if err := w.file.AutoFilter(name, "A"+strconv.Itoa(heads)+":"+corner, nil); err != nil {
		return fmt.Errorf("filter of a workbook: %w", err)
	}
	if err := w.writeTotals(heads+1, last); err != nil {
		return err
	}
	return w.layPage(name, heads)
}

// layPage sets how the sheet is printed.
func (w *xlsxWriter) layPage(name string, heads int) error {
	paper, orientation, wide, high := letterPaper, landscape, 1, 0
	layout := &excelize.PageLayoutOptions{Size: &paper, Orientation: &orientation, FitToWidth: &wide, FitToHeight: &high}
	if err := w.file.SetPageLayout(name, layout); err != nil {
		return fmt.Errorf("page of a workbook: %w", err)
	}
	row := "$" + strconv.Itoa(heads)
	return w.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Titles", RefersTo: "'" + name + "'!" + row + ":" + row, Scope: name,
	})
}

// totals adds up the columns of a workbook that have a total.
type totals struct {
	columns []Column
	sums    []total
	unit    string // currency of the amounts so far
	mixed   bool   // there are several
}

// total is the sum of a column.
type total struct {
	amount money.Amount
	digits int
	found  bool // a cell of it has a number
	inept  bool // its numbers have no sum that a spreadsheet keeps
}

func newTotals(columns []Column) totals {
	return totals{columns: columns, sums: make([]total, len(columns))}
}

func (t *totals) add(cells []Cell) {
	for i := range cells {
		c := &cells[i]
		if t.columns[i].Unit && c.text != "" {
			t.mixed = t.mixed || t.unit != "" && t.unit != c.text
			t.unit = c.text
		}
		if t.columns[i].Sum && c.kind == numberKind {
			t.sums[i].add(c)
		}
	}
}

func (s *total) add(c *Cell) {
	sum := s.amount + c.number
	overflown := (sum > s.amount) != (c.number > 0) && c.number != 0
	s.inept = s.inept || overflown || s.found && s.digits != c.digits || !Money(sum, c.digits).exact()
	s.amount, s.digits, s.found = sum, c.digits, true
}

// of returns the total of a column as a cell, empty without one.
func (t *totals) of(column int) Cell {
	if s := &t.sums[column]; s.found && !s.inept && (s.digits == 0 || !t.mixed) {
		return Money(s.amount, s.digits)
	}
	return Cell{}
}

// writeTotals writes the row of totals, if there are any: formulas, which follow the filter, with their values.
func (w *xlsxWriter) writeTotals(first, last int) error {
	values, found := make([]any, len(w.table.Columns)), false
	for i := range values {
		sum := w.totals.of(i)
		if sum.Empty() {
			continue
		}
		found = true
		style, err := w.style(sum.format(), true)
		if err != nil {
			return err
		}
		value, err := w.numberValue(&sum)
		if err != nil {
			return err
		}
		shown, _ := value.(excelize.Cell)
		column, err := excelize.ColumnNumberToName(i + 1)
		if err != nil {
			return err
		}
		shown.StyleID, shown.Formula = style, fmt.Sprintf("SUBTOTAL(109,%s%d:%s%d)", column, first, column, last)
		values[i] = shown
	}
	if !found {
		return nil
	}
	if values[0] == nil {
		bold, err := w.style("", true)
		if err != nil {
			return err
		}
		values[0] = excelize.Cell{StyleID: bold, Value: totalWord}
	}
	return w.setRow(values)
}
