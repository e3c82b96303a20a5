package kit

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAPartThatPanicsIsAnError(t *testing.T) {
	t.Parallel()
	var parts Parts
	read := false
	parts.Go(func() error { panic("nothing there") })
	parts.Go(func() error {
		read = true
		return nil
	})
	err := parts.Wait()
	require.ErrorContains(t, err, "nothing there")
	assert.ErrorContains(t, err, "parts_of_page_test.go", "it says where")
	assert.True(t, read, "the others are read")

	var refused Parts
	want := errors.New("refused")
	refused.Limit(1)
	refused.Go(func() error { return want })
	assert.Equal(t, want, refused.Wait())
}
