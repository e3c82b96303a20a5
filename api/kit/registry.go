package kit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/platform/apperr"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/telemetry"
)

// Bounds of bodies, in bytes, and of the time in which they arrive.
const (
	MaxBody       = 1 << 20
	MaxUpload     = 10 << 20
	MaxLogin      = 16 << 10         // of a body of /auth/* and of the panel's login
	LoginTimeout  = 5 * time.Second  // of such a body
	UploadTimeout = 90 * time.Second // 10 MiB at 1 Mbit/s
	bodyTimeout   = 10 * time.Second

	// LoginRoutes is the prefix of the operations that log in, whose bodies are small.
	LoginRoutes = "/auth/"
)

// Names of the security schemes, and of the extensions of an operation: the roles that may call it by themselves
// (none means that it is public), the permission it needs, whether it needs a confirmation, and whether only users of
// the entity at the root may call it.
const (
	BearerScheme = "bearer"
	BankScheme   = "bankToken"

	RolesField      = "x-roles"
	PermissionField = "x-permission"
	SensitiveField  = "x-sensitive"
	OperatorField   = "x-operator"
)

// Options are what every operation needs.
type Options struct {
	Log        *slog.Logger
	Sessions   middleware.Confirmer  // of confirmed passwords
	DeviceKeys middleware.DeviceKeys // nil if no key of a device confirms a write
	BasePath   string                // before every path of the API, "" or "/api"
	Zone       *time.Location        // of times in files; nil is UTC
	Clock      clock.Clock           // nil is the system clock
}

// Registry registers the operations of all domains.
type Registry struct {
	Options

	Huma   huma.API
	Engine *gin.Engine
	Router gin.IRouter // of Engine, at BasePath; for handlers that huma does not serve

	errs []error
}

// NewRegistry returns a registry that serves on an engine what config describes.
func NewRegistry(engine *gin.Engine, config huma.Config, options Options) *Registry {
	hookErrors()
	if options.Zone == nil {
		options.Zone = time.UTC
	}
	if options.Clock == nil {
		options.Clock = clock.System{}
	}
	group := engine.Group(options.BasePath)
	r := &Registry{Options: options, Engine: engine, Router: group}
	config.Formats = map[string]huma.Format{JSONType: r.jsonFormat(), "json": r.jsonFormat()}
	config.DefaultFormat = JSONType
	r.Huma = humagin.NewWithGroup(engine, group, config)
	return r
}

// Fail notes a mistake in the program, which Err returns.
func (r *Registry) Fail(err error) { r.errs = append(r.errs, err) }

// Err returns the mistakes of all registrations, such as an operation without access.
func (r *Registry) Err() error { return errors.Join(r.errs...) }

// Operations lists the operations of the document.
func (r *Registry) Operations() []*huma.Operation {
	var all []*huma.Operation
	for _, item := range r.Huma.OpenAPI().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil {
				all = append(all, op)
			}
		}
	}
	return all
}

// Handle registers an operation of users. The caller is checked before the body is read; errors of fn become problems.
// The document describes errs besides the errors of every operation.
func Handle[I, O any](
	r *Registry, op huma.Operation, access Access, fn func(context.Context, caller.Caller, *I) (*O, error),
	errs ...*apperr.Error,
) {
	if access.public {
		r.Fail(fmt.Errorf("api: %s %s: an operation without callers is registered by HandlePublic", op.Method, op.Path))
		return
	}
	register(r, op, access, func(ctx context.Context, in *I) (*O, error) {
		by, err := middleware.Caller(ctx)
		if err != nil {
			return nil, err
		}
		return fn(ctx, by, in)
	}, errs)
}

// HandlePublic registers an operation that needs no user: access is Public or Health.
func HandlePublic[I, O any](
	r *Registry, op huma.Operation, access Access, fn func(context.Context, *I) (*O, error), errs ...*apperr.Error,
) {
	if !access.public {
		r.Fail(fmt.Errorf("api: %s %s: an operation of users is registered by Handle", op.Method, op.Path))
		return
	}
	register(r, op, access, fn, errs)
}

func register[I, O any](
	r *Registry, op huma.Operation, access Access, fn func(context.Context, *I) (*O, error), errs []*apperr.Error,
) {
	if !access.declared || op.OperationID == "" {
		r.Fail(fmt.Errorf("api: %s %s: an operation needs an id and an access", op.Method, op.Path))
		return
	}
	r.describe(&op, access)
	if _, ok := any(new(I)).(interface{ idempotent() }); ok {
		errs = append(slices.Clip(errs), idempotency.ErrInvalidKey, idempotency.ErrKeyReused)
	}
	r.describeFailures(&op, access, errs)
	if c, ok := any(new(O)).(interface{ DefaultStatus() int }); ok && op.DefaultStatus == 0 {
		op.DefaultStatus = c.DefaultStatus()
	}
	op.Middlewares = append(r.before(access), op.Middlewares...)
	writes := op.Method != http.MethodGet
	huma.Register(r.Huma, op, func(ctx context.Context, in *I) (*O, error) {
		if writes {
			ctx = activity.WithActor(ctx, middleware.Actor(ctx))
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, r.refuse(ctx, err)
		}
		return out, nil
	})
}

// before lists the checks of a request before its body is read.
func (r *Registry) before(access Access) huma.Middlewares {
	switch {
	case access.health:
		return nil
	case access.public:
		return huma.Middlewares{r.addressed}
	default:
		return huma.Middlewares{r.gate(access), r.addressed}
	}
}

// describe writes the access and the shape of errors into the operation's description.
func (r *Registry) describe(op *huma.Operation, access Access) {
	boundRequest(op)
	op.Extensions = map[string]any{RolesField: access.Roles()}
	if access.permission != "" {
		op.Extensions[PermissionField] = string(access.permission)
	}
	if access.sensitive {
		op.Extensions[SensitiveField] = true
	}
	if access.operator {
		op.Extensions[OperatorField] = true
	}
	if access.sensitive && !access.password {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: middleware.DeviceKeyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "key of a device of the caller's entity, where the password was not confirmed within the last minutes (POST /auth/confirm)",
		})
	}
	if !access.public {
		op.Security = []map[string][]string{{BearerScheme: {}}}
	}
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	op.Responses["default"] = r.ProblemResponse("Any other error; treat it by its status")
}

// boundRequest sets the bytes of an operation's body, unless the operation does, and the time for it to arrive.
func boundRequest(op *huma.Operation) {
	switch {
	case op.MaxBodyBytes > MaxBody+1:
		op.BodyReadTimeout = UploadTimeout
	case strings.HasPrefix(op.Path, LoginRoutes):
		op.MaxBodyBytes, op.BodyReadTimeout = MaxLogin+1, LoginTimeout
	default:
		op.MaxBodyBytes = cmp.Or(op.MaxBodyBytes, MaxBody+1) // huma refuses what reaches its bound
		op.BodyReadTimeout = bodyTimeout
	}
}

// gate lets a request pass that comes from a user with the permission, and with a confirmation where one is needed.
func (r *Registry) gate(access Access) func(huma.Context, func(huma.Context)) {
	authorize := middleware.Authorize(access.permission)
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humagin.Unwrap(ctx)
		err := authorize(c)
		if err == nil && access.operator {
			err = requireOperator(c.Request.Context())
		}
		keys := r.DeviceKeys
		if access.password {
			keys = nil
		}
		if err == nil && access.sensitive {
			err = middleware.Confirmed(c.Request, r.Sessions, keys)
		}
		if err != nil {
			r.refuse(c.Request.Context(), err).Write(c.Writer, c.Request)
			return
		}
		next(ctx)
	}
}

// requireOperator returns auth.ErrForbidden if the caller does not belong to the operator.
func requireOperator(ctx context.Context) error {
	by, err := middleware.Caller(ctx)
	if err == nil && !by.IsOperator() {
		err = auth.ErrForbidden
	}
	return err
}

// Confirm is the check of Sensitive for a write of which only some requests are sensitive, with the key of a device
// that was sent, or "". Errors: auth.ErrConfirmationRequired, errors of the keys.
func (r *Registry) Confirm(ctx context.Context, key string) error {
	return middleware.ConfirmedBy(ctx, key, r.Sessions, r.DeviceKeys)
}

// ConfirmPassword is Confirm without device keys as a replacement for the password. Errors:
// auth.ErrConfirmationRequired.
func (r *Registry) ConfirmPassword(ctx context.Context) error {
	return middleware.ConfirmedBy(ctx, "", r.Sessions, nil)
}

// refuse turns an error into its problem. An error whose cause the client does not see is logged here and nowhere
// else.
func (r *Registry) refuse(ctx context.Context, err error) *problem.Problem {
	p := problem.From(err).At(middleware.Path(ctx), middleware.RequestID(ctx)).In(middleware.Language(ctx))
	telemetry.Problems.Add(1, p.Code)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil: // the client left
	case p.Status == http.StatusInternalServerError, p.Status == http.StatusServiceUnavailable:
		r.Log.LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("path", p.Instance), slog.String("request_id", p.RequestID), slog.Any("error", err))
	}
	return p
}
