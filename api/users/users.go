package users

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/phone"
)

func (o *operations) registerUsers() {
	tags := []string{"Users"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-users", Method: http.MethodGet, Path: "/users", Tags: tags,
		Summary: "Users of the caller's part of the organisation",
	}, kit.Can(auth.UsersRead), o.listUsers)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-user", Method: http.MethodPost, Path: "/users", Tags: tags,
		Summary: "Make a user, who may do no more than the caller",
	}, kit.Can(auth.UsersWrite).Sensitive(), o.createUser,
		auth.ErrBusy, auth.ErrInvalidUser, auth.ErrUserAbove, auth.ErrUserExists, auth.ErrWeakPassword,
		phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-user", Method: http.MethodGet, Path: "/users/{id}", Tags: tags, Summary: "A user",
	}, kit.Can(auth.UsersRead), o.getUser, auth.ErrUserNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-user", Method: http.MethodPut, Path: "/users/{id}", Tags: tags,
		Summary: "Change a user; omitted fields keep their value",
	}, kit.Can(auth.UsersWrite).Sensitive(), o.updateUser,
		auth.ErrInvalidUser, auth.ErrLastAdmin, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserExists,
		auth.ErrUserNotFound, phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-user", Method: http.MethodDelete, Path: "/users/{id}", Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "Delete a user: the sessions end, the names are free, the records that name the user stay true",
	}, kit.Can(auth.UsersWrite).Sensitive(), o.deleteUser,
		auth.ErrLastAdmin, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "reset-password", Method: http.MethodPut, Path: "/users/{id}/password", Tags: tags,
		DefaultStatus: http.StatusNoContent,
		Summary:       "Give a user another password; all sessions of the user end",
	}, kit.Can(auth.UsersWrite).Sensitive(), o.resetPassword,
		auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrOwnUser, auth.ErrUserAbove, auth.ErrUserNotFound,
		auth.ErrWeakPassword)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "reset-totp", Method: http.MethodDelete, Path: "/users/{id}/totp", Tags: tags,
		Summary: "Stop asking a user for the code of an authenticator program that was lost",
	}, kit.Can(auth.UsersWrite).Sensitive(), o.resetTOTP, auth.ErrUserAbove, auth.ErrUserNotFound)
	o.registerPermissions(tags)
}

type usersInput struct {
	kit.PageParams
	EntityID string `query:"entityId" format:"uuid" doc:"of this entity"`
	Role     string `query:"role" enum:"ADMIN,TAQUILLA,SOCIO"`
	Status   string `query:"status" enum:"active,inactive"`
	Text     string `query:"q" maxLength:"100" doc:"in name, email, phone or identifier"`
}

func (o *operations) listUsers(ctx context.Context, by caller.Caller, in *usersInput) (*kit.List[user], error) {
	f := &auth.UserFilter{Role: in.Role, Status: in.Status, Text: in.Text, Limit: in.PageSize, Offset: in.Offset(), EntityID: kit.ID(in.EntityID)}
	all, total, err := o.users.Users(ctx, by, f)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(all, func(u auth.User) user { return userBody(&u) }), &in.PageParams, total), nil
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

func (o *operations) createUser(ctx context.Context, by caller.Caller, in *newUserInput) (*kit.Created[user], error) {
	b := &in.Body
	u, err := o.users.CreateUser(ctx, by, &auth.NewUser{
		EntityID: b.EntityID, Name: b.Name, Email: b.Email, Phone: b.Phone, Identifier: b.Identifier, Role: b.Role,
		AuthMethod: b.AuthMethod, Password: b.Password,
	})
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(userBody(&u), o.BasePath+"/users/"+u.ID.String()), nil
}

func (o *operations) getUser(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[user], error) {
	u, err := o.users.User(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(userBody(&u)), nil
}

type userInput struct {
	kit.ByID
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

func (o *operations) updateUser(ctx context.Context, by caller.Caller, in *userInput) (*kit.Data[user], error) {
	b := &in.Body
	u, err := o.users.UpdateUser(ctx, by, in.ID, &auth.UserChange{
		EntityID: b.EntityID, Name: b.Name, Email: b.Email, Phone: b.Phone, Identifier: b.Identifier, Role: b.Role,
		AuthMethod: b.AuthMethod, Status: b.Status,
	})
	if err != nil {
		return nil, err
	}
	return kit.DataOf(userBody(&u)), nil
}

func (o *operations) deleteUser(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.users.DeleteUser(ctx, by, in.ID))
}

type resetInput struct {
	kit.ByID
	Body struct {
		Password string `json:"password" minLength:"8" maxLength:"72"`
	}
}

func (o *operations) resetPassword(ctx context.Context, by caller.Caller, in *resetInput) (*struct{}, error) {
	return nil, o.users.ResetPassword(ctx, by, in.ID, in.Body.Password)
}

func (o *operations) resetTOTP(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(in.ID.String(), o.users.DisableTOTP(ctx, by, in.ID))
}
