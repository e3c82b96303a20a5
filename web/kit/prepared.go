package kit

import (
	"github.com/google/uuid"

	"banca/internal/auth"
)

// FilesPath is the page of the files that tasks write, to which the form of a Prepared is sent.
const FilesPath = "/admin/reports/files"

// Prepared is the form that has the file of a long list written by a task. The part "prepare" shows it.
type Prepared struct {
	Report string
	Fields []Parameter // of the report's filter, as the page of files names them
	Key    string      // of the request
}

// Parameter is a named value of a form.
type Parameter struct{ Name, Value string }

// Action returns where the form is sent.
func (*Prepared) Action() string { return FilesPath }

// NewPrepared returns the form for the shown list; nil if its file is sent at once, and for callers who may not have files written.
func NewPrepared(r *Request, report string, fields ...Parameter) *Prepared {
	if !r.long || !r.May(auth.ReportsRead) {
		return nil
	}
	return &Prepared{Report: report, Fields: fields, Key: uuid.NewString()}
}
