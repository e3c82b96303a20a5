package kit

import (
	"time"

	"banca/internal/money"
	"banca/internal/sheet"
)

// The columns below are in the table and in the file.

// TextColumn is a column of texts.
func TextColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Text: of, Cell: func(_ *View, row *R) Cell { return Text(of(row)) }}
}

// WrapColumn is a column of texts that may wrap.
func WrapColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Text: of, Cell: func(_ *View, row *R) Cell { return Wrap(of(row)) }}
}

// MonoColumn is a column of monospaced texts, such as codes.
func MonoColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Text: of, Cell: func(_ *View, row *R) Cell { return Mono(of(row)) }}
}

// StateColumn is a column of the states of a kind of object.
func StateColumn[R any](kind string, of func(row *R) string) Column[R] {
	return Column[R]{Title: "label.state", Text: of, Cell: func(v *View, row *R) Cell { return Badges(v.State(kind, of(row))) }}
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

// CountColumn is a column of numbers.
func CountColumn[R any](title string, of func(row *R) int) Column[R] {
	return Column[R]{
		Title: title, Number: true, File: func(row *R) sheet.Cell { return sheet.Integer(int64(of(row))) },
		Cell: func(v *View, row *R) Cell { return Text(v.Count(int64(of(row)))) },
	}
}

// AmountColumn is a column of amounts, each of a currency with digits decimals.
func AmountColumn[R any](title string, of func(row *R) (amount money.Amount, digits int)) Column[R] {
	return Column[R]{
		Title: title, Number: true, File: func(row *R) sheet.Cell { return sheet.Money(of(row)) },
		Cell: func(v *View, row *R) Cell { return Text(v.Money(of(row))) },
	}
}
