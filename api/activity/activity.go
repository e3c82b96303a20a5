package activity

import (
	"cmp"
	"context"
	"encoding/hex"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
)

func (o *operations) registerActivity() {
	tags := []string{"Activity"}
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-logs", Method: http.MethodGet, Path: "/auth/logs", Tags: tags,
		Summary: "What people did in the caller's part of the organisation, newest first",
	}, kit.Can(auth.LogsRead), o.listLogs)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "create-log", Method: http.MethodPost, Path: "/auth/logs", Tags: tags,
		Summary: "Write an entry by hand",
	}, kit.Can(auth.LogsWrite), o.createLog,
		activity.ErrInvalid, activity.ErrNotFound, money.ErrAmount, org.ErrEntityNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "get-log", Method: http.MethodGet, Path: "/auth/logs/{id}", Tags: tags,
		Summary: "An entry with its corrections",
	}, kit.Can(auth.LogsRead), o.getLog, activity.ErrNotFound)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "update-log", Method: http.MethodPut, Path: "/auth/logs/{id}", Tags: tags,
		Summary: "Correct the note of an entry; that is recorded, and what stood there is kept",
	}, kit.Can(auth.LogsWrite).Sensitive(), o.updateLog,
		activity.ErrInvalid, activity.ErrNotFound, activity.ErrRemoved)
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "delete-log", Method: http.MethodDelete, Path: "/auth/logs/{id}", Tags: tags,
		DefaultStatus: http.StatusOK,
		Summary:       "Take an entry out of the lists; that is recorded, and the entry is kept",
	}, kit.Can(auth.LogsWrite).Sensitive(), o.deleteLog,
		activity.ErrInvalid, activity.ErrNotFound, activity.ErrRemoved)
}

// LogEntry is an entry in answers.
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
	kit.PageParams
	UserID  string    `query:"userId" format:"uuid"`
	Module  string    `query:"module" maxLength:"40"`
	Action  string    `query:"action" maxLength:"40"`
	Target  string    `query:"target" maxLength:"300"`
	From    time.Time `query:"from" doc:"from this instant on"`
	To      time.Time `query:"to" doc:"before this instant"`
	Removed bool      `query:"removed" doc:"also those that were removed"`
	Sort    string    `query:"sort" enum:"at,-at" default:"-at"`
}

func (o *operations) listLogs(ctx context.Context, by caller.Caller, in *logsInput) (*kit.List[LogEntry], error) {
	f := &activity.Filter{
		Module: in.Module, Action: in.Action, Target: in.Target, From: in.From, To: in.To, Removed: in.Removed,
		Oldest: in.Sort == "at",
		Limit:  in.PageSize, Offset: in.Offset(),
		UserID: kit.ID(in.UserID),
	}
	return kit.ListFrom(logBody, &in.PageParams)(o.log.List(ctx, by, f))
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

func (o *operations) createLog(ctx context.Context, by caller.Caller, in *newLogInput) (*kit.Created[LogEntry], error) {
	b := &in.Body
	if b.EntityID == uuid.Nil {
		b.EntityID = by.EntityID
	}
	if inside, err := o.entities.InScope(ctx, by, b.EntityID); err != nil || !inside {
		return nil, cmp.Or(err, error(org.ErrEntityNotFound))
	}
	l, err := o.log.Write(
		ctx, by,
		&activity.Manual{EntityID: b.EntityID, Module: b.Module, Action: b.Action, Target: b.Target, Note: b.Note},
	)
	if err != nil {
		return nil, err
	}
	return kit.CreatedOf(logBody(*l), o.BasePath+"/auth/logs/"+l.ID.String()), nil
}

func (o *operations) getLog(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[logDetail], error) {
	l, amendments, err := o.log.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	return kit.DataOf(logDetail{logBody(*l), kit.Map(amendments, logBody)}), nil
}

type noteInput struct {
	kit.ByID
	Body struct {
		Note string `json:"note" minLength:"1" maxLength:"1000"`
	}
}

func (o *operations) updateLog(ctx context.Context, by caller.Caller, in *noteInput) (*kit.Data[LogEntry], error) {
	return amended(o.log.Correct(ctx, by, in.ID, in.Body.Note))
}

type removeLogInput struct {
	kit.ByID
	Reason string `query:"reason" maxLength:"1000" default:"-" doc:"why"`
}

func (o *operations) deleteLog(ctx context.Context, by caller.Caller, in *removeLogInput) (*kit.Data[LogEntry], error) {
	return amended(o.log.Remove(ctx, by, in.ID, in.Reason))
}

func amended(l *activity.Log, err error) (*kit.Data[LogEntry], error) {
	if err != nil {
		return nil, err
	}
	return kit.DataOf(logBody(*l)), nil
}

func logBody(l activity.Log) LogEntry {
	return LogEntry{
		ID: l.ID, Seq: l.Seq, At: l.At.UTC(), UserID: kit.Optional(l.UserID), UserName: l.UserName,
		SessionID: kit.Optional(l.SessionID), EntityID: l.EntityID,
		Module: l.Module, Action: l.Action, Target: l.Target, Note: l.Note, Details: l.Details, Manual: l.Manual,
		Edited: l.Edited, Removed: l.Removed,
		Amends: kit.Optional(l.Amends), Address: l.Address, UserAgent: l.UserAgent, Hash: hex.EncodeToString(l.Hash),
	}
}
