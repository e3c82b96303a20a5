package api

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"

	"banca/api/middleware"
	"banca/api/problem"
	"banca/models"
)

const (
	bearerScheme = "bearer"
	rolesField   = "x-roles" // extension of an operation: who may call it; empty means everybody
)

// Access says who may call an operation. The zero value is nobody's decision and is refused.
type Access struct {
	declared bool
	roles    []string
}

// Public opens an operation to everybody.
func Public() Access { return Access{declared: true} }

// Roles opens an operation to users with one of the roles.
func Roles(first string, more ...string) Access {
	return Access{declared: true, roles: append([]string{first}, more...)}
}

// AnyRole opens an operation to every user.
func AnyRole() Access { return Roles(models.RoleAdmin, models.RoleTaquilla, models.RoleSocio) }

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
	first := huma.Middlewares{a.readable}
	if len(access.roles) > 0 {
		first = huma.Middlewares{a.gate(access.roles), a.readable}
	}
	op.Middlewares = append(first, op.Middlewares...)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := fn(ctx, in)
		if err != nil {
			return nil, a.refuse(ctx, err)
		}
		return out, nil
	})
}

// readable lets a request pass whose address is text; what else it may hold could be neither stored nor searched for.
func (a *API) readable(ctx huma.Context, next func(huma.Context)) {
	u := ctx.URL()
	var wrong []error
	if !models.Storable(u.Path) {
		wrong = append(wrong, &huma.ErrorDetail{Location: "path"})
	}
	query := u.Query()
	for _, name := range slices.Sorted(maps.Keys(query)) {
		if !models.Storable(name) || slices.ContainsFunc(query[name], func(text string) bool { return !models.Storable(text) }) {
			wrong = append(wrong, &huma.ErrorDetail{Location: "query." + name})
		}
	}
	if wrong != nil {
		_ = huma.WriteErr(a.huma, ctx, http.StatusUnprocessableEntity, "", wrong...) // it fails where the client has gone
		return
	}
	next(ctx)
}

// describe writes the access and the shape of errors into the operation's description.
func (a *API) describe(op *huma.Operation, access Access) {
	if op.MaxBodyBytes == 0 {
		op.MaxBodyBytes = maxBody + 1 // huma refuses what reaches its bound
	}
	op.BodyReadTimeout = bodyTimeout
	op.Extensions = map[string]any{rolesField: append([]string{}, access.roles...)}
	if len(access.roles) > 0 {
		op.Security = []map[string][]string{{bearerScheme: {}}}
	}
	if op.Responses == nil {
		op.Responses = map[string]*huma.Response{}
	}
	op.Responses["default"] = a.problemResponse("Error")
}

// problemResponse describes an answer that is a problem, for an operation's Responses.
func (a *API) problemResponse(description string) *huma.Response {
	schema := huma.SchemaFromType(a.huma.OpenAPI().Components.Schemas, problemType())
	return &huma.Response{Description: description, Content: map[string]*huma.MediaType{problem.ContentType: {Schema: schema}}}
}

// riskResponses describes the status that HTTP does not know, for an operation's Responses.
func (a *API) riskResponses() map[string]*huma.Response {
	return map[string]*huma.Response{strconv.Itoa(problem.StatusRiskLimit): a.problemResponse("A limit does not allow this sale")}
}

// gate lets a request pass that comes from a user with one of the roles.
func (a *API) gate(roles []string) func(huma.Context, func(huma.Context)) {
	authorize := middleware.Authorize(a.deps.Auth, roles)
	return func(ctx huma.Context, next func(huma.Context)) {
		c := humagin.Unwrap(ctx)
		if err := authorize(c.Request); err != nil {
			a.refuse(c.Request.Context(), err).Write(c.Writer, c.Request)
			return
		}
		next(ctx)
	}
}

// refuse turns an error into its problem. What the client is not told is logged, here and nowhere else.
func (a *API) refuse(ctx context.Context, err error) *problem.Problem {
	p := problem.From(err).At(middleware.Path(ctx), middleware.RequestID(ctx))
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil: // the client left; nobody reads this
	case p.Status == http.StatusInternalServerError, p.Status == http.StatusServiceUnavailable:
		a.deps.Log.LogAttrs(ctx, slog.LevelError, "request failed",
			slog.String("path", p.Instance), slog.String("request_id", p.RequestID), slog.Any("error", err))
	}
	return p
}
