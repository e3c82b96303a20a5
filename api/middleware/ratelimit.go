package middleware

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"banca/api/problem"
	"banca/internal/apperr"
	"banca/internal/ratelimit"
)

// Headers that tell a client of its limit.
const (
	LimitHeader     = "Ratelimit-Limit"
	RemainingHeader = "Ratelimit-Remaining"
	ResetHeader     = "Ratelimit-Reset"
)

// ErrRateLimited refuses a client that has used up its limit.
var ErrRateLimited = apperr.New(apperr.RateLimited, "RATE_LIMITED", "too many requests, try again later")

// Limiter counts requests.
type Limiter interface {
	Take(ctx context.Context, client ratelimit.Client) ratelimit.Verdict
}

// RateLimit counts a request against the limit of the user whom [Identify] found, or else of the address, and refuses
// it when there is nothing left. The paths left out count nowhere, nor do the panel's fixed files.
func RateLimit(limiter Limiter, panel Panel, leaveOut func(path string) bool) gin.HandlerFunc {
	return func(c *gin.Context) {
		info := callFrom(c.Request.Context())
		if leaveOut(info.path) || (panel.Assets != "" && strings.HasPrefix(info.path, panel.Assets)) {
			c.Next()
			return
		}
		v := limiter.Take(c.Request.Context(), clientOf(info))
		h := c.Writer.Header()
		h[LimitHeader] = []string{strconv.Itoa(v.Limit)}
		h[RemainingHeader] = []string{strconv.Itoa(v.Remaining)}
		h[ResetHeader] = []string{seconds(v.Reset)}
		switch {
		case v.Allowed:
			c.Next()
		case panel.owns(info.path):
			h.Set("Retry-After", seconds(v.Retry))
			panel.TooMany(c)
			c.Abort()
		default:
			problem.From(ErrRateLimited.WithRetryAfter(v.Retry)).Write(c.Writer, c.Request)
			c.Abort()
		}
	}
}

// clientOf is who a request counts against. A token that is none counts against the address it was tried from.
func clientOf(info *call) ratelimit.Client {
	switch {
	case info.caller != nil:
		return ratelimit.User(info.caller.UserID)
	case info.browser != nil:
		return ratelimit.User(info.browser.UserID)
	}
	return ratelimit.Address(info.from) // clients of a listener without addresses share a limit
}

// seconds writes a time as whole seconds, rounded up: who waits so long has waited enough.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// RateHeaders are the names of the headers above in the spelling of documents.
func RateHeaders() []string {
	return []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}
}
