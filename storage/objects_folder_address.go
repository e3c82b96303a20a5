package storage

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Parameters of signed addresses.
const (
	paramExpires     = "expires" // seconds since 1970
	paramDisposition = "disposition"
	paramSignature   = "signature"
)

func (b *folderBucket) sign(_ context.Context, key, disposition string, expires time.Duration) (string, error) {
	if _, _, err := fileOf(key); err != nil {
		return "", err
	}
	if expires < time.Second {
		return "", objectError("sign", key, errors.New("an address must be valid for a second at least"))
	}
	until := strconv.FormatInt(b.clock.Now().Add(expires).Unix(), 10)
	query := url.Values{paramExpires: {until}, paramSignature: {b.signature(key, until, disposition)}}
	if disposition != "" {
		query.Set(paramDisposition, disposition)
	}
	return addressOf(b.base, key) + "?" + query.Encode(), nil
}

// signature covers method, bucket, key, expiry and disposition. Their lengths make the parts unambiguous, and the first
// one keeps other uses of the secret apart.
func (b *folderBucket) signature(key, until, disposition string) string {
	mac := hmac.New(sha256.New, b.secret)
	for _, part := range []string{"banca object 1", http.MethodGet, b.bucket, key, until, disposition} {
		_, _ = fmt.Fprintf(mac, "%d:%s,", len(part), part) // a hash returns no error
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// authorize reports whether a request may read a key, and the Content-Disposition of the answer. An address with a
// signature must be valid, also if its key is public.
func (b *folderBucket) authorize(key string, query url.Values) (disposition string, ok bool) {
	if !query.Has(paramSignature) {
		return "", b.isPublic(key)
	}
	until, disposition := query.Get(paramExpires), query.Get(paramDisposition)
	want := b.signature(key, until, disposition)
	if !hmac.Equal([]byte(want), []byte(query.Get(paramSignature))) {
		return "", false
	}
	seconds, err := strconv.ParseInt(until, 10, 64)
	if err != nil || b.clock.Now().Unix() > seconds {
		return "", false
	}
	return disposition, true
}

func (b *folderBucket) isPublic(key string) bool {
	return !b.private && isPublicKey(key)
}
