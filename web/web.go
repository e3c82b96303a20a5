// Package web is the admin panel: pages rendered on the server for a browser with or without scripts.
//
// Each area has a file of handlers a page or object: it reads the address, asks a domain and fills the content of a
// template. Every text is in the catalogues. With scripts, htmx replaces a piece of the page by the same piece of a new
// one; without, the browser loads the page.
//
// A browser's session is a token in a cookie that scripts cannot read and other sites cannot make it
// send. Every unsafe request must come from this site (Sec-Fetch-Site or Origin) and, if it is a form,
// carry a token that is bound to the browser. No page loads or runs anything that is not embedded here.
package web

import (
	"context"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"banca/api/middleware"
	"banca/internal/activity"
	"banca/internal/auth"
	"banca/internal/bank"
	"banca/internal/banksim"
	"banca/internal/catalog"
	"banca/internal/clock"
	"banca/internal/devices"
	"banca/internal/draws"
	"banca/internal/exposure"
	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/prizes"
	"banca/internal/risk"
)

const (
	home      = "/admin"
	loginPath = "/admin/login"

	// assetsPath begins the addresses of the fixed files, which hold nothing of anybody.
	assetsPath = "/admin/static/"

	// QueuesPath is the path at which Deps.Queues is mounted; its handler must have it as its root.
	QueuesPath = "/admin/queues"
)

// Authenticator opens, recognises and ends the sessions of browsers.
type Authenticator interface {
	LoginBrowser(ctx context.Context, c auth.Credentials, from auth.Client) (auth.BrowserTokens, auth.User, error)
	AuthenticateBrowser(ctx context.Context, token string) (auth.Principal, error)
	Logout(ctx context.Context, p auth.Principal) error
	Confirm(ctx context.Context, p auth.Principal, password, code string) (time.Time, error)
	Confirmed(ctx context.Context, p auth.Principal) error
}

// Deps are the dependencies of the panel.
type Deps struct {
	Log       *slog.Logger
	Auth      Authenticator
	PublicURL string // cookies are for https only if it is https
	Secret    []byte // of the tokens in forms; the same in every process
	DocsPath  string // of the API's documentation
	Clock     clock.Clock
	Zone      *time.Location // of business days
	Queues    QueueViews
	Org       *org.Service
	Users     *auth.Service
	Activity  *activity.Service
	Bank      *bank.Service
	Devices   *devices.Service
	Catalog   *catalog.Service
	Draws     *draws.Service
	Ledger    *ledger.Service
	Prizes    *prizes.Service
	Exposure  *exposure.Service // with Limits and Catalog
	Limits    *risk.Keeper
	Simulator *banksim.Simulator // of the bank's calls; nil where none may be sent
}

// Web is the assembled panel.
type Web struct {
	deps   Deps
	pages  pages
	words  catalogue
	csrf   []byte
	forms  cipher.AEAD // of forms that wait for a confirmation
	secure bool
	origin *http.CrossOriginProtection
	static map[string]asset
}

// New reads the embedded pages, words and assets.
func New(deps Deps) (*Web, error) {
	if len(deps.Secret) == 0 {
		return nil, errors.New("web: a secret is required")
	}
	if deps.Clock == nil {
		deps.Clock = clock.System{}
	}
	words, err := loadCatalogue()
	if err != nil {
		return nil, err
	}
	parsed, err := loadPages()
	if err != nil {
		return nil, err
	}
	assets, err := loadAssets()
	if err != nil {
		return nil, err
	}
	forms, err := newFormCipher(derive(deps.Secret, "waiting forms"))
	if err != nil {
		return nil, err
	}
	w := &Web{
		deps: deps, forms: forms, pages: parsed, words: words, static: assets,
		csrf:   derive(deps.Secret, "form tokens"),
		secure: strings.HasPrefix(deps.PublicURL, "https://"),
		origin: http.NewCrossOriginProtection(),
	}
	return w, w.trust(deps.PublicURL)
}

// trust accepts the public address as an origin: behind a proxy the request's Host may differ from the browser's.
func (w *Web) trust(publicURL string) error {
	u, err := url.Parse(publicURL)
	if err != nil || u.Host == "" {
		return errors.New("web: the public address is not an address")
	}
	return w.origin.AddTrustedOrigin(u.Scheme + "://" + u.Host)
}

// Register adds the panel's routes.
func (w *Web) Register(e *gin.Engine) {
	e.GET(assetsPath+":name", w.asset)
	g := e.Group("", w.begin)
	g.GET(loginPath, w.loginForm)
	g.POST(loginPath, w.sameForm, w.login)
	if w.deps.Users != nil {
		w.act(g, loginPath, "/code", w.sendCode)
	}
	w.act(g.Group(home, w.signedIn), "", "/logout", w.logout)
	g.GET(home, w.signedIn, w.start)
	if w.deps.Org != nil {
		w.registerOrg(g.Group(orgPath, w.signedIn, w.may(auth.EntitiesRead)))
	}
	if w.deps.Users != nil {
		w.registerUsers(g.Group(usersPath, w.signedIn))
		w.registerSessions(g.Group(sessionsPath, w.signedIn))
		w.registerActivity(g.Group(activityPath, w.signedIn, w.may(auth.ActivityRead)))
		w.registerAccount(g.Group(accountPath, w.signedIn))
	}
	if w.deps.Bank != nil {
		w.registerBank(g.Group(bankPath, w.signedIn, w.operator))
	}
	if w.deps.Devices != nil {
		w.registerDevices(g.Group(devicesPath, w.signedIn, w.needs(auth.DevicesRead)))
	}
	if w.deps.Catalog != nil {
		w.registerGames(g.Group(gamesPath, w.signedIn, w.may(auth.CatalogRead)))
	}
	if w.deps.Draws != nil {
		w.registerDraws(g.Group(drawsPath, w.signedIn, w.may(auth.ResultsRead)))
	}
	if w.deps.Prizes != nil {
		w.registerPrizes(g.Group(prizesPath, w.signedIn, w.needs(auth.PrizesRead)))
		w.registerDifferences(g.Group(differencesPath, w.signedIn, w.needs(auth.PrizesRead)))
	}
	if w.deps.Exposure != nil {
		w.registerExposure(g.Group(exposurePath, w.signedIn, w.needs(auth.RiskRead)))
	}
	if w.deps.Queues.ReadOnly != nil {
		w.registerQueues(g.Group(QueuesPath, w.signedIn, w.admin))
		w.guard(g.Group(home, w.signedIn, w.admin, w.may(auth.QueuesWrite)), "", "/unlock-queues", func(c *gin.Context) { c.Redirect(http.StatusSeeOther, QueuesPath) })
	}
}

// Panel describes the panel to what every request passes before it.
func (w *Web) Panel() middleware.Panel {
	return middleware.Panel{Path: home, Login: loginPath, Assets: assetsPath, Cookie: sessionCookie, TooMany: w.tooMany, Busy: w.busy}
}

// derive returns the key of one purpose.
func derive(secret []byte, purpose string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("web: " + purpose))
	return h.Sum(nil)
}
