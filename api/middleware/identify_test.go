package middleware_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/middleware"
	"banca/api/realtime"
	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/clientaddr"
	"banca/internal/platform/clock"
)

// scopeA is the scope of the users of these tests.
var scopeA = testkit.Scope("/00000000-0000-7000-8000-00000000000a/") //nolint:gochecknoglobals // a constant

// one accepts the token and the cookie "good".
type one struct {
	caller.Caller
	devices        map[string]uuid.UUID // by a token of the same user
	asked, touched atomic.Int64
}

func (o *one) Authenticate(_ context.Context, token string) (caller.Caller, error) {
	o.asked.Add(1)
	if device, ok := o.devices[token]; ok {
		p := o.Caller
		p.DeviceID = device
		return p, nil
	}
	if token != "good" {
		return caller.Caller{}, auth.ErrTokenExpired
	}
	return o.Caller, nil
}

func (o *one) AuthenticateBrowser(ctx context.Context, token string) (caller.Caller, error) {
	return o.Authenticate(ctx, token)
}

func (o *one) Touch(caller.Caller) { o.touched.Add(1) }

var admin = middleware.Panel{Paths: []string{"/admin"}, Assets: "/admin/static/", Cookie: "session", TooMany: func(c *gin.Context) { //nolint:gochecknoglobals // a fixture
	c.String(http.StatusTooManyRequests, "a page")
}}

var shelf = middleware.Page{ //nolint:gochecknoglobals // a fixture
	Owns:    func(r *http.Request) bool { return r.URL.Path == "/shelf" },
	TooMany: func(c *gin.Context) { c.String(http.StatusTooManyRequests, "a public page") },
}

func isBank(path string) bool { return path == "/BancoConsulta" }

// chain is an engine with everything that stands before a handler, which serves every path.
func chain(authn middleware.Authenticator, limiter middleware.Limiter, origins []string, handler gin.HandlerFunc) *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	proxies := clientaddr.Proxies{netip.MustParsePrefix("10.0.0.1/32")}
	e.Use(middleware.Begin(proxies), middleware.AccessLog(slog.New(slog.DiscardHandler), clock.System{}), middleware.Headers(true),
		middleware.CORS(origins, admin, isBank), middleware.Identify(authn, admin, isBank, middleware.Socket{Path: "/ws", Token: realtime.TokenOf}), middleware.RateLimit(limiter, admin, isBank, shelf))
	e.Any("/*path", handler)
	return e
}

func request(e http.Handler, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, http.NoBody)
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Remote" {
			r.RemoteAddr = header[i+1]
			continue
		}
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	return w
}

func TestAuthorize(t *testing.T) {
	t.Parallel()
	user := &one{Caller: caller.Caller{UserID: uuid.New(), Name: "Ana", Role: "SOCIO", Scope: scopeA, Permissions: auth.RolePermissions("SOCIO")}}
	for header, want := range map[string]error{
		"Bearer good": nil, "bearer good": nil,
		"": auth.ErrUnauthenticated, "Bearer": auth.ErrUnauthenticated, "Bearer ": auth.ErrUnauthenticated,
		"good": auth.ErrUnauthenticated, "Bearer bad": auth.ErrTokenExpired, "Bearer  good": auth.ErrTokenExpired,
	} {
		reached := false
		e := chain(user, unlimited{}, nil, func(c *gin.Context) {
			reached = true
			by, err := middleware.Caller(c.Request.Context())
			require.ErrorIs(t, err, auth.ErrUnauthenticated, "before")
			assert.Zero(t, by, "before")
			require.ErrorIs(t, middleware.Authorize(auth.SalesSell)(c), orForbidden(want))
			by, err = middleware.Caller(c.Request.Context())
			require.ErrorIs(t, err, auth.ErrUnauthenticated, "without the permission")
			assert.Zero(t, by, "without the permission")
			require.ErrorIs(t, middleware.Authorize(auth.SalesRead)(c), want, header)
			require.ErrorIs(t, middleware.Authorize("")(c), want, header)
			if want == nil {
				by, err = middleware.Caller(c.Request.Context())
				require.NoError(t, err)
				assert.Equal(t, user.Caller, by)
				assert.Equal(t, scopeA, by.Scope)
				actor := middleware.Actor(c.Request.Context())
				assert.Equal(t, user.UserID, actor.UserID)
				assert.Equal(t, "Ana", actor.Name)
				assert.NotEmpty(t, actor.Address)
			}
		})
		request(e, http.MethodPost, "/x", "Authorization", header)
		assert.True(t, reached, header)
	}
}

func orForbidden(want error) error {
	if want == nil {
		return auth.ErrForbidden
	}
	return want
}

// A token is looked up once, whatever asks for it afterwards, and never on the bank's paths, whose token is another
// kind.
func TestIdentifyOnce(t *testing.T) {
	t.Parallel()
	user := &one{Caller: caller.Caller{Role: "SOCIO", UserID: uuid.New(), Scope: scopeA}}
	e := chain(user, unlimited{}, nil, func(c *gin.Context) {
		for range 3 {
			_ = middleware.Authorize("")(c)
		}
	})
	request(e, http.MethodGet, "/sales", "Authorization", "Bearer good")
	assert.EqualValues(t, 1, user.asked.Load())
	assert.EqualValues(t, 1, user.touched.Load())
	request(e, http.MethodGet, "/sales", "Authorization", "Bearer bad")
	assert.EqualValues(t, 2, user.asked.Load())
	request(e, http.MethodPost, "/BancoConsulta", "Authorization", "Bearer good")
	assert.EqualValues(t, 2, user.asked.Load())
	assert.EqualValues(t, 1, user.touched.Load(), "what is no token is nobody's activity")
}

// The panel's cookie opens nothing outside the panel, and in it only counts; a token opens nothing in it.
func TestThePanelsCookieDoesNotAuthenticateTheAPI(t *testing.T) {
	t.Parallel()
	user := &one{Caller: caller.Caller{Role: "ADMIN", UserID: uuid.New(), Scope: scopeA}}
	for path, header := range map[string][2]string{
		"/sales": {"Cookie", "session=good"}, "/admin": {"Cookie", "session=good"}, "/admin/bank": {"Authorization", "Bearer good"},
		"/administration": {"Cookie", "session=good"},
	} {
		e := chain(user, unlimited{}, nil, func(c *gin.Context) {
			assert.ErrorIs(t, middleware.Authorize("")(c), auth.ErrUnauthenticated, path)
		})
		assert.Equal(t, http.StatusOK, request(e, http.MethodGet, path, header[0], header[1]).Code)
	}
}
