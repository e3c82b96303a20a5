// Package api is the HTTP API: gin carries the requests, huma binds and validates them and describes the
// operations as OpenAPI 3.1.
//
// A handler binds, calls one service and maps the answer; it holds no rule of the business. Every
// operation is registered by handle with an Access, so none can be left open by forgetting. Every
// error leaves as a problem (package problem), whoever made it: a service, the validation or the router.
package api

import (
	"cmp"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/api/realtime"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/catalog"
	"banca/internal/clock"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/exposure"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/prizes"
	"banca/internal/risk"
	"banca/internal/sales"
)

const (
	maxBody       = 1 << 20
	maxUpload     = 10 << 20
	maxLogin      = 16 << 10 // bytes of a body of /auth/* and of the panel's login
	bodyTimeout   = 10 * time.Second
	loginTimeout  = 5 * time.Second
	uploadTimeout = 90 * time.Second // 10 MiB at 1 Mbit/s
	uploadAnswer  = time.Minute      // for the work on an upload that has arrived
)

// Deps are what the API stands on.
type Deps struct {
	Log     *slog.Logger
	Clock   clock.Clock
	Auth    *auth.Service
	Org     *org.Service
	Catalog *catalog.Service
	Ledger  *ledger.Service
	Sales   *sales.Service
	Prizes  *prizes.Service
	Limits  *risk.Keeper
	Bank    *bank.Service
	Devices *devices.Service
	Draws   *draws.Service
	Checks  []Check // of /readyz

	Exposure   *exposure.Service
	Activity   *activity.Service
	DeviceKeys middleware.DeviceKeys // nil where there are none
	Realtime   *realtime.Hub         // of the connections of devices

	Version        string
	PublicURL      string
	BasePath       string             // before every path of the API, "" or "/api"
	TrustedProxies []netip.Prefix     // whose X-Forwarded-For is believed
	Uploads        []string           // routes that are added to the engine and take a file
	Origins        []string           // whose scripts may call
	Limiter        middleware.Limiter // nil counts nothing
	Panel          middleware.Panel   // that is added to the engine
}

// API is the assembled HTTP API.
type API struct {
	deps   Deps
	engine *gin.Engine
	huma   huma.API
	errs   []error // of registrations
	json   []byte
	yaml   []byte
	older  []byte // the document in OpenAPI 3.0
	events []byte // the AsyncAPI document

	ticketPage *ticketPage
}

// New assembles the API. An error is a mistake in the program: an operation without access or twice.
func New(deps Deps) (*API, error) { return assemble(deps) }

// assemble is New with operations that only a test has.
func assemble(deps Deps, more ...func(*API)) (*API, error) {
	hookErrors()
	page, err := newTicketPage()
	if err != nil {
		return nil, err
	}
	a := &API{deps: deps, ticketPage: page}
	a.newEngine()
	a.huma = humagin.NewWithGroup(a.engine, a.engine.Group(deps.BasePath), a.config())
	a.registerAuth()
	a.registerAccount()
	a.registerUsers()
	a.registerSessions()
	a.registerActivity()
	a.registerEntities()
	a.registerDocuments()
	a.registerDevices()
	a.registerRealtime()
	a.registerCatalog()
	a.registerCategories()
	a.registerGames()
	a.registerElements()
	a.registerDrawPlans()
	a.registerMoney()
	a.registerSales()
	a.registerPublicTicket()
	a.registerDraws()
	a.registerResults()
	a.registerRisk()
	a.registerRiskLimits()
	a.registerExposure()
	a.registerPrizes()
	a.registerPrizeDifferences()
	a.registerBankCalls()
	a.registerPaymentRequests()
	a.registerBankPayments()
	a.registerBankEvents()
	a.registerBankDirectory()
	a.registerBankStatements()
	a.registerHealth()
	for _, register := range more {
		register(a)
	}
	a.completeSchemas()
	a.completeDocument()
	a.addExamples()
	if err := errors.Join(a.errs...); err != nil {
		return nil, err
	}
	return a, a.registerDocs()
}

// Engine returns the router, to serve it and to add pages to it.
func (a *API) Engine() *gin.Engine { return a.engine }

// OpenAPI returns the description of the API, as JSON and as YAML.
func (a *API) OpenAPI() (asJSON, asYAML []byte) { return a.json, a.yaml }

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
		middleware.AccessLog(a.deps.Log, a.deps.Clock),
		middleware.Recovery(a.deps.Log),
		middleware.Headers(strings.HasPrefix(a.deps.PublicURL, "https://")),
		middleware.BodyLimit(bounds),
		middleware.CORS(a.deps.Origins, a.deps.Panel, a.isBankPath),
		middleware.Identify(a.deps.Auth, a.deps.Panel, a.isBankPath, middleware.Socket{Path: a.deps.BasePath + realtimePath, Token: realtime.TokenOf}),
	)
	if a.deps.Limiter != nil {
		e.Use(middleware.RateLimit(a.deps.Limiter, a.deps.Panel, a.uncounted(), a.tooManyTickets()))
	}
	e.Use(middleware.Bodies(bounds, a.deps.Panel, a.isBankPath))
	e.NoRoute(func(c *gin.Context) {
		problem.New(http.StatusNotFound, "NOT_FOUND", "there is nothing at this path").Write(c.Writer, c.Request)
	})
	e.NoMethod(func(c *gin.Context) {
		if a.refuseBankMethod(c) {
			return
		}
		problem.New(http.StatusMethodNotAllowed, "METHOD_NOT_ALLOWED", "this path does not take this method").Write(c.Writer, c.Request)
	})
	a.engine = e
}

// bodyBounds are the bounds of bodies, each one byte more than is taken, so that huma sees that it was too much.
func (a *API) bodyBounds() *middleware.BodyBounds {
	logins := []string{a.deps.BasePath + loginRoutes}
	if a.deps.Panel.Login != "" {
		logins = append(logins, a.deps.Panel.Login)
	}
	return &middleware.BodyBounds{
		Most: maxBody + 1, Files: a.uploads(), Login: maxLogin + 1, Logins: logins,
		Within: loginTimeout, Upload: uploadTimeout, Respond: uploadAnswer,
	}
}

// uploads are the routes that take a file, with the bound of its size.
func (a *API) uploads() map[string]int64 {
	routes := map[string]int64{a.deps.BasePath + statementsPath: maxUpload + 1, a.deps.BasePath + "/entities/:id/documents": maxDocumentForm + 1}
	for _, route := range []string{"/games", "/games/:id", "/games/:id/elements", "/games/:id/elements/:code", "/games/:id/bulk-data"} {
		routes[a.deps.BasePath+route] = maxCatalogForm + 1
	}
	for _, route := range a.deps.Uploads {
		routes[route] = maxDocumentForm + 1
	}
	return routes
}

// config describes the API to huma. It begins from nothing: huma's defaults would add `$schema` to every
// body and documentation pages that load their scripts from elsewhere.
func (a *API) config() huma.Config {
	schemas := huma.NewMapRegistry(schemaPrefix, schemaName)
	schemas.RegisterTypeAlias(reflect.TypeFor[uuid.UUID](), reflect.TypeFor[uuidText]())
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: documentTitle, Version: documentVersion, Description: documentText, Contact: a.contact(),
				License: &huma.License{Name: licenseName, Identifier: "LicenseRef-" + licenseName},
			},
			Servers: []*huma.Server{{URL: cmp.Or(a.deps.PublicURL+a.deps.BasePath, "/")}}, Tags: tagTexts(),
			Components: &huma.Components{
				Schemas: schemas,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					bearerScheme: {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "Access token of POST /auth/login or /auth/refresh."},
					bankScheme:   {Type: "apiKey", In: "header", Name: "Authorization", Description: "The bank's token, bare, without a scheme before it."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": a.jsonFormat(), "json": a.jsonFormat()},
		DefaultFormat: "application/json",
	}
}

// uuidText stands for uuid.UUID in the description, so that a wrong one is named by its field.
type uuidText string

// Schema implements huma.SchemaProvider.
func (uuidText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}

func texts(prefixes []netip.Prefix) []string {
	list := make([]string, len(prefixes))
	for i, p := range prefixes {
		list[i] = p.String()
	}
	return list
}
