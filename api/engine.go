package api

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"banca/api/bank"
	"banca/api/catalog"
	"banca/api/draws"
	"banca/api/kit"
	"banca/api/messaging"
	"banca/api/middleware"
	"banca/api/org"
	"banca/api/problem"
	"banca/api/realtime"
	"banca/api/system"
)

const uploadAnswer = time.Minute // for the work on an upload that has arrived

// newEngine makes the engine with its middleware, in the order of docs/architecture.md.
func (a *API) newEngine() {
	gin.SetMode(gin.ReleaseMode) // its other mode prints every route
	e := gin.New()
	e.HandleMethodNotAllowed = true
	e.RedirectTrailingSlash = false
	e.ContextWithFallback = true  // a gin context is a context of the request
	e.ForwardedByClientIP = false // middleware.ClientAddress is the one rule
	bounds := a.bodyBounds()
	e.Use(
		middleware.Begin(a.deps.TrustedProxies),
		middleware.Observe(),
		middleware.AccessLog(a.deps.Log, a.deps.Clock),
	)
	if a.deps.Requests != nil {
		e.Use(middleware.RequestLog(a.deps.Requests, a.deps.Clock, a.unrecorded(), isSecret))
	}
	e.Use(
		middleware.Recovery(a.deps.Log),
		middleware.Headers(strings.HasPrefix(a.deps.PublicURL, "https://")),
		middleware.BodyLimit(bounds),
		middleware.CORS(a.deps.Origins, a.deps.Panel, a.isBankCall),
		middleware.Identify(a.deps.Services.Auth, a.deps.Panel, a.isBankCall, middleware.Socket{Path: a.deps.BasePath + realtime.Path, Token: realtime.TokenOf}),
	)
	if a.deps.Limiter != nil {
		e.Use(middleware.RateLimit(a.deps.Limiter, a.deps.Panel, a.uncounted(), a.ticketPage.TooMany(a.deps.BasePath, draws.ResultsPath)))
	}
	e.Use(middleware.ForBrowsers(a.deps.Panel, a.deps.BasePath))
	e.Use(middleware.Bodies(bounds, a.deps.Panel, a.isBankCall))
	e.NoRoute(middleware.NotFound(a.deps.Panel))
	e.NoMethod(func(c *gin.Context) {
		if a.refuseBankMethod(c) {
			return
		}
		problem.New(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this path does not take this method").Write(
			c.Writer, c.Request,
		)
	})
	a.engine = e
}

// bodyBounds are the bounds of bodies, each one byte more than allowed, so that huma detects an excess.
func (a *API) bodyBounds() *middleware.BodyBounds {
	logins := []string{a.deps.BasePath + kit.LoginRoutes}
	if a.deps.Panel.Login != "" {
		logins = append(logins, a.deps.Panel.Login)
	}
	return &middleware.BodyBounds{
		Most: kit.MaxBody + 1, Files: a.uploads(), Login: kit.MaxLogin + 1, Logins: logins,
		Within: kit.LoginTimeout, Upload: kit.UploadTimeout, Respond: uploadAnswer,
	}
}

// uploads are the routes that take a file, with the bound of its size.
func (a *API) uploads() map[string]int64 {
	routes := map[string]int64{}
	for _, uploads := range []map[string]int64{bank.Uploads(), catalog.Uploads(), org.Uploads()} {
		for route, bound := range uploads {
			routes[a.deps.BasePath+route] = bound
		}
	}
	for _, route := range a.deps.Uploads {
		routes[route] = org.MaxDocumentForm + 1
	}
	return routes
}

// isBankCall reports whether a path is one of the bank's two, which have checks and bounds of their own.
func (a *API) isBankCall(path string) bool {
	own, below := strings.CutPrefix(path, a.deps.BasePath)
	return below && slices.Contains(bank.Calls(), own)
}

// unrecorded returns the paths that the request log leaves out: what monitors and pages ask for every few seconds,
// and the panel's fixed files.
func (a *API) unrecorded() func(path string) bool {
	paths := map[string]bool{}
	for _, path := range system.Paths() {
		paths[a.deps.BasePath+path] = true
	}
	assets := a.deps.Panel.Assets
	return func(path string) bool { return paths[path] || assets != "" && strings.HasPrefix(path, assets) }
}

// isSecret reports whether the value of a parameter is secret, such as the token in the address of a webhook.
func isSecret(parameter string) bool { return parameter == messaging.WebhookParameter }

// uncounted returns the paths without a rate limit: the bank's, the providers' of messages, the monitors', and the
// fixed files of the documentation. Public pages count against the address, so that serials cannot be
// guessed; a socket counts once, when it is opened.
func (a *API) uncounted() func(path string) bool {
	paths := map[string]bool{}
	for _, path := range slices.Concat(bank.Calls(), system.Paths(), docsFiles()) {
		paths[a.deps.BasePath+path] = true
	}
	webhooks := a.deps.BasePath + messaging.WebhooksPath
	return func(path string) bool { return paths[path] || strings.HasPrefix(path, webhooks) }
}
