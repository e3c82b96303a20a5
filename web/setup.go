package web

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"banca/internal/auth"
	"banca/internal/bank"
	first "banca/internal/setup"
	"banca/web/kit"
	"banca/web/pos"
)

const setupPath = "/setup"

// setupPages lead the first owner from an empty database to the start page.
type setupPages struct {
	setup *first.Service
	bank  *bank.Service
	login *login
}

func setupArea(d *Deps) kit.Area {
	p := &setupPages{setup: d.Setup, bank: d.Bank, login: &login{users: d.Auth}}
	return kit.Area{Templates: templateFiles, Routes: []kit.Route{
		kit.Get(setupPath, kit.Public(), p.show),
		kit.Post(setupPath, kit.Public(), p.submit),
	}}
}

// setupPage asks for the one-time code, and with the right one for everything else.
type setupPage struct {
	Code string // that was right; "" asks for it
	Form *setupForm
}

// show asks for the code.
func (p *setupPages) show(r *kit.Request) error {
	if needed, err := p.setup.Needed(r.Context()); err != nil {
		return kit.Fail(err)
	} else if !needed {
		return errSetUp()
	}
	return r.Render("setup", setupPage{})
}

// errSetUp closes the page of a database that is set up.
func errSetUp() error { return kit.Refuse(http.StatusNotFound, "setup.closed") }

// submit checks the code, and sets up with the form.
func (p *setupPages) submit(r *kit.Request) error {
	from := clientOf(r)
	err := p.setup.CheckCode(r.Context(), r.Text("code"), from.Address)
	switch {
	case errors.Is(err, auth.ErrHasUsers):
		return errSetUp()
	case errors.Is(err, first.ErrCode):
		return r.Write(http.StatusForbidden, "setup", setupPage{}, r.T("setup.code.wrong"))
	case errors.Is(err, first.ErrManyGuesses):
		return r.Write(http.StatusTooManyRequests, "setup", setupPage{}, r.T("setup.code.many"))
	case err != nil:
		return kit.Fail(err)
	}
	page := setupPage{Code: r.Text("code")}
	if page.Form, err = p.form(r); err != nil {
		return err
	}
	if r.Form("step") == "" {
		return r.Render("setup", page)
	}
	page.Form.fillFrom(r)
	request := page.Form.request(r)
	valid := page.Form.Check()
	page.Form.Put("password", "") // which no page shows again
	if !valid {
		return r.Write(http.StatusUnprocessableEntity, "setup", page, r.T("setup.wrong"))
	}
	return p.run(r, page, request, from)
}

// run sets up, and opens a session of the administrator.
func (p *setupPages) run(r *kit.Request, page setupPage, request *first.Request, from auth.Client) error {
	_, err := p.setup.Run(r.Context(), request)
	if errors.Is(err, auth.ErrHasUsers) {
		return errSetUp()
	}
	if err != nil {
		status, text, ok := r.Explain(err)
		if !ok {
			return err
		}
		page.Form.RefuseBy(err, "")
		if errors.Is(err, auth.ErrWeakPassword) {
			page.Form.RefuseFor("password", text)
		}
		return r.Write(status, "setup", page, r.T("setup.wrong"))
	}
	credentials := auth.Credentials{Identifier: request.Admin.Email, Password: request.Admin.Password}
	tokens, _, err := p.login.users.LoginBrowser(r.Context(), credentials, from)
	if err != nil { // the operator exists: the login page is the way in
		return r.Redirect(loginPath)
	}
	openSession(r, tokens, from.Tokens)
	return r.Redirect(home)
}

// gate leads every page of a database without users to the setup.
func (w *Web) gate(c *gin.Context) {
	path := c.Request.URL.Path
	page := path == "/" || path == home || strings.HasPrefix(path, home+"/") || path == pos.Path || strings.HasPrefix(path, pos.Path+"/")
	if !page || strings.HasPrefix(path, assetsPath) {
		return
	}
	// An outage is answered by the page itself.
	if needed, err := w.setup.Needed(c.Request.Context()); err != nil || !needed {
		return
	}
	c.Header("Cache-Control", "no-store")
	c.Redirect(http.StatusSeeOther, setupPath)
	c.Abort()
}
