package users

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
)

func (o *operations) registerSessions() {
	tags := []string{"Sessions"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-sessions", Method: http.MethodGet, Path: "/auth/sessions", Tags: tags,
		Summary: "Sessions, newest first, of the caller's subtree with sessions:read, else of the caller",
	}, kit.SignedIn(), o.listSessions)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-session", Method: http.MethodGet, Path: "/auth/sessions/{id}", Tags: tags,
		Summary: "A session",
	}, kit.SignedIn(), o.getSession, auth.ErrSessionNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "extend-session", Method: http.MethodPut, Path: "/auth/sessions/{id}", Tags: tags,
		Summary:     "Set the end of a live session, at most as far as a new login would",
		Description: "Refreshes do not move an end that was set. The session of a browser ends 12 hours after its login at the latest.",
	}, kit.Can(auth.SessionsWrite), o.extendSession,
		auth.ErrSessionEnded, auth.ErrSessionNotFound, auth.ErrSessionTime, auth.ErrUserAbove)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "terminate-session", Method: http.MethodPost, Path: "/auth/sessions/{id}/terminate", Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "End a live session: any of the caller's part of the organisation with sessions:write, else the caller's own",
	}, kit.SignedIn(), o.terminateSession, auth.ErrSessionEnded, auth.ErrSessionNotFound, auth.ErrUserAbove)
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
	kit.PageParams
	UserID   string `query:"userId" format:"uuid"`
	IsActive string `query:"isActive" enum:"true,false"`
}

func (o *operations) listSessions(
	ctx context.Context, by caller.Caller, in *sessionsInput,
) (*kit.List[userSession], error) {
	f := &auth.SessionFilter{UserID: kit.ID(in.UserID), Limit: in.PageSize, Offset: in.Offset()}
	if in.IsActive != "" {
		active := in.IsActive == "true"
		f.Active = &active
	}
	all, total, err := o.users.Sessions(ctx, by, f)
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(all, func(s auth.Session) userSession { return sessionBody(&s, by) }), &in.PageParams, total), nil
}

func (o *operations) getSession(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[userSession], error) {
	s, err := o.users.Session(ctx, by, in.ID)
	return sessionAnswer(&s, by, err)
}

type extendInput struct {
	kit.ByID
	Body struct {
		ExpiresAt time.Time `json:"expires_at"`
	}
}

func (o *operations) extendSession(
	ctx context.Context, by caller.Caller, in *extendInput,
) (*kit.Data[userSession], error) {
	s, err := o.users.ExtendSession(ctx, by, in.ID, in.Body.ExpiresAt)
	return sessionAnswer(&s, by, err)
}

func (o *operations) terminateSession(
	ctx context.Context, by caller.Caller, in *kit.ByID,
) (*kit.Data[userSession], error) {
	s, err := o.users.TerminateSession(ctx, by, in.ID)
	return sessionAnswer(&s, by, err)
}

func sessionAnswer(s *auth.Session, by caller.Caller, err error) (*kit.Data[userSession], error) {
	if err != nil {
		return nil, err
	}
	return kit.DataOf(sessionBody(s, by)), nil
}

func sessionBody(s *auth.Session, by caller.Caller) userSession {
	return userSession{
		ID: s.ID, UserID: s.UserID, UserName: s.UserName, EntityID: s.EntityID, DeviceInfo: s.Client,
		CreatedAt: s.CreatedAt.UTC(), RefreshedAt: s.RefreshedAt.UTC(),
		ExpiresAt: s.ExpiresAt.UTC(), EndedAt: kit.UTC(s.EndedAt), EndReason: s.EndReason, IsActive: s.Active,
		Current: s.ID == by.SessionID,
	}
}
