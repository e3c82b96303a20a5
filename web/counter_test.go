package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/models"
	"banca/web/pos"
	"banca/web/pos/static"
)

const counterPath = pos.Path

// The access token of the counter is for a browser with a session that may sell, and ends with it.
func TestTheCounterGivesTokensToItsOwnSessionsOnly(t *testing.T) {
	t.Parallel()
	b := setupBank(t)
	asked := func() (status int, body map[string]any, header http.Header) {
		b.header["HX-Request"] = "true"
		defer delete(b.header, "HX-Request")
		w := b.get(counterPath + "/session")
		_ = json.Unmarshal(w.Body.Bytes(), &body) // a refusal has a page
		return w.Code, body, w.Header()
	}
	status, _, _ := asked()
	assert.Equal(t, http.StatusUnauthorized, status)
	assert.Equal(t, loginPath+"?next=%2Fvender", b.get(counterPath).Header().Get("Location"))
	b.header["Accept"] = "text/event-stream"
	assert.Equal(t, http.StatusUnauthorized, b.get(counterPath+"/news").Code, "a script follows it, which has no use for the login")
	delete(b.header, "Accept")
	b.enter(t, "socio@banca.test")
	status, _, _ = asked()
	assert.Equal(t, http.StatusForbidden, status, "a partner does not sell")

	b.enter(t, "taquilla@banca.test")
	status, body, header := asked()
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, "no-store", header.Get("Cache-Control"))
	assert.Empty(t, header.Get("Access-Control-Allow-Origin"))
	token, _ := body["token"].(string)
	by, err := b.auth.Authenticate(t.Context(), token)
	require.NoError(t, err)
	assert.True(t, by.Browser, "it counts in the class of the panel")
	assert.Equal(t, models.RoleTaquilla, by.Role)
	require.NoError(t, b.auth.Logout(t.Context(), by))
	b.auth.Forget()
	_, err = b.auth.Authenticate(t.Context(), token)
	require.Error(t, err, "it ends with the session")
	status, _, _ = asked()
	assert.Equal(t, http.StatusUnauthorized, status)
}

// The session cookie is for all pages, and replaces the one that an earlier release has set below /admin.
func TestTheSessionCookieReplacesThatOfEarlierReleases(t *testing.T) {
	t.Parallel()
	b := setup(t, "http://127.0.0.1:8080")
	paths := map[string]int{}
	for _, line := range b.login(t, models.RoleAdmin, "").Header().Values("Set-Cookie") {
		cookie, err := http.ParseSetCookie(line)
		require.NoError(t, err)
		if cookie.Name == sessionCookie {
			paths[cookie.Path] = cookie.MaxAge
			assert.Equal(t, http.SameSiteStrictMode, cookie.SameSite)
			assert.True(t, cookie.HttpOnly)
		}
	}
	assert.Len(t, paths, 2)
	assert.Negative(t, paths[home], "deleted")
	assert.Positive(t, paths["/"])
}

// The page has no data of its user, so that the browser may keep it, and all that it needs to open.
func TestTheCounterIsKeptByTheBrowser(t *testing.T) {
	t.Parallel()
	b := setupBank(t)
	b.enter(t, "taquilla@banca.test")
	page := b.get(counterPath)
	require.Equal(t, http.StatusOK, page.Code)
	assert.NotContains(t, page.Body.String(), "form_token")
	assert.NotContains(t, page.Body.String(), "taquilla@banca.test")
	assert.Contains(t, page.Header().Get("Content-Security-Policy"), "default-src 'none'")

	worker := b.get(counterPath + "/worker.js")
	assert.Equal(t, counterPath, worker.Header().Get("Service-Worker-Allowed"))
	settings, _, _ := strings.Cut(strings.TrimPrefix(worker.Body.String(), "const settings = "), ";\n")
	var kept struct {
		Version string
		Kept    map[string]string // beginning of the SHA-256 by address
	}
	require.NoError(t, json.Unmarshal([]byte(settings), &kept))
	assert.Len(t, kept.Version, 16)
	assert.Contains(t, page.Body.String(), `data-version="`+kept.Version+`"`, "the worker knows the page of its release")
	scripts, err := static.Files.ReadDir(".")
	require.NoError(t, err)
	for _, file := range scripts {
		if name := file.Name(); path.Ext(name) == ".js" {
			assert.Contains(t, kept.Kept, assetsPath+name)
		}
	}
	for address, hash := range kept.Kept {
		file := b.get(address)
		assert.Equal(t, http.StatusOK, file.Code, address)
		sum := sha256.Sum256(file.Body.Bytes())
		assert.Equal(t, hex.EncodeToString(sum[:len(hash)/2]), hash, address)
	}
	var manifest map[string]any
	require.NoError(t, json.Unmarshal(b.get(counterPath+"/manifest.webmanifest").Body.Bytes(), &manifest))
	assert.Equal(t, counterPath, manifest["start_url"])
}
