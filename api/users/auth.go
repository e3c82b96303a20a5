package users

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/phone"
)

func (o *operations) registerAuth() {
	tags := []string{"Auth"}
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "login", Method: http.MethodPost, Path: "/auth/login", Tags: tags,
		Summary: "Open a session with a name and a password, or a code that was sent",
	}, kit.Public(), o.login,
		auth.ErrBusy, auth.ErrInvalidCredentials, auth.ErrLoginName, auth.ErrPasswordRequired, auth.ErrTOTPRequired,
		auth.ErrTooManyLogins, phone.ErrInvalid)
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "refresh", Method: http.MethodPost, Path: "/auth/refresh", Tags: tags,
		Summary: "Exchange a refresh token for new tokens; using one twice ends the session",
	}, kit.Public(), o.refresh, auth.ErrInvalidRefresh)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "logout", Method: http.MethodPost, Path: "/auth/logout", Tags: tags,
		Summary: "End the session", DefaultStatus: http.StatusNoContent,
	}, kit.SignedIn(), o.logout)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "me", Method: http.MethodGet, Path: "/auth/me", Tags: tags, Summary: "The caller's own user",
	}, kit.SignedIn(), o.me)
}

// user is a user in answers. There is no field for the password's hash, so none can get out.
type user struct {
	ID         uuid.UUID  `json:"id"`
	EntityID   uuid.UUID  `json:"entity_id"`
	Name       string     `json:"name"`
	Email      string     `json:"email,omitempty"`
	Phone      string     `json:"phone,omitempty" doc:"E.164" example:"+584141234567"`
	Identifier string     `json:"identifier,omitempty"`
	Role       string     `json:"role" enum:"ADMIN,TAQUILLA,SOCIO"`
	AuthMethod string     `json:"auth_method" enum:"whatsapp,password"`
	Status     string     `json:"status" enum:"active,inactive"`
	TOTP       bool       `json:"totp_enabled" doc:"a login also needs the code of an authenticator program"`
	LastActive *time.Time `json:"last_activity_at"`
	CreatedAt  time.Time  `json:"created_at"`
	UpdatedAt  time.Time  `json:"updated_at"`
}

type session struct {
	AccessToken  string `json:"access_token" doc:"for the Authorization header"`
	RefreshToken string `json:"refresh_token" doc:"for /auth/refresh: valid once, and for 30 s again for the same client, whose answer may have been lost"`
	TokenType    string `json:"token_type" enum:"Bearer"`
	ExpiresIn    int64  `json:"expires_in" doc:"seconds until the access token expires" example:"900"`
	ClientToken  string `json:"client_token,omitempty" doc:"after a login: keep it and send it with the next one"`
	User         user   `json:"user"`
}

type loginInput struct {
	client
	Body struct {
		Identifier  string `json:"identifier,omitempty" maxLength:"200" doc:"identifier, email or phone; give one of the three fields"`
		Email       string `json:"email,omitempty" maxLength:"200"`
		Phone       string `json:"phone,omitempty" maxLength:"200"`
		Password    string `json:"password,omitempty" maxLength:"200"`
		Code        string `json:"code,omitempty" maxLength:"10" doc:"sent by POST /auth/codes, in place of the password"`
		TOTP        string `json:"totp,omitempty" maxLength:"10" doc:"of the authenticator program, for users who have one"`
		ClientToken string `json:"client_token,omitempty" maxLength:"200" doc:"of an earlier login of this user on this client: wrong attempts of other clients then do not count against this login"`
		DeviceInfo  struct {
			Location    string `json:"location,omitempty" maxLength:"300"`
			Fingerprint string `json:"fingerprint,omitempty" maxLength:"300"`
		} `json:"device_info,omitzero" required:"false" doc:"kept with the session, for people to recognise it"`
	}
}

func (o *operations) login(ctx context.Context, in *loginInput) (*kit.Data[session], error) {
	b := &in.Body
	credentials := auth.Credentials{Identifier: b.Identifier, Email: b.Email, Phone: b.Phone, Password: b.Password, Code: b.Code, TOTP: b.TOTP}
	in.from.Location, in.from.Fingerprint, in.from.Tokens = b.DeviceInfo.Location, b.DeviceInfo.Fingerprint, []string{b.ClientToken}
	tokens, u, err := o.users.Login(ctx, credentials, in.from)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(sessionOf(&tokens, &u)), nil
}

type refreshInput struct {
	client
	Body struct {
		RefreshToken string `json:"refresh_token" maxLength:"200"`
	}
}

func (o *operations) refresh(ctx context.Context, in *refreshInput) (*kit.Data[session], error) {
	tokens, u, err := o.users.Refresh(ctx, in.Body.RefreshToken, in.from)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(sessionOf(&tokens, &u)), nil
}

func (o *operations) logout(ctx context.Context, by caller.Caller, _ *struct{}) (*struct{}, error) {
	return nil, o.users.Logout(ctx, by)
}

func (o *operations) me(ctx context.Context, by caller.Caller, _ *struct{}) (*kit.Data[user], error) {
	u, err := o.users.Me(ctx, by)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(userBody(&u)), nil
}

// client learns where a request comes from, through the proxies that are trusted.
type client struct{ from auth.Client }

// Resolve implements huma.Resolver.
func (c *client) Resolve(ctx huma.Context) []error {
	c.from = auth.Client{Address: middleware.ClientAddress(ctx.Context()), UserAgent: ctx.Header("User-Agent")}
	return nil
}

func sessionOf(t *auth.Tokens, u *auth.User) session {
	return session{
		AccessToken: t.Access, RefreshToken: t.Refresh, TokenType: "Bearer",
		ExpiresIn: int64(t.ExpiresIn / time.Second), ClientToken: t.Client, User: userBody(u),
	}
}

func userBody(u *auth.User) user {
	return user{
		ID: u.ID, EntityID: u.EntityID, Name: u.Name, Email: u.Email, Phone: u.Phone, Identifier: u.Identifier,
		Role: u.Role, AuthMethod: u.AuthMethod, Status: u.Status, TOTP: u.TOTP, LastActive: kit.UTC(u.LastActivityAt),
		CreatedAt: u.CreatedAt.UTC(), UpdatedAt: u.UpdatedAt.UTC(),
	}
}
