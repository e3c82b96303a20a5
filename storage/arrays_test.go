package storage_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/storage"
)

// Postgres reads every kind of column as it was meant, and none at all.
func TestColumnsOfArrays(t *testing.T) {
	t.Parallel()
	pg := testkit.New(t).PG
	id := uuid.MustParse("01900000-0000-7000-8000-00000000ABCD")
	at := time.Date(2026, time.February, 28, 23, 59, 59, 123456000, time.UTC)
	before := time.Date(1969, time.July, 20, 20, 17, 40, 0, time.UTC)
	for _, tt := range []struct {
		kind       string
		full, none any
		want       string
	}{
		{"uuid", storage.UUIDs{id, uuid.Nil}, storage.UUIDs{}, "{01900000-0000-7000-8000-00000000abcd,00000000-0000-0000-0000-000000000000}"},
		{"uuid", storage.MaybeUUIDs{uuid.Nil, id}, storage.MaybeUUIDs{}, "{NULL,01900000-0000-7000-8000-00000000abcd}"},
		{"text", storage.Texts{"", "NULL", `a"b,{ñ}`}, storage.Texts{}, `{"","NULL","a\"b,{ñ}"}`},
		{"bytea", storage.Blobs{{0, 255}, nil, {}}, storage.Blobs{}, `{"\\x00ff",NULL,"\\x"}`},
		{"bigint", storage.Bigints{-1, 1<<63 - 1, -1 << 63}, storage.Bigints{}, "{-1,9223372036854775807,-9223372036854775808}"},
		{"integer", storage.Integers{-1, 1<<31 - 1}, storage.Integers{}, "{-1,2147483647}"},
		{"smallint", storage.Smallints{-1, 1<<15 - 1}, storage.Smallints{}, "{-1,32767}"},
		{"boolean", storage.Booleans{true, false}, storage.Booleans{}, "{t,f}"},
		{"timestamptz", storage.Timestamps{at, {}, before, before.Add(-500 * time.Nanosecond), at.AddDate(500, 0, 0)}, storage.Timestamps{},
			`{"2026-02-28 23:59:59.123456+00",NULL,"1969-07-20 20:17:40+00","1969-07-20 20:17:39.999999+00","2526-02-28 23:59:59.123456+00"}`},
	} {
		var text, empty string
		sql := `SELECT ($1::` + tt.kind + `[])::text, ($2::` + tt.kind + `[])::text`
		require.NoError(t, pg.Pool.QueryRow(t.Context(), sql, tt.full, tt.none).Scan(&text, &empty), "%T", tt.full)
		require.Equal(t, tt.want, text, "%T", tt.full)
		require.Equal(t, "{}", empty, "%T", tt.none)
	}
	var n int
	require.NoError(t, pg.Pool.QueryRow(t.Context(), `SELECT count(*) FROM unnest($1::text[]) x WHERE x = ANY ($2::text[])`,
		[]string{"a", "b"}, storage.Texts{"b"}).Scan(&n), "and pgx still takes its own")
	require.Equal(t, 1, n)
}
