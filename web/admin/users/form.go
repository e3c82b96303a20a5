package users

import (
	"banca/internal/auth"
	"banca/models"
	"banca/web/kit"
)

// Widths of the fields of a user.
const (
	nameLength       = 100
	identifierLength = 200
	passwordLength   = 72
)

// passwordInput is a field for a new password.
func passwordInput(name, label, rule string) kit.Input {
	return kit.TextInput(name, label, passwordLength).With("type=password autocomplete=new-password minlength=8").WithRule(rule, true).Either()
}

// passwordForm is the form of the caller's own password.
func passwordForm() *kit.Form {
	return kit.NewForm(
		kit.TextInput("current", "account.password.current", passwordLength).With("type=password autocomplete=current-password").Required(),
		passwordInput("next", "users.password.new", "account.password.hint").Required(),
	)
}

// codeForm is the form of a code of an authenticator program.
func codeForm() *kit.Form {
	return kit.NewForm(kit.NumberInput("code", "account.totp.code", 7).With(`autocomplete=one-time-code pattern=[0-9\s]{6,7}`).Required())
}

// typedUser is a user as it is typed.
type typedUser struct {
	auth.NewUser

	Entity string // name or code
	Status string
}

// nameInputs are the fields of the names of a user, in every form of a user.
func (u *typedUser) nameInputs(r *kit.Request) []kit.Input {
	methods := r.Options("users.method.", models.AuthWhatsApp, models.AuthPassword)
	return []kit.Input{
		kit.TextInput("name", "label.name", nameLength).WithRule("field.name", false).Required().Into(&u.Name),
		kit.ChoiceInput("auth_method", "label.auth_method", methods).WithRule("users.method.hint", true).Into(&u.AuthMethod),
		kit.PhoneInput("phone", "label.phone").WithRule("field.phone", false).Either().Into(&u.Phone),
		kit.TextInput("email", "label.email", identifierLength).With("inputmode=email autocapitalize=none").
			WithRule("field.email", false).Into(&u.Email),
		kit.TextInput("identifier", "label.identifier", identifierLength).With("autocapitalize=none spellcheck=false").
			WithRule("field.identifier", false).Into(&u.Identifier),
	}
}

func roleOptions(r *kit.Request) []kit.Option { return r.Options("role.", roleNames()...) }

// newForm is the form of a new user.
func (u *typedUser) newForm(r *kit.Request) *kit.Form {
	first := []kit.Input{
		kit.EntityInput("entity", "label.entity").Required().Into(&u.Entity),
		kit.ChoiceInput("role", "label.role", roleOptions(r)).Into(&u.Role),
	}
	password := passwordInput("password", "agency.password", "account.password.hint").At(auth.ErrWeakPassword.Code)
	return kit.NewForm(append(append(first, u.nameInputs(r)...), password.Into(&u.Password))...)
}

// editForm is the form of a user; own is the caller's, who changes neither role, state nor entity.
func (u *typedUser) editForm(r *kit.Request, own, grants bool) *kit.Form {
	inputs := u.nameInputs(r)
	if !own && grants {
		inputs = append(inputs, kit.ChoiceInput("role", "label.role", roleOptions(r)).Into(&u.Role))
	}
	if !own {
		states := r.States("user", models.StatusActive, models.StatusInactive)
		inputs = append(inputs,
			kit.ChoiceInput("status", "label.state", states).WithRule("users.status.hint", true).Into(&u.Status),
			kit.EntityInput("entity", "users.move").Into(&u.Entity))
	}
	return kit.NewForm(inputs...)
}

// newPage is the form of a new user.
type newPage struct{ Form *kit.Form }

// Roles are the roles that the page explains.
func (*newPage) Roles() []string { return roleNames() }

func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	user := &typedUser{NewUser: auth.NewUser{Role: models.RoleTaquilla}, Entity: r.Query("entity")}
	return &newPage{Form: user.newForm(r)}, nil
}

func (p *pages) create(r *kit.Request) error {
	var typed typedUser
	typed.newForm(r).Take(r)
	var user auth.User
	var err, further error
	if typed.EntityID, err = p.Org.Named(r.Context(), r.Caller, typed.Entity); err == nil {
		user, err = p.Auth.CreateUser(r.Context(), r.Caller, &typed.NewUser)
	} else if _, further = p.Auth.PrepareUser(r.Context(), &typed.NewUser); further != nil && typed.Entity == "" {
		err = auth.ErrInvalidUser // an empty field names no entity
	}
	return p.new.SubmitTo(r, err, path+"/"+user.ID.String(), "user.created", func(page *newPage) {
		page.Form.FillFrom(r).Put("password", "").RefuseBy(err, "")
		page.Form.RefuseBy(further, "")
		page.Form.Check()
	})
}
