package storage

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// instantBytes is how many bytes of an id of version 7 are its instant, in milliseconds.
const instantBytes = 6

// FirstID returns the least id of version 7 of an instant.
func FirstID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(at.UnixMilli(), 0))<<16)
	return id
}

// IDAt returns an id of version 7 of an instant, not of the machine's clock, which may be wrong by days: the id decides on the partition
// and on the order of the rows.
func IDAt(at time.Time) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	first := FirstID(at)
	copy(id[:instantBytes], first[:instantBytes])
	return id, err
}
