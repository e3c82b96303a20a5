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
	return kit.TextInput(name, label, passwordLength).With("type=password autocomplete=new-password minlength=8").WithRule(rule, true)
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

// nameInputs are the fields of a user's names, in every form of a user.
func nameInputs(r *kit.Request) []kit.Input {
	return []kit.Input{
		kit.TextInput("name", "label.name", nameLength).WithRule("field.name", false).Required(),
		kit.TextInput("email", "label.email", identifierLength).With("inputmode=email autocapitalize=none").WithRule("field.email", false),
		kit.PhoneInput("phone", "label.phone").WithRule("field.phone", false),
		kit.TextInput("identifier", "label.identifier", identifierLength).With("autocapitalize=none spellcheck=false").WithRule("field.identifier", false),
		kit.ChoiceInput("auth_method", "label.auth_method", r.Options("users.method.", models.AuthWhatsApp, models.AuthPassword)),
	}
}

func roleOptions(r *kit.Request) []kit.Option { return r.Options("role.", roleNames()...) }

// newForm is the form of a new user.
func newForm(r *kit.Request) *kit.Form {
	first := []kit.Input{
		kit.EntityInput("entity", "label.entity").Required(),
		kit.ChoiceInput("role", "label.role", roleOptions(r)).WithRule("users.roles.hint", true),
	}
	return kit.NewForm(append(append(first, nameInputs(r)...), passwordInput("password", "login.password", "users.password.hint").At(auth.ErrWeakPassword.Code))...)
}

// editForm is the form of a user; own is the caller's, who changes neither role, state nor entity.
func editForm(r *kit.Request, user *auth.User, own, grants bool) *kit.Form {
	inputs := nameInputs(r)
	if !own && grants {
		inputs = append(inputs, kit.ChoiceInput("role", "label.role", roleOptions(r)))
	}
	if !own {
		inputs = append(inputs, kit.ChoiceInput("status", "label.state", r.States("user", models.StatusActive, models.StatusInactive)).WithRule("users.status.hint", true),
			kit.EntityInput("entity", "users.move"))
	}
	form := kit.NewForm(inputs...)
	for name, value := range map[string]string{
		"name": user.Name, "email": user.Email, "phone": user.Phone, "identifier": user.Identifier, "auth_method": user.AuthMethod, "role": user.Role, "status": user.Status,
	} {
		form.Put(name, value)
	}
	return form
}

// newPage is the form of a new user.
type newPage struct{ Form *kit.Form }

func (p *pages) loadNew(r *kit.Request) (*newPage, error) {
	return &newPage{Form: newForm(r).Put("role", models.RoleTaquilla).Put("entity", r.Query("entity"))}, nil
}

func (p *pages) create(r *kit.Request) error {
	ctx := r.Context()
	var user auth.User
	entity, err := p.Org.Named(ctx, r.Caller, r.Text("entity"))
	if err == nil {
		user, err = p.Auth.CreateUser(ctx, r.Caller, &auth.NewUser{
			EntityID: entity, Name: r.Text("name"), Email: r.Text("email"), Phone: r.Text("phone"), Identifier: r.Text("identifier"), Role: r.Text("role"),
			AuthMethod: r.Text("auth_method"), Password: r.Form("password"),
		})
	}
	if err == nil {
		return r.Done(path+"/"+user.ID.String(), "user.created")
	}
	return p.new.ShowRefusal(r, err, func(page *newPage) { page.Form.FillFrom(r).Put("password", "").RefuseBy(err, "") })
}
