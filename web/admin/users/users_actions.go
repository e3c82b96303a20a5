package users

import (
	"errors"

	"banca/internal/auth"
	"banca/web/kit"
)

// after answers a form of a user's page, open at the part that was used.
func (p *pages) after(r *kit.Request, err error, notice string, fill ...func(*userPage)) error {
	mark := func(page *userPage) {
		page.Open = notice
		if errors.Is(err, auth.ErrWeakPassword) {
			page.Password.Refuse("password")
		}
	}
	return p.user.Submit(r, err, notice, append([]func(*userPage){mark}, fill...)...)
}

func (p *pages) save(r *kit.Request) error {
	err := p.update(r)
	return p.after(r, err, "user.saved", func(page *userPage) { page.Form.FillFrom(r).RefuseBy(err, "") })
}

func (p *pages) update(r *kit.Request) error {
	var u typedUser
	u.editForm(r, false, true).Take(r)
	change := &auth.UserChange{
		Name: &u.Name, Email: &u.Email, Phone: &u.Phone, Identifier: &u.Identifier, AuthMethod: &u.AuthMethod,
	}
	if r.ID != r.Caller.UserID { // whose form lacks these
		change.Role, change.Status = &u.Role, &u.Status
	}
	if u.Entity != "" {
		entity, err := p.Org.Named(r.Context(), r.Caller, u.Entity)
		if err != nil {
			return err
		}
		change.EntityID = &entity
	}
	_, err := p.Auth.UpdateUser(r.Context(), r.Caller, r.ID, change)
	return err
}

func (p *pages) savePermissions(r *kit.Request) error {
	var granted, denied []auth.Permission
	for _, permission := range auth.Permissions() {
		switch r.Form(string(permission)) {
		case "granted":
			granted = append(granted, permission)
		case "denied":
			denied = append(denied, permission)
		}
	}
	_, err := p.Auth.SetPermissions(r.Context(), r.Caller, r.ID, granted, denied)
	return p.after(r, err, "user.permissions")
}

func (p *pages) resetPassword(r *kit.Request) error {
	return p.after(r, p.Auth.ResetPassword(r.Context(), r.Caller, r.ID, r.Form("password")), "user.password")
}

func (p *pages) resetTOTP(r *kit.Request) error {
	return p.after(r, p.Auth.DisableTOTP(r.Context(), r.Caller, r.ID), "user.totp")
}

func (p *pages) delete(r *kit.Request) error {
	return p.user.SubmitTo(r, p.Auth.DeleteUser(r.Context(), r.Caller, r.ID), path, "user.deleted")
}
