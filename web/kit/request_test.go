package kit

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
)

func TestInvalidIDsAreNil(t *testing.T) {
	t.Parallel()
	id := uuid.New()
	assert.Equal(t, id, parseID(id.String()))
	for _, text := range []string{"", "x", id.String()[:35], id.String()[:35] + "x"} {
		assert.Equal(t, uuid.Nil, parseID(text), text)
	}
}
