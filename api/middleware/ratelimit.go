package middleware

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/api/problem"
	"banca/internal/platform/apperr"
	"banca/internal/platform/ratelimit"
)

// Headers with a client's limit.
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

// RateLimit counts a request against the limit of its client, see clientOf, and refuses it if nothing is left. The
// paths left out are not counted, nor are the panel's fixed files. A refused browser gets a page of the first that
// owns the path.
func RateLimit(limiter Limiter, panel Panel, leaveOut func(path string) bool, pages ...Page) gin.HandlerFunc {
	pages = append([]Page{{Owns: func(r *http.Request) bool { return panel.owns(r.URL.Path) }, TooMany: panel.TooMany}}, pages...)
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
		if v.Allowed {
			c.Next()
			return
		}
		c.Abort()
		for _, page := range pages {
			if page.Owns(c.Request) {
				h.Set("Retry-After", seconds(v.Retry))
				page.TooMany(c)
				return
			}
		}
		problem.From(ErrRateLimited.WithRetryAfter(v.Retry)).Write(c.Writer, c.Request)
	}
}

// Page answers a browser that has used up its limit.
type Page struct {
	Owns    func(r *http.Request) bool
	TooMany gin.HandlerFunc
}

// clientOf returns the client that a request counts against: the user of a browser's session, by its cookie or by the token that its script has,
// the device that was proved in the token's session, the user of the token, or else the address. Only what [Identify] proved counts: a header that
// names a device, a cookie outside of the panel and an invalid token leave the client as it is.
func clientOf(info *call) ratelimit.Client {
	switch {
	case info.browser != nil:
		return ratelimit.Browser(info.browser.UserID)
	case info.identified == nil:
		return ratelimit.Address(info.from) // clients of a listener without addresses share a limit
	case info.identified.Browser:
		return ratelimit.Browser(info.identified.UserID)
	case info.identified.DeviceID != uuid.Nil:
		return ratelimit.Device(info.identified.DeviceID)
	default:
		return ratelimit.User(info.identified.UserID)
	}
}

// seconds formats a duration in whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// RateHeaders are the names of the headers above in the spelling of documents.
func RateHeaders() []string {
	return []string{"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"}
}
