package storage

import (
	"encoding/binary"
	"time"

	"github.com/google/uuid"
)

// An id of version 7 has 48 bits of milliseconds, 4 of its version, 12 of the fraction of the millisecond, 2 of its variant and 62 more
// (RFC 9562, method 3), of which the first 30 are here the order in which a process made its ids.
const (
	version7     = 7 << 12
	variant      = 0b10 << 30
	fractionMask = 1<<12 - 1
	orderMask    = 1<<30 - 1
)

// FirstID returns the least id of version 7 of an instant.
func FirstID(at time.Time) (id uuid.UUID) {
	binary.BigEndian.PutUint64(id[:8], uint64(max(at.UnixMilli(), 0))<<16)
	return id
}

// IDAt returns an id of version 7 of an instant, not of the machine's clock, which may be wrong by days: the id decides on the partition
// and on the order of the rows. Ids of one instant are in the order in which one process made them within four minutes.
func IDAt(at time.Time) (uuid.UUID, error) {
	id, err := uuid.NewV7()
	made := binary.BigEndian.Uint64(id[:8]) // it is of the machine's clock, and each is later than the last one of the process
	order := made>>16<<12 | made&fractionMask
	first := FirstID(at)
	copy(id[:6], first[:6])
	fraction := at.Nanosecond() % int(time.Millisecond) << 12 / int(time.Millisecond)
	binary.BigEndian.PutUint16(id[6:], version7|uint16(fraction))
	binary.BigEndian.PutUint32(id[8:], variant|uint32(order&orderMask))
	return id, err
}
