package kit

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/internal/auth"
	"banca/models"
)

// The view of the queues shows the tasks of all entities and can end them.
func TestQueuesAreTheOperators(t *testing.T) {
	t.Parallel()
	queues := Can(auth.QueuesRead).Operator()
	for path, sees := range map[string]bool{"/a/": true, "/a/b/": false, "": false} {
		assert.Equal(t, sees, queues.refuses(&auth.Principal{EntityPath: path, Can: auth.RolePermissions(models.RoleAdmin)}) == nil, path)
		assert.Error(t, queues.refuses(&auth.Principal{EntityPath: path, Can: auth.RolePermissions(models.RoleTaquilla)}), path)
	}
}
