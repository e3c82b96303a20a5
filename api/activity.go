package api

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/middleware"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/org"
)

func (a *API) registerActivity() {
	tags := []string{"Activity"}
	handle(a, huma.Operation{
		OperationID: "list-logs", Method: http.MethodGet, Path: "/auth/logs", Tags: tags,
		Summary: "What people did in the caller's part of the organisation, newest first",
	}, Can(auth.ActivityRead), a.listLogs)
	handle(a, huma.Operation{
		OperationID: "create-log", Method: http.MethodPost, Path: "/auth/logs", Tags: tags, Summary: "Write an entry by hand",
	}, Can(auth.ActivityWrite), a.createLog)
	handle(a, huma.Operation{
		OperationID: "get-log", Method: http.MethodGet, Path: "/auth/logs/{id}", Tags: tags, Summary: "An entry with its corrections",
	}, Can(auth.ActivityRead), a.getLog)
	handle(a, huma.Operation{
		OperationID: "update-log", Method: http.MethodPut, Path: "/auth/logs/{id}", Tags: tags,
		Summary: "Correct the note of an entry; that is recorded, and what stood there is kept",
	}, Can(auth.ActivityWrite).Sensitive(), a.updateLog)
	handle(a, huma.Operation{
		OperationID: "delete-log", Method: http.MethodDelete, Path: "/auth/logs/{id}", Tags: tags, DefaultStatus: http.StatusOK,
		Summary: "Take an entry out of the lists; that is recorded, and the entry is kept",
	}, Can(auth.ActivityWrite).Sensitive(), a.deleteLog)
}

// LogEntry is an entry in answers. It is exported because huma looks into exported embedded structs only.
type LogEntry struct {
	ID        uuid.UUID  `json:"id"`
	Seq       int64      `json:"seq" doc:"place in the chain; 0 until the entry is linked, some seconds after it was written"`
	At        time.Time  `json:"at"`
	UserID    *uuid.UUID `json:"userId" doc:"null is the service itself"`
	UserName  string     `json:"user_name" doc:"as it was"`
	SessionID *uuid.UUID `json:"sessionId"`
	EntityID  uuid.UUID  `json:"entityId" doc:"where it happened"`
	Module    string     `json:"module" example:"users"`
	Action    string     `json:"action" example:"update"`
	Target    string     `json:"target" doc:"id of what it was done to"`
	Note      string     `json:"note" doc:"a person's, as last corrected"`
	Details   any        `json:"details" doc:"as it was written"`
	Manual    bool       `json:"manual" doc:"a person wrote it"`
	Edited    bool       `json:"edited"`
	Removed   bool       `json:"removed"`
	Amends    *uuid.UUID `json:"amends" doc:"the entry that this one corrects or removes"`
	Address   string     `json:"ip"`
	UserAgent string     `json:"agent"`
	Hash      string     `json:"hash" doc:"SHA-256 over this entry and the hash before it; empty until the entry is linked"`
}

type logDetail struct {
	LogEntry

	Amendments []LogEntry `json:"amendments" nullable:"false" doc:"corrections and removal, oldest first"`
}

type logsInput struct {
	PageParams
	UserID  string    `query:"userId" format:"uuid"`
	Module  string    `query:"module" maxLength:"40"`
	Action  string    `query:"action" maxLength:"40"`
	Target  string    `query:"target" maxLength:"300"`
	From    time.Time `query:"from" doc:"from this instant on"`
	To      time.Time `query:"to" doc:"before this instant"`
	Removed bool      `query:"removed" doc:"also those that were removed"`
	Sort    string    `query:"sort" enum:"at,-at" default:"-at"`
}

func (a *API) listLogs(ctx context.Context, in *logsInput) (*List[LogEntry], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	f := &activity.Filter{
		Scope: scope, Module: in.Module, Action: in.Action, Target: in.Target, From: in.From, To: in.To, Removed: in.Removed, Oldest: in.Sort == "at",
		Limit: in.PageSize, Offset: in.Offset(),
	}
	f.UserID, _ = uuid.Parse(in.UserID) // the format was checked; empty is none
	all, total, err := a.deps.Activity.List(ctx, f)
	if err != nil {
		return nil, err
	}
	return list(mapped(all, logBody), &in.PageParams, total), nil
}

type newLogInput struct {
	Body struct {
		EntityID uuid.UUID `json:"entityId,omitempty" doc:"where it happened; the caller's entity where it is not given"`
		Module   string    `json:"module" minLength:"1" maxLength:"40" pattern:"^[a-z0-9_.]+$"`
		Action   string    `json:"action" minLength:"1" maxLength:"40" pattern:"^[a-z0-9_.]+$"`
		Target   string    `json:"target,omitempty" maxLength:"300"`
		Note     string    `json:"note" minLength:"1" maxLength:"1000"`
	}
}

func (a *API) createLog(ctx context.Context, in *newLogInput) (*Created[LogEntry], error) {
	p, b := middleware.PrincipalFrom(ctx), &in.Body
	if b.EntityID == uuid.Nil {
		b.EntityID = p.EntityID
	}
	if inside, err := a.deps.Org.InScope(ctx, b.EntityID, p.EntityPath); err != nil || !inside {
		return nil, cmp.Or(err, error(org.ErrEntityNotFound))
	}
	l, err := a.deps.Activity.Write(ctx, &activity.Manual{Scope: p.EntityPath, EntityID: b.EntityID, Module: b.Module, Action: b.Action, Target: b.Target, Note: b.Note})
	if err != nil {
		return nil, err
	}
	return created(logBody(*l), a.deps.BasePath+"/auth/logs/"+l.ID.String()), nil
}

// LogParams names an entry. It is exported because huma looks into exported embedded structs only.
type LogParams struct {
	ID uuid.UUID `path:"id"`
}

func (a *API) getLog(ctx context.Context, in *LogParams) (*Data[logDetail], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	l, story, err := a.deps.Activity.Get(ctx, scope, in.ID)
	if err != nil {
		return nil, err
	}
	return data(logDetail{logBody(*l), mapped(story, logBody)}), nil
}

type noteInput struct {
	LogParams
	Body struct {
		Note string `json:"note" minLength:"1" maxLength:"1000"`
	}
}

func (a *API) updateLog(ctx context.Context, in *noteInput) (*Data[LogEntry], error) {
	return amended(ctx, func(scope string) (*activity.Log, error) {
		return a.deps.Activity.Correct(ctx, scope, in.ID, in.Body.Note)
	})
}

type removeLogInput struct {
	LogParams
	Reason string `query:"reason" maxLength:"1000" default:"-" doc:"why"`
}

func (a *API) deleteLog(ctx context.Context, in *removeLogInput) (*Data[LogEntry], error) {
	return amended(ctx, func(scope string) (*activity.Log, error) { return a.deps.Activity.Remove(ctx, scope, in.ID, in.Reason) })
}

func amended(ctx context.Context, amend func(scope string) (*activity.Log, error)) (*Data[LogEntry], error) {
	scope, err := middleware.Scope(ctx)
	if err != nil {
		return nil, err
	}
	l, err := amend(scope)
	if err != nil {
		return nil, err
	}
	return data(logBody(*l)), nil
}

func logBody(l activity.Log) LogEntry {
	return LogEntry{
		ID: l.ID, Seq: l.Seq, At: l.At.UTC(), UserID: given(l.UserID), UserName: l.UserName, SessionID: given(l.SessionID), EntityID: l.EntityID,
		Module: l.Module, Action: l.Action, Target: l.Target, Note: l.Note, Details: l.Details, Manual: l.Manual, Edited: l.Edited, Removed: l.Removed,
		Amends: given(l.Amends), Address: l.Address, UserAgent: l.UserAgent, Hash: hex.EncodeToString(l.Hash),
	}
}
