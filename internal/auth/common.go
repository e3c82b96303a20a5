package auth

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"
)

// commonPasswords are passwords that guessers try first, one a line in lower case. Those that [runs] refuses anyway are
// not listed.
//
//go:embed common_passwords.txt
var commonPasswords string

// minDistinct is the least number of different characters of a password.
const minDistinct = 4

// common reports whether a password is among the first that are guessed: a listed one, also with digits or signs behind
// it or with letters replaced by similar signs, one of few different characters, or a run of neighbours such as 12345678,
// hgfedcba or qwertyui.
func common(password string) bool {
	text := strings.ToLower(password)
	plain := strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "i", "!", "i", "0", "o", "$", "s", "5", "s", "7", "t").Replace(text)
	word := strings.TrimRight(text, "0123456789!@#$%&*.-_")
	listed := strings.Fields(commonPasswords)
	return slices.Contains(listed, text) || slices.Contains(listed, plain) || word != "" && slices.Contains(listed, word) ||
		distinct(text) < minDistinct || runs(text)
}

func distinct(text string) int {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return len(seen)
}

// runs reports whether a text is one run of neighbours in the alphabet, the digits or a row of the keyboard, in either
// direction, or repeats a shorter text.
func runs(text string) bool {
	const rows = "01234567890 abcdefghijklmnñopqrstuvwxyz abcdefghijklmnopqrstuvwxyz qwertyuiop asdfghjkl zxcvbnm 1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik"
	if strings.Contains(rows, text) || strings.Contains(rows, reversed(text)) {
		return true
	}
	for n := 1; n <= len(text)/2; n++ {
		if len(text)%n == 0 && strings.Repeat(text[:n], len(text)/n) == text && n < minPassword {
			return true
		}
	}
	return false
}

func reversed(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeLastRuneInString(text)
		b.WriteRune(r)
		text = text[:len(text)-size]
	}
	return b.String()
}
