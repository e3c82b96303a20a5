package ledger

import (
	"bytes"
	"cmp"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
)

// Place is the place of an entry in the statement of a wallet. The entries of a day are its transactions in the order of their
// times, then its sums by type.
type Place struct {
	Day           businessday.Day
	Time          time.Time // zero for a sum
	TransactionID uuid.UUID // Nil for a sum
	Type          string
}

// IsSum reports whether the entry sums the transactions of a day.
func (p Place) IsSum() bool { return p.TransactionID == uuid.Nil }

// Cursor returns the place as a text, which [Service.PlaceOf] reads: the time and the transaction, or the day and the type.
func (p Place) Cursor() string {
	if p.IsSum() {
		return p.Day.String() + "_" + p.Type
	}
	return p.Time.UTC().Format(time.RFC3339Nano) + "_" + p.TransactionID.String()
}

// PlaceOf reads the cursor of a place. Errors: ErrInvalidCursor.
func (s *Service) PlaceOf(cursor string) (*Place, error) {
	before, after, found := strings.Cut(cursor, "_")
	if !found || after == "" {
		return nil, ErrInvalidCursor
	}
	if day, err := businessday.Parse(before); err == nil {
		return &Place{Day: day, Type: after}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, before)
	if err != nil {
		return nil, ErrInvalidCursor
	}
	id, err := uuid.Parse(after)
	if err != nil || id == uuid.Nil {
		return nil, ErrInvalidCursor
	}
	return &Place{Day: businessday.Of(at, s.options.Zone), Time: at, TransactionID: id}, nil
}

// compare returns -1 if p is before q, 0 if they are equal and 1 if p is after q.
func (p Place) compare(q Place) int {
	switch {
	case p.Day != q.Day:
		return p.Day.Compare(q.Day)
	case p.IsSum() && q.IsSum():
		return cmp.Compare(p.Type, q.Type)
	case p.IsSum():
		return 1
	case q.IsSum():
		return -1
	default:
		return cmp.Or(p.Time.Compare(q.Time), bytes.Compare(p.TransactionID[:], q.TransactionID[:]))
	}
}
