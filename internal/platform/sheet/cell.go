package sheet

import (
	"strconv"
	"strings"
	"time"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

type kind uint8

const (
	emptyKind kind = iota
	textKind
	numberKind
	dayKind
	timeKind
)

// Cell is a typed value. The zero Cell is empty.
type Cell struct {
	kind   kind
	text   string
	number money.Amount // in units of the last digit
	digits int
	day    businessday.Day
	at     time.Time
}

// Text returns a cell with a text.
func Text(text string) Cell { return Cell{kind: textKind, text: text} }

// Integer returns a cell with a number.
func Integer(n int64) Cell { return Cell{kind: numberKind, number: money.Amount(n)} }

// Money returns a cell with an amount of a currency with digits decimals.
func Money(amount money.Amount, digits int) Cell {
	return Cell{kind: numberKind, number: amount, digits: digits}
}

// Number returns the number of a cell in units of its last digit, and its decimals; zero of another cell.
func (c Cell) Number() (number money.Amount, digits int) { return c.number, c.digits }

// Percent returns a cell with a rate in percent, with two decimals.
func Percent(rate money.BasisPoints) Cell { return Money(money.Amount(rate), 2) }

// Day returns a cell with a business day. The zero Day is an empty cell.
func Day(day businessday.Day) Cell {
	if day.IsZero() {
		return Cell{}
	}
	return Cell{kind: dayKind, day: day}
}

// Time returns a cell with an instant, which is written as local time. The zero time is an empty cell.
func Time(at time.Time) Cell {
	if at.IsZero() {
		return Cell{}
	}
	return Cell{kind: timeKind, at: at}
}

// Locale is the language and the time zone of a file.
type Locale struct {
	Language string // "en", or Spanish
	Zone     *time.Location
}

func (l Locale) english() bool { return l.Language == "en" }

// made is the label of the line with the maker of a file.
func (l Locale) made() string {
	if l.english() {
		return "Made"
	}
	return "Hecho"
}

// DayLayout is the layout of a day for package time.
func (l Locale) DayLayout() string {
	if l.english() {
		return time.DateOnly
	}
	return "02/01/2006"
}

// separator separates the cells of a CSV file.
func (l Locale) separator() rune {
	if l.english() {
		return ','
	}
	return ';'
}

// decimal returns an amount as a number without separators of thousands.
func (l Locale) decimal(c *Cell) string {
	text := c.number.Format(c.digits)
	if l.english() {
		return text
	}
	return strings.Replace(text, ".", ",", 1)
}

// plain returns the cell as a text of a CSV file.
func (l Locale) plain(c *Cell) string {
	switch c.kind {
	case textKind:
		return escapeFormulas(c.text)
	case numberKind:
		return l.decimal(c)
	case dayKind:
		return c.day.Format(l.DayLayout())
	case timeKind:
		return c.at.In(l.Zone).Format(l.DayLayout() + " " + time.TimeOnly)
	default:
		return ""
	}
}

// exactDigits is the number of significant digits that a spreadsheet keeps of a number.
const exactDigits = 15

// exact reports whether a spreadsheet keeps all digits of the number.
func (c Cell) exact() bool {
	return len(strings.TrimPrefix(strconv.FormatInt(int64(c.number), 10), "-")) <= exactDigits
}
