package kit

import (
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	texttemplate "text/template"
	"time"
)

//go:embed templates
var templateFiles embed.FS

const (
	layoutName = "layout.html"
	pageFiles  = "templates/*.html"
	partFiles  = "templates/parts/*.html"
)

var errNoTemplate = errors.New("web: no such template")

// pages are the templates of an area by name. Each includes the frame.
type pages map[string]*page

// page is a parsed template. It is put into a copy of the frame at its first use: copies for all pages at the start of a
// process take more time than the rest of the start.
type page struct {
	assembled func() (*template.Template, error)
}

// template returns the page with the frame. It is an error if there is no page of the name.
func (p pages) template(name string) (*template.Template, error) {
	found := p[name]
	if found == nil {
		return nil, errNoTemplate
	}
	return found.assembled()
}

// functions returns the functions of all templates.
func functions(assetAddress func(name string) (string, error)) template.FuncMap {
	return template.FuncMap{
		"asset": assetAddress,
		"stat":  newStat,
		"band":  Evenly,
		"text":  Text,
		"mono":  Mono,
		"json":  JSON,

		"noTime": func() time.Time { return time.Time{} },
	}
}

// parseFrame returns the layout with the parts of kit and of the frame.
func parseFrame(frame fs.FS, functions template.FuncMap) (*template.Template, error) {
	t, err := template.New(layoutName).Funcs(functions).ParseFS(templateFiles, partFiles)
	if err == nil {
		t, err = t.ParseFS(frame, path.Join("templates", layoutName))
	}
	if err == nil {
		t, err = parseParts(t, frame)
	}
	if err != nil {
		return nil, fmt.Errorf("web: templates of the frame: %w", err)
	}
	return t, nil
}

// parseParts adds the parts of a directory of templates, if it has any.
func parseParts(t *template.Template, files fs.FS) (*template.Template, error) {
	found, err := fs.Glob(files, partFiles)
	if err != nil || len(found) == 0 {
		return t, err
	}
	return t.ParseFS(files, partFiles)
}

// parsePages parses the pages of an area, with the parts of its own.
func parsePages(frame *template.Template, functions template.FuncMap, area Area) (pages, error) {
	all := pages{}
	if area.Templates == nil {
		return all, nil
	}
	parse := func(patterns ...string) (*texttemplate.Template, error) {
		return texttemplate.New(layoutName).Funcs(functions).Funcs(area.Funcs).ParseFS(area.Templates, patterns...)
	}
	parts, err := fs.Glob(area.Templates, partFiles)
	own := texttemplate.New(layoutName)
	if err == nil && len(parts) > 0 {
		own, err = parse(parts...)
	}
	files, globErr := fs.Glob(area.Templates, pageFiles)
	if err := errors.Join(err, globErr); err != nil {
		return nil, fmt.Errorf("web: templates: %w", err)
	}
	for _, file := range files {
		parsed, err := parse(file)
		if err != nil {
			return nil, fmt.Errorf("web: template: %w", err)
		}
		all[strings.TrimSuffix(path.Base(file), ".html")] = newPage(frame, area.Funcs, own, parsed)
	}
	delete(all, strings.TrimSuffix(layoutName, ".html"))
	return all, nil
}

// newPage returns a page of the parsed templates of its file and of its area's parts.
func newPage(frame *template.Template, functions template.FuncMap, parts, file *texttemplate.Template) *page {
	return &page{assembled: sync.OnceValues(func() (*template.Template, error) {
		assembled, err := frame.Clone()
		if err == nil {
			assembled = assembled.Funcs(functions)
		}
		for _, t := range slices.Concat(parts.Templates(), file.Templates()) {
			if err == nil {
				_, err = assembled.AddParseTree(t.Name(), t.Copy()) // html/template adds escapers to the tree
			}
		}
		return assembled, err
	})}
}
