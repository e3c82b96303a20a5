package requestlog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPaths(t *testing.T) {
	t.Parallel()
	const id = "0199d3a0-0000-7000-8000-000000000001"
	secret := func(name string) bool { return name == "connection_id" }
	for _, c := range []struct{ route, path, want string }{
		{"/games", "/games", "/games"},
		{"/entities/:id", "/entities/" + id, "/entities/" + id},
		{"/t/:serial", "/t/K7QX9M2P4D6A", "/t/:serial"},
		{"/auth/logs/:id", "/auth/logs/not-an-id", "/auth/logs/:id"},
		{"/entities/:id/documents/:document", "/entities/" + id + "/documents/rif", "/entities/" + id + "/documents/:document"},
		{"/messaging/webhooks/:connection_id", "/messaging/webhooks/" + id, "/messaging/webhooks/:connection_id"},
		{"/pages/:number", "/pages/12", "/pages/12"},
		{"/pages/:number", "/pages/1234567890123", "/pages/:number"},
		{"/admin/queues/*rest", "/admin/queues/api/queues/critical", "/admin/queues/*rest"},
		{"", "/wp-login.php", "/wp-login.php"},
		{"", "/a/" + strings.Repeat("x", 40) + "/b", "/a/…/b"},
		{"", "/ana@example.com", "/…"},
		{"", "/t/K7QX9M2P4D6A/", "/t/…/"},
		{"", "/T/KPQXNMWPZDQA", "/T/…"},
		{"", "/+584141234567/V-12345678", "/…/…"},
		{"", "/api/v1/tickets/" + id, "/api/v1/tickets/" + id},
		{"", "/\x00\xff/x", "/…/x"},
	} {
		var parameters []Parameter
		segments := strings.Split(c.path, "/")
		for i, name := range strings.Split(c.route, "/") {
			if strings.HasPrefix(name, ":") {
				parameters = append(parameters, Parameter{Name: name[1:], Value: segments[i]})
			} else if strings.HasPrefix(name, "*") {
				parameters = append(parameters, Parameter{Name: name[1:], Value: "/" + strings.Join(segments[i:], "/")})
			}
		}
		assert.Equal(t, c.want, Path(c.route, c.path, parameters, secret), c.path)
	}
	assert.LessOrEqual(t, len(Path("", "/"+strings.Repeat("ab/", 10_000), nil, nil)), maxPath)
}

func FuzzUnmatchedPath(f *testing.F) {
	f.Add("/a/b")
	f.Fuzz(func(t *testing.T, path string) {
		out := Path("", path, nil, nil)
		if !printable(out) || len(out) > maxPath*len(mask) {
			t.Fatalf("%q", out)
		}
	})
}
