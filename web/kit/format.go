package kit

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"banca/api/problem"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
)

// T returns the text with a key in the page's language, formatted with args. It returns the key if there is no such
// text; a test checks that no page does that.
func (v *View) T(key string, args ...any) string {
	text, ok := v.words[key]
	switch {
	case !ok:
		return key
	case len(args) > 0:
		return fmt.Sprintf(text, args...)
	default:
		return text
	}
}

// FirstText returns the text of the first key that has one; "" if none has.
func (v *View) FirstText(keys ...string) string {
	for _, key := range keys {
		if text := v.words[key]; text != "" {
			return text
		}
	}
	return ""
}

// Message returns a message of the program, given in English, in the page's language. Any other text is returned as it is.
func (v *View) Message(english string) string { return problem.FieldText(v.Language, english) }

// Texts returns all texts in the page's language whose keys begin with a prefix, by the rest of their keys.
func (v *View) Texts(prefix string) map[string]string {
	texts := map[string]string{}
	for key, text := range v.words {
		if rest, ok := strings.CutPrefix(key, prefix); ok {
			texts[rest] = text
		}
	}
	return texts
}

// N returns the text for a whole number: the text key.one if n is 1, otherwise key.other, formatted with n and args.
func (v *View) N(key string, n any, args ...any) string {
	form := ".other"
	if whole(n) == 1 {
		form = ".one"
	}
	return v.T(key+form, append([]any{n}, args...)...)
}

// YesNo is yes or no in words.
func (v *View) YesNo(yes bool) string {
	if yes {
		return v.T("word.yes")
	}
	return v.T("word.no")
}

// Money formats an amount with the separators of the page's language and a minus sign. Files and fields have a hyphen ([Request.Money]).
func (v *View) Money(a money.Amount, digits int) string {
	return strings.Replace(moneyIn(v.Language, a, digits), "-", minus, 1)
}

const minus = "\u2212"

// Axis formats the values of a chart.
type Axis struct {
	view   *View
	digits int
}

// Axis returns the format of the values of a chart in a currency.
func (v *View) Axis(digits int) Axis { return Axis{v, digits} }

// Value is an amount in whole units, but a small one with its decimals.
func (x Axis) Value(a money.Amount) string {
	if unit := unitOf(x.digits); a%unit != 0 && max(a, -a) < smallUnits*unit {
		return x.view.Money(a, x.digits)
	}
	return x.view.Whole(a, x.digits)
}

// Tick is a round amount as Value has it, but in the thousands or millions of top, the greatest one of the axis.
func (x Axis) Tick(a, top money.Amount) string {
	for _, scale := range []struct {
		word string
		of   money.Amount // units
	}{{"chart.millions", 1_000_000}, {"chart.thousands", 1_000}} {
		if tenth := scale.of / 10 * unitOf(x.digits); a != 0 && top >= 10*tenth && top >= 10_000*unitOf(x.digits) && a%tenth == 0 {
			return x.view.T(scale.word, x.view.tenths(a/tenth))
		}
	}
	return x.Value(a)
}

// tenths formats tenths, without a decimal of zero.
func (v *View) tenths(n money.Amount) string {
	return strings.TrimSuffix(strings.TrimSuffix(v.Money(n, 1), ",0"), ".0")
}

// Share formats a part of a chart in percent.
func (v *View) Share(p Percent) string {
	return v.tenths(money.Amount(math.Round(10*float64(p)))) + " %"
}

// ShareOf formats a part of an amount in percent, as Share does; "" without a whole.
func (v *View) ShareOf(part, whole money.Amount) string {
	if whole <= 0 {
		return ""
	}
	return v.Share(Percent(float64(part) / float64(whole) * hundred))
}

// smallUnits is from how many units on the decimals of an amount say nothing on an axis.
const smallUnits = 100

// unitOf is one unit of a currency.
func unitOf(digits int) money.Amount {
	unit := money.Amount(1)
	for range digits {
		unit *= 10
	}
	return unit
}

// Whole formats an amount rounded to whole units of its currency, for boards of many figures.
func (v *View) Whole(a money.Amount, digits int) string {
	unit := unitOf(digits)
	half := unit / 2
	if a < 0 {
		half = -half
	}
	return v.Money((a+half)/unit, 0)
}

// Figure formats an amount for a tile: from 10.000 units on without decimals.
func (v *View) Figure(a money.Amount, digits int) string {
	if max(a, -a) >= wholeFigures*unitOf(digits) {
		return v.Whole(a, digits)
	}
	return v.Money(a, digits)
}

// wholeFigures is from how many units on the decimals of a tile say nothing.
const wholeFigures = 10_000

// moneyIn formats an amount with the separators of a language.
func moneyIn(language string, a money.Amount, digits int) string {
	local := a.FormatLocal(digits)
	if language == Spanish {
		return local
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '.':
			return ','
		case ',':
			return '.'
		default:
			return r
		}
	}, local)
}

// Signed formats an amount as Money does, with a plus sign if it is positive.
func (v *View) Signed(a money.Amount, digits int) string {
	if a > 0 {
		return "+" + v.Money(a, digits)
	}
	return v.Money(a, digits)
}

// Count formats a whole number with the separators of the page's language.
func (v *View) Count(n any) string { return v.Money(money.Amount(whole(n)), 0) }

// Counts returns the text of a key with counts, "" if all are zero.
func (v *View) Counts(key string, counts ...any) string {
	if !slices.ContainsFunc(counts, func(n any) bool { return whole(n) != 0 }) {
		return ""
	}
	return v.T(key, Map(counts, func(n *any) any { return v.Count(*n) })...)
}

// whole returns a whole number of any type.
func whole(n any) int64 {
	if number := reflect.ValueOf(n); number.CanInt() {
		return number.Int()
	}
	return int64(reflect.ValueOf(n).Uint())
}

// Day formats a business day.
func (v *View) Day(day businessday.Day) string {
	if v.Language == Spanish {
		return day.Format("02/01/2006")
	}
	return day.String()
}

// ShortDay formats a date without its year, as the steps of a chart have it: 31/12.
func (v *View) ShortDay(day businessday.Day) string {
	if v.Language == Spanish {
		return day.Format("02/01")
	}
	return day.Format("Jan 2")
}

// weekdayLetters is how many letters of a weekday a date has.
const weekdayLetters = 3

// Weekday is the weekday of a date, as it stands before the date: sáb.
func (v *View) Weekday(day businessday.Day) string {
	return string([]rune(v.T("weekday." + day.Weekday().String()))[:weekdayLetters])
}

// Moment is an instant in the business time zone. Its tooltip is the exact time, there and in UTC.
type Moment struct{ Local, UTC, Exact string }

// Time formats an instant as Clock does. The zero time is the zero Moment.
func (v *View) Time(t time.Time) Moment { return v.moment(t, v.Clock(t)) }

// ExactTime formats an instant as AsOf does, for logs. The zero time is the zero Moment.
func (v *View) ExactTime(t time.Time) Moment { return v.moment(t, v.AsOf(t)) }

func (v *View) moment(t time.Time, text string) Moment {
	if t.IsZero() {
		return Moment{}
	}
	utc := t.UTC().Format(time.RFC3339)
	return Moment{Local: text, UTC: utc, Exact: v.Day(businessday.Of(t, v.zone)) + " " + t.In(v.zone).Format(time.TimeOnly) + " (" + utc + ")"}
}

// timeOfDay is the format of times of day, as receipts have it: 8:00 pm.
const timeOfDay = "3:04 pm"

// TimeOfDay formats an instant as a time of day.
func (v *View) TimeOfDay(t time.Time) string { return t.In(v.zone).Format(timeOfDay) }

// Clock formats an instant as a time of day, after the day if that is not today. The zero time is "".
func (v *View) Clock(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	text := v.TimeOfDay(t)
	if day := businessday.Of(t, v.zone); day != businessday.Of(v.now, v.zone) {
		text = v.Day(day) + " " + text
	}
	return text
}

// AsOf formats an instant with its seconds, such as "23/11, 7:41:05 pm". The zero time is "".
func (v *View) AsOf(t time.Time) string {
	switch {
	case t.IsZero():
		return ""
	case v.Language == Spanish:
		return t.In(v.zone).Format("02/01, 3:04:05 pm")
	default:
		return t.In(v.zone).Format("Jan 2, 3:04:05 pm")
	}
}

// At returns a cell with an instant.
func (v *View) At(t time.Time) Cell { return At(v.Time(t)) }

// Phone formats a telephone number in E.164: a Venezuelan one as people write it, 0414-100.00.49; so is one
// with its leading zero.
func (v *View) Phone(number string) string {
	national, ok := strings.CutPrefix(number, "+58")
	if !ok {
		national, ok = strings.CutPrefix(number, "0")
	}
	if !ok || len(national) != len("4141000049") {
		return number
	}
	return "0" + national[:3] + "-" + national[3:6] + "." + national[6:8] + "." + national[8:]
}

// Hundredths formats a number of hundredths with two decimals.
func (v *View) Hundredths(n money.BasisPoints) string { return v.Money(money.Amount(n), 2) }

// Milliseconds formats a duration in milliseconds.
func (v *View) Milliseconds(d time.Duration) string {
	const ofTenth = 100 // microseconds
	return v.Money(money.Amount(d.Microseconds()/ofTenth), 1) + " ms"
}

// Minutes formats a duration in whole minutes, for settings in minutes.
func (v *View) Minutes(d time.Duration) string {
	return fmt.Sprintf("%d min", int64(d/time.Minute))
}

// Percent formats a rate with the separators of the page's language.
func (v *View) Percent(r money.BasisPoints) string { return v.Hundredths(r) + " %" }

// Size formats a number of bytes in KB or MB.
func (v *View) Size(bytes int) string {
	const unit = 1 << 10
	if bytes < unit*unit {
		return fmt.Sprintf("%d KB", (bytes+unit-1)/unit)
	}
	return v.Money(money.Amount(bytes/(unit*unit/100)), 2) + " MB"
}

// Now is the time at which the page is written.
func (v *View) Now() time.Time { return v.now }
