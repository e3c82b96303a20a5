package risk

import (
	"testing"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// The stand-in of development has no run id and refuses the section, which keeps nothing from starting.
func TestTheStandInHasAConstantRunID(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	defer func() { require.NoError(t, client.Close()) }()
	id, err := runID(t.Context(), client)
	require.NoError(t, err)
	require.Equal(t, "standin", id)
	server.SetError("LOADING")
	_, err = runID(t.Context(), client)
	require.Error(t, err, "another error is one")
}
