package apperr_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"

	"banca/internal/platform/apperr"
)

func TestAnOutageOfAStoreIsUnavailable(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"refused":     &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED},
		"broken off":  io.ErrUnexpectedEOF,
		"shutting":    &pgconn.PgError{Code: "57P01"},
		"starting":    &pgconn.PgError{Code: "57P03"},
		"connections": &pgconn.PgError{Code: "53300"},
		"full disk":   &pgconn.PgError{Code: "53100"},
		"broken disk": &pgconn.PgError{Code: "58030"},
		"no answer":   context.DeadlineExceeded,
	} {
		e := apperr.From(fmt.Errorf("confirm: %w", err))
		assert.Equal(t, apperr.Unavailable, e.Kind, name)
		assert.Positive(t, e.RetryAfter, name)
		assert.ErrorIs(t, e, err, name)
	}
	for name, code := range map[string]string{"a deadlock": "40P01", "a serialisation failure": "40001", "a lock": "55P03", "a timeout": "57014"} {
		e := apperr.From(fmt.Errorf("list: %w", &pgconn.PgError{Code: code}))
		assert.Equal(t, "BUSY", e.Code, name)
		assert.Equal(t, apperr.Unavailable, e.Kind, name)
		assert.Positive(t, e.RetryAfter, name)
	}
	for name, err := range map[string]error{
		"a bug": errors.New("index out of range"), "a constraint": &pgconn.PgError{Code: "23505"}, "the caller left": context.Canceled,
	} {
		assert.Equal(t, apperr.Internal, apperr.From(err).Kind, name)
	}
	own := apperr.New(apperr.Conflict, "TAKEN", "taken").WithCause(io.EOF)
	assert.Equal(t, apperr.Conflict, apperr.From(own).Kind, "an error with a kind keeps it")
}
