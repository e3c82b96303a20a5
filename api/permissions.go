package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/internal/auth"
	"banca/models"
)

func (a *API) registerPermissions(tags []string) {
	handle(a, huma.Operation{
		OperationID: "list-permissions", Method: http.MethodGet, Path: "/auth/permissions", Tags: tags,
		Summary: "Every permission, with the roles that have it and those that can be granted it",
	}, SignedIn(), a.listPermissions)
	handle(a, huma.Operation{
		OperationID: "get-user-permissions", Method: http.MethodGet, Path: "/users/{id}/permissions", Tags: tags, Summary: "What a user may do, and why",
	}, Can(auth.UsersRead), a.getPermissions)
	handle(a, huma.Operation{
		OperationID: "set-user-permissions", Method: http.MethodPut, Path: "/users/{id}/permissions", Tags: tags,
		Summary: "Replace what a user is granted beyond the role, and denied in spite of it",
	}, Can(auth.UsersGrant).Sensitive(), a.setPermissions)
}

type permissionBody struct {
	Permission string   `json:"permission" example:"sales:cancel_any"`
	Roles      []string `json:"roles" nullable:"false" doc:"have it by themselves"`
	Grantable  []string `json:"grantable" nullable:"false" doc:"can be granted it"`
}

func (a *API) listPermissions(context.Context, *struct{}) (*List[permissionBody], error) {
	return all(mapped(auth.Permissions(), func(p auth.Permission) permissionBody {
		body := permissionBody{Permission: string(p), Roles: []string{}, Grantable: []string{}}
		for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
			if auth.RolePermissions(role).Has(p) {
				body.Roles = append(body.Roles, role)
			}
			if auth.Grantable(role, p) {
				body.Grantable = append(body.Grantable, role)
			}
		}
		return body
	})), nil
}

type userPermissions struct {
	Role      string   `json:"role" enum:"ADMIN,TAQUILLA,SOCIO"`
	Granted   []string `json:"granted" nullable:"false"`
	Denied    []string `json:"denied" nullable:"false"`
	Effective []string `json:"effective" nullable:"false" doc:"what comes of it"`
}

func (a *API) getPermissions(ctx context.Context, in *UserParams) (*Data[userPermissions], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	p, err := a.deps.Auth.PermissionsOf(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(permissionsBody(&p)), nil
}

type permissionsInput struct {
	UserParams
	Body struct {
		Granted []string `json:"granted" maxItems:"100" nullable:"false"`
		Denied  []string `json:"denied" maxItems:"100" nullable:"false"`
	}
}

func (a *API) setPermissions(ctx context.Context, in *permissionsInput) (*Data[userPermissions], error) {
	named := func(text string) auth.Permission { return auth.Permission(text) }
	p, err := a.deps.Auth.SetPermissions(ctx, middleware.PrincipalFrom(ctx), in.ID, mapped(in.Body.Granted, named), mapped(in.Body.Denied, named))
	if err != nil {
		return nil, err
	}
	return data(permissionsBody(&p)), nil
}

func permissionsBody(p *auth.UserPermissions) userPermissions {
	return userPermissions{Role: p.Role, Granted: permissionTexts(p.Granted), Denied: permissionTexts(p.Denied), Effective: permissionTexts(p.Effective.Sorted())}
}

func permissionTexts(list []auth.Permission) []string {
	return mapped(list, func(p auth.Permission) string { return string(p) })
}
