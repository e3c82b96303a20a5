package simulators

import (
	"net/http"
	"slices"
	"strings"

	"banca/internal/platform/clock"
)

// Modes of a gateway, see the package's documentation.
const (
	GatewayBadRecipient   = "400"
	GatewayContent        = "content"
	GatewayNeedsTemplate  = "needs_template"
	GatewayErrorIn200     = "error_in_200"
	GatewayRateLimited    = "429"
	GatewayRecipientLimit = "recipient_limit"
	GatewayRetryable      = "retryable"
	GatewayDown           = "channel_down"
	GatewayAuth           = "auth"
	GatewayNoLicence      = "503_license"
	GatewayCode           = "code"

	GatewayTimeout   = "timeout"
	GatewayBadProxy  = "502"
	GatewayRedirect  = "redirect"
	GatewayHang      = "hang_after_delivery"
	GatewayGarbage   = "garbage"
	GatewayOversized = "oversized"
	GatewayHalf      = "half_answer"

	GatewayDropAfterWrite = "drop_after_write"

	GatewayLateFailure = "late_failure"
	GatewayDoubled     = "doubled"
	GatewaySilent      = "no_status"
)

// gatewayRetryAfter is the wait a rate limited gateway asks for, in seconds.
const gatewayRetryAfter = 7

// oversized is the size of an answer that is too long, in bytes.
const oversized = 2 << 20

func gatewayModes() []string {
	return append(afterDelivery(), GatewayBadRecipient, GatewayContent, GatewayNeedsTemplate, GatewayErrorIn200, GatewayRateLimited,
		GatewayRecipientLimit, GatewayRetryable, GatewayDown, GatewayAuth, GatewayNoLicence, GatewayCode, GatewayTimeout, GatewayBadProxy, GatewayRedirect)
}

// afterDelivery are the modes in which the message arrives all the same.
func afterDelivery() []string {
	return []string{
		GatewayHang, GatewayGarbage, GatewayOversized, GatewayHalf, GatewayDropAfterWrite, GatewayLateFailure,
		GatewayDoubled, GatewaySilent,
	}
}

// delivers reports whether a message is delivered in spite of the fault.
func (f Fault) delivers() bool { return f.Mode == modeOK || slices.Contains(afterDelivery(), f.Mode) }

// cut spoils an answer in the ways that all protocols share and reports whether it did.
func cut(w http.ResponseWriter, r *http.Request, fault Fault) bool {
	switch fault.Mode {
	case GatewayTimeout, GatewayHang:
		_ = clock.Sleep(r.Context(), maxFaultDelay)
		panic(http.ErrAbortHandler)
	case GatewayDropAfterWrite:
		panic(http.ErrAbortHandler) // cuts the connection
	case GatewayHalf:
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"key":{"id":"3EB`)) // the connection is cut when the handler returns
	case GatewayGarbage:
		_, _ = w.Write([]byte("<html><title>Welcome</title></html>"))
	case GatewayOversized:
		_, _ = w.Write([]byte(`{"message":"` + strings.Repeat("x", oversized) + `"}`))
	case GatewayBadProxy:
		http.Error(w, "<html>Bad Gateway</html>", http.StatusBadGateway)
	case GatewayRedirect:
		http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusTemporaryRedirect)
	default:
		return false
	}
	return true
}
