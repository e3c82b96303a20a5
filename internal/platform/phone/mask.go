package phone

import "strings"

// Mask hides a telephone number but for its first three and last two characters: "+58********67".
func Mask(number string) string {
	const head, tail = 3, 2
	if len(number) <= head+tail {
		return strings.Repeat("*", len(number))
	}
	return number[:head] + strings.Repeat("*", len(number)-head-tail) + number[len(number)-tail:]
}
