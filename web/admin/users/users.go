package users

import (
	"net/url"
	"time"

	"banca/internal/auth"
	"banca/web/kit"
)

// listPage is the list of users.
type listPage struct {
	Filter url.Values
	Users  []userRow
	Writes bool
}

type userRow struct {
	auth.User

	Entity string
}

func (p *pages) rows(r *kit.Request, w kit.Window) ([]userRow, int64, error) {
	list, total, err := p.Users.Users(r.Context(), &auth.UserFilter{
		Scope: r.Scope(), EntityID: r.QueryID("entity"), Role: r.Query("role"), Status: r.Query("status"), Text: r.Query("q"), Limit: w.Limit, Offset: w.Offset,
	})
	rows := make([]userRow, len(list))
	for i := range list {
		rows[i] = userRow{User: list[i], Entity: r.EntityName(list[i].EntityID)}
	}
	return rows, total, err
}

func (p *pages) listPage(r *kit.Request, users []userRow) (*listPage, error) {
	return &listPage{Filter: r.Filter(), Users: users, Writes: r.May(auth.UsersWrite)}, nil
}

func columns() []kit.Column[userRow] {
	return []kit.Column[userRow]{
		{Title: "label.name", Text: func(u *userRow) string { return u.Name }},
		{Title: "label.role", Text: func(u *userRow) string { return u.Role }},
		{Title: "label.state", Text: func(u *userRow) string { return u.Status }},
		{Title: "label.entity", Text: func(u *userRow) string { return u.Entity }},
		{Title: "label.email", Text: func(u *userRow) string { return u.Email }},
		{Title: "label.phone", Text: func(u *userRow) string { return u.Phone }},
		{Title: "label.identifier", Text: func(u *userRow) string { return u.Identifier }},
		{Title: "label.created", Text: func(u *userRow) string { return u.CreatedAt.UTC().Format(time.RFC3339) }},
		{Title: "label.id", Text: func(u *userRow) string { return u.ID.String() }},
	}
}
