package storage

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
)

// An id of version 7 has 48 bits of milliseconds, 4 of its version, 12 of the fraction of the millisecond, 2 of its variant and 62 more
// (RFC 9562, methods 1 and 3): here a counter of 22 and 40 random bits.
const (
	version7     = 7 << 12
	variant      = 0b10 << 30
	counterMask  = 1<<22 - 1
	counterShift = 8
)

// made counts the ids of this process: those of one instant are in the order in which they were made.
var made atomic.Uint32

// FirstID returns the least id of version 7 of an instant.
func FirstID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(at.UnixMilli(), 0))<<16)
	return id
}

// IDAt returns an id of version 7 of an instant, not of the machine's clock, which may be wrong by days: the id decides on the partition
// and on the order of the rows.
func IDAt(at time.Time) (uuid.UUID, error) {
	id, err := uuid.NewRandom()
	first := FirstID(at)
	copy(id[:6], first[:6])
	fraction := at.Nanosecond() % int(time.Millisecond) * (1 << 12) / int(time.Millisecond)
	binary.BigEndian.PutUint16(id[6:], version7|uint16(fraction))
	count := made.Add(1) & counterMask
	binary.BigEndian.PutUint32(id[8:], variant|count<<counterShift|uint32(id[11]))
	return id, err
}
