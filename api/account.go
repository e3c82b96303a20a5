package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/middleware"
	"banca/internal/auth"
)

// registerAccount registers what users do with their own account.
func (a *API) registerAccount() {
	tags := []string{"Auth"}
	handle(a, huma.Operation{
		OperationID: "request-code", Method: http.MethodPost, Path: "/auth/codes", Tags: tags, DefaultStatus: http.StatusAccepted,
		Summary: "Have a one-time code sent to the user's phone; the answer is the same whether there is such a user or not",
	}, Public(), a.requestCode)
	handle(a, huma.Operation{
		OperationID: "confirm", Method: http.MethodPost, Path: "/auth/confirm", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Give the password again; opens the sensitive writes of this session for ten minutes, as a login does",
	}, SignedIn(), a.confirm)
	handle(a, huma.Operation{
		OperationID: "change-password", Method: http.MethodPut, Path: "/auth/password", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Change the caller's own password; the caller's other sessions end",
	}, SignedIn(), a.changePassword)
	handle(a, huma.Operation{
		OperationID: "start-totp", Method: http.MethodPost, Path: "/auth/totp", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Get a secret for an authenticator program; it counts once enabled",
	}, SignedIn().Sensitive(), a.startTOTP)
	handle(a, huma.Operation{
		OperationID: "enable-totp", Method: http.MethodPut, Path: "/auth/totp", Tags: tags, DefaultStatus: http.StatusNoContent,
		Summary: "Ask for the authenticator program's code at each login from now on",
	}, SignedIn().Sensitive(), a.enableTOTP)
	handle(a, huma.Operation{
		OperationID: "disable-totp", Method: http.MethodDelete, Path: "/auth/totp", Tags: tags,
		Summary: "Stop asking for the authenticator program's code",
	}, SignedIn().Sensitive(), a.disableTOTP)
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

func (a *API) requestCode(ctx context.Context, in *codeInput) (*struct{}, error) {
	in.from.Tokens = []string{in.Body.ClientToken}
	return nil, a.deps.Auth.RequestCode(ctx, auth.Credentials{Identifier: in.Body.Identifier, Email: in.Body.Email, Phone: in.Body.Phone}, in.from)
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

func (a *API) confirm(ctx context.Context, in *confirmInput) (*Data[confirmation], error) {
	until, err := a.deps.Auth.Confirm(ctx, middleware.PrincipalFrom(ctx), in.Body.Password, in.Body.Code)
	if err != nil {
		return nil, err
	}
	return data(confirmation{ConfirmedUntil: until.UTC()}), nil
}

type passwordInput struct {
	Body struct {
		Current string `json:"current_password" maxLength:"200"`
		New     string `json:"new_password" minLength:"8" maxLength:"72"`
	}
}

func (a *API) changePassword(ctx context.Context, in *passwordInput) (*struct{}, error) {
	return nil, a.deps.Auth.ChangePassword(ctx, middleware.PrincipalFrom(ctx), in.Body.Current, in.Body.New)
}

type totpKey struct {
	Secret string `json:"secret" doc:"base32, to type in"`
	URL    string `json:"otpauth_url" doc:"to show as a QR code"`
}

func (a *API) startTOTP(ctx context.Context, _ *struct{}) (*Data[totpKey], error) {
	key, err := a.deps.Auth.StartTOTP(ctx, middleware.PrincipalFrom(ctx))
	if err != nil {
		return nil, err
	}
	return data(totpKey{Secret: key.Secret, URL: key.URL}), nil
}

type totpInput struct {
	Body struct {
		Code string `json:"code" minLength:"6" maxLength:"10"`
	}
}

func (a *API) enableTOTP(ctx context.Context, in *totpInput) (*struct{}, error) {
	return nil, a.deps.Auth.EnableTOTP(ctx, middleware.PrincipalFrom(ctx), in.Body.Code)
}

func (a *API) disableTOTP(ctx context.Context, _ *struct{}) (*Data[deleted], error) {
	p := middleware.PrincipalFrom(ctx)
	return gone(p.UserID.String(), a.deps.Auth.DisableTOTP(ctx, p, p.UserID))
}
