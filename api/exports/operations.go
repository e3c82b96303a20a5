// Package exports has the operations on files of reports that tasks write.
package exports

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/exports"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/sheet"
	"banca/internal/reports"
	"banca/internal/weekly"
)

const path = "/reports/exports"

type operations struct {
	*kit.Registry

	exports *exports.Service
}

// Register adds the operations.
func Register(r *kit.Registry, service *exports.Service) {
	o := &operations{Registry: r, exports: service}
	tags := []string{"Reports"}
	read := kit.Can(auth.ReportsRead)
	kit.Handle(r, huma.Operation{
		OperationID: "create-export", Method: http.MethodPost, Path: path, Tags: tags,
		Summary: "Have a file of a report written",
		Description: "For files that are too long for an answer: up to 1,000,000 rows. A task writes the file; `GET /reports/exports/{id}` shows its progress and then its link. The file has the rows of the " +
			"report's operation with the same parameters, in the language of this request. A statement also needs the permission `wallets:read`, customers `customers:read`, weekly settlements `settlements:read`. A user has at most five unfinished exports.",
	}, read, o.create,
		exports.ErrReportUnknown, exports.ErrFilter, exports.ErrLimit, auth.ErrForbidden, sheet.ErrTooLarge,
		idempotency.ErrUnknownOutcome, exports.ErrNotFound,
		reports.ErrPeriodReversed, reports.ErrPeriodTooLong, reports.ErrNoGame, org.ErrEntityNotFound,
		ledger.ErrCurrencyNotFound, ledger.ErrWalletUnknown, catalog.ErrCategoryNotFound, catalog.ErrGameNotFound,
		catalog.ErrDrawNotFound, weekly.ErrWeek, weekly.ErrRange, weekly.ErrStatusRange)
	kit.Handle(r, huma.Operation{
		OperationID: "list-exports", Method: http.MethodGet, Path: path, Tags: tags,
		Summary:     "The caller's exports, newest first",
		Description: "Each without its link, which `GET /reports/exports/{id}` returns. Exports are listed for 30 days.",
	}, read, o.list)
	kit.Handle(r, huma.Operation{
		OperationID: "get-export", Method: http.MethodGet, Path: path + "/{id}", Tags: tags,
		Summary:     "An export with its progress, and with its link once it is done",
		Description: "The link holds for five minutes; a later call returns another one, until the file expires (`expires_at`). Only the creator reads an export, with the current permissions.",
	}, read, o.get, exports.ErrNotFound, exports.ErrNotReady)
}

// ExportFilter holds the parameters of the report.
type ExportFilter struct {
	EntityID   string `json:"entityId,omitempty" format:"uuid" doc:"the entity with everything below it; the caller's without it"`
	From       string `json:"from,omitempty" format:"date" doc:"first business day"`
	To         string `json:"to,omitempty" format:"date" doc:"last business day"`
	Currency   string `json:"currency,omitempty" maxLength:"36" example:"VES" doc:"code or id"`
	CategoryID string `json:"category_id,omitempty" format:"uuid"`
	GameID     string `json:"game_id,omitempty" format:"uuid"`
	DrawID     string `json:"draw_id,omitempty" format:"uuid" doc:"of tickets"`
	WalletID   string `json:"wallet_id,omitempty" format:"uuid" doc:"of a statement"`
	GroupBy    string `json:"group_by,omitempty" enum:"total,entity,game,day,draw,means" doc:"of sales"`
	ParentID   string `json:"parent_id,omitempty" format:"uuid" doc:"of weekly settlements: the entity above"`
	Week       string `json:"week,omitempty" format:"date" doc:"of weekly settlements: the Monday"`
	Status     string `json:"status,omitempty" enum:"draft,confirmed,carried,paid" doc:"of weekly settlements"`
	Search     string `json:"search,omitempty" maxLength:"100" doc:"of customers"`
}

// ExportedFilter is the filter of an export in answers.
type ExportedFilter ExportFilter

// CreateBody is the body that creates an export.
type CreateBody struct {
	Report string       `json:"report" enum:"sales-summary,sales,audit-by-level,waterfall,entity-balance,tickets,expired-prizes,statement,customers,weekly-settlements"`
	Format string       `json:"format" enum:"csv,xlsx"`
	Filter ExportFilter `json:"filter" required:"false"`
}

type createInput struct {
	kit.Idempotent
	Body CreateBody
}

// export is an export as JSON.
type export struct {
	ID            uuid.UUID      `json:"id"`
	Report        string         `json:"report"`
	Format        string         `json:"format" enum:"csv,xlsx"`
	Filter        ExportedFilter `json:"filter"`
	State         string         `json:"state" enum:"pending,running,done,failed,expired"`
	Rows          int64          `json:"rows" doc:"written so far"`
	Total         int64          `json:"total" doc:"rows of the whole file; 0 while it is unknown"`
	Bytes         int64          `json:"bytes" doc:"of the file"`
	FileName      string         `json:"file_name"`
	Error         string         `json:"error" doc:"code of why it failed; empty otherwise"`
	CreatedAt     time.Time      `json:"created_at"`
	FinishedAt    *time.Time     `json:"finished_at"`
	ExpiresAt     *time.Time     `json:"expires_at" doc:"of the file"`
	URL           string         `json:"url" doc:"of the file; empty in lists and while it is not done"`
	LinkExpiresAt *time.Time     `json:"link_expires_at"`
}

func exportBody(e *exports.Export) export {
	return export{
		ID: e.ID, Report: e.Report, Format: e.Format, Filter: ExportedFilter(e.Filter), State: e.State, Rows: e.Rows,
		Total: e.Total, Bytes: e.Bytes, FileName: e.FileName,
		Error: e.ErrorCode, CreatedAt: e.CreatedAt, FinishedAt: kit.Optional(e.FinishedAt),
		ExpiresAt: kit.Optional(e.ExpiresAt),
	}
}

func (o *operations) create(ctx context.Context, by caller.Caller, in *createInput) (*kit.CreatedOnce[export], error) {
	e, again, err := o.exports.Create(ctx, by, &exports.Request{
		Report: in.Body.Report, Filter: exports.Filter(in.Body.Filter), Format: sheet.Format(in.Body.Format),
		Language: middleware.Language(ctx), IdempotencyKey: in.IdempotencyKey,
	})
	if err != nil {
		return nil, err
	}
	return kit.CreatedOnceOf(exportBody(e), o.BasePath+path+"/"+e.ID.String(), again), nil
}

func (o *operations) list(ctx context.Context, by caller.Caller, in *kit.PageParams) (*kit.List[export], error) {
	list, total, err := o.exports.List(ctx, by, in.PageSize, in.Offset())
	if err != nil {
		return nil, err
	}
	return kit.ListOf(kit.Map(list, func(e exports.Export) export { return exportBody(&e) }), in, total), nil
}

func (o *operations) get(ctx context.Context, by caller.Caller, in *kit.ByID) (*kit.Data[export], error) {
	e, err := o.exports.Get(ctx, by, in.ID)
	if err != nil {
		return nil, err
	}
	body := exportBody(e)
	if e.State == exports.StateDone {
		link, err := o.exports.Link(ctx, e)
		if err != nil {
			return nil, err
		}
		body.URL, body.LinkExpiresAt = link.URL, &link.ExpiresAt
	}
	return kit.DataOf(body), nil
}
