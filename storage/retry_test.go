package storage_test

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"banca/storage"
)

// A lock that was not got, a deadlock and a serialisation failure are tried again; another error, and the last
// attempt's, are returned.
func TestRetryLocks(t *testing.T) {
	t.Parallel()
	for code, attempts := range map[string]int{"55P03": 3, "40P01": 3, "40001": 3, "23505": 1} {
		made := 0
		err := storage.RetryLocks(t.Context(), 2, 0, func() error {
			made++
			return &pgconn.PgError{Code: code}
		})
		require.Error(t, err)
		require.Equal(t, attempts, made, code)
	}
}
