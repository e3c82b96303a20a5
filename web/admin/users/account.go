package users

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"

	"rsc.io/qr"

	"banca/internal/auth"
	"banca/web/kit"
)

// accountPage is the user's own account.
type accountPage struct {
	auth.User

	Entity   string
	Sessions kit.Rows
	Secret   string        // for an authenticator program, while it is set up
	QR       template.HTML // of the secret, a drawing
	Password *kit.Form
	Code     *kit.Form // of the authenticator program
	Tried    bool      // the code was refused
}

// ChangePassword is the form of the caller's password.
func (p *accountPage) ChangePassword(v *kit.View) *kit.Question {
	return v.Question("", accountPath+"/password", "", v.T("account.password.do")).WithForm(p.Password)
}

// StartTOTP is the button that makes a new secret.
func (p *accountPage) StartTOTP(v *kit.View) *kit.Question {
	return v.ActionButton(accountPath+"/totp/start", v.T("account.totp.start"))
}

// EnableTOTP is the form of the first code of a new secret.
func (p *accountPage) EnableTOTP(v *kit.View) *kit.Question {
	return v.Question("", accountPath+"/totp/enable", "", v.T("account.totp.enable")).WithForm(p.Code)
}

func (p *pages) loadAccount(r *kit.Request) (*accountPage, error) {
	me, err := p.Auth.Me(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	sessions, _, err := p.Auth.Sessions(r.Context(), r.Caller, &auth.SessionFilter{UserID: r.Caller.UserID, Active: new(true), Limit: kit.PageSize})
	rows := sessionRows(r, sessions, "account", true)
	return &accountPage{
		User: me, Entity: kit.EntityName(r, me.EntityID), Sessions: kit.RowsOf(ownSessionColumns(), rows, nil, "sessions.empty"),
		Password: passwordForm(), Code: codeForm(),
	}, err
}

// refuse shows the page with why something was not done, at a field.
func (p *pages) refuse(r *kit.Request, err error, field string) error {
	mark := func(page *accountPage) {
		page.Password.Refuse(field)
		if page.Tried = field == "totp"; page.Tried {
			page.Code.Refuse("code")
		}
	}
	switch {
	case errors.Is(err, auth.ErrTooManyLogins):
		return p.account.Present(r, http.StatusForbidden, r.T("code.TOO_MANY_LOGINS"), mark)
	case errors.Is(err, auth.ErrInvalidCredentials):
		return p.account.Present(r, http.StatusForbidden, r.T("account.wrong."+field), mark)
	default:
		return p.account.ShowRefusal(r, err, mark)
	}
}

func (p *pages) changePassword(r *kit.Request) error {
	err := p.Auth.ChangePassword(r.Context(), r.Caller, r.Form("current"), r.Form("next"))
	switch {
	case err == nil:
		return r.Done(accountPath, "account.password")
	case errors.Is(err, auth.ErrWeakPassword):
		return p.refuse(r, err, "next")
	default:
		return p.refuse(r, err, "current")
	}
}

// startTOTP shows a new secret; the page is the answer itself, because the secret is shown once.
func (p *pages) startTOTP(r *kit.Request) error {
	key, err := p.Auth.StartTOTP(r.Context(), r.Caller)
	if err != nil {
		return p.refuse(r, err, "totp")
	}
	drawing, err := drawQR(key.URL)
	if err != nil {
		return err
	}
	return p.account.Present(r, http.StatusOK, "", func(page *accountPage) { page.Secret, page.QR = key.Secret, drawing })
}

func (p *pages) enableTOTP(r *kit.Request) error {
	if err := p.Auth.EnableTOTP(r.Context(), r.Caller, r.Text("code")); err != nil {
		return p.refuse(r, err, "totp")
	}
	return r.Done(accountPath, "account.totp.on")
}

func (p *pages) disableTOTP(r *kit.Request) error {
	if err := p.Auth.DisableTOTP(r.Context(), r.Caller, r.Caller.UserID); err != nil {
		return p.refuse(r, err, "totp")
	}
	return r.Done(accountPath, "account.totp.off")
}

// qrMargin is the quiet zone around a code, in modules (ISO/IEC 18004).
const qrMargin = 4

// drawQR draws a text as an SVG QR code of black squares on white, in both themes.
func drawQR(text string) (template.HTML, error) {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return "", fmt.Errorf("draw a QR code: %w", err)
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
