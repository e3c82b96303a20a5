package signed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"

	"banca/internal/messaging/channel"
)

// The headers of a signed request.
const (
	headerID        = "Webhook-Id"
	headerTimestamp = "Webhook-Timestamp"
	headerSignature = "Webhook-Signature"
)

const (
	secretPrefix  = "whsec_" // before a secret in base64; any other is used as it is
	version       = "v1,"
	maxAge        = 5 * time.Minute // how far a timestamp may be from now
	maxSignatures = 5               // of one request, while a secret is replaced
	maxEventID    = 200
)

// key returns the bytes of a secret.
func key(secret string) []byte {
	if encoded, ok := strings.CutPrefix(secret, secretPrefix); ok {
		if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil {
			return raw
		}
	}
	return []byte(secret)
}

func sign(secret, id, timestamp string, body []byte) []byte {
	sum := hmac.New(sha256.New, key(secret))
	sum.Write([]byte(id + "." + timestamp + "."))
	sum.Write(body)
	return sum.Sum(nil)
}

// headers signs a body that is sent now.
func headers(secret, id string, body []byte, now time.Time) map[string]string {
	timestamp := strconv.FormatInt(now.Unix(), 10)
	return map[string]string{
		headerID: id, headerTimestamp: timestamp,
		headerSignature: version + base64.StdEncoding.EncodeToString(sign(secret, id, timestamp, body)),
	}
}

// verify proves that a body was signed with the secret within maxAge of now.
func verify(secret string, header http.Header, body []byte, now time.Time) error {
	id, timestamp := header.Get(headerID), header.Get(headerTimestamp)
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if secret == "" || id == "" || len(id) > maxEventID || err != nil {
		return channel.ErrSignature
	}
	if at := time.Unix(seconds, 0); at.Before(now.Add(-maxAge)) || at.After(now.Add(maxAge)) {
		return channel.ErrSignature
	}
	want := sign(secret, id, timestamp, body)
	for _, signature := range strings.SplitN(header.Get(headerSignature), " ", maxSignatures) {
		encoded, ok := strings.CutPrefix(signature, version)
		given, err := base64.StdEncoding.DecodeString(encoded)
		if ok && err == nil && hmac.Equal(given, want) {
			return nil
		}
	}
	return channel.ErrSignature
}
