package users

import (
	"errors"
	"slices"

	"banca/internal/activity"
	"banca/internal/auth"
	"banca/web/admin/parts/sentence"
	"banca/web/kit"
)

// userPage is a user with what belongs to it.
type userPage struct {
	auth.User

	Entity      string
	Form        *kit.Form
	Password    *kit.Form
	Permissions kit.Rows
	Choices     int      // permissions that are not the role's
	Sessions    kit.Rows // nil if the caller may not see them
	Log         kit.Rows // nil without any, or as above
	Own         bool     // the user is the caller
	Writes      bool
	Grants      bool
	Open        string // part of the page that was just used
}

// State is the state of the user.
func (p *userPage) State() string { return stateOf(&p.User) }

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

func (p *pages) loadUser(r *kit.Request) (*userPage, error) {
	ctx, by := r.Context(), r.Caller
	user, err := p.Auth.User(ctx, by, r.ID)
	if err != nil {
		return nil, err
	}
	permissions, err := p.Auth.PermissionsOf(ctx, by, r.ID)
	if err != nil {
		return nil, err
	}
	own := r.ID == r.Caller.UserID
	typed := &typedUser{Status: user.Status, NewUser: auth.NewUser{
		Name: user.Name, Email: user.Email, Phone: user.Phone, Identifier: user.Identifier, AuthMethod: user.AuthMethod,
		Role: user.Role,
	}}
	page := &userPage{
		User: user, Entity: kit.EntityName(r, user.EntityID), Own: own, Choices: len(permissions.Granted) + len(permissions.Denied),
		Writes: r.May(auth.UsersWrite), Grants: r.May(auth.UsersGrant) && !own,
		Form:     typed.editForm(r, own, r.May(auth.UsersGrant)),
		Password: kit.NewForm(passwordInput("password", "users.password.new", "account.password.hint").Required()),
	}
	page.Permissions = kit.RowsOf(permissionColumns(page.Grants), permissionRows(&permissions), nil, "")
	return page, p.loadHistory(r, page)
}

// loadHistory reads the sessions and the log of the user, as far as the caller may see them.
func (p *pages) loadHistory(r *kit.Request, page *userPage) error {
	if r.May(auth.SessionsRead) {
		sessions, _, err := p.Auth.Sessions(r.Context(), r.Caller, &auth.SessionFilter{UserID: r.ID, Limit: userSessions})
		if err != nil {
			return err
		}
		page.Sessions = kit.RowsOf(ownSessionColumns(), sessionRows(r, sessions, "user", page.Writes), nil, "users.sessions.none")
	}
	if r.May(auth.LogsRead) {
		log, _, err := p.Activity.List(r.Context(), r.Caller, &activity.Filter{UserID: r.ID, Limit: userLog})
		if err != nil {
			return err
		}
		if len(log) > 0 {
			rows, err := sentence.Rows(r, p.Activity, log)
			if err != nil {
				return err
			}
			page.Log = kit.RowsOf(sentence.Columns(), rows, sentence.Link, "")
		}
	}
	return nil
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

func permissionColumns(grants bool) []kit.Column[permissionRow] {
	return []kit.Column[permissionRow]{
		kit.WordColumn("users.permission", func(v *kit.View, p *permissionRow) string {
			return v.T("perm." + string(p.Name))
		}).Wrapped(),
		kit.WordColumn("users.byrole", func(v *kit.View, p *permissionRow) string { return v.YesNo(p.ByRole) }),
		{Title: "users.choice", Cell: func(v *kit.View, p *permissionRow) kit.Cell {
			switch {
			case grants:
				return v.Control(p.choice(v))
			case p.Choice == "":
				return kit.Cell{}
			default:
				return kit.Text(v.T("users.choice." + p.Choice))
			}
		}},
		kit.BadgeColumn("users.effective", func(v *kit.View, p *permissionRow) kit.Badge {
			if p.Effective {
				return v.State("permission", "yes")
			}
			return v.State("permission", "no")
		}),
	}
}

// choice is the selection of a permission; one that the role has cannot be granted.
func (p *permissionRow) choice(v *kit.View) *kit.Field {
	choices := []string{"denied"}
	if !p.ByRole {
		choices = []string{"granted", "denied"}
	}
	options := []kit.Option{{Text: v.T("users.choice.role")}}
	for _, choice := range choices {
		options = append(options, kit.Option{Value: choice, Text: v.T("users.choice." + choice)})
	}
	name := string(p.Name)
	return kit.NewForm(kit.ChoiceInput(name, name, options).With("aria-label="+v.T("perm."+name))).Put(name, p.Choice).Field(v, name)
}

// ResetPassword asks for another password of the user.
func (p *userPage) ResetPassword(v *kit.View) *kit.Question {
	return v.Question(v.T("users.password"), path+"/"+p.ID.String()+"/password", v.T("users.password.ask", p.Name), v.T("users.password.do")).
		WithForm(p.Password).Opened(p.Open == "user.password")
}

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
