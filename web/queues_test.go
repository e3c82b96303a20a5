package web

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/models"
)

func TestThePageOfTheQueues(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	b.login(t, models.RoleAdmin, "")
	page := b.get("/admin/tasks")
	assert.Equal(t, http.StatusOK, page.Code)
	assert.Contains(t, page.Body.String(), `data-stream="/admin/tasks/live"`)
	assert.Contains(t, page.Body.String(), `href="/admin/queues">Ver cada tarea`)
	assert.Contains(t, page.Body.String(), "/admin/unlock-queues")
	b.login(t, models.RoleSocio, "")
	assert.Equal(t, http.StatusForbidden, b.get("/admin/tasks").Code)
}
