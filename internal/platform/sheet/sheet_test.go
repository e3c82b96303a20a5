package sheet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

func caracas() *time.Location { return time.FixedZone("America/Caracas", -4*60*60) }

func rowsOf(rows ...[]Cell) iter.Seq2[[]Cell, error] {
	return func(yield func([]Cell, error) bool) {
		for _, row := range rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

func sample() *Table {
	at := time.Date(2026, 11, 23, 3, 4, 5, 0, time.UTC)
	return &Table{
		Name: "estado de cuenta/VES", Columns: Columns("Texto", "Número", "Monto", "Día", "Hora"),
		Rows: rowsOf(
			[]Cell{Text("=1+1"), Integer(-1234567), Money(-1_234_56, 2), Day(businessday.Date(2026, 11, 22)), Time(at)},
			[]Cell{Text("a;\"b\" <&>"), Integer(0), Money(5, 3), {}, Time(time.Time{})},
		),
	}
}

func create(t *testing.T, table *Table, format Format, language string) []byte {
	t.Helper()
	file, err := Create(table, format, Locale{Language: language, Zone: caracas()})
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var out bytes.Buffer
	n, err := file.WriteTo(&out)
	require.NoError(t, err)
	assert.Equal(t, file.Size(), n)
	assert.EqualValues(t, out.Len(), n)
	return out.Bytes()
}

func TestCSVOfALanguage(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "\uFEFFTexto;Número;Monto;Día;Hora\n"+
		"'=1+1;-1234567;-1234,56;22/11/2026;22/11/2026 23:04:05\n"+
		"\"a;\"\"b\"\" <&>\";0;0,005;;\n", string(create(t, sample(), CSV, "es")))
	assert.Equal(t, "\uFEFFTexto,Número,Monto,Día,Hora\n"+
		"'=1+1,-1234567,-1234.56,2026-11-22,2026-11-22 23:04:05\n"+
		"\"a;\"\"b\"\" <&>\",0,0.005,,\n", string(create(t, sample(), CSV, "en")))
}

func openXLSX(t *testing.T, raw []byte) *excelize.File {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(raw))
	require.NoError(t, err)
	t.Cleanup(func() { _ = book.Close() })
	return book
}

func TestXLSXHasTypedCells(t *testing.T) {
	t.Parallel()
	book := openXLSX(t, create(t, sample(), XLSX, "es"))
	name := book.GetSheetName(0)
	assert.Equal(t, "estado de cuenta-VES", name)
	rows, err := book.GetRows(name)
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"Texto", "Número", "Monto", "Día", "Hora"},
		{"=1+1", "-1,234,567", "-1,234.56", "22/11/2026", "22/11/2026 23:04:05"},
		{"a;\"b\" <&>", "0", "0.005"},
	}, rows)
	formula, err := book.GetCellFormula(name, "A2")
	require.NoError(t, err)
	assert.Empty(t, formula)
	kind, err := book.GetCellType(name, "A2")
	require.NoError(t, err)
	assert.Equal(t, excelize.CellTypeInlineString, kind)
	raw, err := book.GetCellValue(name, "C2", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	assert.Equal(t, "-1234.56", raw)
}

// Every amount has its exact digits: as a number if a spreadsheet keeps them, otherwise as a text.
func TestXLSXHasExactAmounts(t *testing.T) {
	t.Parallel()
	amounts := []money.Amount{1, 10, 101, 29, 57, 115, 999_999_999_999_999, 123_456_789_012_345, -100_000_000_000_01, 7_205_759_403_792_793_6, -1 << 63, 1<<63 - 1, 0}
	for i := range 2_000 {
		amounts = append(amounts, money.Amount(i*7_919+1))
	}
	var rows [][]Cell
	for _, a := range amounts {
		rows = append(rows, []Cell{Money(a, 2)})
	}
	book := openXLSX(t, create(t, &Table{Name: "x", Columns: Columns("a"), Rows: rowsOf(rows...)}, XLSX, "en"))
	got, err := book.GetCols("x", excelize.Options{RawCellValue: true})
	require.NoError(t, err)
	for i, a := range amounts {
		want := a.Format(2)
		if cell := Money(a, 2); cell.exact() {
			want = strings.TrimSuffix(strings.TrimRight(want, "0"), ".")
			if a == 0 {
				want = "0"
			}
		}
		require.Equal(t, want, got[0][i+1])
	}
}

func TestAFileWithTooManyRowsIsRefused(t *testing.T) {
	t.Parallel()
	many := func(n int) *Table {
		return &Table{Name: "many", Columns: Columns("n"), Rows: func(yield func([]Cell, error) bool) {
			for i := range n {
				if !yield([]Cell{Integer(int64(i))}, nil) {
					return
				}
			}
		}}
	}
	for _, format := range []Format{CSV, XLSX} {
		_, err := Create(many(MaxRows+1), format, Locale{Zone: time.UTC})
		require.ErrorIs(t, err, ErrTooLarge)
	}
	lines := bytes.Count(create(t, many(MaxRows), CSV, "en"), []byte("\n"))
	assert.Equal(t, MaxRows+1, lines)
	book := openXLSX(t, create(t, many(MaxRows), XLSX, "en"))
	last, err := book.GetCellValue("many", "A100001")
	require.NoError(t, err)
	assert.Equal(t, "99,999", last)
}

func TestAFailureLeavesNoFile(t *testing.T) {
	t.Parallel()
	failure := errors.New("the rows end")
	for _, format := range []Format{CSV, XLSX} {
		calls := 0
		rows := Pages(func() ([]int64, bool, error) {
			calls++
			if calls == 3 {
				return nil, false, failure
			}
			return []int64{1, 2}, true, nil
		}, func(n *int64) []Cell { return []Cell{Integer(*n)} })
		_, err := Create(&Table{Name: "x", Columns: Columns("a"), Rows: rows}, format, Locale{Zone: time.UTC})
		require.ErrorIs(t, err, failure)
		_, err = Create(&Table{Name: "x", Columns: Columns("a", "b"), Rows: rowsOf([]Cell{Integer(1)})}, format, Locale{Zone: time.UTC})
		require.Error(t, err, "a row has a cell for every column")
	}
	_, err := Create(&Table{Name: "x", Columns: Columns("a"), Rows: rowsOf([]Cell{Text(strings.Repeat("ñ", maxCellText+1))})}, XLSX, Locale{Zone: time.UTC})
	require.ErrorIs(t, err, ErrTooLarge)
}

func TestNames(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `attachment; filename="a-b---c.csv"`, (&File{Name: fileName("a b\"\r\nc") + ".csv"}).Disposition())
	assert.Equal(t, "1", sheetName(""))
	assert.Len(t, []rune(sheetName(strings.Repeat("ñ", 40))), 31)
	for _, name := range []string{"json", "", "CSV"} {
		_, ok := FormatOf(name)
		assert.False(t, ok)
	}
}

func FuzzCSV(f *testing.F) {
	f.Add("=1+1")
	f.Add("a;b,c\"\n'")
	f.Fuzz(func(t *testing.T, text string) {
		for _, language := range []string{"es", "en"} {
			raw := create(t, &Table{Name: "x", Columns: Columns("a"), Rows: rowsOf([]Cell{Text(text)}, []Cell{Text("end")})}, CSV, language)
			r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(raw), byteOrderMark)))
			r.Comma = Locale{Language: language}.separator()
			records, err := r.ReadAll()
			require.NoError(t, err)
			require.Equal(t, "end", records[len(records)-1][0])
		}
	})
}

// A workbook with a title begins with what the figures are of, and ends with totals that spreadsheets compute again.
func TestXLSXForAnAccountant(t *testing.T) {
	t.Parallel()
	table := &Table{
		Name: "ventas", Title: "Ventas por entidad", Lines: []Line{{"Período", "01/11/2026 a 30/11/2026"}, {"Juego", ""}, {"Moneda", "Bs"}},
		Columns: []Column{{Title: "Entidad"}, {Title: "Tickets", Sum: true}, {Title: "Venta", Sum: true}, {Title: "%"}, {Title: "Moneda", Unit: true}, {Title: "Id", Hidden: true}},
		Rows: rowsOf(
			[]Cell{Text("Agencia La Fortuna de la Avenida Bolívar"), Integer(1200), Money(10_50, 2), Percent(1250), Text("VES"), Text("a1")},
			[]Cell{Text("Otra"), Integer(3), Money(-1_234_567_89, 2), {}, Text("VES"), Text("b2")},
		),
	}
	book := openXLSX(t, create(t, table, XLSX, "es"))
	rows, err := book.GetRows("ventas")
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"Ventas por entidad"},
		{"Período: 01/11/2026 a 30/11/2026"},
		{"Moneda: Bs"},
		nil,
		{"Entidad", "Tickets", "Venta", "%", "Moneda", "Id"},
		{"Agencia La Fortuna de la Avenida Bolívar", "1,200", "10.50", "12.50", "VES", "a1"},
		{"Otra", "3", "-1,234,567.89", "", "VES", "b2"},
		{"Total", "1,203", "-1,234,557.39"},
	}, rows)
	formula, err := book.GetCellFormula("ventas", "C8")
	require.NoError(t, err)
	assert.Equal(t, "SUBTOTAL(109,C6:C7)", formula)
	computed, err := book.CalcCellValue("ventas", "C8")
	require.NoError(t, err)
	assert.Equal(t, "-1,234,557.39", computed)
	panes, err := book.GetPanes("ventas")
	require.NoError(t, err)
	assert.Equal(t, 5, panes.YSplit)
	width, err := book.GetColWidth("ventas", "A")
	require.NoError(t, err)
	assert.InDelta(t, 43, width, 1)
	layout, err := book.GetPageLayout("ventas")
	require.NoError(t, err)
	assert.Equal(t, []any{"landscape", 1, 0}, []any{*layout.Orientation, *layout.FitToWidth, *layout.FitToHeight})
	props, err := book.GetSheetProps("ventas")
	require.NoError(t, err)
	assert.True(t, *props.FitToPage)
	names := map[string]string{}
	for _, name := range book.GetDefinedName() {
		names[name.Name] = name.RefersTo
	}
	assert.Equal(t, map[string]string{"_xlnm.Print_Titles": "'ventas'!$5:$5", "_xlnm._FilterDatabase": "'ventas'!$A$5:$F$7"}, names)
	for column, shown := range map[string]bool{"E": true, "F": false} {
		visible, err := book.GetColVisible("ventas", column)
		require.NoError(t, err)
		assert.Equal(t, shown, visible, column)
	}
	for cell, side := range map[string]string{"A5": "", "C5": "right", "E5": ""} { // the heads, beside their values
		style, err := book.GetCellStyle("ventas", cell)
		require.NoError(t, err)
		of, err := book.GetStyle(style)
		require.NoError(t, err)
		require.Len(t, of.Border, 1, cell)
		assert.Equal(t, side, of.Alignment.Horizontal, cell)
	}
	assert.Equal(t, "\uFEFFEntidad;Tickets;Venta;%;Moneda;Id", strings.Split(string(create(t, table, CSV, "es")), "\n")[0])
}

// A column has a total only where the total means something and a spreadsheet keeps its digits.
func TestXLSXWithoutATotal(t *testing.T) {
	t.Parallel()
	const most = money.Amount(1<<63 - 1)
	for name, rows := range map[string][][]Cell{
		"two currencies":   {{Money(1, 2), Text("VES")}, {Money(1, 2), Text("USD")}},
		"two digits":       {{Money(1, 2), {}}, {Money(1, 0), {}}},
		"beyond 64 bits":   {{Money(most, 2), {}}, {Money(most, 2), {}}},
		"digits of 1 lost": {{Money(999_999_999_999_999, 2), {}}, {Money(1, 2), {}}},
		"no rows":          nil,
	} {
		table := &Table{Name: "x", Title: "x", Columns: []Column{{Title: "a", Sum: true}, {Title: "b", Unit: true}}, Rows: rowsOf(rows...)}
		got, err := openXLSX(t, create(t, table, XLSX, "en")).GetRows("x")
		require.NoError(t, err)
		assert.Len(t, got, 3+len(rows), name)
	}
}
