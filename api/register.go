package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/models"
)

const (
	bearerScheme = "bearer"

	// Extensions of an operation: the roles that may call it by themselves (none means everybody), the permission it
	// needs, whether it needs a confirmation, and whether only users of the entity at the root may call it.
	rolesField      = "x-roles"
	permissionField = "x-permission"
	sensitiveField  = "x-sensitive"
	operatorField   = "x-operator"
)

// Access says who may call an operation. The zero value is nobody's decision and is refused.
type Access struct {
	declared   bool
	public     bool
	permission auth.Permission // "" for every user
	sensitive  bool
	password   bool // and no device's key will do
	operator   bool
}

// Public opens an operation to everybody.
func Public() Access { return Access{declared: true, public: true} }

// SignedIn opens an operation to every user: those about the caller alone.
func SignedIn() Access { return Access{declared: true} }

// Can opens an operation to users who have a permission.
func Can(p auth.Permission) Access { return Access{declared: true, permission: p} }

// Sensitive asks, besides, for a password given within the last minutes or for the key of a device.
func (a Access) Sensitive() Access {
	a.sensitive = true
	return a
}

// Password is Sensitive without the key of a device: for what makes such keys.
func (a Access) Password() Access {
	a.sensitive, a.password = true, true
	return a
}

// Operator opens an operation, besides, to users of the entity at the root alone: for what belongs to the whole house.
func (a Access) Operator() Access {
	a.operator = true
	return a
}

// roles are those that have the permission by themselves; none for everybody.
func (a Access) roles() []string {
	roles := []string{}
	for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
		if !a.public && (a.permission == "" || auth.RolePermissions(role).Has(a.permission)) {
			roles = append(roles, role)
		}
	}
	return roles
}

// handle registers an operation. Who calls is checked before the body is read; errors of fn become problems.
func handle[I, O any](a *API, op huma.Operation, access Access, fn func(context.Context, *I) (*O, error)) {
	if !access.declared || op.OperationID == "" {
		a.errs = append(a.errs, fmt.Errorf("api: %s %s: an operation needs an id and an access", op.Method, op.Path))
		return
	}
	a.describe(&op, access)
	if c, ok := any(new(O)).(interface{ defaultStatus() int }); ok && op.DefaultStatus == 0 {
		op.DefaultStatus = c.defaultStatus()
	}
	first := huma.Middlewares{a.addressed}
	if slices.Contains(healthPaths(), op.Path) { // whatever watches the process may add to the query
		first = nil
	}
	if !access.public {
		first = huma.Middlewares{a.gate(access), a.addressed}
	}
	op.Middlewares = append(first, op.Middlewares...)
	writes := op.Method != http.MethodGet
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		if writes {
			ctx = activity.WithActor(ctx, middleware.Actor(ctx))
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, a.refuse(ctx, err)
		}
		return out, nil
	})
}

// describe writes the access and the shape of errors into the operation's description.
func (a *API) describe(op *huma.Operation, access Access) {
	boundRequest(op)
	op.Extensions = map[string]any{rolesField: access.roles()}
	if access.permission != "" {
		op.Extensions[permissionField] = string(access.permission)
	}
	if access.sensitive {
		op.Extensions[sensitiveField] = true
	}
	if access.operator {
		op.Extensions[operatorField] = true
	}
	if access.sensitive && !access.password {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: middleware.DeviceKeyHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "key of a device of the caller's entity, where the password was not confirmed within the last minutes (POST /auth/confirm)",
		})
	}
	if !access.public {
		op.Security = []map[string][]string{{bearerScheme: {}}}
	}
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	op.Responses["default"] = a.problemResponse("Any other error; treat it by its status")
	a.describeFailures(op, access)
}

// boundRequest sets the bytes of an operation's body, unless the operation does, and the time for it to arrive.
func boundRequest(op *huma.Operation) {
	switch {
	case op.MaxBodyBytes > maxBody+1:
		op.BodyReadTimeout = uploadTimeout
	case strings.HasPrefix(op.Path, loginRoutes):
		op.MaxBodyBytes, op.BodyReadTimeout = maxLogin+1, loginTimeout
	default:
		op.MaxBodyBytes = cmp.Or(op.MaxBodyBytes, maxBody+1) // huma refuses what reaches its bound
		op.BodyReadTimeout = bodyTimeout
	}
}

// problemResponse describes an answer that is a problem, for an operation's Responses.
func (a *API) problemResponse(description string) *huma.Response {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(problemType(), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{problem.ContentType: {Schema: schema}}}
}

// jsonResponse describes an answer with a body of the given type, for an operation's Responses.
func (a *API) jsonResponse(description string, body any) *huma.Response {
	schema := a.huma.OpenAPI().Components.Schemas.Schema(reflect.TypeOf(body), true, "")
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}}
}

// contentResponses describes an answer of status 200 whose content types the handler chooses.
func contentResponses(description string, schemas map[string]*huma.Schema) map[string]*huma.Response {
	content := map[string]*huma.MediaType{}
	for media, schema := range schemas {
		content[media] = &huma.MediaType{Schema: schema}
	}
	return map[string]*huma.Response{"200": {Description: description, Content: content}}
}

// gate lets a request pass that comes from a user with the permission, and with a confirmation where one is needed.
func (a *API) gate(access Access) func(huma.Context, func(huma.Context)) {
	authorize := middleware.Authorize(access.permission)
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humagin.Unwrap(ctx)
		err := authorize(c)
		if p := middleware.PrincipalFrom(c.Request.Context()); err == nil && access.operator && !p.AtRoot() {
			err = auth.ErrForbidden
		}
		keys := a.deps.DeviceKeys
		if access.password {
			keys = nil
		}
		if err == nil && access.sensitive {
			err = middleware.Confirmed(c.Request, a.deps.Auth, keys)
		}
		if err != nil {
			a.refuse(c.Request.Context(), err).Write(c.Writer, c.Request)
			return
		}
		next(ctx)
	}
}

// refuse turns an error into its problem. What the client is not told is logged, here and nowhere else.
func (a *API) refuse(ctx context.Context, err error) *problem.Problem {
	p := problem.From(err).At(middleware.Path(ctx), middleware.RequestID(ctx)).In(middleware.Language(ctx))
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil: // the client left; nobody reads this
	case p.Status == http.StatusInternalServerError, p.Status == http.StatusServiceUnavailable:
		a.deps.Log.LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("path", p.Instance), slog.String("request_id", p.RequestID), slog.Any("error", err))
	}
	return p
}
