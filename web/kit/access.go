package kit

import (
	"banca/internal/auth"
	"banca/internal/platform/caller"
)

// Access declares which users may open a route. The zero value admits no user, so a route without a declaration is
// closed.
type Access struct {
	declared   bool
	public     bool
	permission auth.Permission // "" for every user
	operator   bool
	sensitive  bool
	condition  func(*Request) bool // whether this form is sensitive; nil: every form
}

// Public opens a route without a session.
func Public() Access { return Access{declared: true, public: true} }

// SignedIn opens a route to every user.
func SignedIn() Access { return Access{declared: true} }

// Can opens a route to users with a permission.
func Can(p auth.Permission) Access { return Access{declared: true, permission: p} }

// Operator restricts a route to users of the operator.
func (a Access) Operator() Access {
	a.operator = true
	return a
}

// Sensitive requires that the user has confirmed the password recently. Otherwise the site asks for the password and
// then submits the form again.
func (a Access) Sensitive() Access {
	a.sensitive = true
	return a
}

// SensitiveIf is Sensitive for the requests for which condition is true.
func (a Access) SensitiveIf(condition func(*Request) bool) Access {
	a.sensitive, a.condition = true, condition
	return a
}

// Permission returns the permission of the route, "" for every user.
func (a Access) Permission() auth.Permission { return a.permission }

// IsOperator reports whether the route is for users of the operator only.
func (a Access) IsOperator() bool { return a.operator }

// IsSensitive reports whether the route asks for the password, at least for some forms.
func (a Access) IsSensitive() bool { return a.sensitive }

// check returns nil if a caller may open the route.
func (a Access) check(p *caller.Caller) error {
	switch {
	case a.permission != "" && !p.May(a.permission):
		return errForbidden
	case a.operator && !p.IsOperator():
		return errOperator
	default:
		return nil
	}
}
