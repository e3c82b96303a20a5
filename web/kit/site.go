package kit

import (
	"context"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/clock"
	"banca/internal/platform/places"
)

// Sessions authenticates the sessions of browsers and confirms the passwords of their users.
type Sessions interface {
	AuthenticateBrowser(ctx context.Context, token string) (caller.Caller, error)
	Confirmed(ctx context.Context, by caller.Caller) error
	Confirm(ctx context.Context, by caller.Caller, password, code string) (time.Time, error)
	RequestOwnCode(ctx context.Context, by caller.Caller) error
}

// Options are the settings and dependencies of a site.
type Options struct {
	Log       *slog.Logger
	Sessions  Sessions
	PublicURL string // if it is https, cookies are Secure
	Secret    []byte // key of form tokens and sealed forms; the same in every process
	Clock     clock.Clock
	Zone      *time.Location // of business days
	Home      string         // path of the start page
	Login     string         // path of the login page
	Assets    string         // prefix of the paths of static files
	Guide     string         // path of the guide, below which its chapters are; "" for none
	Frame     Frame

	// EntityNames returns the names of entities. A name that cannot be read is missing.
	EntityNames func(ctx context.Context, ids []uuid.UUID) map[uuid.UUID]string

	// FindEntity returns the entity with a name or code, within the scope of the caller. Errors: NotFound.
	FindEntity func(ctx context.Context, by caller.Caller, typed string) (uuid.UUID, error)

	// MenuAreas are the titles of the areas of the menu in their order; keys.
	MenuAreas []string
	RoleMenus map[string][]MenuEntry // menus of roles that do not have all pages, those that the user may open
}

// Frame is the layout around the content of every page of a site.
type Frame struct {
	Templates fs.FS                // templates/layout.html, and templates/parts/*.html if it has any
	Data      func(r *Request) any // returns View.Frame, the data of the layout
}

// Site is an assembled set of pages with one session, frame and menu.
type Site struct {
	Options

	routes    []*servedRoute
	sitePages pages // the pages refused and confirm of every site
	words     Catalogue
	tones     map[string]string // by state
	csrf      []byte
	forms     cipher.AEAD // of forms that wait for a confirmation
	secure    bool
	origin    *http.CrossOriginProtection
	assets    map[string]asset

	streams   *places.Places // of open pages
	listeners *places.Places // of [Request.Events]
	closing   chan struct{}  // is closed at the end of the process
}

// New assembles a site. The menu lists the pages of a menu area in the order of the areas.
func New(options Options, areas ...Area) (*Site, error) {
	if len(options.Secret) == 0 {
		return nil, errors.New("web: a secret is required")
	}
	if options.Clock == nil {
		options.Clock = clock.System{}
	}
	s := &Site{
		Options: options, csrf: derive(options.Secret, "form tokens"), secure: strings.HasPrefix(options.PublicURL, "https://"),
		origin:  http.NewCrossOriginProtection(),
		streams: places.New(maxStreams, userStreams), listeners: places.New(maxListeners, userListeners), closing: make(chan struct{}),
	}
	var err error
	if s.words, err = LoadCatalogue(); err != nil {
		return nil, err
	}
	if s.assets, err = siteAssets(areas); err != nil {
		return nil, err
	}
	if s.forms, err = newFormCipher(derive(options.Secret, "waiting forms")); err != nil {
		return nil, err
	}
	if err := s.load(areas); err != nil {
		return nil, err
	}
	return s, s.trust(options.PublicURL)
}

// load parses the templates, collects the tones of states and builds the table of routes.
func (s *Site) load(areas []Area) error {
	functions := functions(assetAddresses(s.Assets, s.assets))
	base, err := parseFrame(s.Frame.Templates, functions)
	if err != nil {
		return err
	}
	if s.sitePages, err = parsePages(base, functions, Area{Templates: templateFiles}); err != nil {
		return err
	}
	parsed := make([]pages, len(areas))
	for i := range areas {
		if parsed[i], err = parsePages(base, functions, areas[i]); err != nil {
			return err
		}
	}
	if s.tones, err = tonesOf(areas); err != nil {
		return err
	}
	s.routes, err = newRoutes(areas, parsed)
	return err
}

// trust accepts the public address as an origin, because behind a proxy the Host header may differ from it.
func (s *Site) trust(publicURL string) error {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" {
		return errors.New("web: the public address is not an address")
	}
	return s.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host)
}

// Register adds the static files and the routes to an engine.
func (s *Site) Register(e *gin.Engine) {
	e.GET(s.Assets+":name", s.asset)
	for _, path := range []string{"/", s.Home + "/"} {
		e.GET(path, func(c *gin.Context) { c.Redirect(http.StatusSeeOther, s.Home) })
	}
	for _, route := range s.routes {
		switch {
		case route.Handle == nil, route.ofAPI: // a link, or a page of Pages
		case route.Method == anyMethod:
			e.Any(route.Path, s.serve(route, route.Handle))
			e.Any(route.Path+"/*rest", s.serve(route, route.Handle))
		default:
			e.Handle(route.Method, route.Path, s.serve(route, route.Handle))
		}
		if route.live {
			e.GET(strings.TrimSuffix(route.Path, "/")+streamPath, s.serve(route, s.followed(route.Handle)))
		}
		if route.page != "" && route.page != route.Path {
			e.GET(route.Path, s.serve(route, redirectToPage))
		}
	}
}

// Routes returns the table of routes.
func (s *Site) Routes() []Route {
	all := make([]Route, len(s.routes))
	for i, route := range s.routes {
		all[i] = route.Route
	}
	return all
}

// Uploads returns the paths of the routes whose forms may have a file.
func (s *Site) Uploads() []string {
	var paths []string
	for _, route := range s.routes {
		if route.Uploads {
			paths = append(paths, route.Path)
		}
	}
	return paths
}

// TooMany writes the error page for a client that exceeds its rate limit. It does not use the database.
func (s *Site) TooMany(c *gin.Context) {
	s.refuseEarly(c, Refuse(http.StatusTooManyRequests, "error.many"))
}

// Busy writes the error page for an upload that is refused because of other uploads. It does not use the database.
func (s *Site) Busy(c *gin.Context) {
	s.refuseEarly(c, Refuse(http.StatusServiceUnavailable, "error.files"))
}

// Missing writes the error page of an address without a page, with the search. It uses the database only for a session, whose user keeps the menu.
func (s *Site) Missing(c *gin.Context) {
	r := s.newRequest(c, &servedRoute{})
	if token := r.Session(); token != "" && checkAddress(r) == nil {
		if p, err := s.Sessions.AuthenticateBrowser(r.Context(), token); err == nil {
			r.setCaller(p)
		}
	}
	r.write(http.StatusNotFound, s.sitePages, "refused", layoutName, &View{Problem: r.T("error.address"), Page: true})
}

func (s *Site) refuseEarly(c *gin.Context, refusal error) {
	r := s.newRequest(c, &servedRoute{})
	c.Abort()
	r.answer(refusal)
}

// derive derives the key for a purpose from the secret.
func derive(secret []byte, purpose string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("web: " + purpose))
	return h.Sum(nil)
}
