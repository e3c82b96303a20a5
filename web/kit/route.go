package kit

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
)

// Handler answers a request or returns an error.
type Handler func(*Request) error

// Route is a row of the table of pages: an address, its access and its handler. Menu, access checks and routing are
// derived from the table.
type Route struct {
	Method string // "*" for a mounted handler
	Path   string
	Access Access
	Handle Handler // nil for a link to an address that the site does not serve

	MenuArea, MenuTitle string // keys of texts, "" if the page is not in the menu
	Uploads             bool   // its form may have a file
	Guide               string // chapter of the guide that explains the page, such as panel#tickets; "" for none

	menuIf  func(r *Request) bool // whether the menu has the page for a caller who may open it; nil for always
	page    string                // the page that the form belongs to; "" for a page itself
	anyPage bool                  // the form is on several pages, and their access is not required
	ofAPI   bool                  // the address is one of the API
	live    bool                  // browsers can follow the page
	tabs    *Tabs                 // nil for a page that is not one of several
}

// Get declares a page.
func Get(path string, access Access, handle Handler) Route {
	return Route{Method: http.MethodGet, Path: path, Access: access, Handle: handle}
}

// Post declares a form that is sent to the address of its page.
func Post(path string, access Access, handle Handler) Route {
	return Route{Method: http.MethodPost, Path: path, Access: access, Handle: handle, page: path}
}

// Action declares a form of a page that is sent to an address below the page's. A GET of that address, after changing
// the language or reloading, redirects to the page.
func Action(page, action string, access Access, handle Handler) Route {
	return Route{Method: http.MethodPost, Path: page + action, Access: access, Handle: handle, page: page}
}

// Mount declares a handler of all methods for a path and everything below it. The site checks the origin, the session
// and the permissions, but no form token.
func Mount(path string, access Access, handle Handler) Route {
	return Route{Method: anyMethod, Path: path, Access: access, Handle: handle}
}

// Link declares an entry of the menu that leads to an address outside of the site.
func Link(path string) Route { return Route{Path: path, Access: SignedIn()} }

const anyMethod = "*"

// Menu puts the page into an area of the menu, under a title.
func (r Route) Menu(area, title string) Route {
	r.MenuArea, r.MenuTitle = area, title
	return r
}

// MenuIf is Menu for the callers for whom shows is true, of those who may open the page.
func (r Route) MenuIf(area, title string, shows func(r *Request) bool) Route {
	r.menuIf = shows
	return r.Menu(area, title)
}

// Sometimes reports whether the menu has the page for some of those who may open it only.
func (r Route) Sometimes() bool {
	return r.menuIf != nil || r.tabs != nil && r.tabs.Pages[0].Path != r.Path
}

// OnAnyPage declares that the form is on several pages. Sending it does not require the access of its page.
func (r Route) OnAnyPage() Route {
	r.anyPage = true
	return r
}

// OfAPI declares a public page at an address of the API, which hands the requests of browsers on to it, see
// [Site.Pages]. Its content is the same for everybody and does not depend on the parameters of the address, but for
// the language.
func (r Route) OfAPI() Route {
	r.ofAPI = true
	return r
}

// ExplainedIn declares the chapter of the guide that explains the page, if it is not the one of its area.
func (r Route) ExplainedIn(chapter string) Route {
	r.Guide = chapter
	return r
}

// Upload declares that the form may have a file.
func (r Route) Upload() Route {
	r.Uploads = true
	return r
}

// Name identifies the route: method and path.
func (r Route) Name() string { return r.Method + " " + r.Path }

// depth returns the number of path segments below the page's path.
func (r Route) depth() int {
	return strings.Count(strings.TrimPrefix(r.Path, r.page), "/")
}

// Area is a group of routes with the templates of their pages.
type Area struct {
	Routes    []Route
	Templates fs.FS            // templates/<page>.html and templates/parts/*.html; nil for none
	Funcs     template.FuncMap // functions of its templates
	Static    Assets           // files that only its pages use; nil for none
	Tones     Tones            // of the states of its objects; every area can show them
	Guide     string           // chapter of the guide that explains its pages, for routes without one of their own
}

// servedRoute is a route of a site, with all its access checks and its templates.
type servedRoute struct {
	Route

	gates     []Access // all of them are required
	templates pages
	area      string // chapter of the guide of its area
}

// newRoutes checks the routes of all areas and adds the access of its page to each form.
func newRoutes(areas []Area, templates []pages) ([]*servedRoute, error) {
	var all []*servedRoute
	known := map[string]*servedRoute{}
	var errs []error
	for i := range areas {
		for _, route := range areas[i].Routes {
			s := &servedRoute{Route: route, gates: []Access{route.Access}, templates: templates[i], area: areas[i].Guide}
			switch {
			case !route.Access.declared:
				errs = append(errs, fmt.Errorf("web: %s: a route needs an access", s.Name()))
			case known[s.Name()] != nil:
				errs = append(errs, fmt.Errorf("web: %s: declared twice", s.Name()))
			}
			known[s.Name()] = s
			all = append(all, s)
		}
	}
	for _, s := range all {
		if s.page == "" {
			s.Guide = cmp.Or(s.Guide, s.area)
			continue
		}
		page := known[http.MethodGet+" "+s.page]
		if page == nil {
			errs = append(errs, fmt.Errorf("web: %s: its page is not declared", s.Name()))
			continue
		}
		s.Guide, s.tabs = cmp.Or(s.Guide, page.Guide, s.area), page.tabs // which its page shows again if the form is refused
		if !s.Access.public && !s.anyPage {
			s.gates = append(s.gates, page.Access)
		}
	}
	return all, errors.Join(errs...)
}
