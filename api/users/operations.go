// Package users has the operations on users: logins and sessions, the caller's own account, users and their permissions.
package users

import (
	"banca/api/kit"
	"banca/internal/auth"
)

type operations struct {
	*kit.Registry

	users *auth.Service
}

// Register adds the operations.
func Register(r *kit.Registry, users *auth.Service) {
	o := &operations{Registry: r, users: users}
	o.registerAuth()
	o.registerAccount()
	o.registerUsers()
	o.registerSessions()
}
