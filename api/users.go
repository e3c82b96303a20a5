package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
)

func (a *API) registerUsers() {
	tags := []string{"Users"}
	handle(a, huma.Operation{
		OperationID: "list-users", Method: http.MethodGet, Path: "/users", Tags: tags, Summary: "Users of the caller's part of the organisation",
	}, Can(auth.UsersRead), a.listUsers)
	handle(a, huma.Operation{
		OperationID: "create-user", Method: http.MethodPost, Path: "/users", Tags: tags,
		Summary: "Make a user, who may do no more than the caller",
	}, Can(auth.UsersWrite).Sensitive(), a.createUser)
	handle(a, huma.Operation{
		OperationID: "get-user", Method: http.MethodGet, Path: "/users/{id}", Tags: tags, Summary: "A user",
	}, Can(auth.UsersRead), a.getUser)
	handle(a, huma.Operation{
		OperationID: "update-user", Method: http.MethodPut, Path: "/users/{id}", Tags: tags,
		Summary: "Change a user; what is not given stays",
	}, Can(auth.UsersWrite).Sensitive(), a.updateUser)
	handle(a, huma.Operation{
		OperationID: "delete-user", Method: http.MethodDelete, Path: "/users/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Delete a user: the sessions end, the names are free, the records that name the user stay true",
	}, Can(auth.UsersWrite).Sensitive(), a.deleteUser)
	handle(a, huma.Operation{
		OperationID: "reset-password", Method: http.MethodPut, Path: "/users/{id}/password", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Give a user another password; all sessions of the user end",
	}, Can(auth.UsersWrite).Sensitive(), a.resetPassword)
	handle(a, huma.Operation{
		OperationID: "reset-totp", Method: http.MethodDelete, Path: "/users/{id}/totp", Tags: tags,
		Summary: "Stop asking a user for the code of an authenticator program that was lost",
	}, Can(auth.UsersWrite).Sensitive(), a.resetTOTP)
	a.registerPermissions(tags)
}

type usersInput struct {
	PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"only those of this entity"`
	Role     string `query:"role" enum:"ADMIN,TAQUILLA,SOCIO"`
	Status   string `query:"status" enum:"active,inactive"`
	Text     string `query:"q" maxLength:"100" doc:"in name, email, phone or identifier"`
}

func (a *API) listUsers(ctx context.Context, in *usersInput) (*List[user], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &auth.UserFilter{Scope: scope, Role: in.Role, Status: in.Status, Text: in.Text, Limit: in.PageSize, Offset: in.Offset()}
	f.EntityID, _ = uuid.Parse(in.EntityID) // the format was checked; empty is none
	all, total, err := a.deps.Auth.Users(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(all, func(u auth.User) user { return userBody(&u) }), &in.PageParams, total), nil
}

type newUserInput struct {
	Body struct {
		EntityID   uuid.UUID `json:"entity_id"`
		Name       string    `json:"name" minLength:"1" maxLength:"100"`
		Email      string    `json:"email,omitempty" maxLength:"200"`
		Phone      string    `json:"phone,omitempty" maxLength:"40"`
		Identifier string    `json:"identifier,omitempty" maxLength:"200"`
		Role       string    `json:"role" enum:"ADMIN,TAQUILLA,SOCIO"`
		AuthMethod string    `json:"auth_method,omitempty" enum:"whatsapp,password" doc:"whatsapp, the default, sends a code to the phone; a password, where one is set, works with both"`
		Password   string    `json:"password,omitempty" maxLength:"200"`
	}
}

func (a *API) createUser(ctx context.Context, in *newUserInput) (*Created[user], error) {
	b := &in.Body
	u, err := a.deps.Auth.CreateUser(ctx, middleware.PrincipalFrom(ctx), &auth.NewUser{
		EntityID: b.EntityID, Name: b.Name, Email: b.Email, Phone: b.Phone, Identifier: b.Identifier, Role: b.Role, AuthMethod: b.AuthMethod, Password: b.Password,
	})
	if err != nil {
		return nil, err
	}
	return created(userBody(&u), a.deps.BasePath+"/users/"+u.ID.String()), nil
}

// UserParams names a user. It is exported because huma looks into exported embedded structs only.
type UserParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) getUser(ctx context.Context, in *UserParams) (*Data[user], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	u, err := a.deps.Auth.User(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(userBody(&u)), nil
}

type userInput struct {
	UserParams
	Body struct {
		EntityID   *uuid.UUID `json:"entity_id,omitempty"`
		Name       *string    `json:"name,omitempty" minLength:"1" maxLength:"100"`
		Email      *string    `json:"email,omitempty" maxLength:"200" doc:"empty removes it"`
		Phone      *string    `json:"phone,omitempty" maxLength:"40" doc:"empty removes it"`
		Identifier *string    `json:"identifier,omitempty" maxLength:"200" doc:"empty removes it"`
		Role       *string    `json:"role,omitempty" enum:"ADMIN,TAQUILLA,SOCIO"`
		AuthMethod *string    `json:"auth_method,omitempty" enum:"whatsapp,password"`
		Status     *string    `json:"status,omitempty" enum:"active,inactive" doc:"inactive ends all sessions"`
	}
}

func (a *API) updateUser(ctx context.Context, in *userInput) (*Data[user], error) {
	b := &in.Body
	u, err := a.deps.Auth.UpdateUser(ctx, middleware.PrincipalFrom(ctx), in.ID, &auth.UserChange{
		EntityID: b.EntityID, Name: b.Name, Email: b.Email, Phone: b.Phone, Identifier: b.Identifier, Role: b.Role, AuthMethod: b.AuthMethod, Status: b.Status,
	})
	if err != nil {
		return nil, err
	}
	return data(userBody(&u)), nil
}

// deleted is the answer of every DELETE: what is gone, by its id, or by its code where it has no id.
type deleted struct {
	ID      string `json:"id" doc:"or the code of what has no id"`
	Deleted bool   `json:"deleted"`
}

// gone is the answer of a DELETE that succeeded.
func gone(id string, err error) (*Data[deleted], error) {
	if err != nil {
		return nil, err
	}
	return data(deleted{ID: id, Deleted: true}), nil
}

func (a *API) deleteUser(ctx context.Context, in *UserParams) (*Data[deleted], error) {
	return gone(in.ID.String(), a.deps.Auth.DeleteUser(ctx, middleware.PrincipalFrom(ctx), in.ID))
}

type resetInput struct {
	UserParams
	Body struct {
		Password string `json:"password" minLength:"8" maxLength:"72"`
	}
}

func (a *API) resetPassword(ctx context.Context, in *resetInput) (*struct{}, error) {
	return nil, a.deps.Auth.ResetPassword(ctx, middleware.PrincipalFrom(ctx), in.ID, in.Body.Password)
}

func (a *API) resetTOTP(ctx context.Context, in *UserParams) (*Data[deleted], error) {
	return gone(in.ID.String(), a.deps.Auth.DisableTOTP(ctx, middleware.PrincipalFrom(ctx), in.ID))
}
