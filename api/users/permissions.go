package users

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/models"
)

func (o *operations) registerPermissions(tags []string) {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-permissions", Method: http.MethodGet, Path: "/auth/permissions", Tags: tags,
		Summary: "Every permission, with the roles that have it and those that can be granted it",
	}, kit.SignedIn(), o.listPermissions)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-user-permissions", Method: http.MethodGet, Path: "/users/{id}/permissions", Tags: tags,
		Summary: "What a user may do, and why",
	}, kit.Can(auth.UsersRead), o.getPermissions, auth.ErrUserNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "set-user-permissions", Method: http.MethodPut, Path: "/users/{id}/permissions", Tags: tags,
		Summary: "Replace what a user is granted beyond the role, and denied in spite of it",
	}, kit.Can(auth.UsersGrant).Sensitive(), o.setPermissions,
		auth.ErrNotGrantable, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound)
}

type permissionBody struct {
	Permission string   `json:"permission" example:"sales:cancel_any"`
	Roles      []string `json:"roles" nullable:"false" doc:"have it by themselves"`
	Grantable  []string `json:"grantable" nullable:"false" doc:"can be granted it"`
}

func (o *operations) listPermissions(context.Context, caller.Caller, *struct{}) (*kit.List[permissionBody], error) {
	return kit.AllOf(kit.Map(auth.Permissions(), func(p auth.Permission) permissionBody {
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

func (o *operations) getPermissions(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[userPermissions], error) {
	p, err := o.users.PermissionsOf(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(permissionsBody(&p)), nil
}

type permissionsInput struct {
	kit.ByID
	Body struct {
		Granted []string `json:"granted" maxItems:"100" nullable:"false"`
		Denied  []string `json:"denied" maxItems:"100" nullable:"false"`
	}
}

func (o *operations) setPermissions(
	ctx context.Context, by caller.Caller, in *permissionsInput,
) (*kit.Data[userPermissions], error) {
	named := func(text string) auth.Permission { return auth.Permission(text) }
	p, err := o.users.SetPermissions(ctx, by, in.ID, kit.Map(in.Body.Granted, named), kit.Map(in.Body.Denied, named))
	if err != nil {
		return nil, err
	}
	return kit.DataOf(permissionsBody(&p)), nil
}

func permissionsBody(p *auth.UserPermissions) userPermissions {
	return userPermissions{
		Role: p.Role, Granted: permissionTexts(p.Granted), Denied: permissionTexts(p.Denied),
		Effective: permissionTexts(p.Effective.Sorted()),
	}
}

func permissionTexts(list []auth.Permission) []string {
	return kit.Map(list, func(p auth.Permission) string { return string(p) })
}
