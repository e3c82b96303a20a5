package kit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"banca/internal/iddoc"
	"banca/internal/money"
	"banca/internal/phone"
)

// Bounds of what is read from a field.
const (
	maxMinutes = 7 * 24 * 60
	maxTimes   = 96
	hoursOfDay = 24
	hourLength = 60 // in minutes
	noon       = 12
	wholeRate  = 100_00 // in basis points
)

// errTyped refuses the text of a field; the field says how it is typed.
var errTyped = errors.New("web: not as the field is typed")

// Decimal returns an amount typed by a person as money.Parse reads it. The decimal sign is a comma or a point, the other
// one separates thousands: "1.234,56", "1,234.56", "1234,56" and "1234.56" are the same. A point before three digits
// separates thousands: "1.234" is 1234; a comma never does without a point after it. Other texts are returned as typed.
func Decimal(typed string) string {
	typed = strings.TrimSpace(typed)
	whole, fraction, thousands := typed, "", "."
	comma, point := strings.LastIndexByte(typed, ','), strings.LastIndexByte(typed, '.')
	switch {
	case comma > point:
		whole, fraction = typed[:comma], typed[comma:]
	case point > comma && comma >= 0:
		whole, fraction, thousands = typed[:point], typed[point:], ","
	case point >= 0 && !grouped(typed, "."):
		whole, fraction = typed[:point], typed[point:]
	}
	if fraction != "" {
		fraction = "." + fraction[1:]
	}
	if !strings.Contains(whole, thousands) {
		return whole + fraction
	}
	if !grouped(whole, thousands) {
		return typed
	}
	return strings.ReplaceAll(whole, thousands, "") + fraction
}

// grouped reports whether a text is a number whose thousands are separated.
func grouped(text, separator string) bool {
	groups := strings.Split(text, separator)
	if len(groups) < 2 || groups[0] == "" || len(groups[0]) > 3 || groups[0][0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups[1:], func(group string) bool { return len(group) != 3 })
}

// ReadMoney reads an amount above zero of a currency with digits decimals.
func ReadMoney(typed string, digits int) (money.Amount, error) {
	return money.Parse(Decimal(typed), digits)
}

// ReadPercent reads a rate of 0 to 100 with up to two decimals, with or without its sign.
func ReadPercent(typed string) (money.BasisPoints, error) {
	n, err := money.ParseOrZero(Decimal(strings.TrimSuffix(strings.TrimSpace(typed), "%")), 2)
	if err != nil || n > wholeRate {
		return 0, errTyped
	}
	return money.BasisPoints(n), nil
}

// ReadMinutes reads a duration of up to seven days: minutes as "90" or "90 min", or hours and minutes as "1:30" or "1 h 30".
func ReadMinutes(typed string) (time.Duration, error) {
	text := strings.TrimSuffix(strings.TrimSpace(typed), "min")
	hours, minutes, split := strings.Cut(strings.Replace(text, "h", ":", 1), ":")
	if !split {
		hours, minutes = "0", hours
	} else if strings.TrimSpace(minutes) == "" {
		minutes = "0"
	}
	h, m := natural(hours), natural(minutes)
	if h < 0 || m < 0 || (split && m >= hourLength) || h*hourLength+m > maxMinutes {
		return 0, errTyped
	}
	return time.Duration(h*hourLength+m) * time.Minute, nil
}

// natural reads a number of at most five digits; any other text is -1.
func natural(text string) int {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || text[0] == '+' {
		return -1
	}
	return int(n)
}

// ReadTimes reads times of day separated by commas or blanks, such as "8:00, 9:15 pm, 20:00", and returns them in order as
// "15:04". A time twice is refused.
func ReadTimes(typed string) ([]string, error) {
	text := strings.ToLower(typed)
	for _, half := range []string{"a", "p"} { // the forms of am and pm
		for _, form := range []string{" " + half + ". m.", half + ". m.", " " + half + ".m.", half + ".m.", " " + half + "m"} {
			text = strings.ReplaceAll(text, form, half+"m")
		}
	}
	parts := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ';' || c == ' ' || c == '\n' || c == '\r' })
	if len(parts) == 0 || len(parts) > maxTimes {
		return nil, errTyped
	}
	times := make([]string, len(parts))
	for i, part := range parts {
		var err error
		if times[i], err = readTime(part); err != nil {
			return nil, err
		}
	}
	slices.Sort(times)
	if len(slices.Compact(slices.Clone(times))) != len(times) {
		return nil, errTyped
	}
	return times, nil
}

func readTime(text string) (string, error) {
	half := ""
	if rest, ok := strings.CutSuffix(text, "m"); ok && rest != "" {
		text, half = rest[:len(rest)-1], rest[len(rest)-1:]
	}
	hours, minutes, split := strings.Cut(text, ":")
	if !split {
		minutes = "0"
	}
	h, m := natural(hours), natural(minutes)
	if half != "" {
		if h < 1 || h > noon || (half != "a" && half != "p") {
			return "", errTyped
		}
		h %= noon
		if half == "p" {
			h += noon
		}
	} else if !split {
		return "", errTyped
	}
	if h < 0 || h >= hoursOfDay || m < 0 || m >= hourLength {
		return "", errTyped
	}
	return fmt.Sprintf("%02d:%02d", h, m), nil
}

// ReadPhone reads a telephone number and returns it in E.164.
func ReadPhone(typed string) (string, error) { return phone.Normalise(strings.TrimSpace(typed)) }

// ReadRIF reads a RIF or cédula with its letter and returns it as "J401234567".
func ReadRIF(typed string) (string, error) {
	id, err := iddoc.Parse(strings.TrimSpace(typed))
	if err == nil && id.Letter == "" {
		err = errTyped
	}
	return id.String(), err
}
