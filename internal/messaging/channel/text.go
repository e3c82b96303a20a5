package channel

import (
	"bytes"
	"encoding/base64"
	"image/png"
	"strings"
	"unicode/utf8"
)

// Bounds of what a provider sends.
const (
	MaxWebhook  = 1 << 20  // bytes of a webhook's body
	MaxStatuses = 1_000    // of one webhook; further ones are ignored
	maxInbound  = 500      // characters of a text: enough for a word of opt-out
	maxQR       = 96 << 10 // bytes
	maxQRSide   = 2_000    // pixels
)

// InboundText returns a customer's text, bounded and valid.
func InboundText(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "?")
	if utf8.RuneCountInString(text) > maxInbound {
		text = string([]rune(text)[:maxInbound])
	}
	return text
}

// maxID bounds the ids of providers, in bytes.
const maxID = 200

// ValidID reports whether a provider's id can be kept: printable ASCII of a reasonable length.
func ValidID(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' })
}

// Phone returns the E.164 form of a number as providers write it: digits, perhaps with a device behind a colon and a
// host behind an at sign, as 584141234567:3@s.whatsapp.net. It is empty for anything else, such as a group.
func Phone(id string) string {
	number, host, hasHost := strings.Cut(id, "@")
	if hasHost && host != "s.whatsapp.net" && host != "c.us" {
		return ""
	}
	number, _, _ = strings.Cut(strings.TrimPrefix(number, "+"), ":")
	const shortest, longest = 8, 15
	if len(number) < shortest || len(number) > longest || strings.ContainsFunc(number, func(r rune) bool { return r < '0' || r > '9' }) {
		return ""
	}
	return "+" + number
}

// Hidden reports whether an id hides the telephone of a person behind a number of WhatsApp's own.
func Hidden(id string) bool { return strings.HasSuffix(id, "@lid") }

// FirstPhone returns the first telephone of ids, "" without one.
func FirstPhone(ids ...string) string {
	for _, id := range ids {
		if phone := Phone(id); phone != "" {
			return phone
		}
	}
	return ""
}

// QRFromBase64 decodes a PNG that a provider sends as base64 or as a data URL. It is nil for anything else.
func QRFromBase64(text string) []byte {
	text = strings.TrimPrefix(text, "data:image/png;base64,")
	if len(text) > base64.StdEncoding.EncodedLen(maxQR) {
		return nil
	}
	picture, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !IsQR(picture) {
		return nil
	}
	return picture
}

// IsQR reports whether a provider's picture is a PNG of a reasonable size.
func IsQR(picture []byte) bool {
	if len(picture) > maxQR {
		return false
	}
	config, err := png.DecodeConfig(bytes.NewReader(picture))
	return err == nil && config.Width <= maxQRSide && config.Height <= maxQRSide
}
