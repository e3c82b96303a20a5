// Package guide shows the documents as pages at /docs/guide, without a login: a page for each chapter, with its
// contents, and a search over all of them. A chapter is a document, or a part of one. Its Spanish text is a document
// of its own whose headings correspond one by one to the English ones and share their anchors, so that an address
// leads to the same section in both languages. A chapter without a Spanish text is shown in English.
//
// The documents are read and rendered once in a process, at the first request.
package guide

import (
	"embed"
	"sync"

	"banca/docs/pictures"
	"banca/web/admin/links"
	"banca/web/guide/static"
	"banca/web/kit"
)

// Path is the address of the guide. Chapters are below it.
const Path = links.Guide

//go:embed templates
var templates embed.FS

// staticFiles are the style of the pages and the pictures of the documents.
var staticFiles = kit.NewAssets(static.Files, pictures.Files) //nolint:gochecknoglobals // a lazy constant

// pages are the pages of the guide.
type pages struct {
	once sync.Once
	book *book
	err  error
}

// Area returns the pages of the guide.
func Area() kit.Area {
	p := &pages{}
	return kit.Area{Templates: templates, Static: staticFiles, Routes: []kit.Route{
		kit.Get(Path, kit.Public(), p.start).Menu("nav.system", "guide.title"),
		kit.Get(Path+"/:chapter", kit.Public(), p.chapter),
	}}
}

// open returns the book, whose pictures have addresses of the site.
func (p *pages) open(r *kit.Request) (*book, error) {
	p.once.Do(func() { p.book, p.err = newBook(r.Asset) })
	return p.book, p.err
}

// guidePage is the start of the guide, a chapter, or what a search has found.
type guidePage struct {
	Parts   []partOfContents
	Query   string
	Found   []found
	Current *text // nil if no chapter is shown
	Foreign bool  // the chapter has no text in the language of the page

	Before, After *text
}

// partOfContents are the chapters for some readers.
type partOfContents struct {
	Name     string
	Chapters []*text
	Foreign  bool // they have no text in the language of the page
}

// pageOf returns the contents in the language of a request: the chapters that have a text in it by their parts, then
// all others.
func pageOf(r *kit.Request, b *book) *guidePage {
	page, foreign := &guidePage{}, partOfContents{Name: "foreign", Foreign: true}
	for _, part := range parts() {
		own := partOfContents{Name: part.name}
		for i := range part.chapters {
			shown := &own
			t := b.text(part.chapters[i].name, r.Language)
			if t.Language != r.Language {
				shown = &foreign
			}
			shown.Chapters = append(shown.Chapters, t)
		}
		page.add(&own)
	}
	page.add(&foreign)
	return page
}

// add adds a part that is not empty.
func (p *guidePage) add(part *partOfContents) {
	if len(part.Chapters) > 0 {
		p.Parts = append(p.Parts, *part)
	}
}

// start shows the contents, or the sections that a search finds.
func (p *pages) start(r *kit.Request) error {
	b, err := p.open(r)
	if err != nil {
		return err
	}
	page := pageOf(r, b)
	page.Query = r.Query("q")
	if page.Query != "" {
		page.Found = b.index.search(page.Query, r.Language)
		return r.Render("found", page)
	}
	r.Revalidated()
	return r.Render("start", page)
}

// chapter shows a chapter, with the ones before and after it.
func (p *pages) chapter(r *kit.Request) error {
	b, err := p.open(r)
	if err != nil {
		return err
	}
	page := pageOf(r, b)
	var all []*text
	for i := range page.Parts {
		all = append(all, page.Parts[i].Chapters...)
	}
	for i, t := range all {
		if t.Name != r.Param("chapter") {
			continue
		}
		page.Current, page.Foreign = t, t.Language != r.Language
		if i > 0 {
			page.Before = all[i-1]
		}
		if i+1 < len(all) {
			page.After = all[i+1]
		}
		r.Revalidated()
		return r.Render("chapter", page)
	}
	return kit.NotFound()
}
