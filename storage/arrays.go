package storage

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// UUIDs and the types below are columns of many rows, each a Postgres array parameter for unnest or = ANY. pgx
// encodes arrays element by element through interfaces, which took a tenth of a sale's CPU time; these types encode
// themselves. To insert columns, write SELECT unnest($1), unnest($2): with FROM unnest($1, $2) Postgres stores every
// column separately, and a row costs it a fifth more. Columns must have the same length.
type UUIDs []uuid.UUID

// MaybeUUIDs is a uuid[] column: Nil is NULL.
type MaybeUUIDs []uuid.UUID

// Texts is a text[] column.
type Texts []string

// Blobs is a bytea[] column: nil is NULL.
type Blobs [][]byte

// Bigints is a bigint[] column.
type Bigints []int64

// Integers is an integer[] column.
type Integers []int32

// Smallints is a smallint[] column.
type Smallints []int16

// Booleans is a boolean[] column.
type Booleans []bool

// Timestamps is a timestamptz[] column: the zero time is NULL.
type Timestamps []time.Time

// arrayColumn is any of them.
type arrayColumn interface {
	arrayOID() uint32
	appendArray(buf []byte) []byte
}

const (
	flagNoNulls, flagNulls = 0, 1
	nullLength             = -1 // instead of an element's length
	headerSize             = 20
	microsPerSecond        = 1_000_000
	nanosPerMicro          = 1_000
	elementSize            = 20 // of most kinds: a length and up to sixteen bytes
)

// epoch is where Postgres counts timestamps from, in microseconds.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC) //nolint:gochecknoglobals // a constant

// appendHeader begins an array of n elements of a type; array_recv in the source of Postgres reads it.
func appendHeader(buf []byte, n, flags int, element uint32) []byte {
	buf = slices.Grow(buf, headerSize+n*elementSize)
	if n == 0 {
		buf = binary.BigEndian.AppendUint32(buf, 0) // dimensions
		buf = binary.BigEndian.AppendUint32(buf, flagNoNulls)
		return binary.BigEndian.AppendUint32(buf, element)
	}
	buf = binary.BigEndian.AppendUint32(buf, 1)
	buf = binary.BigEndian.AppendUint32(buf, uint32(flags))
	buf = binary.BigEndian.AppendUint32(buf, element)
	buf = binary.BigEndian.AppendUint32(buf, uint32(n))
	return binary.BigEndian.AppendUint32(buf, 1) // index of the first element
}

func appendLength(buf []byte, n int) []byte {
	return binary.BigEndian.AppendUint32(buf, uint32(n))
}

func (UUIDs) arrayOID() uint32      { return pgtype.UUIDArrayOID }
func (MaybeUUIDs) arrayOID() uint32 { return pgtype.UUIDArrayOID }
func (Texts) arrayOID() uint32      { return pgtype.TextArrayOID }
func (Blobs) arrayOID() uint32      { return pgtype.ByteaArrayOID }
func (Bigints) arrayOID() uint32    { return pgtype.Int8ArrayOID }
func (Integers) arrayOID() uint32   { return pgtype.Int4ArrayOID }
func (Smallints) arrayOID() uint32  { return pgtype.Int2ArrayOID }
func (Booleans) arrayOID() uint32   { return pgtype.BoolArrayOID }
func (Timestamps) arrayOID() uint32 { return pgtype.TimestamptzArrayOID }

// appendEach writes an array of one element after the other.
func appendEach[T any](buf []byte, column []T, flags int, element uint32, appendElement func(buf []byte, value T) []byte) []byte {
	buf = appendHeader(buf, len(column), flags, element)
	for _, value := range column {
		buf = appendElement(buf, value)
	}
	return buf
}

func appendUUID(buf []byte, id uuid.UUID) []byte { return append(appendLength(buf, len(id)), id[:]...) }

func (c UUIDs) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNoNulls, pgtype.UUIDOID, appendUUID)
}

func (c MaybeUUIDs) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNulls, pgtype.UUIDOID, func(buf []byte, id uuid.UUID) []byte {
		if id == uuid.Nil {
			return appendLength(buf, nullLength)
		}
		return appendUUID(buf, id)
	})
}

func (c Texts) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNoNulls, pgtype.TextOID, func(buf []byte, text string) []byte {
		return append(appendLength(buf, len(text)), text...)
	})
}

func (c Blobs) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNulls, pgtype.ByteaOID, func(buf, blob []byte) []byte {
		if blob == nil {
			return appendLength(buf, nullLength)
		}
		return append(appendLength(buf, len(blob)), blob...)
	})
}

func appendBigint(buf []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(appendLength(buf, 8), uint64(n))
}

func (c Bigints) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNoNulls, pgtype.Int8OID, appendBigint)
}

func (c Integers) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNoNulls, pgtype.Int4OID, func(buf []byte, n int32) []byte {
		return binary.BigEndian.AppendUint32(appendLength(buf, 4), uint32(n))
	})
}

func (c Smallints) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNoNulls, pgtype.Int2OID, func(buf []byte, n int16) []byte {
		return binary.BigEndian.AppendUint16(appendLength(buf, 2), uint16(n))
	})
}

func (c Booleans) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNoNulls, pgtype.BoolOID, func(buf []byte, yes bool) []byte {
		value := byte(0)
		if yes {
			value = 1
		}
		return append(appendLength(buf, 1), value)
	})
}

func (c Timestamps) appendArray(buf []byte) []byte {
	return appendEach(buf, c, flagNulls, pgtype.TimestamptzOID, func(buf []byte, t time.Time) []byte {
		if t.IsZero() {
			return appendLength(buf, nullLength)
		}
		return appendBigint(buf, (t.Unix()-epoch.Unix())*microsPerSecond+int64(t.Nanosecond())/nanosPerMicro)
	})
}

// registerColumns teaches a new connection to take the columns above; any other value is pgx's business.
func registerColumns(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	for _, oid := range []uint32{
		pgtype.UUIDArrayOID, pgtype.TextArrayOID, pgtype.ByteaArrayOID, pgtype.Int8ArrayOID,
		pgtype.Int4ArrayOID, pgtype.Int2ArrayOID, pgtype.BoolArrayOID, pgtype.TimestamptzArrayOID,
	} {
		if known, ok := types.TypeForOID(oid); ok {
			types.RegisterType(&pgtype.Type{Name: known.Name, OID: oid, Codec: columnCodec{known.Codec}})
		}
	}
	return nil
}

type columnCodec struct{ pgtype.Codec }

// PlanEncode implements pgtype.Codec.
func (c columnCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if column, ok := value.(arrayColumn); ok && format == pgtype.BinaryFormatCode && column.arrayOID() == oid {
		return columnPlan{}
	}
	return c.Codec.PlanEncode(m, oid, format, value)
}

type columnPlan struct{}

// Encode implements pgtype.EncodePlan.
func (columnPlan) Encode(value any, buf []byte) ([]byte, error) {
	column, ok := value.(arrayColumn)
	if !ok {
		return nil, fmt.Errorf("storage: %T is no column", value)
	}
	return column.appendArray(buf), nil
}
