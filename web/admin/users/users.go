package users

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/auth"
	"banca/internal/platform/sheet"
	"banca/models"
	"banca/web/kit"
)

// listPage is what the list of users shows besides its rows.
type listPage struct{ Writes bool }

type userRow struct {
	auth.User

	Entity string
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
	rows, names := make([]userRow, len(list)), kit.EntityNames(r, list, func(u *auth.User) uuid.UUID { return u.EntityID })
	for i := range list {
		rows[i] = userRow{User: list[i], Entity: names[list[i].EntityID]}
	}
	return rows, total, err
}

func listPageOf(r *kit.Request, _ []userRow) (*listPage, error) {
	return &listPage{Writes: r.May(auth.UsersWrite)}, nil
}

func filter(r *kit.Request) (*kit.Filter, error) {
	return &kit.Filter{Fields: []kit.FilterField{
		kit.HiddenIDField("entity"), kit.TextField("q", "users.search", 100), kit.SelectField("role", "label.role", roleOptions(r)),
		kit.SelectField("status", "label.state", r.States("user", models.StatusActive, models.StatusInactive)),
	}}, nil
}

func columns() []kit.Column[userRow] {
	return []kit.Column[userRow]{
		kit.TextColumn("label.name", func(u *userRow) string { return u.Name }).
			Below(func(_ *kit.View, u *userRow) string { return u.Identifier }),
		kit.WordColumn("label.role", func(v *kit.View, u *userRow) string { return v.T("role." + u.Role) }),
		kit.StateColumn("user", func(u *userRow) string { return u.Status }),
		kit.WrapColumn("label.entity", func(u *userRow) string { return u.Entity }),
		kit.WrapColumn("label.email", func(u *userRow) string { return u.Email }).
			Below(func(_ *kit.View, u *userRow) string { return u.Phone }),
		{Title: "label.phone", Text: func(u *userRow) string { return u.Phone }},
		{Title: "label.identifier", Text: func(u *userRow) string { return u.Identifier }},
		{Title: "label.created", File: func(u *userRow) sheet.Cell { return sheet.Time(u.CreatedAt) }},
		{Title: "label.id", Text: func(u *userRow) string { return u.ID.String() }},
		kit.TimeColumn("label.active", func(u *userRow) time.Time { return u.lastActivity() }),
	}
}
