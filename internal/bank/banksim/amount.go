package banksim

import "strings"

// centDigits is how many digits after the point make a cent.
const centDigits = 2

// oneCentMore adds 0.01 to a decimal, digit by digit and so exactly at any length; further digits stay. It
// is false for anything but digits with at most one point between them.
func oneCentMore(amount string) (string, bool) {
	whole, fraction, pointed := strings.Cut(amount, ".")
	if !allDigits(whole) || pointed && !allDigits(fraction) {
		return "", false
	}
	fraction += strings.Repeat("0", max(0, centDigits-len(fraction)))
	digits := []byte("0" + whole + fraction) // a place for the carry
	at := len(whole) + centDigits
	for ; digits[at] == '9'; at-- {
		digits[at] = '0'
	}
	digits[at]++
	if digits[0] == '0' {
		digits = digits[1:]
	}
	point := len(digits) - len(fraction)
	return string(digits[:point]) + "." + string(digits[point:]), true
}

// allDigits reports whether text is one ASCII digit or more.
func allDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
