package api

import "net/http"

// Data is the answer with one thing.
type Data[T any] struct {
	Body Envelope[T]
}

// Created is the answer to making one thing: 201, with the address it can be read at.
type Created[T any] struct {
	Location string `header:"Location"`
	Body     Envelope[T]
}

func (*Created[T]) defaultStatus() int { return http.StatusCreated }

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

// Meta says which page it is and how many things there are on all pages together.
type Meta struct {
	Page     int   `json:"page"`
	PageSize int   `json:"page_size"`
	Total    int64 `json:"total"`
}

// PageParams are the parameters of every list.
type PageParams struct {
	Page     int `query:"page" minimum:"1" maximum:"100000" default:"1" doc:"which page, from 1"`
	PageSize int `query:"page_size" minimum:"1" maximum:"200" default:"50" doc:"things on a page"`
}

// Offset is how many things lie before the page.
func (p *PageParams) Offset() int { return (p.Page - 1) * p.PageSize }

// data wraps one thing.
func data[T any](thing T) *Data[T] { return &Data[T]{Body: Envelope[T]{Data: thing}} }

// created wraps a new thing.
func created[T any](thing T, location string) *Created[T] {
	return &Created[T]{Location: location, Body: Envelope[T]{Data: thing}}
}

// list wraps a page of things.
func list[T any](things []T, p *PageParams, total int64) *List[T] {
	if things == nil {
		things = []T{}
	}
	return &List[T]{Body: Page[T]{Data: things, Meta: Meta{Page: p.Page, PageSize: p.PageSize, Total: total}}}
}

// all wraps a list that has no pages: its meta says that this is the only one.
func all[T any](things []T) *List[T] {
	return list(things, &PageParams{Page: 1, PageSize: len(things)}, int64(len(things)))
}

// pageOf cuts a page out of a list that is short by nature.
func pageOf[T any](things []T, p *PageParams) []T {
	from := min(p.Offset(), len(things))
	return things[from:min(from+p.PageSize, len(things))]
}

// mapped maps each element.
func mapped[T, U any](things []T, f func(T) U) []U {
	out := make([]U, len(things))
	for i := range things {
		out[i] = f(things[i])
	}
	return out
}
