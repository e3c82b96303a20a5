package caller

import (
	"maps"
	"slices"
)

// Permission allows one action on one module: "users:write". Package auth lists the permissions.
type Permission string

// PermissionSet is a set of permissions. It is not changed after it is made.
type PermissionSet map[Permission]struct{}

// Has reports whether the set contains a permission.
func (s PermissionSet) Has(p Permission) bool {
	_, ok := s[p]
	return ok
}

// Covers reports whether the set contains all permissions of another one.
func (s PermissionSet) Covers(other PermissionSet) bool {
	for p := range other {
		if !s.Has(p) {
			return false
		}
	}
	return true
}

// Sorted returns the permissions in alphabetical order.
func (s PermissionSet) Sorted() []Permission { return slices.Sorted(maps.Keys(s)) }
