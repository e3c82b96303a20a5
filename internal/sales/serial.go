package sales

import (
	"crypto/rand"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/storage"
)

// Serial codes: a character of the month, ten random characters and a check character of an alphabet without
// lookalikes (no 0, O, 1, I, L). Its length, 31, is prime, so the weighted sum catches every wrong character and
// every swap of two. The database keeps serial codes unique in a month; the first character keeps them apart in 31
// months. 31^10 codes (49 bits) cannot be guessed within the public page's rate limit.
const (
	serialAlphabet   = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
	serialLength     = 12
	validationDigits = 6
)

// Identity is the id of a ticket and the two codes of its receipt.
type Identity struct {
	ID             uuid.UUID
	SerialCode     string
	ValidationCode string
}

// newIdentity returns the identity of a ticket that is sold at an instant.
func newIdentity(at time.Time) Identity {
	id, err := storage.IDAt(at)
	return Identity{
		ID: uuid.Must(id, err), SerialCode: SerialCode(at, randomBelow), ValidationCode: newValidationCode(),
	}
}

// SerialCode returns the serial code of a ticket that was sold at an instant. below returns a random number below n.
func SerialCode(at time.Time, below func(n int) int) string {
	code := make([]byte, serialLength)
	code[0] = monthCharacter(at)
	for i := 1; i < serialLength-1; i++ {
		code[i] = serialAlphabet[below(len(serialAlphabet))]
	}
	code[serialLength-1] = checkCharacter(code[:serialLength-1])
	return string(code)
}

// monthCharacter is of the month in UTC, as the partitions of the table of tickets are.
func monthCharacter(at time.Time) byte {
	at = at.UTC()
	return serialAlphabet[(at.Year()*12+int(at.Month()))%len(serialAlphabet)]
}

// newValidationCode returns the digits that must be shown to collect a prize.
func newValidationCode() string {
	code := make([]byte, validationDigits)
	for i := range code {
		code[i] = byte('0' + randomBelow(10))
	}
	return string(code)
}

// ValidSerial reports whether text is well formed, in upper case, with the right check character.
func ValidSerial(text string) bool {
	if len(text) != serialLength || strings.Trim(text, serialAlphabet) != "" {
		return false
	}
	return checkCharacter([]byte(text[:serialLength-1])) == text[serialLength-1]
}

func checkCharacter(code []byte) byte {
	sum := 0
	for i, c := range code {
		sum += (i + 2) * strings.IndexByte(serialAlphabet, c)
	}
	return serialAlphabet[sum%len(serialAlphabet)]
}

// randomBelow returns an unbiased random number below n, at most 256.
func randomBelow(n int) int {
	limit := 256 - 256%n
	var b [1]byte
	for {
		_, _ = rand.Read(b[:]) // never fails (crypto/rand)
		if int(b[0]) < limit {
			return int(b[0]) % n
		}
	}
}

// scannedAddress is a part of the address in a receipt's QR code.
var scannedAddress = regexp.MustCompile(`(?i)/t/([0-9a-z]{6,32})`)

// TypedSerial returns the serial code in a typed or scanned text: the code, in any case, with spaces or dashes, or
// the address of a receipt's QR code; "" if it cannot be a code. It does not check the code.
func TypedSerial(typed string) string {
	if found := scannedAddress.FindStringSubmatch(typed); found != nil {
		typed = found[1]
	}
	code := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(typed))
	if len(code) < serialLength/2 || len(code) > 2*serialLength || strings.Trim(code, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return ""
	}
	return code
}
