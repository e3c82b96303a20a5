package kit

import (
	"strconv"
	"time"

	"banca/internal/money"
)

// TextColumn is a column of texts in the table.
func TextColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Cell: func(_ *View, row *R) Cell { return Text(of(row)) }}
}

// WrapColumn is a column of texts over several lines in the table.
func WrapColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Cell: func(_ *View, row *R) Cell { return Wrap(of(row)) }}
}

// MonoColumn is a column of codes in the table.
func MonoColumn[R any](title string, of func(row *R) string) Column[R] {
	return Column[R]{Title: title, Cell: func(_ *View, row *R) Cell { return Mono(of(row)) }}
}

// AmountColumn is a column of amounts in the table, each of a currency with digits decimals.
func AmountColumn[R any](title string, of func(row *R) (amount money.Amount, digits int)) Column[R] {
	return Column[R]{Title: title, Number: true, Cell: func(v *View, row *R) Cell { return Text(v.Money(of(row))) }}
}

// CountColumn is a column of numbers in the table.
func CountColumn[R any](title string, of func(row *R) int) Column[R] {
	return Column[R]{Title: title, Number: true, Cell: func(_ *View, row *R) Cell { return Text(strconv.Itoa(of(row))) }}
}

// TimeColumn is a column of instants in the table.
func TimeColumn[R any](title string, of func(row *R) time.Time) Column[R] {
	return Column[R]{Title: title, Cell: func(v *View, row *R) Cell { return v.At(of(row)) }}
}

// StateColumn is a column of the states of a kind of object in the table.
func StateColumn[R any](kind string, of func(row *R) string) Column[R] {
	return Column[R]{Title: "label.state", Cell: func(v *View, row *R) Cell { return Badges(v.State(kind, of(row))) }}
}
