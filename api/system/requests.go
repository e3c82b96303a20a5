package system

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/requestlog"
)

func (o *operations) registerRequests() {
	kit.Handle(o.Registry, huma.Operation{
		OperationID: "list-requests", Method: http.MethodGet, Path: "/system/requests", Tags: []string{"Health"},
		Summary: "Which requests were answered, newest first",
		Description: "A request appears some seconds after its answer. Values of parameters of the path that are neither ids nor numbers are masked by the names of the parameters. " +
			"A page looks through a bounded number of requests, so with filters it may be short, or empty, although `next_cursor` names more.",
	}, kit.Can(auth.SystemRead).Operator(), o.requests)
}

type requestsInput struct {
	Cursor     string    `query:"cursor" format:"uuid" doc:"next_cursor of the page before; empty for the first page"`
	PageSize   int       `query:"page_size" minimum:"1" maximum:"200" default:"50" doc:"things on a page"`
	Method     string    `query:"method" maxLength:"10" example:"POST"`
	Class      int       `query:"status_class" minimum:"0" maximum:"5" doc:"first digit of the status; 0 for all"`
	PathPrefix string    `query:"path_prefix" maxLength:"200" example:"/sales/"`
	From       time.Time `query:"from" doc:"from this instant on"`
	To         time.Time `query:"to" doc:"before this instant"`
}

type loggedRequest struct {
	ID      uuid.UUID `json:"id"`
	At      time.Time `json:"at" doc:"when it began"`
	Method  string    `json:"method"`
	Path    string    `json:"path" doc:"without query"`
	Status  int       `json:"status"`
	TookMS  float64   `json:"took_ms"`
	Address *string   `json:"ip" doc:"null for a client without an address"`
}

func (o *operations) requests(ctx context.Context, _ caller.Caller, in *requestsInput) (*kit.CursorList[loggedRequest], error) {
	list, next, err := o.Requests.List(ctx, &requestlog.Filter{
		Method: in.Method, Class: in.Class, Prefix: in.PathPrefix, From: in.From, To: in.To, Before: kit.ID(in.Cursor), Limit: in.PageSize,
	})
	if err != nil {
		return nil, err
	}
	cursor := ""
	if next != uuid.Nil {
		cursor = next.String()
	}
	return kit.CursorListOf(kit.Map(list, loggedOf), &kit.CursorParams{PageSize: in.PageSize}, cursor), nil
}

func loggedOf(e requestlog.Entry) loggedRequest {
	r := loggedRequest{ID: e.ID, At: e.At, Method: e.Method, Path: e.Path, Status: e.Status, TookMS: milliseconds(e.Took)}
	if e.Address.IsValid() {
		address := e.Address.String()
		r.Address = &address
	}
	return r
}
