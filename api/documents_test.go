package api

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/models"
)

// form writes fields, in pairs, and files as a browser does. A field whose name begins with @ is a file.
func form(t testing.TB, fields ...string) (contentType, body string) {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for i := 0; i < len(fields); i += 2 {
		if fields[i] == "@file" {
			part, err := w.CreateFormFile("file", "../Cédula.exe")
			require.NoError(t, err)
			_, err = part.Write([]byte(fields[i+1]))
			require.NoError(t, err)
			continue
		}
		require.NoError(t, w.WriteField(fields[i], fields[i+1]))
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), out.String()
}

func picture(t testing.TB, side int) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, png.Encode(&out, image.NewGray(image.Rect(0, 0, side, side))))
	return out.String()
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := "/entities/" + b.agency.ID.String() + "/documents"
	send := func(name string, status int, code string, fields ...string) scenario {
		contentType, body := form(t, fields...)
		return scenario{name: name, path: at, role: models.RoleAdmin, header: map[string]string{"Content-Type": contentType}, body: body, status: status, code: code}
	}
	good := picture(t, 30)
	s := send("", 0, "", "kind", "identity_card", "@file", good)
	w := b.do(t, s.request())
	require.Equal(t, http.StatusCreated, w.Code, w.Body)
	d := decode[document](t, w)
	assert.Equal(t, at, w.Header().Get("Location"))
	assert.Equal(t, []any{"Cédula.png", "image/png", 30, len(good)}, []any{d.Name, d.ContentType, *d.Width, d.Size})
	assert.WithinDuration(t, time.Now().Add(5*time.Minute), d.ExpiresAt, 10*time.Second)
	assert.Equal(t, good, fetched(t, d.URL))

	foreign := send("foreign", 404, "ENTITY_NOT_FOUND", "kind", "other", "@file", good)
	foreign.path = "/entities/" + b.root.ID.String() + "/documents"
	none := send("no boundary", 400, "INVALID_FORM", "kind", "other", "@file", good)
	none.header["Content-Type"] = "multipart/form-data"
	short := send("cut short", 400, "INVALID_FORM", "kind", "other", "@file", good)
	short.body = short.body[:len(short.body)-40]
	reader := send("read only", 403, "FORBIDDEN", "kind", "other", "@file", good)
	reader.role = models.RoleSocio
	large := string(make([]byte, org.MaxDocument))
	b.run(t, []scenario{
		send("the same again", 409, "DOCUMENT_EXISTS", "kind", "identity_card", "@file", good),
		send("another kind of it", 201, "", "@file", good, "kind", "other"),
		send("no kind", 400, "INVALID_FORM", "@file", good),
		send("no file", 400, "INVALID_FORM", "kind", "other"),
		send("two files", 400, "INVALID_FORM", "kind", "other", "@file", good, "@file", good),
		send("another field", 400, "INVALID_FORM", "kind", "other", "@file", good, "name", "x"),
		send("unknown kind", 422, "INVALID_DOCUMENT", "kind", "hunter2", "@file", good),
		send("a page", 422, "DOCUMENT_TYPE", "kind", "other", "@file", "<html>"),
		send("damaged", 422, "DOCUMENT_BROKEN", "kind", "other", "@file", good[:50]),
		send("two things", 422, "DOCUMENT_MIXED", "kind", "other", "@file", good+"%PDF-1.4"),
		send("too large", 413, "DOCUMENT_TOO_LARGE", "kind", "other", "@file", large+"x"),
		send("far too large", 413, "BODY_TOO_LARGE", "kind", "other", "@file", large+large),
		foreign, none, short, reader,
		{name: "JSON", path: at, role: models.RoleAdmin, body: `{"kind":"other"}`, status: 400, code: "INVALID_FORM"},
		{name: "list", path: at + "?page_size=1", role: models.RoleAdmin, status: 200, has: []string{`"total":2`, `"kind":"other"`, `"url":"http`, `"expires_at":"`}, lacks: []string{`"kind":"identity_card"`, "object_key", "digest"}},
		{name: "identity cards are for administrators", path: at, role: models.RoleTaquilla, status: 403, code: "FORBIDDEN"},
		{name: "foreign list", path: foreign.path, role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "foreign removal", method: http.MethodDelete, path: foreign.path + "/" + d.ID.String(), role: models.RoleAdmin, status: 404, code: "ENTITY_NOT_FOUND"},
		{name: "unknown", method: http.MethodDelete, path: at + "/" + uuid.NewString(), role: models.RoleAdmin, status: 404, code: "DOCUMENT_NOT_FOUND"},
		{name: "remove", method: http.MethodDelete, path: at + "/" + d.ID.String(), role: models.RoleAdmin, status: 200, has: []string{`"deleted":true`}},
		{name: "removed", path: at, role: models.RoleAdmin, status: 200, has: []string{`"total":1`}, lacks: []string{"identity_card"}},
	})
	b.exec(t, `DROP TABLE document_leftovers`) // a failure names no cause
	s = send("", 0, "", "kind", "tax_id", "@file", good)
	w = b.do(t, s.request())
	assertProblem(t, w, http.StatusInternalServerError, "INTERNAL")
}

func fetched(t testing.TB, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, org.MaxDocument))
	require.NoError(t, err)
	return string(body)
}
