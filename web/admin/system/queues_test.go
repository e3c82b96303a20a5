package system

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/tasks"
	"banca/web/kit"
)

func TestEveryQueueHasAName(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	for language, texts := range words {
		for _, queue := range tasks.Queues() {
			assert.NotEmpty(t, texts["queue."+queue.Name], "%s %s", language, queue.Name)
		}
	}
}
