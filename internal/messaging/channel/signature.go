package channel

import (
	"crypto/hmac"
	"crypto/subtle"
	"encoding/hex"
	"hash"
)

// SameSecret compares secrets in a time that does not depend on where they differ. An empty one fits nothing.
func SameSecret(given, want string) bool {
	return want != "" && subtle.ConstantTimeCompare([]byte(given), []byte(want)) == 1
}

// SignedHex reports whether given is the hexadecimal HMAC of the body. With an empty key it is false.
func SignedHex(h func() hash.Hash, key, given string, body []byte) bool {
	mac, err := hex.DecodeString(given)
	if err != nil || key == "" {
		return false
	}
	sum := hmac.New(h, []byte(key))
	sum.Write(body)
	return hmac.Equal(mac, sum.Sum(nil))
}
