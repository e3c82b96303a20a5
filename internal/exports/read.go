package exports

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/caller"
	"banca/storage"
)

// States of an export.
const (
	StatePending = "pending"
	StateRunning = "running"
	StateDone    = "done"
	StateFailed  = "failed"
	StateExpired = "expired"
)

// Export is a file of a report.
type Export struct {
	ID         uuid.UUID
	Report     string
	Filter     Filter
	Format     string
	State      string
	Rows       int64 // written
	Total      int64 // 0 if unknown
	Bytes      int64 // of the file
	FileName   string
	ErrorCode  string // of a failed one
	CreatedAt  time.Time
	FinishedAt time.Time // zero until it is done or failed
	ExpiresAt  time.Time // of the file; zero until it is done

	key string
}

// Unfinished reports whether the file is still being written.
func (e *Export) Unfinished() bool { return e.State == StatePending || e.State == StateRunning }

// Link is a signed address of a file.
type Link struct {
	URL       string
	ExpiresAt time.Time
}

const columns = `id, report, filter, format,
	CASE WHEN state = 'done' AND expires_at <= clock_timestamp() THEN 'expired' ELSE state END,
	rows, total, bytes, file_name, coalesce(object_key, ''), error_code, created_at, finished_at, expires_at`

func scan(row pgx.CollectableRow) (e Export, err error) {
	var filter []byte
	var finished, expires *time.Time
	err = row.Scan(&e.ID, &e.Report, &filter, &e.Format, &e.State, &e.Rows, &e.Total, &e.Bytes, &e.FileName, &e.key, &e.ErrorCode, &e.CreatedAt, &finished, &expires)
	if err != nil {
		return e, err
	}
	e.CreatedAt = e.CreatedAt.UTC()
	if finished != nil {
		e.FinishedAt = finished.UTC()
	}
	if expires != nil {
		e.ExpiresAt = expires.UTC()
	}
	return e, json.Unmarshal(filter, &e.Filter)
}

// ofCaller selects the exports that the caller created in the own entity, of reports that the caller may still read.
func (s *Service) ofCaller(by caller.Caller) *storage.Where {
	var reports []string
	for i := range s.Sources {
		if by.May(s.Sources[i].Permission) {
			reports = append(reports, s.Sources[i].Report)
		}
	}
	w := &storage.Where{}
	w.And(`user_id = ` + w.Arg(by.UserID) + ` AND entity_id = ` + w.Arg(by.EntityID) + ` AND report = ANY (` + w.Arg(reports) + `::text[])`)
	return w
}

// Get returns an export of the caller. Errors: ErrNotFound.
func (s *Service) Get(ctx context.Context, by caller.Caller, id uuid.UUID) (*Export, error) {
	w := s.ofCaller(by)
	w.And(`id = ` + w.Arg(id))
	list, err := storage.Collect(ctx, s.PG.Pool, "read export", scan,
		`SELECT `+columns+` FROM report_exports`+w.SQL(), w.Args()...)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, ErrNotFound
	}
	return &list[0], nil
}

// List returns a page of the exports of the caller, newest first, and the number of all.
func (s *Service) List(ctx context.Context, by caller.Caller, limit, offset int) ([]Export, int64, error) {
	rows, total, err := storage.List(ctx, s.PG.Pool, &storage.Listing{
		Columns: columns, From: `FROM report_exports`, Where: s.ofCaller(by), Order: `created_at DESC, id DESC`,
	}, scan, limit, offset)
	if err != nil {
		return nil, 0, fmt.Errorf("list exports: %w", err)
	}
	return rows, total, nil
}

// Link returns an address that reads the file for some minutes, and not longer than the file is kept. Signing sends no request. Errors:
// ErrNotReady.
func (s *Service) Link(ctx context.Context, e *Export) (*Link, error) {
	life := min(linkLife, e.ExpiresAt.Sub(s.Clock.Now()))
	if e.State != StateDone || life <= 0 {
		return nil, ErrNotReady
	}
	address, err := s.Objects.DownloadURL(ctx, e.key, e.FileName, life)
	if err != nil {
		return nil, fmt.Errorf("sign link of an export: %w", err)
	}
	return &Link{URL: address, ExpiresAt: s.Clock.Now().Add(life)}, nil
}
