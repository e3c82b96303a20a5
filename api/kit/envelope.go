package kit

import (
	"net/http"
	"time"

	"github.com/google/uuid"
)

// Data is the answer with one thing.
type Data[T any] struct {
	Body Envelope[T]
}

// Created is the answer to making one thing: 201, with the address it can be read at.
type Created[T any] struct {
	Location string `header:"Location"`
	Body     Envelope[T]
}

// DefaultStatus is the status of the answer.
func (*Created[T]) DefaultStatus() int { return http.StatusCreated }

// Once is the answer to an operation with an Idempotency-Key; Replayed marks the answer to an earlier, equal request.
type Once[T any] struct {
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[T]
}

// CreatedOnce is the answer to making one thing with an Idempotency-Key.
type CreatedOnce[T any] struct {
	Location string `header:"Location"`
	Replayed string `header:"Idempotent-Replayed"`
	Body     Envelope[T]
}

// DefaultStatus is the status of the answer.
func (*CreatedOnce[T]) DefaultStatus() int { return http.StatusCreated }

// Envelope is the body of an answer with one thing.
type Envelope[T any] struct {
	Data T `json:"data"`
}

// List is the answer with a page of things.
type List[T any] struct {
	Body Page[T]
}

// Page is the body of an answer with a page of things.
type Page[T any] struct {
	Data []T  `json:"data" nullable:"false"`
	Meta Meta `json:"meta"`
}

// Meta holds the page number and the total of all pages.
type Meta struct {
	Page     int   `json:"page"`
	PageSize int   `json:"page_size"`
	Total    int64 `json:"total" doc:"the number of things on all pages. A total of 10,000 or more is a lower bound, which is greater than the number of things up to this page if there is a next page"`
}

// PageParams are the parameters of every list.
type PageParams struct {
	Page     int `query:"page" minimum:"1" maximum:"100000" default:"1" doc:"which page, from 1"`
	PageSize int `query:"page_size" minimum:"1" maximum:"200" default:"50" doc:"things on a page"`
}

// ByID is the input of an operation on one object.
type ByID struct {
	ID uuid.UUID `path:"id"`
}

// IdempotencyHeader names a request, so that a repeat has the answer of the first one.
const IdempotencyHeader = "Idempotency-Key"

// Idempotent is embedded in the input of an operation with an Idempotency-Key.
type Idempotent struct {
	IdempotencyKey string `header:"Idempotency-Key" maxLength:"200" doc:"identifies this request; a repeat changes nothing and returns the first answer"`
}

// idempotent makes register document the errors of the key.
func (Idempotent) idempotent() {}

// OnceByID is the input of an operation with an Idempotency-Key on one object.
type OnceByID struct {
	ByID
	Idempotent
}

// Offset is how many things lie before the page.
func (p *PageParams) Offset() int { return (p.Page - 1) * p.PageSize }

// DataOf wraps one thing.
func DataOf[T any](thing T) *Data[T] { return &Data[T]{Body: Envelope[T]{Data: thing}} }

// DataFrom returns a function that answers with the body of the thing that a service returns, or with its error.
func DataFrom[T, U any](body func(T) U) func(thing *T, err error) (*Data[U], error) {
	return func(thing *T, err error) (*Data[U], error) {
		if err != nil {
			return nil, err
		}
		return DataOf(body(*thing)), nil
	}
}

// DataFromValue does the same as DataFrom for a service that returns a value.
func DataFromValue[T, U any](body func(T) U) func(thing T, err error) (*Data[U], error) {
	return func(thing T, err error) (*Data[U], error) {
		if err != nil {
			return nil, err
		}
		return DataOf(body(thing)), nil
	}
}

// CreatedOf wraps a new thing.
func CreatedOf[T any](thing T, location string) *Created[T] {
	return &Created[T]{Location: location, Body: Envelope[T]{Data: thing}}
}

// OnceOf wraps the thing that an operation with an Idempotency-Key changed.
func OnceOf[T any](thing T, again bool) *Once[T] {
	return &Once[T]{Replayed: replayed(again), Body: Envelope[T]{Data: thing}}
}

// CreatedOnceOf wraps a new thing that was made with an Idempotency-Key.
func CreatedOnceOf[T any](thing T, location string, again bool) *CreatedOnce[T] {
	return &CreatedOnce[T]{Location: location, Replayed: replayed(again), Body: Envelope[T]{Data: thing}}
}

func replayed(again bool) string {
	if again {
		return "true"
	}
	return ""
}

// ListOf wraps a page of things.
func ListOf[T any](things []T, p *PageParams, total int64) *List[T] {
	if things == nil {
		things = []T{}
	}
	return &List[T]{Body: Page[T]{Data: things, Meta: Meta{Page: p.Page, PageSize: p.PageSize, Total: total}}}
}

// ListFrom returns a function that answers with the bodies of the page that a service returns, or with its error.
func ListFrom[T, U any](body func(T) U, p *PageParams) func(things []T, total int64, err error) (*List[U], error) {
	return func(things []T, total int64, err error) (*List[U], error) {
		if err != nil {
			return nil, err
		}
		return ListOf(Map(things, body), p, total), nil
	}
}

// AllOf wraps a list without pages: its meta describes one page.
func AllOf[T any](things []T) *List[T] {
	return ListOf(things, &PageParams{Page: 1, PageSize: len(things)}, int64(len(things)))
}

// PageOf cuts a page out of a list that is short by nature.
func PageOf[T any](things []T, p *PageParams) []T {
	from := min(p.Offset(), len(things))
	return things[from:min(from+p.PageSize, len(things))]
}

// Map maps each element.
func Map[T, U any](things []T, f func(T) U) []U {
	out := make([]U, len(things))
	for i := range things {
		out[i] = f(things[i])
	}
	return out
}

// Deleted is the answer of every DELETE: the id of the deleted object, or its code if it has no id.
type Deleted struct {
	ID      string `json:"id" doc:"or the code of an object without an id"`
	Deleted bool   `json:"deleted"`
}

// DeletedOf is the answer of a DELETE that ended with err.
func DeletedOf(id string, err error) (*Data[Deleted], error) {
	if err != nil {
		return nil, err
	}
	return DataOf(Deleted{ID: id, Deleted: true}), nil
}

// Optional is nil, which JSON writes as null, for the zero value.
func Optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// UTC brings a time that may be missing into the zone of all answers.
func UTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// CursorParams are the parameters of a list that grows at its beginning while it is read.
type CursorParams struct {
	Cursor   string `query:"cursor" maxLength:"100" doc:"next_cursor of the page before; empty for the first page"`
	PageSize int    `query:"page_size" minimum:"1" maximum:"200" default:"50" doc:"things on a page"`
}

// CursorList is the answer with a page of a list that is read by cursors.
type CursorList[T any] struct {
	Body CursorPage[T]
}

// CursorPage is the body of an answer with a page of a list that is read by cursors.
type CursorPage[T any] struct {
	Data []T        `json:"data" nullable:"false"`
	Meta CursorMeta `json:"meta"`
}

// CursorMeta holds the cursor of the next page.
type CursorMeta struct {
	PageSize   int     `json:"page_size"`
	NextCursor *string `json:"next_cursor" doc:"null on the last page"`

	ArchivedBefore *string `json:"archived_before,omitempty" format:"date" doc:"rows of earlier days are in the archive and on no page of this list"`
}

// CursorListOf wraps a page of things. next is the cursor of the next page, empty on the last one.
func CursorListOf[T any](things []T, p *CursorParams, next string) *CursorList[T] {
	if things == nil {
		things = []T{}
	}
	return &CursorList[T]{Body: CursorPage[T]{Data: things, Meta: CursorMeta{PageSize: p.PageSize, NextCursor: Optional(next)}}}
}
