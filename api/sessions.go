package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/auth"
)

func (a *API) registerSessions() {
	tags := []string{"Sessions"}
	handle(a, huma.Operation{
		OperationID: "list-sessions", Method: http.MethodGet, Path: "/auth/sessions", Tags: tags,
		Summary: "Sessions, newest first: those of the caller's part of the organisation with sessions:read, else the caller's own",
	}, SignedIn(), a.listSessions)
	handle(a, huma.Operation{
		OperationID: "get-session", Method: http.MethodGet, Path: "/auth/sessions/{id}", Tags: tags, Summary: "A session",
	}, SignedIn(), a.getSession)
	handle(a, huma.Operation{
		OperationID: "extend-session", Method: http.MethodPut, Path: "/auth/sessions/{id}", Tags: tags,
		Summary:     "Set the end of a live session, at most as far as a new login would",
		Description: "Refreshes do not move an end that was set. The session of a browser ends 12 hours after its login at the latest.",
	}, Can(auth.SessionsWrite), a.extendSession)
	handle(a, huma.Operation{
		OperationID: "terminate-session", Method: http.MethodPost, Path: "/auth/sessions/{id}/terminate", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "End a live session: any of the caller's part of the organisation with sessions:write, else the caller's own",
	}, SignedIn(), a.terminateSession)
}

type userSession struct {
	ID          uuid.UUID   `json:"id"`
	UserID      uuid.UUID   `json:"userId"`
	UserName    string      `json:"user_name"`
	EntityID    uuid.UUID   `json:"entityId"`
	DeviceInfo  auth.Client `json:"device_info" doc:"ip and agent as seen here; location and fingerprint as the client said"`
	CreatedAt   time.Time   `json:"created_at"`
	RefreshedAt time.Time   `json:"refreshed_at"`
	ExpiresAt   time.Time   `json:"expires_at"`
	EndedAt     *time.Time  `json:"ended_at"`
	EndReason   string      `json:"end_reason,omitempty" enum:"logout,reuse,expired,replaced,disabled,password,terminated"`
	IsActive    bool        `json:"isActive"`
	Current     bool        `json:"current" doc:"the one of this request"`
}

type sessionsInput struct {
	PageParams
	UserID   string `query:"userId" format:"uuid"`
	IsActive string `query:"isActive" enum:"true,false"`
}

func (a *API) listSessions(ctx context.Context, in *sessionsInput) (*List[userSession], error) {
	p := middleware.PrincipalFrom(ctx)
	f := &auth.SessionFilter{Limit: in.PageSize, Offset: in.Offset()}
	f.UserID, _ = uuid.Parse(in.UserID) // the format was checked; empty is none
	if in.IsActive != "" {
		active := in.IsActive == "true"
		f.Active = &active
	}
	all, total, err := a.deps.Auth.Sessions(ctx, p, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(all, func(s auth.Session) userSession { return sessionBody(&s, &p) }), &in.PageParams, total), nil
}

// SessionParams names a session. It is exported because huma looks into exported embedded structs only.
type SessionParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) getSession(ctx context.Context, in *SessionParams) (*Data[userSession], error) {
	return a.oneSession(ctx, func(p auth.Principal) (auth.Session, error) { return a.deps.Auth.Session(ctx, p, in.ID) })
}

type extendInput struct {
	SessionParams
	Body struct {
		ExpiresAt time.Time `json:"expires_at"`
	}
}

func (a *API) extendSession(ctx context.Context, in *extendInput) (*Data[userSession], error) {
	return a.oneSession(ctx, func(p auth.Principal) (auth.Session, error) {
		return a.deps.Auth.ExtendSession(ctx, p, in.ID, in.Body.ExpiresAt)
	})
}

func (a *API) terminateSession(ctx context.Context, in *SessionParams) (*Data[userSession], error) {
	return a.oneSession(ctx, func(p auth.Principal) (auth.Session, error) { return a.deps.Auth.TerminateSession(ctx, p, in.ID) })
}

func (a *API) oneSession(ctx context.Context, get func(auth.Principal) (auth.Session, error)) (*Data[userSession], error) {
	p := middleware.PrincipalFrom(ctx)
	s, err := get(p)
	if err != nil {
		return nil, err
	}
	return data(sessionBody(&s, &p)), nil
}

func sessionBody(s *auth.Session, p *auth.Principal) userSession {
	return userSession{
		ID: s.ID, UserID: s.UserID, UserName: s.UserName, EntityID: s.EntityID, DeviceInfo: s.Client, CreatedAt: s.CreatedAt.UTC(), RefreshedAt: s.RefreshedAt.UTC(),
		ExpiresAt: s.ExpiresAt.UTC(), EndedAt: utc(s.EndedAt), EndReason: s.EndReason, IsActive: s.Active, Current: s.ID == p.SessionID,
	}
}
