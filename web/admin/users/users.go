// Package users has the pages of users, their sessions and the caller's own account.
package users

import (
	"embed"
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/sheet"
	"banca/internal/services"
	"banca/models"
	"banca/web/admin/links"
	"banca/web/kit"
)

const (
	path         = links.Users
	sessionsPath = "/admin/sessions"
	accountPath  = "/admin/account"
)

//go:embed templates
var templates embed.FS

type pages struct {
	*services.Services

	list     kit.List[userRow, struct{}]
	user     kit.Page[userPage]
	new      kit.Page[newPage]
	sessions kit.List[sessionRow, struct{}]
	account  kit.Page[accountPage]
}

// Area returns the pages of users.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[userRow, struct{}]{
		Template: "users", File: "users", Columns: columns(), Link: userAddress, Empty: "users.empty", Rows: p.rows, Filter: filter,
	}
	p.user = kit.Page[userPage]{Template: "user", Load: p.loadUser}
	p.new = kit.Page[newPage]{Template: "user-new", Load: p.loadNew}
	p.sessions = kit.List[sessionRow, struct{}]{Template: "sessions", File: "sessions", Columns: sessionColumns(), Empty: "sessions.empty", Rows: p.listSessions, Filter: sessionFilter}
	p.account = kit.Page[accountPage]{Template: "account", Load: p.loadAccount}
	return kit.Area{Templates: templates, Guide: "panel#users-and-customers", Routes: p.routes()}
}

func (p *pages) routes() []kit.Route {
	read, write, self := kit.Can(auth.UsersRead), kit.Can(auth.UsersWrite), kit.SignedIn()
	return []kit.Route{
		kit.Get(path, read, p.list.Show).Menu("nav.organisation", "users.title"),
		kit.Get(path+"/new", write, p.new.Show),
		kit.Post(path+"/new", write.Sensitive(), p.create),
		kit.Get(path+"/:id", read, p.user.Show),
		kit.Action(path+"/:id", "/edit", write.Sensitive(), p.save),
		kit.Action(path+"/:id", "/password", write.Sensitive(), p.resetPassword),
		kit.Action(path+"/:id", "/totp", write.Sensitive(), p.resetTOTP),
		kit.Action(path+"/:id", "/delete", write.Sensitive(), p.delete),
		kit.Action(path+"/:id", "/permissions", kit.Can(auth.UsersGrant).Sensitive(), p.savePermissions),

		kit.Get(sessionsPath, kit.Can(auth.SessionsRead), p.sessions.Show).Menu("nav.system", "sessions.title").ExplainedIn("panel#sistema"),
		kit.Action(sessionsPath, "/:id/terminate", self, p.terminate).OnAnyPage(),

		kit.Get(accountPath, self, p.account.Show),
		kit.Action(accountPath, "/password", self, p.changePassword),
		kit.Action(accountPath, "/totp/start", self.Sensitive(), p.startTOTP),
		kit.Action(accountPath, "/totp/enable", self.Sensitive(), p.enableTOTP),
		kit.Action(accountPath, "/totp/disable", self.Sensitive(), p.disableTOTP),
	}
}

func userAddress(u *userRow) string { return path + "/" + u.ID.String() }

func roleNames() []string { return []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} }

type userRow struct {
	auth.User

	Entity string
}

// stateOf is the status of a user, or auth.StatusNew.
func stateOf(u *auth.User) string {
	if u.Status == models.StatusActive && u.LastActivityAt == nil {
		return auth.StatusNew
	}
	return u.Status
}

// lastActivity is when the user last sent a request; zero for never.
func (u *userRow) lastActivity() time.Time {
	if u.LastActivityAt == nil {
		return time.Time{}
	}
	return *u.LastActivityAt
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]userRow, int64, error) {
	list, total, err := p.Auth.Users(r.Context(), r.Caller, &auth.UserFilter{
		EntityID: r.QueryID("entity"), Role: r.Query("role"), Status: r.Query("status"), Text: r.Query("q"), Limit: w.Limit, Offset: w.Offset,
	})
	names := kit.EntityNames(r, list, func(u *auth.User) uuid.UUID { return u.EntityID })
	return kit.Map(list, func(u *auth.User) userRow { return userRow{*u, names[u.EntityID]} }), total, err
}

func filter(r *kit.Request) (*kit.Filter, error) {
	views := append([]kit.SavedView{{Title: "word.all"}}, kit.Map(roleNames(), func(role *string) kit.SavedView {
		return kit.SavedView{Title: "users.role." + *role, Values: map[string]string{"role": *role}}
	})...)
	views = append(views, kit.SavedView{Title: "users.never", Values: map[string]string{"status": auth.StatusNew}})
	return &kit.Filter{Views: views, Fields: []kit.FilterField{
		kit.HiddenIDField("entity"), kit.TextField("q", "users.search", 100), kit.SelectField("role", "label.role", roleOptions(r)),
		kit.SelectField("status", "label.state", r.States("user", models.StatusActive, auth.StatusNew, models.StatusInactive)),
	}}, nil
}

func columns() []kit.Column[userRow] {
	return []kit.Column[userRow]{
		kit.TextColumn("label.name", func(u *userRow) string { return u.Name }).
			Below(func(_ *kit.View, u *userRow) string { return u.Identifier }).
			Styled(func(*userRow) string { return "inline" }),
		kit.WordColumn("label.role", func(v *kit.View, u *userRow) string { return v.T("role." + u.Role) }),
		kit.StateColumn("user", func(u *userRow) string { return stateOf(&u.User) }),
		kit.WrapColumn("label.entity", func(u *userRow) string { return u.Entity }),
		{Title: "label.email", Text: func(u *userRow) string { return u.Email }},
		{Title: "label.phone", Text: func(u *userRow) string { return u.Phone }},
		{Title: "label.identifier", Text: func(u *userRow) string { return u.Identifier }},
		{Title: "label.created", File: func(u *userRow) sheet.Cell { return sheet.Time(u.CreatedAt) }},
		{Title: "label.id", Text: func(u *userRow) string { return u.ID.String() }},
		kit.TimeColumn("label.active", (*userRow).lastActivity).If(func(u *userRow) bool { return u.LastActivityAt != nil }),
	}
}
