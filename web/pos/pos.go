// Package pos is the point of sale in a browser: one page with a script that sells through the public API.
//
// The page has no data of its user, so that a browser keeps it and opens it without the server. Its script exchanges the cookie of the session for an
// access token ([Path]/session) and calls the same operations as every other point of sale: what it sells, how a sale is repeated and what a refusal
// says is documented in docs/pos.md. The server keeps no state of the page.
package pos

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/sales"
	"banca/models"
	"banca/web/kit"
	"banca/web/pos/static"
)

// Path is the address of the page. Everything of it is at or below.
const Path = "/vender"

// pagePolicy also allows the pictures of receipts, which the script has loaded, and the manifest.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self' blob:; script-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

//go:embed templates
var templateFiles embed.FS

// staticFiles are the scripts and the style of the page.
var staticFiles = kit.NewAssets(static.Files) //nolint:gochecknoglobals // a lazy constant

//go:embed worker.js
var workerScript string

// Tokens issues access tokens for the sessions of browsers, and knows what their users log in with: *auth.Service.
type Tokens interface {
	LoginName(ctx context.Context, user uuid.UUID) (string, error)
	BrowserAccess(by caller.Caller) (token string, valid time.Duration, err error)
}

// News are the events that the page follows: *realtime.Listeners.
type News interface {
	Listen(entity uuid.UUID, path string) (names <-chan string, stop func())
}

// Deps are the dependencies of the page.
type Deps struct {
	Tokens Tokens
	News   News
	Sales  *sales.Service
	Org    *org.Service
	API    string // what the paths of the API begin with
}

type pages struct {
	Deps

	plain kit.Page[plainPage]
}

// Area returns the page with what belongs to it.
func Area(d Deps) kit.Area {
	p := &pages{Deps: d}
	p.plain = kit.Page[plainPage]{Template: "plain", Load: p.loadPlain}
	return kit.Area{Templates: templateFiles, Static: staticFiles, Guide: "counter", Routes: []kit.Route{
		kit.Get(Path, kit.Can(auth.SalesSell), p.show).MenuIf("nav.sales", "pos.title", p.sells),
		kit.Get(plainPath, kit.Can(auth.SalesSell), p.plain.Show),
		kit.Post(plainPath, kit.Can(auth.SalesSell), p.sellPlain),
		kit.Get(Path+"/help", kit.Can(auth.SalesSell), p.help),
		kit.Get(Path+"/test-page", kit.Can(auth.SalesSell), p.testPage),
		kit.Get(Path+"/session", kit.Can(auth.SalesSell), p.session),
		kit.Get(Path+"/news", kit.Can(auth.SalesSell), p.news),
		kit.Get(Path+"/worker.js", kit.Public(), p.worker),
		kit.Get(Path+"/manifest.webmanifest", kit.Public(), p.manifest),
	}}
}

// sells reports whether the caller is of a ticket point: no other entity sells.
func (p *pages) sells(r *kit.Request) bool {
	chain, err := p.Org.Chain(r.Context(), r.Caller.EntityID) // kept in memory
	return err == nil && chain.Self().Type == models.EntityTicketPoint
}

// page is what the script needs before it has asked for anything.
type page struct {
	API    string
	Zone   string // of business days, a name of the IANA database
	Words  string // JSON: texts by key
	Bets   string // JSON: the bet types, in their order
	Notes  []int  // of money that customers hand over, in whole units
	Script string // address of the first module

	Version string // of the files of the page
}

func (p *pages) show(r *kit.Request) error {
	w, _ := r.HTTP()
	w.Header().Set("Content-Security-Policy", pagePolicy)
	script, err := r.Asset(modules[0])
	if err != nil {
		return err
	}
	texts, types := r.View().Texts("pos."), catalog.BetTypes()
	for i := range types {
		texts["bet."+types[i].Name] = r.T("bet." + types[i].Name)
	}
	words, err := json.Marshal(texts)
	if err != nil {
		return err
	}
	bets, err := json.Marshal(types)
	if err != nil {
		return err
	}
	version, _, err := files(r)
	if err != nil {
		return err
	}
	return r.Render("pos", &page{
		API: p.API, Zone: r.Zone().String(), Words: string(words), Bets: string(bets), Notes: []int{20, 50, 100, 200},
		Script: plainAddress(script, modules[0]), Version: version,
	})
}

// testPage is a document for the printer of a till.
func (p *pages) testPage(r *kit.Request) error {
	return r.SendPicture(p.Sales.TestPage(r.Context(), r.Caller, r.Query("format")))
}

// session is what a script is told of the session whose cookie the browser sends.
type session struct {
	Token    string    `json:"token"`
	Valid    int       `json:"valid"` // seconds
	Now      time.Time `json:"now"`
	UserID   string    `json:"user_id"`
	Name     string    `json:"name"`
	Login    string    `json:"login"` // fills the form of the next login over the ticket
	Role     string    `json:"role"`
	EntityID string    `json:"entity_id"`
	Entity   string    `json:"entity"`
}

// session gives the script an access token. Another site can neither send the cookie, which is SameSite=Strict, nor read the answer.
func (p *pages) session(r *kit.Request) error {
	token, valid, err := p.Tokens.BrowserAccess(r.Caller)
	if err != nil {
		return err
	}
	name, err := p.Tokens.LoginName(r.Context(), r.Caller.UserID)
	if err != nil {
		return kit.Fail(err)
	}
	return sendJSON(r, "application/json", &session{
		Token: token, Valid: int(valid / time.Second), Now: r.Now().UTC(),
		UserID: r.Caller.UserID.String(), Name: r.Caller.Name, Login: name, Role: r.Caller.Role,
		EntityID: r.Caller.EntityID.String(), Entity: kit.EntityName(r, r.Caller.EntityID),
	})
}

// news is a stream with the name of each event for the entity of the session, such as limits.changed.
func (p *pages) news(r *kit.Request) error {
	names, stop := p.News.Listen(r.Caller.EntityID, r.Caller.Scope.Path())
	defer stop()
	return r.Events(names)
}

func sendJSON(r *kit.Request, contentType string, body any) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return send(r, contentType, raw)
}

func send(r *kit.Request, contentType string, body []byte) error {
	w, _ := r.HTTP()
	w.Header().Set("Content-Type", contentType)
	_, _ = w.Write(body) // a browser that is gone is no failure
	return nil
}

// modules are the scripts of the page. They import each other by their names, without the hash of the content.
var modules = []string{ //nolint:gochecknoglobals // a constant list
	"pos.js", "pos-again.js", "pos-api.js", "pos-camera.js", "pos-close.js", "pos-desk.js", "pos-dialog.js", "pos-draws.js", "pos-entry.js", "pos-format.js", "pos-guard.js", "pos-lines.js", "pos-list.js", "pos-login.js", "pos-panels.js", "pos-payments.js",
	"pos-print.js", "pos-printers.js", "pos-prizes.js", "pos-results.js", "pos-sale.js", "pos-store.js", "pos-ticket.js", "pos-till.js", "pos-view.js", "pos-words.js",
}

// plainAddress is the address of a file without the hash of its content.
func plainAddress(hashed, name string) string { return path.Join(path.Dir(hashed), name) }

// files returns the addresses of the files of the page, each with the hash of its content, and the version of all of them.
func files(r *kit.Request) (version string, hashes map[string]string, err error) {
	content, hashes := sha256.New(), map[string]string{}
	for _, name := range append([]string{"tokens.css", "pos.css", "icon.svg"}, modules...) {
		address, err := r.Asset(name)
		if err != nil {
			return "", nil, err
		}
		content.Write([]byte(address))
		hash := strings.TrimPrefix(path.Ext(strings.TrimSuffix(address, path.Ext(name))), ".")
		if path.Ext(name) == ".js" {
			address = plainAddress(address, name)
		}
		hashes[address] = hash
	}
	return hex.EncodeToString(content.Sum(nil)[:8]), hashes, nil
}

// worker sends the script that keeps the page in the browser. It changes with each file of the page, and a browser then loads all of them again.
func (p *pages) worker(r *kit.Request) error {
	version, hashes, err := files(r)
	if err != nil {
		return err
	}
	settings, err := json.Marshal(map[string]any{"version": version, "page": Path, "kept": hashes})
	if err != nil {
		return err
	}
	w, _ := r.HTTP()
	w.Header().Set("Service-Worker-Allowed", Path)
	w.Header().Set("Cache-Control", "no-cache")
	return send(r, "text/javascript; charset=utf-8", []byte("const settings = "+string(settings)+";\n"+workerScript))
}

// manifest describes the page to a browser that installs it.
func (p *pages) manifest(r *kit.Request) error {
	icon, err := r.Asset("icon.svg")
	if err != nil {
		return err
	}
	return sendJSON(r, "application/manifest+json", map[string]any{
		"name": r.T("pos.name"), "short_name": r.T("app.name"), "start_url": Path, "scope": Path, "display": "standalone", "lang": r.Language,
		"background_color": "#f6f7f9", "theme_color": "#1d5fbf",
		"icons": []map[string]string{{"src": icon, "sizes": "any", "type": "image/svg+xml", "purpose": "any"}},
	})
}
