package kit

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"

	"banca/internal/auth"
	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/models"
)

// The view of the queues shows the tasks of all entities and can end them.
func TestQueuesAreTheOperators(t *testing.T) {
	t.Parallel()
	queues := Can(auth.QueuesRead).Operator()
	operator := "/" + uuid.NewString() + "/"
	for scope, sees := range map[caller.Scope]bool{testkit.Scope(operator): true, testkit.Scope(operator + uuid.NewString() + "/"): false, {}: false} {
		assert.Equal(t, sees, queues.check(&caller.Caller{Scope: scope, Permissions: auth.RolePermissions(models.RoleAdmin)}) == nil, scope)
		assert.Error(t, queues.check(&caller.Caller{Scope: scope, Permissions: auth.RolePermissions(models.RoleTaquilla)}), scope)
	}
}
