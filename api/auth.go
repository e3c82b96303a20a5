package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
)

func (a *API) registerAuth() {
	tags := []string{"Auth"}
	handle(a, huma.Operation{
		OperationID: "login", Method: http.MethodPost, Path: "/auth/login", Tags: tags,
		Summary: "Open a session with a name and a password",
	}, Public(), a.login)
	handle(a, huma.Operation{
		OperationID: "refresh", Method: http.MethodPost, Path: "/auth/refresh", Tags: tags,
		Summary: "Exchange a refresh token for new tokens; using one twice ends the session",
	}, Public(), a.refresh)
	handle(a, huma.Operation{
		OperationID: "logout", Method: http.MethodPost, Path: "/auth/logout", Tags: tags,
		Summary: "End the session", DefaultStatus: http.StatusNoContent,
	}, SignedIn(), a.logout)
	handle(a, huma.Operation{
		OperationID: "me", Method: http.MethodGet, Path: "/auth/me", Tags: tags, Summary: "The caller's own user",
	}, SignedIn(), a.me)
	handle(a, huma.Operation{
		OperationID: "confirm", Method: http.MethodPost, Path: "/auth/confirm", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Give the password again; opens the sensitive writes of this session for ten minutes, as a login does",
	}, SignedIn(), a.confirm)
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
	Status     string     `json:"status" enum:"active,inactive"`
	LastActive *time.Time `json:"last_activity_at"`
	CreatedAt  time.Time  `json:"created_at"`
}

type session struct {
	AccessToken  string `json:"access_token" doc:"for the Authorization header"`
	RefreshToken string `json:"refresh_token" doc:"valid once, for /auth/refresh"`
	TokenType    string `json:"token_type" enum:"Bearer"`
	ExpiresIn    int64  `json:"expires_in" doc:"seconds until the access token expires" example:"900"`
	User         user   `json:"user"`
}

type loginInput struct {
	client
	Body struct {
		Identifier string `json:"identifier,omitempty" maxLength:"200" doc:"identifier, email or phone; give one of the three fields"`
		Email      string `json:"email,omitempty" maxLength:"200"`
		Phone      string `json:"phone,omitempty" maxLength:"200"`
		Password   string `json:"password" maxLength:"200"`
	}
}

func (a *API) login(ctx context.Context, in *loginInput) (*Data[session], error) {
	b := &in.Body
	credentials := auth.Credentials{Identifier: b.Identifier, Email: b.Email, Phone: b.Phone, Password: b.Password}
	tokens, u, err := a.deps.Auth.Login(ctx, credentials, in.from)
	if err != nil {
		return nil, err
	}
	return data(sessionOf(&tokens, &u)), nil
}

type refreshInput struct {
	Body struct {
		RefreshToken string `json:"refresh_token" maxLength:"200"`
	}
}

func (a *API) refresh(ctx context.Context, in *refreshInput) (*Data[session], error) {
	tokens, u, err := a.deps.Auth.Refresh(ctx, in.Body.RefreshToken)
	if err != nil {
		return nil, err
	}
	return data(sessionOf(&tokens, &u)), nil
}

func (a *API) logout(ctx context.Context, _ *struct{}) (*struct{}, error) {
	return nil, a.deps.Auth.Logout(ctx, middleware.PrincipalFrom(ctx))
}

type confirmation struct {
	ConfirmedUntil time.Time `json:"confirmed_until"`
}

type confirmInput struct {
	Body struct {
		Password string `json:"password" maxLength:"200"`
	}
}

func (a *API) confirm(ctx context.Context, in *confirmInput) (*Data[confirmation], error) {
	until, err := a.deps.Auth.Confirm(ctx, middleware.PrincipalFrom(ctx), in.Body.Password)
	if err != nil {
		return nil, err
	}
	return data(confirmation{ConfirmedUntil: until.UTC()}), nil
}

func (a *API) me(ctx context.Context, _ *struct{}) (*Data[user], error) {
	u, err := a.deps.Auth.Me(ctx, middleware.PrincipalFrom(ctx))
	if err != nil {
		return nil, err
	}
	return data(userBody(&u)), nil
}

// client learns where a request comes from, through the proxies that are trusted.
type client struct{ from auth.Client }

// Resolve implements huma.Resolver.
func (c *client) Resolve(ctx huma.Context) []error {
	c.from = auth.Client{Address: humagin.Unwrap(ctx).ClientIP(), UserAgent: ctx.Header("User-Agent")}
	return nil
}

func sessionOf(t *auth.Tokens, u *auth.User) session {
	return session{
		AccessToken: t.Access, RefreshToken: t.Refresh, TokenType: "Bearer",
		ExpiresIn: int64(t.ExpiresIn / time.Second), User: userBody(u),
	}
}

func userBody(u *auth.User) user {
	return user{
		ID: u.ID, EntityID: u.EntityID, Name: u.Name, Email: u.Email, Phone: u.Phone, Identifier: u.Identifier,
		Role: u.Role, Status: u.Status, LastActive: utc(u.LastActivityAt), CreatedAt: u.CreatedAt.UTC(),
	}
}

// utc brings a time that may be missing into the zone of all answers.
func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
