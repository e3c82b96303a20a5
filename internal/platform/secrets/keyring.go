package secrets

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// keySize is the length of a key in bytes, of AES-256.
const keySize = 32

// Errors of a keyring.
var (
	ErrKeys       = errors.New("secrets: expected name:key pairs separated by commas, each key 32 bytes in base64, each name once")
	ErrNoKey      = errors.New("secrets: there is no key")
	ErrUnknownKey = errors.New("secrets: sealed with a key that is not configured")
	ErrSealed     = errors.New("secrets: the value was altered or belongs to another row")
)

// Keyring is a list of keys, the newest first. The zero Keyring seals and opens nothing.
type Keyring struct {
	current string // the name of the key that seals
	keys    map[string]cipher.AEAD
}

// Parse reads a keyring: "name:key,name:key", the newest first, keys in base64. Spaces around a pair are ignored; an
// empty text is a keyring without keys. Errors: ErrKeys.
func Parse(text string) (*Keyring, error) {
	k := &Keyring{keys: map[string]cipher.AEAD{}}
	if strings.TrimSpace(text) == "" {
		return k, nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, encoded, _ := strings.Cut(strings.TrimSpace(pair), ":")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if _, twice := k.keys[name]; err != nil || twice || len(key) != keySize || !validName.MatchString(name) {
			return nil, ErrKeys
		}
		if k.keys[name], err = newCipher(key); err != nil {
			return nil, err
		}
		if k.current == "" {
			k.current = name
		}
	}
	return k, nil
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)

func newCipher(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("secrets: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// CanSeal reports whether there is a key.
func (k *Keyring) CanSeal() bool { return k.current != "" }

// Seal encrypts a value. context is where it belongs and must be given to Open again. The result is text: the name of
// the key, a colon and base64. Errors: ErrNoKey.
func (k *Keyring) Seal(value []byte, context string) (string, error) {
	if !k.CanSeal() {
		return "", ErrNoKey
	}
	sealed := k.keys[k.current].Seal(nil, nil, value, []byte(k.current+":"+context)) //nolint:gosec // the cipher makes a random nonce for each value
	return k.current + ":" + base64.RawStdEncoding.EncodeToString(sealed), nil
}

// Open decrypts what Seal made for the same context. Errors: ErrUnknownKey, ErrSealed.
func (k *Keyring) Open(sealed, context string) ([]byte, error) {
	name, encoded, _ := strings.Cut(sealed, ":")
	key, ok := k.keys[name]
	if !ok {
		return nil, ErrUnknownKey
	}
	raw, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return nil, ErrSealed
	}
	value, err := key.Open(nil, nil, raw, []byte(name+":"+context))
	if err != nil {
		return nil, ErrSealed
	}
	return value, nil
}

// Current reports whether a value is sealed with the key that seals now.
func (k *Keyring) Current(sealed string) bool {
	name, _, _ := strings.Cut(sealed, ":")
	return k.CanSeal() && name == k.current
}
