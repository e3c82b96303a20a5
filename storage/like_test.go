package storage_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"banca/storage"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `%50\%\_a\\b%`, storage.Containing("50%_a\\b\x00"))
}
