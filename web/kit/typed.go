package kit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"banca/internal/platform/iddoc"
	"banca/internal/platform/money"
	"banca/internal/platform/phone"
)

// Bounds of the values of fields.
const (
	maxMinutes     = 7 * 24 * 60
	maxTimes       = 96
	hoursPerDay    = 24
	minutesPerHour = 60 // in minutes
	noon           = 12
	wholeRate      = 100_00 // in basis points
)

// errFormat means that the text of a field is invalid.
var errFormat = errors.New("web: invalid text of a field")

// Decimal returns an amount typed by a person in the format of money.Parse. The decimal sign is a comma or a point; the
// other one separates thousands: "1.234,56", "1,234.56", "1234,56" and "1234.56" are the same amount. A point followed
// by three digits separates thousands: "1.234" is 1234. A comma separates thousands only if a point follows it. Other
// texts are returned unchanged.
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

// grouped reports whether a text is a number with separators between its thousands.
func grouped(text, separator string) bool {
	groups := strings.Split(text, separator)
	if len(groups) < 2 || groups[0] == "" || len(groups[0]) > 3 || groups[0][0] == '0' {
		return false
	}
	return !slices.ContainsFunc(groups[1:], func(group string) bool { return len(group) != 3 })
}

// ReadMoney parses an amount greater than zero, of a currency with digits decimals.
func ReadMoney(typed string, digits int) (money.Amount, error) {
	return money.Parse(Decimal(typed), digits)
}

// ReadPercent parses a rate of 0 to 100 with up to two decimals, with or without a percent sign.
func ReadPercent(typed string) (money.BasisPoints, error) {
	n, err := money.ParseOrZero(Decimal(strings.TrimSuffix(strings.TrimSpace(typed), "%")), 2)
	if err != nil || n > wholeRate {
		return 0, errFormat
	}
	return money.BasisPoints(n), nil
}

// ReadMinutes parses a duration of up to seven days: minutes ("90", "90 min") or hours and minutes ("1:30", "1 h 30").
func ReadMinutes(typed string) (time.Duration, error) {
	text := strings.TrimSuffix(strings.TrimSpace(typed), "min")
	hours, minutes, split := strings.Cut(strings.Replace(text, "h", ":", 1), ":")
	if !split {
		hours, minutes = "0", hours
	} else if strings.TrimSpace(minutes) == "" {
		minutes = "0"
	}
	h, m := parseNatural(hours), parseNatural(minutes)
	if h < 0 || m < 0 || (split && m >= minutesPerHour) || h*minutesPerHour+m > maxMinutes {
		return 0, errFormat
	}
	return time.Duration(h*minutesPerHour+m) * time.Minute, nil
}

// parseNatural parses a number from 0 to 65535. It returns -1 for any other text.
func parseNatural(text string) int {
	text = strings.TrimSpace(text)
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || text[0] == '+' {
		return -1
	}
	return int(n)
}

// ReadTimes parses times of day separated by commas or blanks, such as "8:00, 9:15 pm, 20:00", and returns them sorted,
// in the format "15:04". A repeated time is invalid.
func ReadTimes(typed string) ([]string, error) {
	text := strings.ToLower(typed)
	for _, half := range []string{"a", "p"} { // the forms of am and pm
		for _, form := range []string{" " + half + ". m.", half + ". m.", " " + half + ".m.", half + ".m.", " " + half + "m"} {
			text = strings.ReplaceAll(text, form, half+"m")
		}
	}
	parts := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ';' || c == ' ' || c == '\n' || c == '\r' })
	if len(parts) == 0 || len(parts) > maxTimes {
		return nil, errFormat
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
		return nil, errFormat
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
	h, m := parseNatural(hours), parseNatural(minutes)
	if half != "" {
		if h < 1 || h > noon || (half != "a" && half != "p") {
			return "", errFormat
		}
		h %= noon
		if half == "p" {
			h += noon
		}
	} else if !split {
		return "", errFormat
	}
	if h < 0 || h >= hoursPerDay || m < 0 || m >= minutesPerHour {
		return "", errFormat
	}
	return fmt.Sprintf("%02d:%02d", h, m), nil
}

// ReadPhone parses a telephone number and returns it in E.164.
func ReadPhone(typed string) (string, error) { return phone.Normalise(strings.TrimSpace(typed)) }

// ReadRIF parses a RIF or cédula with its letter and returns it in the format "J401234567".
func ReadRIF(typed string) (string, error) {
	id, err := iddoc.Parse(strings.TrimSpace(typed))
	if err == nil && id.Letter == "" {
		err = errFormat
	}
	return id.String(), err
}
