package kit

import (
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/platform/sheet"
)

// The columns below are in the table and in the file.

// TextColumn is a column of texts.
func TextColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Text: of, Cell: func(_ *View, row *R) Cell { return Text(of(row)) }}
}

// CurrencyColumn is a column of currencies: their symbols, and in files their codes.
func CurrencyColumn[R any](of func(row *R) (code, symbol string)) Column[R] {
	return Column[R]{
		Title: "label.currency", Unit: true,
		Text: func(row *R) string { code, _ := of(row); return code },
		Cell: func(_ *View, row *R) Cell { _, symbol := of(row); return Text(symbol) },
	}
}

// WrapColumn is a column of texts that may wrap.
func WrapColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Text: of, Cell: func(_ *View, row *R) Cell { return Wrap(of(row)) }}
}

// MonoColumn is a column of monospaced texts, such as codes.
func MonoColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Text: of, Cell: func(_ *View, row *R) Cell { return Mono(of(row)) }}
}

// PhoneColumn is a column of telephone numbers, in files in E.164.
func PhoneColumn[R any](title string, of func(row *R) string) Column[R] {
	return MonoColumn(title, of).WithCell(func(v *View, row *R) Cell { return Mono(v.Phone(of(row))) })
}

// StateColumn is a column of the states of a kind of object.
func StateColumn[R any](kind string, of func(row *R) string) Column[R] {
	state := func(v *View, row *R) Badge { return v.State(kind, of(row)) }
	return Column[R]{
		Title: "label.state", Lead: true, Words: func(v *View, row *R) string { return state(v, row).Text }, Cell: func(v *View, row *R) Cell { return Badges(state(v, row)) },
	}
}

// WordColumn is a column of texts in the language of the page.
func WordColumn[R any](title string, of func(v *View, row *R) string) Column[R] {
	return Column[R]{Title: title, Words: of, Cell: func(v *View, row *R) Cell { return Text(of(v, row)) }}
}

// TimeColumn is a column of instants.
func TimeColumn[R any](title string, of func(row *R) time.Time) Column[R] {
	return Column[R]{
		Title: title, File: func(row *R) sheet.Cell { return sheet.Time(of(row)) }, Cell: func(v *View, row *R) Cell { return v.At(of(row)) },
	}
}

// ExactTimeColumn is a column of instants with their seconds, for logs.
func ExactTimeColumn[R any](title string, of func(row *R) time.Time) Column[R] {
	column := TimeColumn(title, of)
	column.Cell = func(v *View, row *R) Cell { return At(v.ExactTime(of(row))) }
	return column
}

// DayColumn is a column of business days. The cell of the zero day is empty.
func DayColumn[R any](title string, of func(row *R) businessday.Day) Column[R] {
	return Column[R]{
		Title: title, File: func(row *R) sheet.Cell { return sheet.Day(of(row)) },
		Cell: func(v *View, row *R) Cell {
			if of(row).IsZero() {
				return Cell{}
			}
			return Text(v.Day(of(row)))
		},
	}
}

// CountColumn is a column of numbers.
func CountColumn[R any, N int | int64](title string, of func(row *R) N) Column[R] {
	return Column[R]{
		Title: title, Number: true, File: func(row *R) sheet.Cell { return sheet.Integer(int64(of(row))) },
		Cell: func(v *View, row *R) Cell { return Text(v.Count(of(row))) },
	}
}

// AmountColumn is a column of amounts, each of a currency with digits decimals.
func AmountColumn[R any](title string, of func(row *R) (amount money.Amount, digits int)) Column[R] {
	return Column[R]{
		Title: title, Number: true, Money: true, File: func(row *R) sheet.Cell { return sheet.Money(of(row)) },
		Cell: func(v *View, row *R) Cell { return v.Amount(of(row)) },
	}
}

// PercentColumn is a column of rates.
func PercentColumn[R any](title string, of func(row *R) money.BasisPoints) Column[R] {
	return Column[R]{
		Title: title, Number: true, File: func(row *R) sheet.Cell { return sheet.Percent(of(row)) },
		Cell: func(v *View, row *R) Cell { return Text(v.Percent(of(row))) },
	}
}

// AmountsOf returns a function for columns of amounts. digits returns the decimals of the currency of a row.
func AmountsOf[R any](digits func(row *R) int) func(title string, of func(row *R) money.Amount) Column[R] {
	return func(title string, of func(row *R) money.Amount) Column[R] {
		return AmountColumn(title, func(row *R) (money.Amount, int) { return of(row), digits(row) })
	}
}

// BadgeColumn is a column of states whose badges the page chooses.
func BadgeColumn[R any](title string, of func(v *View, row *R) Badge) Column[R] {
	return Column[R]{
		Title: title, Words: func(v *View, row *R) string { return of(v, row).Text },
		Cell: func(v *View, row *R) Cell { return Badges(of(v, row)) },
	}
}

// with returns the column with its cells changed.
func (c Column[R]) with(change func(v *View, row *R, cell Cell) Cell) Column[R] {
	cell := c.Cell
	c.Cell = func(v *View, row *R) Cell { return change(v, row, cell(v, row)) }
	return c
}

// To returns the column with its cells as links, except those without an address.
func (c Column[R]) To(address func(row *R) string) Column[R] {
	return c.with(func(_ *View, row *R, cell Cell) Cell { return cell.To(address(row)) })
}

// Below returns the column with a second line in its cells, such as a type below a name.
func (c Column[R]) Below(line func(v *View, row *R) string) Column[R] {
	return c.with(func(v *View, row *R, cell Cell) Cell { return cell.WithSecondLine(line(v, row)) })
}

// Wrapped returns the column with texts that may wrap.
func (c Column[R]) Wrapped() Column[R] {
	return c.with(func(_ *View, _ *R, cell Cell) Cell { return Wrap(cell.Text) })
}

// Numeric returns the column right-aligned, with tabular figures.
func (c Column[R]) Numeric() Column[R] {
	c.Number = true
	return c
}

// Leading returns the column with its cells beside those of the first column on a narrow screen.
func (c Column[R]) Leading() Column[R] {
	c.Lead = true
	return c
}

// OnWide returns the column without its cells on a narrow screen.
func (c Column[R]) OnWide() Column[R] {
	c.WideOnly = true
	return c
}

// Summed returns the column with a total in workbooks.
func (c Column[R]) Summed() Column[R] {
	c.Sum = true
	return c
}

// Adding returns the column with a total, on the page, of the rows for which adds is true.
func (c Column[R]) Adding(adds func(row *R) bool) Column[R] {
	c.Adds = adds
	return c
}

// AddedAs returns the column with another title of its total where rows are left out.
func (c Column[R]) AddedAs(title string) Column[R] {
	c.AddsAs = title
	return c
}

// WithCell returns the column with other cells in the table.
func (c Column[R]) WithCell(cell func(v *View, row *R) Cell) Column[R] {
	c.Cell = cell
	return c
}

// Strong returns the column with bold cells in the rows for which strong is true.
func (c Column[R]) Strong(strong func(row *R) bool) Column[R] {
	return c.with(func(_ *View, row *R, cell Cell) Cell {
		if strong(row) {
			cell.Style = "strong"
		}
		return cell
	})
}

// Styled returns the column with classes for the cells of rows, "" for none.
func (c Column[R]) Styled(style func(row *R) string) Column[R] {
	return c.with(func(_ *View, row *R, cell Cell) Cell {
		cell.Style = style(row)
		return cell
	})
}

// If returns the column with an empty cell in the table for the rows for which shown is false.
func (c Column[R]) If(shown func(row *R) bool) Column[R] { return c.orElse(shown, Cell{}) }

// BlankUnless returns the column with a cell without a dash for the rows for which shown is false: the value does not apply to them.
func (c Column[R]) BlankUnless(shown func(row *R) bool) Column[R] { return c.orElse(shown, None()) }

// orElse returns the column with another cell for the rows for which shown is false.
func (c Column[R]) orElse(shown func(row *R) bool, other Cell) Column[R] {
	return c.with(func(_ *View, row *R, cell Cell) Cell {
		if shown(row) {
			return cell
		}
		return other
	})
}

// FileOnly returns the column without its cells in the table.
func (c Column[R]) FileOnly() Column[R] {
	c.Cell = nil
	return c
}

// TableOnly returns the column without its values in the file.
func (c Column[R]) TableOnly() Column[R] {
	c.File, c.Text, c.Words = nil, nil, nil
	return c
}
