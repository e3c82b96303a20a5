package bank

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"banca/internal/bank/bankfield"
)

// object is a JSON object with undecoded values, so that no number becomes a float.
type object map[string]json.RawMessage

// maxKeys bounds the fields of a body.
const maxKeys = 200

// byteOrderMark is the byte order mark of UTF-8.
var byteOrderMark = []byte("\xef\xbb\xbf") //nolint:gochecknoglobals // a constant

// decodeText returns a body as UTF-8: without a byte order mark, and with every invalid byte read as Latin-1. JSON's
// own syntax is ASCII, so only strings can change.
func decodeText(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, byteOrderMark)
	if utf8.Valid(raw) {
		return raw
	}
	decoded := make([]byte, 0, 2*len(raw))
	for len(raw) > 0 {
		r, size := utf8.DecodeRune(raw)
		if r == utf8.RuneError && size == 1 {
			r = rune(raw[0])
		}
		decoded, raw = utf8.AppendRune(decoded, r), raw[size:]
	}
	return decoded
}

// parseObject parses exactly one JSON object. Keys that differ only in case count as duplicates, because parsers
// disagree about which of them to use. Unknown keys are kept. Errors: ErrMalformed.
func parseObject(raw []byte) (object, error) {
	raw = decodeText(raw)
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, ErrMalformed
	}
	fields, seen := object{}, map[string]bool{}
	for dec.More() {
		token, err := dec.Token()
		key, isText := token.(string)
		if err != nil || !isText || len(fields) == maxKeys {
			return nil, ErrMalformed
		}
		folded := fold(key)
		if seen[folded] {
			return nil, ErrMalformed
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, ErrMalformed
		}
		fields[key], seen[folded] = value, true
	}
	if _, err := dec.Token(); err != nil { // the closing brace
		return nil, ErrMalformed
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, ErrMalformed
	}
	return fields, nil
}

// fold returns the same text for all keys that are equal under strings.EqualFold.
func fold(key string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, key)
}

// value returns the value of a field as text. given is false if the field is missing or null.
func (o object) value(f *bankfield.Field) (value string, given bool, err error) {
	switch f.Kind {
	case bankfield.Digits:
		return o.digits(f.Name)
	case bankfield.Number:
		return o.number(f.Name)
	default:
		return o.text(f.Name)
	}
}

// text returns a field that must be a string. given is false if the field is missing or null.
func (o object) text(key string) (value string, given bool, err error) {
	raw, ok := o[key]
	if !ok || string(raw) == "null" {
		return "", false, nil
	}
	if raw[0] != '"' {
		return "", false, ErrField
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return "", false, ErrField
	}
	return value, true, nil
}

// digits returns a field of digits: a string, or a JSON number without sign, point and exponent, as it was written.
func (o object) digits(key string) (value string, given bool, err error) {
	if raw := string(o[key]); isDigits(raw) && raw != "" {
		return raw, true, nil
	}
	return o.text(key)
}

// number returns a field that may be a string or a JSON number, as it was written.
func (o object) number(key string) (value string, given bool, err error) {
	raw, ok := o[key]
	if ok && raw[0] >= '0' && raw[0] <= '9' || ok && raw[0] == '-' {
		return string(raw), true, nil
	}
	return o.text(key)
}
