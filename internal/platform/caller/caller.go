package caller

import "github.com/google/uuid"

// Caller is an authenticated user. The zero Caller has no permissions and the zero [Scope].
type Caller struct {
	UserID      uuid.UUID
	SessionID   uuid.UUID
	DeviceID    uuid.UUID // active and validated in this session; uuid.Nil without one
	Browser     bool      // the session is of a browser
	EntityID    uuid.UUID
	Scope       Scope // the entity and everything below it
	Role        string
	Name        string
	Permissions PermissionSet
}

// May reports whether the caller has a permission.
func (c Caller) May(permission Permission) bool { return c.Permissions.Has(permission) }

// IsOperator reports whether the caller belongs to the operator's entity, the root of the organisation.
func (c Caller) IsOperator() bool { return c.Scope.IsOperator() }
