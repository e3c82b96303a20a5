package web

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"rsc.io/qr"

	"banca/internal/auth"
)

// accountPath is the page of the user's own account.
const accountPath = "/admin/account"

func (w *Web) registerAccount(g *gin.RouterGroup) {
	g.GET("", w.account)
	w.act(g, "", "/password", w.changePassword)
	w.guard(g, "", "/totp/start", w.startTOTP)
	w.guard(g, "", "/totp/enable", w.enableTOTP)
	w.guard(g, "", "/totp/disable", w.disableTOTP)
}

// accountPage is the user's own account.
type accountPage struct {
	auth.User
	Entity   string
	Sessions []auth.Session
	Current  string        // id of this visit's session
	Secret   string        // for an authenticator program, while it is set up
	QR       template.HTML // of the secret, a drawing
	Wrong    string        // field that was refused
}

func (w *Web) account(c *gin.Context) { w.showAccount(c, http.StatusOK, "", func(*accountPage) {}) }

func (w *Web) showAccount(c *gin.Context, status int, problem string, fill func(*accountPage)) {
	ctx, p := c.Request.Context(), visitOf(c).principal
	me, err := w.deps.Users.Me(ctx, p)
	if err != nil {
		w.stop(c, err)
		return
	}
	active := true
	sessions, _, err := w.deps.Users.Sessions(ctx, p, &auth.SessionFilter{UserID: p.UserID, Active: &active, Limit: pageSize})
	if err != nil {
		w.stop(c, err)
		return
	}
	page := &accountPage{User: me, Entity: w.entityName(c, me.EntityID), Sessions: sessions, Current: p.SessionID.String()}
	fill(page)
	w.show(c, status, "account", &view{Page: page, Problem: problem})
}

// refuseAccount shows the page with why something was not done; anything else is a failure.
func (w *Web) refuseAccount(c *gin.Context, err error, field string, fill func(*accountPage)) {
	show := func(status int, words string) {
		w.showAccount(c, status, words, func(page *accountPage) {
			page.Wrong = field
			fill(page)
		})
	}
	if errors.Is(err, auth.ErrInvalidCredentials) || errors.Is(err, auth.ErrTooManyLogins) {
		key := "account.wrong." + field
		if errors.Is(err, auth.ErrTooManyLogins) {
			key = "code.TOO_MANY_LOGINS"
		}
		show(http.StatusForbidden, w.words[visitOf(c).language][key])
		return
	}
	w.explain(c, err, show)
}

func (w *Web) changePassword(c *gin.Context) {
	err := w.deps.Users.ChangePassword(c.Request.Context(), visitOf(c).principal, c.PostForm("current"), c.PostForm("next"))
	if err == nil {
		w.done(c, accountPath, "account.password")
		return
	}
	field := "current"
	if errors.Is(err, auth.ErrWeakPassword) {
		field = "next"
	}
	w.refuseAccount(c, err, field, func(*accountPage) {})
}

// startTOTP shows a new secret; the page is the answer itself, because the secret is shown once.
func (w *Web) startTOTP(c *gin.Context) {
	key, err := w.deps.Users.StartTOTP(c.Request.Context(), visitOf(c).principal)
	if err != nil {
		w.refuseAccount(c, err, "totp", func(*accountPage) {})
		return
	}
	drawing, err := drawQR(key.URL)
	if err != nil {
		w.fail(c, err)
		return
	}
	w.showAccount(c, http.StatusOK, "", func(page *accountPage) { page.Secret, page.QR = key.Secret, drawing })
}

func (w *Web) enableTOTP(c *gin.Context) {
	if err := w.deps.Users.EnableTOTP(c.Request.Context(), visitOf(c).principal, strings.TrimSpace(c.PostForm("code"))); err != nil {
		w.refuseAccount(c, err, "totp", func(*accountPage) {})
		return
	}
	w.done(c, accountPath, "account.totp.on")
}

func (w *Web) disableTOTP(c *gin.Context) {
	p := visitOf(c).principal
	if err := w.deps.Users.DisableTOTP(c.Request.Context(), p, p.UserID); err != nil {
		w.refuseAccount(c, err, "totp", func(*accountPage) {})
		return
	}
	w.done(c, accountPath, "account.totp.off")
}

// qrMargin is the quiet zone around a code, in modules (ISO/IEC 18004).
const qrMargin = 4

// drawQR draws a text as an SVG QR code of black squares on white, in both themes.
func drawQR(text string) (template.HTML, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("web: qr: %w", err)
	}
	var path strings.Builder
	for y := range code.Size {
		for x := range code.Size {
			if code.Black(x, y) {
				fmt.Fprintf(&path, "M%d %dh1v1h-1z", x+qrMargin, y+qrMargin)
			}
		}
	}
	size := code.Size + 2*qrMargin
	svg := fmt.Sprintf(`<svg class="qr" viewBox="0 0 %d %d" width="240" height="240" role="img" aria-labelledby="totp-title"><path fill="#fff" d="M0 0h%dv%dH0z"/><path d="%s"/></svg>`,
		size, size, size, size, path.String())
	return template.HTML(svg), nil //nolint:gosec // numbers only
}
