package kit

import (
	"banca/internal/auth"
	"banca/models"
)

// Access is which callers may call an operation. The zero value admits none, so that no operation is open by
// omission.
type Access struct {
	declared   bool
	public     bool
	health     bool
	permission auth.Permission // "" for every user
	sensitive  bool
	password   bool // a device's key does not replace it
	operator   bool
}

// Public opens an operation without a session.
func Public() Access { return Access{declared: true, public: true} }

// Health is Public for an operation that ignores unknown parameters, which a monitor may add.
func Health() Access { return Access{declared: true, public: true, health: true} }

// SignedIn opens an operation to every user: the operations about the caller alone.
func SignedIn() Access { return Access{declared: true} }

// Can admits users with a permission.
func Can(p auth.Permission) Access { return Access{declared: true, permission: p} }

// Sensitive also asks for a password given within the last minutes or for the key of a device.
func (a Access) Sensitive() Access {
	a.sensitive = true
	return a
}

// Password is Sensitive without the key of a device: for operations that make such keys.
func (a Access) Password() Access {
	a.sensitive, a.password = true, true
	return a
}

// Operator restricts an operation to users of the operator.
func (a Access) Operator() Access {
	a.operator = true
	return a
}

// Roles lists the roles that have the permission by themselves; none for a public operation.
func (a Access) Roles() []string {
	roles := []string{}
	for _, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
		if !a.public && (a.permission == "" || auth.RolePermissions(role).Has(a.permission)) {
			roles = append(roles, role)
		}
	}
	return roles
}
