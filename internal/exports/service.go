package exports

import (
	"context"
	"io"
	"time"

	"banca/internal/auth"
	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/sheet"
	"banca/storage"
)

// Bounds of exports.
const (
	// MaxRows bounds the rows of a file. A workbook has at most 1,048,576.
	MaxRows = 1_000_000

	maxUnfinished = 5                   // of a user
	maxRunning    = 2                   // at the same time, of all
	maxAttempts   = 5                   // runs of an export
	placeWait     = 5 * time.Second     // of an export that finds maxRunning
	alive         = 30 * time.Second    // a run without progress for so long does not count as running
	stuck         = 6 * time.Hour       // an unfinished export without progress for so long has failed
	kept          = 30 * 24 * time.Hour // the row of a finished one
	linkLife      = 5 * time.Minute
	progressEvery = time.Second
	beatEvery     = alive / 3
)

// Objects stores files; storage.Objects of a private bucket.
type Objects interface {
	PutFile(ctx context.Context, key, contentType string, body io.Reader, size int64) error
	Delete(ctx context.Context, key string) error
	Keys(ctx context.Context, prefix string) ([]string, error)
	DownloadURL(ctx context.Context, key, name string, expires time.Duration) (string, error)
}

// Source is a report that can be exported. It is implemented where its file is made for short answers, so that both files are equal.
type Source struct {
	Report     string // its name in requests
	Permission auth.Permission
	Takes      []string // fields of the filter, by their JSON names
	Needs      []string // those that must be set
	Today      bool     // without days it is about today
	// Table returns the file for a caller, in a language. It checks the filter as the report does.
	Table func(ctx context.Context, by caller.Caller, language string, f *Filter) (*sheet.Table, error)
}

// Deps are the dependencies of a Service. All are required.
type Deps struct {
	PG        *storage.Postgres
	Auth      *auth.Service
	Objects   Objects
	Sources   []Source
	Clock     clock.Clock
	Zone      *time.Location // of business days and of times in files
	Retention time.Duration  // of a file
}

// Service writes exports.
type Service struct {
	Deps

	keys idempotency.Locks
	beat time.Duration // between two signs of life of a run
}

// New returns the service.
func New(d Deps) *Service { return &Service{Deps: d, beat: beatEvery} }

// source returns the source of a report. Errors: ErrReportUnknown.
func (s *Service) source(report string) (*Source, error) {
	for i := range s.Sources {
		if s.Sources[i].Report == report {
			return &s.Sources[i], nil
		}
	}
	return nil, ErrReportUnknown
}
