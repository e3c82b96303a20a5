package config

import "log/slog"

const redacted = "[redacted]"

// Secret is a value that must not appear in a log, an error or a dump of the configuration. An address
// that carries a password is one too.
type Secret string

// Reveal returns the value, for the one place that needs it.
func (s Secret) Reveal() string { return string(s) }

// String implements fmt.Stringer without the value.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return redacted
}

// GoString implements fmt.GoStringer, so that %#v hides the value too.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText keeps the value out of JSON and other text encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
