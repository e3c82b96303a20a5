package testkit

import (
	"strings"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/models"
)

// Scope returns the scope of an entity's path. It panics if the path is malformed.
func Scope(path string) caller.Scope {
	scope, err := caller.ParseScope(path)
	if err != nil {
		panic(err)
	}
	return scope
}

// Caller returns a new user of an entity, with permissions of package auth.
func Caller(e *models.Entity, permissions caller.PermissionSet) caller.Caller {
	return caller.Caller{UserID: uuid.Must(uuid.NewV7()), EntityID: e.ID, Scope: Scope(e.Path), Permissions: permissions}
}

// Within returns a new user of the entity with a path.
func Within(path string) caller.Caller {
	ids := strings.Split(strings.Trim(path, "/"), "/")
	return Caller(&models.Entity{ID: uuid.MustParse(ids[len(ids)-1]), Path: path}, nil)
}

// Operator returns a new user of the operator's entity.
func Operator(root uuid.UUID, permissions ...caller.Permission) caller.Caller {
	set := caller.PermissionSet{}
	for _, p := range permissions {
		set[p] = struct{}{}
	}
	return Caller(&models.Entity{ID: root, Path: "/" + root.String() + "/"}, set)
}
