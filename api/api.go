// Package api is the HTTP API: gin carries the requests, huma binds and validates them and describes the
// operations as OpenAPI 3.1.
//
// The operations of a domain are in the package of its name below this one, and package kit has what all operations
// share. This package assembles them: the engine with its middleware, the operations of every domain, and the
// documents. Every error is answered as a problem (package problem), whether a service, the validation or the router
// made it.
package api

import (
	"cmp"
	"log/slog"
	"net/netip"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/api/realtime"
	salesapi "banca/api/sales"
	"banca/api/system"
	"banca/internal/platform/clock"
	"banca/internal/platform/requestlog"
	"banca/internal/services"
)

// Deps are the dependencies of the API.
type Deps struct {
	Log        *slog.Logger
	Clock      clock.Clock
	Services   services.Services
	DeviceKeys middleware.DeviceKeys // nil if no key of a device confirms a write
	Realtime   *realtime.Hub         // of the connections of devices
	System     system.Services       // the state of the platform
	Requests   *requestlog.Recorder  // nil records no requests

	PublicURL      string
	Zone           *time.Location     // of business days
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
	kit    *kit.Registry

	json, yaml lazyDocument // OpenAPI 3.1
	older      lazyDocument // OpenAPI 3.0
	events     lazyDocument // AsyncAPI

	ticketPage       *salesapi.TicketPage
	refuseBankMethod func(*gin.Context) bool // see the Register of api/bank
}

// New assembles the API. An error is a mistake in the program: an operation without access or twice.
func New(deps Deps) (*API, error) { return assemble(deps) }

// assemble is New with operations that only a test has.
func assemble(deps Deps, more ...func(*kit.Registry)) (*API, error) {
	page, err := salesapi.NewTicketPage()
	if err != nil {
		return nil, err
	}
	a := &API{deps: deps, ticketPage: page}
	a.newEngine()
	a.kit = kit.NewRegistry(a.engine, a.config(), kit.Options{
		Log: deps.Log, Sessions: deps.Services.Auth, DeviceKeys: deps.DeviceKeys, BasePath: deps.BasePath,
		Zone: deps.Zone, Clock: deps.Clock,
	})
	a.registerDomains()
	for _, register := range more {
		register(a.kit)
	}
	a.completeSchemas()
	a.completeDocument()
	a.addExamples()
	if err := a.kit.Err(); err != nil {
		return nil, err
	}
	return a, a.registerDocs()
}

// Engine returns the router, to serve it and to add pages to it.
func (a *API) Engine() *gin.Engine { return a.engine }

// OpenAPI returns the description of the API, as JSON and as YAML. Errors are mistakes in the program.
func (a *API) OpenAPI() (asJSON, asYAML []byte, err error) {
	if asJSON, err = a.json(); err != nil {
		return nil, nil, err
	}
	asYAML, err = a.yaml()
	return asJSON, asYAML, err
}

// OpenAPIJSON returns the description of the API as JSON.
func (a *API) OpenAPIJSON() ([]byte, error) { return a.json() }

// config describes the API to huma. It begins from nothing: huma's defaults would add `$schema` to every
// body and documentation pages that load their scripts from elsewhere.
func (a *API) config() huma.Config {
	schemas := huma.NewMapRegistry(kit.SchemaPrefix, schemaName)
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
					kit.BearerScheme: {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "Access token of POST /auth/login or /auth/refresh."},
					kit.BankScheme:   {Type: "apiKey", In: "header", Name: "Authorization", Description: "The bank's token, bare, without a scheme before it."},
				},
			},
		},
	}
}

// uuidText replaces uuid.UUID in the document, so that an invalid one is named by its field.
type uuidText string

// Schema implements huma.SchemaProvider.
func (uuidText) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "uuid"}
}
