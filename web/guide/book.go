package guide

import (
	"bytes"
	"fmt"
	"html/template"
	"image/png"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"banca/docs/pictures"
	"banca/internal/platform/markdown"
	"banca/web/kit"
)

// text is a chapter in one language.
type text struct {
	Name     string
	Language string
	Title    string
	HTML     template.HTML // without the title
	Sections []heading     // of the table of contents
}

// Address returns the address of the chapter.
func (t *text) Address() string { return Path + "/" + t.Name }

// heading is a heading of a chapter.
type heading struct {
	Level  int // 2 and above
	Title  string
	Anchor string
}

// book is the guide: every chapter in its languages, and the index of the search.
type book struct {
	texts map[string]map[string]*text // by chapter and language
	index *index

	homes   map[string]map[string]home   // by file and anchor; "" is the anchor of a file
	anchors map[string]map[string]string // of a Spanish file: the English anchor by the Spanish one
	asset   func(name string) (string, error)
}

// home is where a section of a document is in the guide.
type home struct {
	chapter, title string
	whole          bool // it is the whole chapter
}

// source is a chapter before it is rendered.
type source struct {
	name, language, file string
	sections             []section
}

// newBook reads and renders all chapters. asset returns the address of a picture.
func newBook(asset func(name string) (string, error)) (*book, error) {
	b := &book{
		texts: map[string]map[string]*text{}, index: newIndex(),
		homes: map[string]map[string]home{}, anchors: map[string]map[string]string{}, asset: asset,
	}
	var sources []source
	all := chapters()
	for i := range all {
		read, err := b.read(&all[i])
		if err != nil {
			return nil, err
		}
		sources = append(sources, read...)
	}
	for i := range sources {
		if sources[i].name == "glossary" {
			b.index.terms = termsOf(sources[i].sections)
		}
	}
	for i := range sources { // after all of them were read, so that links find their chapters
		b.render(&sources[i])
	}
	b.index.close()
	return b, nil
}

// read reads a chapter in its languages and declares where links to its document lead.
func (b *book) read(c *chapter) ([]source, error) {
	english, err := c.english()
	if err != nil {
		return nil, err
	}
	b.declare(c, c.file, english)
	sources := []source{{c.name, kit.English, c.file, english}}
	if c.spanish == "" {
		return sources, nil
	}
	spanish, anchors, err := c.translated(english)
	if err != nil {
		return nil, err
	}
	b.declare(c, c.spanish, spanish)
	b.anchors[c.spanish] = anchors
	return append(sources, source{c.name, kit.Spanish, c.spanish, spanish}), nil
}

// declare makes links to sections of a file lead to a chapter. A link to the file leads to the chapter that has its
// title.
func (b *book) declare(c *chapter, file string, sections []section) {
	homes := b.homes[file]
	if homes == nil {
		homes = map[string]home{}
		b.homes[file] = homes
	}
	for i := range sections {
		homes[sections[i].anchor] = home{c.name, sections[i].heading, i == 0}
	}
	if c.section == "" || file == c.spanish {
		homes[""] = home{c.name, sections[0].heading, true}
	}
}

// text returns a chapter in a language, or in English if it has no text in it; nil if there is no such chapter.
func (b *book) text(name, language string) *text {
	if t := b.texts[name][language]; t != nil {
		return t
	}
	return b.texts[name][kit.English]
}

// render makes the page of a chapter, and its entries in the index.
func (b *book) render(s *source) {
	options := markdown.Options{
		Page:    true,
		Own:     func(target string) (string, bool) { return b.link(s.file, target) },
		Picture: b.picture,
	}
	t := &text{Name: s.name, Language: s.language, Title: plainText(s.sections[0].heading)}
	var html strings.Builder
	path := make([]string, 0, len(s.sections))
	for i := range s.sections {
		part := &s.sections[i]
		title := plainText(strings.Join(markdown.Render(part.heading, options), ""))
		path = append(path[:min(part.level-1, len(path))], title)
		if i > 0 {
			t.Sections = append(t.Sections, heading{part.level, title, part.anchor})
			writeHeading(&html, part, options)
		} else {
			t.Title = title
		}
		body := strings.Join(markdown.Render(b.titled(s.file, part.body), options), "\n")
		html.WriteString(scrolling(body))
		b.index.add(t, part.anchor, path, body)
	}
	t.HTML = template.HTML(html.String()) //nolint:gosec // Render escapes all texts
	if b.texts[s.name] == nil {
		b.texts[s.name] = map[string]*text{}
	}
	b.texts[s.name][s.language] = t
}

// writeHeading writes a heading with its anchor and a link to itself.
func writeHeading(html *strings.Builder, s *section, options markdown.Options) {
	name := "h" + strconv.Itoa(s.level)
	inner := strings.Join(markdown.Render(s.heading, options), "")
	inner = strings.TrimSuffix(strings.TrimPrefix(inner, "<p>"), "</p>")
	anchor := template.HTMLEscapeString(s.anchor)
	const form = `<%s id="%s">%s <a class="anchor" href="#%s" aria-hidden="true" tabindex="-1">#</a></%s>` + "\n"
	fmt.Fprintf(html, form, name, anchor, inner, anchor, name)
}

// scrolling makes tables and code that are wider than the page scroll by themselves, also by the keyboard.
func scrolling(html string) string {
	const table, code = `<div tabindex="0" class="table`, `<pre tabindex="0">`
	return strings.NewReplacer(`<div class="table`, table, "<pre>", code).Replace(html) + "\n"
}

// link returns the address of a link of a document: a section of the guide, the changelog, or another site. The guide
// has no other files of the source.
func (b *book) link(file, target string) (address string, ok bool) {
	u, err := url.Parse(target)
	if err != nil {
		return "", false
	}
	if u.Scheme != "" || u.Host != "" {
		return u.String(), u.Scheme == "https" && u.Host != ""
	}
	named := file
	if u.Path != "" {
		named = path.Join(path.Dir(file), u.Path)
	}
	if named == "../CHANGELOG.md" {
		return "/changelog", true
	}
	anchor := u.Fragment
	if english, translated := b.anchors[named][anchor]; translated {
		anchor = english
	}
	to, ok := b.homes[named][anchor]
	if !ok {
		return "", false
	}
	if to.whole {
		return Path + "/" + to.chapter, true
	}
	return Path + "/" + to.chapter + "#" + anchor, true
}

var fileLink = regexp.MustCompile(`\[[^\]\s]+\.md\]\(([^)#\s]+)(?:#([^)\s]*))?\)`)

// titled returns a text whose links that show the name of a file show the title of the section instead.
func (b *book) titled(file, text string) string {
	return fileLink.ReplaceAllStringFunc(text, func(link string) string {
		found := fileLink.FindStringSubmatch(link)
		to, ok := b.homes[path.Join(path.Dir(file), found[1])][found[2]]
		if !ok {
			return link
		}
		return "[" + to.title + link[strings.Index(link, "]("):]
	})
}

// picture returns a picture of the documents.
func (b *book) picture(target string) (p markdown.Picture, ok bool) {
	name := path.Base(target)
	raw, err := pictures.Files.ReadFile(name)
	if err != nil {
		return p, false
	}
	size, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return p, false
	}
	address, err := b.asset(name)
	return markdown.Picture{Address: address, Width: size.Width, Height: size.Height}, err == nil
}
