package test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// Pages must work where the machine has no way out: nothing on them may come from another host.
func TestPagesLoadNothingFromOtherHosts(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.start()
	outside := regexp.MustCompile(`(?:src|href)=["'](?:https?:)?//`)
	for _, path := range []string{"/docs", "/admin/login"} {
		a := p.get(path, "")
		require.Equal(t, http.StatusOK, a.status, path)
		require.NotRegexp(t, outside, string(a.raw), path)
		require.NotEmpty(t, a.header.Get("Content-Security-Policy"), path)
	}
	queues := p.get("/admin/queues", "")
	require.Equal(t, http.StatusSeeOther, queues.status)
	require.Contains(t, queues.header.Get("Location"), "/admin/login")
	require.Equal(t, http.StatusUnauthorized, p.get("/wallets", "").status)
	require.NoError(t, p.interrupt())
}
