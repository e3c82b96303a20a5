package users

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/phone"
)

// registerAccount registers what users do with their own account.
func (o *operations) registerAccount() {
	tags := []string{"Auth"}
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "request-code", Method: http.MethodPost, Path: "/auth/codes", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Have a one-time code sent to the user's phone; the answer is the same whether there is such a user or not",
	}, kit.Public(), o.requestCode,
		auth.ErrInvalidCredentials, auth.ErrLoginName, auth.ErrTooManyLogins, phone.ErrInvalid)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "confirm", Method: http.MethodPost, Path: "/auth/confirm", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Give the password again; opens the sensitive writes of this session for ten minutes, as a login does",
	}, kit.SignedIn(), o.confirm,
		auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrPasswordRequired, auth.ErrTOTPRequired,
		auth.ErrTooManyLogins)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "change-password", Method: http.MethodPut, Path: "/auth/password", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Change the caller's own password; the caller's other sessions end",
	}, kit.SignedIn(), o.changePassword,
		auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrTooManyLogins, auth.ErrWeakPassword)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "start-totp", Method: http.MethodPost, Path: "/auth/totp", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Get a secret for an authenticator program; it counts once enabled",
	}, kit.SignedIn().Sensitive(), o.startTOTP, auth.ErrTOTPEnabled)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "enable-totp", Method: http.MethodPut, Path: "/auth/totp", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Ask for the authenticator program's code at each login from now on",
	}, kit.SignedIn().Sensitive(), o.enableTOTP,
		auth.ErrInvalidCredentials, auth.ErrTOTPEnabled, auth.ErrTOTPNotStarted, auth.ErrTooManyLogins,
		auth.ErrUserNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "disable-totp", Method: http.MethodDelete, Path: "/auth/totp", Tags: tags,
		Summary: "Stop asking for the authenticator program's code",
	}, kit.SignedIn().Sensitive(), o.disableTOTP, auth.ErrUserAbove, auth.ErrUserNotFound)
}

type codeInput struct {
	client
	Body struct {
		Identifier string `json:"identifier,omitempty" maxLength:"200" doc:"identifier, email or phone; give one of the three fields"`
		Email      string `json:"email,omitempty" maxLength:"200"`
		Phone      string `json:"phone,omitempty" maxLength:"200"`

		ClientToken string `json:"client_token,omitempty" maxLength:"200" doc:"of an earlier login of this user on this client: requests of other clients then do not count against this one"`
	}
}

func (o *operations) requestCode(ctx context.Context, in *codeInput) (*struct{}, error) {
	in.from.Tokens = []string{in.Body.ClientToken}
	return nil, o.users.RequestCode(ctx, auth.Credentials{Identifier: in.Body.Identifier, Email: in.Body.Email, Phone: in.Body.Phone}, in.from)
}

type confirmation struct {
	ConfirmedUntil time.Time `json:"confirmed_until"`
}

type confirmInput struct {
	Body struct {
		Password string `json:"password,omitempty" maxLength:"200"`
		Code     string `json:"code,omitempty" maxLength:"10" doc:"sent by POST /auth/codes, for users without a password"`
	}
}

func (o *operations) confirm(ctx context.Context, by caller.Caller, in *confirmInput) (*kit.Data[confirmation], error) {
	until, err := o.users.Confirm(ctx, by, in.Body.Password, in.Body.Code)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(confirmation{ConfirmedUntil: until.UTC()}), nil
}

type passwordInput struct {
	Body struct {
		Current string `json:"current_password" maxLength:"200"`
		New     string `json:"new_password" minLength:"8" maxLength:"72"`
	}
}

func (o *operations) changePassword(ctx context.Context, by caller.Caller, in *passwordInput) (*struct{}, error) {
	return nil, o.users.ChangePassword(ctx, by, in.Body.Current, in.Body.New)
}

type totpKey struct {
	Secret string `json:"secret" doc:"base32, to type in"`
	URL    string `json:"otpauth_url" doc:"to show as a QR code"`
}

func (o *operations) startTOTP(ctx context.Context, by caller.Caller, _ *struct{}) (*kit.Data[totpKey], error) {
	key, err := o.users.StartTOTP(ctx, by)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(totpKey{Secret: key.Secret, URL: key.URL}), nil
}

type totpInput struct {
	Body struct {
		Code string `json:"code" minLength:"6" maxLength:"10"`
	}
}

func (o *operations) enableTOTP(ctx context.Context, by caller.Caller, in *totpInput) (*struct{}, error) {
	return nil, o.users.EnableTOTP(ctx, by, in.Body.Code)
}

func (o *operations) disableTOTP(ctx context.Context, by caller.Caller, _ *struct{}) (*kit.Data[kit.Deleted], error) {
	return kit.DeletedOf(by.UserID.String(), o.users.DisableTOTP(ctx, by, by.UserID))
}
