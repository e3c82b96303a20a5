package problem_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/problem"
	"banca/internal/platform/apperr"
)

func TestEveryKindHasItsStatus(t *testing.T) {
	t.Parallel()
	for kind, status := range map[apperr.Kind]int{
		apperr.Malformed: 400, apperr.Unauthenticated: 401, apperr.Forbidden: 403, apperr.NotFound: 404, apperr.Conflict: 409,
		apperr.TooLarge: 413, apperr.Invalid: 422, apperr.RateLimited: 429, apperr.RiskLimit: 433, apperr.Unavailable: 503,
		apperr.Internal: 500, "unheard of": 500,
	} {
		p := problem.From(apperr.New(kind, "CODE", "message"))
		assert.Equal(t, status, p.Status, kind)
		assert.NotEmpty(t, p.Title, kind)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	err := apperr.New(apperr.RiskLimit, "RISK_LIMIT_EXCEEDED", "a limit does not allow this sale").WithRetryAfter(1500 * time.Millisecond).
		WithDetails(apperr.Detail{Location: "items[0]", Level: "AGENCY", Limit: "10.00", Sold: "9.00", Available: "1.00"})
	w := httptest.NewRecorder()
	w.Header().Set(problem.RequestIDHeader, "r1")
	r := httptest.NewRequest(http.MethodPost, "/sales/tickets?secret=1", http.NoBody)
	r.Header.Set("Accept-Language", "en")
	problem.From(err).Write(w, r)
	assert.Equal(t, 433, w.Code)
	assert.Equal(t, "application/problem+json", w.Header().Get("Content-Type"))
	assert.Equal(t, "2", w.Header().Get("Retry-After"))
	assert.JSONEq(t, `{"type":"about:blank","title":"Risk Limit Exceeded","status":433,"detail":"a limit does not allow this sale",
		"instance":"/sales/tickets","code":"RISK_LIMIT_EXCEEDED","request_id":"r1",
		"errors":[{"location":"items[0]","level":"AGENCY","limit":"10.00","sold":"9.00","available":"1.00"}]}`, w.Body.String())
}

func TestAnInternalErrorIsNotDisclosed(t *testing.T) {
	t.Parallel()
	body, err := json.Marshal(problem.From(errors.New("pq: password=hunter2")))
	require.NoError(t, err)
	assert.JSONEq(t, `{"type":"about:blank","title":"Internal Server Error","status":500,"code":"INTERNAL"}`, string(body))
}
