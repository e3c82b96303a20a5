package apperr

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"
)

// retryStore is the time after which a caller may repeat a request that met a store that does not answer.
const retryStore = time.Second

// ErrStore means that Postgres does not answer and a transaction was not begun or was rolled back.
var ErrStore = New(Unavailable, "STORE_UNAVAILABLE", "the database does not answer, nothing was changed").
	WithRetryAfter(retryStore)

// errStore describes an outage of Postgres or Redis that no domain describes itself. It does not say whether
// something was changed, because a commit whose answer is lost may have succeeded.
var errStore = New(Unavailable, "STORE_UNAVAILABLE", "a database does not answer; repeat the request").WithRetryAfter(retryStore)

// outage returns the description of an error that comes from a store that does not answer, or nil. The errors of the
// clients of the stores are recognised by their methods and by the errors of the network that they wrap, so that
// every domain may wrap an error of a store without a kind.
func outage(err error) *Error {
	var (
		network net.Error
		state   interface{ SQLState() string }
		unsent  interface{ SafeToRetry() bool }
	)
	switch {
	case errors.As(err, &state):
		if !unavailableState(state.SQLState()) {
			return nil
		}
	case errors.Is(err, context.Canceled): // the caller is gone
		return nil
	case errors.As(err, &network), errors.As(err, &unsent) && unsent.SafeToRetry(), isBroken(err):
	default:
		return nil
	}
	return errStore.WithCause(err)
}

// isBroken reports whether a connection broke or could not be made. DeadlineExceeded is an error of the network, too.
func isBroken(err error) bool {
	return slices.ContainsFunc([]error{
		driver.ErrBadConn, net.ErrClosed, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ECONNRESET,
		syscall.EPIPE,
	}, func(target error) bool { return errors.Is(err, target) })
}

// unavailableState reports whether a SQLSTATE means that the server accepts no statements: class 08 is connections,
// 57P01 to 57P03 are shutdown, crash and start, class 53 is a full disk, no memory and too many connections, 58030 is a
// disk that fails, 25006 is a standby.
func unavailableState(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") ||
		slices.Contains([]string{"57P01", "57P02", "57P03", "58030", "25006"}, code)
}
