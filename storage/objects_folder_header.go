package storage

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"unicode"
)

// ErrObjectDamaged reports that the file of an object is not the file that was written.
var ErrObjectDamaged = errors.New("storage: object damaged")

const (
	objectMagic    = "banca-object-1"
	maxObjectType  = 255 // bytes
	maxObjectTitle = len(objectMagic) + 1 + 2*sha256.Size + 1 + 20 + 1 + maxObjectType + 1
)

// objectHeader is the first line of an object's file, in front of the body:
//
//	banca-object-1 <hash> <size of the body> <content type>
//
// Header and body are one file, so a rename replaces both at once. `tail -n +2` prints the body.
type objectHeader struct {
	sum         [sha256.Size]byte // of the content type, the key and the body
	size        int64
	contentType string
}

// line has the same length for every hash.
func (h *objectHeader) line() []byte {
	return fmt.Appendf(nil, "%s %x %d %s\n", objectMagic, h.sum, h.size, h.contentType)
}

// parseObjectHeader reads the first line of a file. It accepts only the text that line writes.
func parseObjectHeader(start []byte) (h objectHeader, length int, err error) {
	line, _, found := bytes.Cut(start, []byte{'\n'})
	fields := strings.SplitN(string(line), " ", 4)
	if !found || len(fields) != 4 || fields[0] != objectMagic {
		return h, 0, ErrObjectDamaged
	}
	sum, err := hex.DecodeString(fields[1])
	if err != nil || len(sum) != len(h.sum) {
		return h, 0, ErrObjectDamaged
	}
	copy(h.sum[:], sum)
	h.contentType = fields[3]
	if h.size, err = strconv.ParseInt(fields[2], 10, 64); err != nil || h.size < 0 {
		return h, 0, ErrObjectDamaged
	}
	length = len(line) + 1
	if !bytes.Equal(h.line(), start[:length]) {
		return h, 0, ErrObjectDamaged
	}
	return h, length, nil
}

// newObjectSum returns a hash to which the body is written.
func newObjectSum(key, contentType string) hash.Hash {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%s\x00%s\x00", contentType, key) // neither has a NUL; a hash returns no error
	return sum
}

func isContentType(text string) bool {
	return text != "" && len(text) <= maxObjectType && !strings.ContainsFunc(text, unicode.IsControl)
}
