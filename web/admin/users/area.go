// Package users has the pages of users, their sessions and the caller's own account.
package users

import (
	"embed"

	"banca/internal/auth"
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

	list     kit.List[userRow, listPage]
	user     kit.Page[userPage]
	new      kit.Page[newPage]
	sessions kit.List[sessionRow, struct{}]
	account  kit.Page[accountPage]
}

// Area returns the pages of users.
func Area(s *services.Services) kit.Area {
	p := &pages{Services: s}
	p.list = kit.List[userRow, listPage]{Template: "users", File: "users", Columns: columns(), Link: userAddress, Empty: "users.empty", Rows: p.rows, Filter: filter, Page: listPageOf}
	p.user = kit.Page[userPage]{Template: "user", Load: p.loadUser}
	p.new = kit.Page[newPage]{Template: "user-new", Load: p.loadNew}
	p.sessions = kit.List[sessionRow, struct{}]{Template: "sessions", File: "sessions", Columns: sessionColumns(), Empty: "sessions.empty", Rows: p.listSessions, Filter: sessionFilter}
	p.account = kit.Page[accountPage]{Template: "account", Load: p.loadAccount}
	return kit.Area{Templates: templates, Routes: p.routes()}
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

		kit.Get(sessionsPath, kit.Can(auth.SessionsRead), p.sessions.Show).Menu("nav.system", "sessions.title"),
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
