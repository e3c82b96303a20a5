package commands

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReadinessIsAsked(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/readyz", r.URL.Path)
		w.WriteHeader(status)
	}))
	address := server.Listener.Addr().String()
	_, port, err := net.SplitHostPort(address)
	require.NoError(t, err)
	for _, at := range []string{address, ":" + port, "0.0.0.0:" + port} {
		require.NoError(t, askReady(t.Context(), at), at)
	}
	status = http.StatusServiceUnavailable
	require.ErrorContains(t, askReady(t.Context(), address), "503")
	server.Close()
	require.Error(t, askReady(t.Context(), address))
	require.Error(t, askReady(t.Context(), "nowhere"))
}
