package storage

import (
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// ErrObjectKey reports that a key is not a plain relative path.
var ErrObjectKey = errors.New("storage: bad object key")

const maxObjectKey = 512 // bytes

// checkKey refuses keys that some store or path would read as another key: absolute ones, those with an empty part, `.`
// or `..`, a backslash or NUL, and text that is not UTF-8.
func checkKey(key string) error {
	if key == "" || len(key) > maxObjectKey || !utf8.ValidString(key) || strings.ContainsAny(key, "\\\x00") {
		return ErrObjectKey
	}
	if strings.HasPrefix(key, "/") || path.Clean(key) != key {
		return ErrObjectKey
	}
	if key == "." || key == ".." || strings.HasPrefix(key, "../") {
		return ErrObjectKey
	}
	return nil
}

// publicPrefixes begin the keys that everyone may read: receipts, which messengers fetch by their address, and logos.
// All other keys, such as keys of identity cards, are private.
func publicPrefixes() []string { return []string{"receipts/", "public/"} }

func isPublicKey(key string) bool {
	return slices.ContainsFunc(publicPrefixes(), func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}
