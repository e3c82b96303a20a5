package storage_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/apperr"
	"banca/storage"
)

// The table of docs/architecture.md is the registry.
func TestTheDocumentShowsTheLocks(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../docs/architecture.md")
	require.NoError(t, err)
	var rows []string
	for i, l := range storage.Locks() {
		kind := "advisory"
		if l.Table != "" {
			kind = "rows of `" + l.Table + "`"
		}
		rows = append(rows, fmt.Sprintf("| %d | %s | %s | %s | %s |", i+1, l.Name, kind, l.TakenBy, l.HeldFor))
	}
	require.True(t, strings.Contains(string(raw), strings.Join(rows, "\n")), "docs/architecture.md needs this table:\n%s", strings.Join(rows, "\n")) //nolint:testifylint // Contains prints the document
}

// A deadlock is retried a bounded number of times; the error of the last attempt is BUSY, not an internal error.
func TestDeadlocksAreRetried(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"40P01", "40001"} {
		failure := fmt.Errorf("wrapped: %w", &pgconn.PgError{Code: code})
		runs := 0
		require.NoError(t, storage.Retry(t.Context(), func() error {
			if runs++; runs < 3 {
				return failure
			}
			return nil
		}))
		require.Equal(t, 3, runs)
		runs = 0
		err := storage.Retry(t.Context(), func() error { runs++; return failure })
		require.ErrorIs(t, err, failure)
		require.Equal(t, 4, runs)
		busy := apperr.From(err)
		require.Equal(t, apperr.Unavailable, busy.Kind)
		require.Positive(t, busy.RetryAfter)
	}
	runs := 0
	other := &pgconn.PgError{Code: "23505"}
	require.ErrorIs(t, storage.Retry(t.Context(), func() error { runs++; return other }), other)
	require.Equal(t, 1, runs)
	require.Equal(t, apperr.Internal, apperr.From(other).Kind)
}
