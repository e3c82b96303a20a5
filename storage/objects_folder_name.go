package storage

import (
	"encoding/hex"
	"fmt"
	"strings"
)

const (
	// objectSuffix ends the name of an object's file. No directory ends so, therefore the objects a and a/b coexist.
	objectSuffix = "@"
	maxFileName  = 255 // bytes
)

// fileOf returns the path of a key's file below the bucket, and its directory. A part of the key is a directory, the
// last one is a file. Bytes other than a to z, digits, '.', '-' and '_' are written as %XX: keys that differ in
// capitals or in the composition of letters are different files in every file system.
func fileOf(key string) (dir, file string, err error) {
	if err := checkKey(key); err != nil {
		return "", "", err
	}
	parts := strings.Split(key, "/")
	for i, part := range parts {
		parts[i] = escapePart(part)
		if len(parts[i])+len(objectSuffix) > maxFileName {
			return "", "", fmt.Errorf("%w: a part of it has more than %d bytes", ErrObjectKey, maxFileName-len(objectSuffix))
		}
	}
	dir = "."
	if last := len(parts) - 1; last > 0 {
		dir = strings.Join(parts[:last], "/")
	}
	return dir, strings.Join(parts, "/") + objectSuffix, nil
}

func escapePart(part string) string {
	var b strings.Builder
	for _, c := range []byte(part) {
		if isPlain(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unescapePart is the inverse of escapePart. Other names are not names of this package.
func unescapePart(name string) (part string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '%' {
			b.WriteByte(name[i])
			continue
		}
		if i+2 >= len(name) {
			return "", false
		}
		c, err := hex.DecodeString(name[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.Write(c)
		i += 2
	}
	part = b.String()
	return part, part != "" && escapePart(part) == name
}

func isPlain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_'
}
