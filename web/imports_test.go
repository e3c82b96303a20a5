package web

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	chromium "banca/internal/dev/testkit/browser"
	"banca/internal/setup/imports"
	"banca/models"
)

const importPath = orgPath + "/import"

// upload sends a file to the import.
func (b *browser) uploadImport(t *testing.T, content string) *httptest.ResponseRecorder {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	require.NoError(t, form.WriteField(tokenField, b.token(t, importPath)))
	part, err := form.CreateFormFile("file", "taquillas.csv")
	require.NoError(t, err)
	_, err = part.Write([]byte(content))
	require.NoError(t, err)
	require.NoError(t, form.Close())
	r := httptest.NewRequest(http.MethodPost, importPath, &body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	w := httptest.NewRecorder()
	b.engine.ServeHTTP(w, r)
	return w
}

// A file is reviewed as a tree, and imported from the review.
func TestImportOfAFile(t *testing.T) {
	t.Parallel()
	p := setupBank(t)
	p.login(t, models.RoleAdmin, "")
	count := func() (n int) {
		require.NoError(t, p.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM entities`).Scan(&n))
		return n
	}
	before := count()
	template := p.get(importPath + "/template?format=csv")
	require.Equal(t, http.StatusOK, template.Code)
	plan, err := imports.Parse(template.Body.Bytes())
	require.NoError(t, err, "the template is a file that can be imported")
	require.Empty(t, plan.Ignored)
	require.Len(t, plan.Rows, 3)

	w := p.uploadImport(t, "código;nombre;comisión\nX1;Uno;200\n")
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), "Comisión: ")
	require.NotContains(t, w.Body.String(), `name="rows"`)
	w = p.uploadImport(t, "sin;columnas\n1;2\n")
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
	require.Contains(t, w.Body.String(), "al menos código y nombre")

	w = p.uploadImport(t, template.Body.String())
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, before, count())
	rows := regexp.MustCompile(`name="rows" value="([^"]+)"`).FindStringSubmatch(w.Body.String())
	require.Len(t, rows, 2)
	form := url.Values{tokenField: {p.token(t, importPath)}, "action": {"do"}, "rows": {strings.NewReplacer("&#43;", "+").Replace(rows[1])}}
	w = p.do(http.MethodPost, importPath, form)
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), "Importado.")
	require.Equal(t, before+3, count())
	form.Set("rows", "bm8gZ3ppcA==")
	w = p.do(http.MethodPost, importPath, form)
	require.Equal(t, http.StatusUnprocessableEntity, w.Code)
}

// In a browser the tree of a review has each row's problem beside it.
func TestTheImportInABrowser(t *testing.T) {
	t.Parallel()
	chromium.Need(t)
	p := setupBank(t)
	tab, server := enterInBrowser(t, p.engine)
	file := filepath.Join(t.TempDir(), "taquillas.csv")
	rows := "código;nombre;tipo;pertenece a;comisión;tope de venta;crédito;usuario;teléfono\n" +
		"AG-9;Agencia Nueve;agencia;;15;100.000;;;\nGR-9;Grupo Nueve;grupo;AG-9;12;;;;\n" +
		"TQ-91;Taquilla Plaza;taquilla;GR-9;10;20.000;5.000,00;plaza;04141110002\nTQ-92;Taquilla Mercado;taquilla;GR-9;13;20.000;x;mercado;\n"
	require.NoError(t, os.WriteFile(file, []byte(rows), 0o600))
	tab.Visit(server + importPath)
	pictures(tab, "import")
	tab.Upload("#file", file)
	tab.Follow("main form button")
	assert.Contains(t, tab.Text("main"), "13.00 %")
	tab.Narrow()
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	tab.Wide()
	assert.Empty(t, chromium.Value[[]string](tab, overflowing))
	pictures(tab, "import-wrong")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(rows, "13;20.000;x;mercado;", "10;20.000;1;mercado;04141110003", 1)), 0o600))
	tab.Visit(server + importPath)
	tab.Upload("#file", file)
	tab.Follow("main form button")
	pictures(tab, "import-review")
	tab.Follow(`main button[value="do"]`)
	assert.Contains(t, tab.Text("main"), "Importado.")
}
