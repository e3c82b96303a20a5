package web

import (
	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/auth"
)

// onUser runs an action of a user's page: it redirects to the page, or shows the refusal there.
func (w *Web) onUser(c *gin.Context, what string, fill func(*userPage), act func(id uuid.UUID, by auth.Principal) error) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	err := act(id, visitOf(c).principal)
	if err == nil {
		w.done(c, usersPath+"/"+id.String(), what)
		return
	}
	w.explain(c, err, func(status int, words string) {
		w.showUser(c, status, id, words, func(page *userPage) {
			page.Open = what
			page.Form.mark(err)
			fill(page)
		})
	})
}

func (w *Web) saveUser(c *gin.Context) {
	form := userFormOf(c)
	keep := func(page *userPage) {
		form.Wrong = page.Form.Wrong
		page.Form = form
	}
	w.onUser(c, "user.saved", keep, func(id uuid.UUID, by auth.Principal) error {
		change := &auth.UserChange{Name: &form.Name, Email: &form.Email, Phone: &form.Phone, Identifier: &form.Identifier, AuthMethod: &form.AuthMethod}
		if id != by.UserID { // whose form lacks these
			change.Role, change.Status = &form.Role, &form.Status
		}
		if form.Entity != "" {
			entity, err := w.deps.Org.ByCode(c.Request.Context(), by.EntityPath, form.Entity)
			if err != nil {
				return err
			}
			change.EntityID = &entity
		}
		_, err := w.deps.Users.UpdateUser(c.Request.Context(), by, id, change)
		return err
	})
}

func (w *Web) saveUserPermissions(c *gin.Context) {
	w.onUser(c, "user.permissions", func(*userPage) {}, func(id uuid.UUID, by auth.Principal) error {
		var granted, denied []auth.Permission
		for _, p := range auth.Permissions() {
			switch c.PostForm(string(p)) {
			case "granted":
				granted = append(granted, p)
			case "denied":
				denied = append(denied, p)
			}
		}
		_, err := w.deps.Users.SetPermissions(c.Request.Context(), by, id, granted, denied)
		return err
	})
}

func (w *Web) resetUserPassword(c *gin.Context) {
	w.onUser(c, "user.password", func(*userPage) {}, func(id uuid.UUID, by auth.Principal) error {
		return w.deps.Users.ResetPassword(c.Request.Context(), by, id, c.PostForm("password"))
	})
}

func (w *Web) resetUserTOTP(c *gin.Context) {
	w.onUser(c, "user.totp", func(*userPage) {}, func(id uuid.UUID, by auth.Principal) error {
		return w.deps.Users.DisableTOTP(c.Request.Context(), by, id)
	})
}

func (w *Web) deleteUser(c *gin.Context) {
	id, ok := w.idOf(c)
	if !ok {
		return
	}
	if err := w.deps.Users.DeleteUser(c.Request.Context(), visitOf(c).principal, id); err != nil {
		w.explain(c, err, func(status int, words string) { w.showUser(c, status, id, words, func(*userPage) {}) })
		return
	}
	w.done(c, usersPath, "user.deleted")
}
