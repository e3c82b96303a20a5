package users

import (
	"errors"

	"banca/internal/apperr"
	"banca/internal/auth"
	"banca/internal/org"
	"banca/models"
	"banca/web/kit"
)

// userForm holds the fields of a user's form.
type userForm struct {
	Name, Email, Phone, Identifier, Role, AuthMethod, Status, Entity string

	Wrong map[string]bool // fields that were refused
}

func userFormOf(r *kit.Request) userForm {
	return userForm{
		Name: r.Text("name"), Email: r.Text("email"), Phone: r.Text("phone"), Identifier: r.Text("identifier"), Role: r.Text("role"), AuthMethod: r.Text("auth_method"),
		Status: r.Text("status"), Entity: r.Text("entity"),
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

// newPage is the form of a new user.
type newPage struct{ Form userForm }

func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	return &newPage{Form: userForm{Role: models.RoleTaquilla, Entity: r.Query("entity")}}, nil
}

func (p *pages) create(r *kit.Request) error {
	ctx, form := r.Context(), userFormOf(r)
	var user auth.User
	entity, err := p.Org.ByCode(ctx, r.Caller, form.Entity)
	if err == nil {
		user, err = p.Users.CreateUser(ctx, r.Caller, &auth.NewUser{
			EntityID: entity, Name: form.Name, Email: form.Email, Phone: form.Phone, Identifier: form.Identifier, Role: form.Role, AuthMethod: form.AuthMethod,
			Password: r.Form("password"),
		})
	}
	if err == nil {
		return r.Done(path+"/"+user.ID.String(), "user.created")
	}
	return p.new.Again(r, err, func(page *newPage) {
		form.mark(err)
		page.Form = form
	})
}
