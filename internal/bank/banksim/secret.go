package banksim

import (
	"regexp"
	"strings"

	"banca/internal/platform/secrets"
)

// minSecret is the least length of a secret: a shorter one is part of any text.
const minSecret = 8

// mask puts asterisks over a token but for its tail. Its length stays.
func mask(token string) string {
	tail := secrets.Tail(token)
	return strings.Repeat("*", len(token)-len(tail)) + tail
}

// secret finds a token in shown texts: the whole of it and its words, in case it was typed with a scheme before it,
// in upper or lower case. A nil *secret finds nothing.
type secret struct{ pattern *regexp.Regexp }

// newSecret returns the secret of a token, nil for one too short to be any.
func newSecret(token string) *secret {
	var parts []string
	for _, part := range append([]string{token}, strings.Fields(token)...) {
		if len(part) >= minSecret {
			parts = append(parts, regexp.QuoteMeta(part))
		}
	}
	if parts == nil {
		return nil
	}
	return &secret{pattern: regexp.MustCompile("(?i)" + strings.Join(parts, "|"))}
}

// in reports whether text holds the secret.
func (s *secret) in(text string) bool { return s != nil && s.pattern.MatchString(text) }

// hide masks the secret in text without changing the text's length.
func (s *secret) hide(text string) string {
	if s == nil {
		return text
	}
	return s.pattern.ReplaceAllStringFunc(text, mask)
}
