package banksim

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"

	"banca/internal/platform/egress"
)

// Failure is why a call got no complete answer, a stable word that is safe to show. The errors themselves hold
// addresses and data of the target.
type Failure string

// The failures.
const (
	failedAddress   = Failure("address")   // the target resolves to an address that is not allowed
	failedCancelled = Failure("cancelled") // the run was cancelled
	failedTimeout   = Failure("timeout")   // no answer in time
	failedName      = Failure("name")      // the name of the target cannot be resolved
	failedRefused   = Failure("refused")   // the connection was refused
	failedTrust     = Failure("trust")     // the certificate of the target is not trusted
	failedTLS       = Failure("tls")       // the target speaks no TLS, or none in common
	failedClosed    = Failure("closed")    // the connection was closed before an answer came
	failedBody      = Failure("body")      // the answer broke off
	failedOther     = Failure("other")     // the call failed: no connection, or no HTTP answer
)

// failure classifies the error of a call. Timeouts take precedence over the errors they cause.
func failure(err error) Failure {
	switch {
	case errors.Is(err, egress.ErrAddress):
		return failedAddress
	case errors.Is(err, context.Canceled):
		return failedCancelled
	case isTimeout(err):
		return failedTimeout
	case isA[*net.DNSError](err):
		return failedName
	case errors.Is(err, syscall.ECONNREFUSED):
		return failedRefused
	case isA[*tls.CertificateVerificationError](err):
		return failedTrust
	case errors.Is(err, http.ErrSchemeMismatch), isA[tls.RecordHeaderError](err), isA[tls.AlertError](err):
		return failedTLS
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return failedClosed
	}
	return failedOther
}

// failureOfBody names the failure of reading an answer.
func failureOfBody(err error) Failure {
	switch {
	case errors.Is(err, context.Canceled):
		return failedCancelled
	case isTimeout(err):
		return failedTimeout
	}
	return failedBody
}

// isTimeout reports whether time ran out, on our side or the network's.
func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return errors.Is(err, context.DeadlineExceeded) || ok && timeout.Timeout()
}

// isA reports whether err's chain has an E.
func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// Failures lists all failures.
func Failures() []Failure {
	return []Failure{
		failedAddress, failedCancelled, failedTimeout, failedName, failedRefused, failedTrust, failedTLS, failedClosed, failedBody, failedOther,
	}
}
