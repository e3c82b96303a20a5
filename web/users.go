package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/org"
	"banca/models"
)

// usersPath is where users lie in the panel.
const usersPath = "/admin/users"

func (w *Web) registerUsers(g *gin.RouterGroup) {
	read := g.Group("", w.may(auth.UsersRead))
	read.GET("", w.users)
	read.GET("/:id", w.user)
	write := g.Group("", w.may(auth.UsersWrite))
	write.GET("/new", w.newUser)
	write.POST("/new", w.sameForm, w.createUser)
	w.guard(write, "/:id", "/edit", w.saveUser)
	w.guard(write, "/:id", "/password", w.resetUserPassword)
	w.guard(write, "/:id", "/totp", w.resetUserTOTP)
	w.guard(write, "/:id", "/delete", w.deleteUser)
	w.guard(g.Group("", w.may(auth.UsersGrant)), "/:id", "/permissions", w.saveUserPermissions)
}

// usersPage is the list of users.
type usersPage struct {
	Filter url.Values
	Users  []userRow
	Writes bool
}

type userRow struct {
	auth.User
	Entity string
}

func (w *Web) users(c *gin.Context) {
	pager := pageOf(c)
	asFile := pager.asFile(c)
	f := &auth.UserFilter{Scope: scopeOf(c), Role: c.Query("role"), Status: c.Query("status"), Text: c.Query("q"), Limit: pager.limit, Offset: pager.offset()}
	f.EntityID, _ = uuid.Parse(c.Query("entity")) // an invalid id means no filter
	list, total, err := w.deps.Users.Users(c.Request.Context(), f)
	if err != nil {
		w.stop(c, err)
		return
	}
	page := usersPage{Filter: c.Request.URL.Query(), Writes: visitOf(c).principal.May(auth.UsersWrite)}
	for _, u := range list {
		page.Users = append(page.Users, userRow{User: u, Entity: w.entityName(c, u.EntityID)})
	}
	if asFile {
		w.sendUsers(c, page.Users)
		return
	}
	w.show(c, http.StatusOK, "users", &view{Page: page, Pager: pager.count(c.Request.URL, len(list), total)})
}

func (w *Web) sendUsers(c *gin.Context, users []userRow) {
	rows := make([][]string, len(users))
	for i := range users {
		u := &users[i]
		rows[i] = []string{u.Name, u.Role, u.Status, u.Entity, u.Email, u.Phone, u.Identifier, u.CreatedAt.UTC().Format(time.RFC3339), u.ID.String()}
	}
	w.sendCSV(c, "users", []string{
		"label.name", "label.role", "label.state", "label.entity", "label.email", "label.phone", "label.identifier", "label.created", "label.id",
	}, rows)
}

// userForm holds the fields of a user's form.
type userForm struct {
	Name, Email, Phone, Identifier, Role, AuthMethod, Status, Entity string

	Wrong map[string]bool // fields that were refused
}

func userFormOf(c *gin.Context) userForm {
	text := func(name string) string { return strings.TrimSpace(c.PostForm(name)) }
	return userForm{
		Name: text("name"), Email: text("email"), Phone: text("phone"), Identifier: text("identifier"), Role: text("role"), AuthMethod: text("auth_method"),
		Status: text("status"), Entity: text("entity"),
	}
}

// mark names the fields of a refusal.
func (f *userForm) mark(err error) {
	f.Wrong = map[string]bool{}
	for _, d := range apperr.From(err).Details {
		f.Wrong[d.Location] = true
	}
	if errors.Is(err, org.ErrEntityNotFound) {
		f.Wrong["entity_id"] = true
	}
	if errors.Is(err, auth.ErrWeakPassword) {
		f.Wrong["password"] = true
	}
}

// newUserPage is the form of a user to be.
type newUserPage struct{ Form userForm }

func (w *Web) newUser(c *gin.Context) {
	form := userForm{Role: models.RoleTaquilla, Entity: c.Query("entity")}
	w.render(c, "user-new", newUserPage{Form: form})
}

func (w *Web) createUser(c *gin.Context) {
	if !w.confirmed(c) {
		return
	}
	ctx, form := c.Request.Context(), userFormOf(c)
	var user auth.User
	entity, err := w.deps.Org.ByCode(ctx, scopeOf(c), form.Entity)
	if err == nil {
		user, err = w.deps.Users.CreateUser(ctx, visitOf(c).principal, &auth.NewUser{
			EntityID: entity, Name: form.Name, Email: form.Email, Phone: form.Phone, Identifier: form.Identifier, Role: form.Role, AuthMethod: form.AuthMethod,
			Password: c.PostForm("password"),
		})
	}
	if err == nil {
		w.done(c, usersPath+"/"+user.ID.String(), "user.created")
		return
	}
	w.explain(c, err, func(status int, words string) {
		form.mark(err)
		w.show(c, status, "user-new", &view{Page: newUserPage{Form: form}, Problem: words})
	})
}

// userPage is a user with what belongs to it.
type userPage struct {
	auth.User
	Entity      string
	Form        userForm
	Permissions []permissionRow
	Sessions    []auth.Session
	Log         []activity.Log
	Own         bool // the user is the caller
	Writes      bool
	Grants      bool
	Open        string // part of the page that was just used
}

type permissionRow struct {
	Name      auth.Permission
	ByRole    bool
	Grantable bool
	Choice    string // "", granted or denied
	Effective bool
}

// userSessions and userLog bound the lists on a user's page; the full lists have pages of their own.
const (
	userSessions = 10
	userLog      = 10
)

func (w *Web) user(c *gin.Context) {
	if id, ok := w.idOf(c); ok {
		w.showUser(c, http.StatusOK, id, "", func(*userPage) {})
	}
}

// showUser shows a user's page; fill fills the forms in.
func (w *Web) showUser(c *gin.Context, status int, id uuid.UUID, problem string, fill func(*userPage)) {
	page, err := w.userPage(c, id)
	if err != nil {
		w.stop(c, err)
		return
	}
	fill(page)
	w.show(c, status, "user", &view{Page: page, Problem: problem})
}

func (w *Web) userPage(c *gin.Context, id uuid.UUID) (*userPage, error) {
	ctx, p := c.Request.Context(), visitOf(c).principal
	user, err := w.deps.Users.User(ctx, p.EntityPath, id)
	if err != nil {
		return nil, err
	}
	permissions, err := w.deps.Users.PermissionsOf(ctx, p.EntityPath, id)
	if err != nil {
		return nil, err
	}
	page := &userPage{
		User: user, Entity: w.entityName(c, user.EntityID), Permissions: permissionRows(&permissions), Own: id == p.UserID,
		Writes: p.May(auth.UsersWrite), Grants: p.May(auth.UsersGrant) && id != p.UserID,
		Form: userForm{
			Name: user.Name, Email: user.Email, Phone: user.Phone, Identifier: user.Identifier, Role: user.Role, AuthMethod: user.AuthMethod, Status: user.Status,
		},
	}
	if p.May(auth.SessionsRead) {
		if page.Sessions, _, err = w.deps.Users.Sessions(ctx, p, &auth.SessionFilter{UserID: id, Limit: userSessions}); err != nil {
			return nil, err
		}
	}
	if p.May(auth.ActivityRead) {
		page.Log, _, err = w.deps.Activity.List(ctx, &activity.Filter{Scope: p.EntityPath, UserID: id, Limit: userLog})
	}
	return page, err
}

func permissionRows(p *auth.UserPermissions) []permissionRow {
	var rows []permissionRow
	for _, name := range auth.Permissions() {
		row := permissionRow{
			Name: name, ByRole: auth.RolePermissions(p.Role).Has(name), Grantable: auth.Grantable(p.Role, name), Effective: p.Effective.Has(name),
		}
		switch {
		case slices.Contains(p.Granted, name):
			row.Choice = "granted"
		case slices.Contains(p.Denied, name):
			row.Choice = "denied"
		}
		if row.Grantable {
			rows = append(rows, row)
		}
	}
	return rows
}
