package test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/target"
	"banca/internal/platform/config"
)

// Clients are generated from the documents that a server serves, compiled, and sell a ticket at that server.
func TestDeliveredClientsSell(t *testing.T) {
	target.Only(t, target.Delivery)
	t.Parallel()
	s := openAPI(t, func(*config.Config) {})
	address := "http://" + s.addr
	for name, generate := range map[string]func(*testing.T, string) []string{"go": goClient, "typescript": typeScriptClient} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := generate(t, address)
			serial := strings.TrimSpace(execute(t, t.TempDir(), program[0], append(program[1:], address, "taquilla@banca.test", "banca-dev")...))
			var sold int
			require.NoError(t, s.db.QueryRow(t.Context(), `SELECT count(*) FROM tickets WHERE serial_code = $1 AND total = 3550`, serial).Scan(&sold))
			assert.Equal(t, 1, sold, serial)
		})
	}
}

// goClient builds the program of testdata/openapi/go with a client that oapi-codegen makes of the OpenAPI 3.0 form.
func goClient(t *testing.T, address string) []string {
	t.Helper()
	dir := copied(t, "testdata/openapi/go")
	execute(t, dir, "go", "mod", "download")
	document := download(t, address+"/openapi-3.0.json")
	execute(t, dir, "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "main", "-o", "api.gen.go", document)
	execute(t, dir, "go", "vet", ".")
	execute(t, dir, "go", "build", "-trimpath", "-o", "client", ".")
	return []string{filepath.Join(dir, "client")}
}

// typeScriptClient compiles the program of testdata/openapi/typescript with the types that openapi-typescript makes of
// the OpenAPI 3.1 form.
func typeScriptClient(t *testing.T, address string) []string {
	t.Helper()
	packages := needPackages(t)
	dir := copied(t, "testdata/openapi/typescript")
	require.NoError(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	document := download(t, address+"/openapi.json")
	execute(t, dir, "node", "node_modules/openapi-typescript/bin/cli.js", document, "-o", "api.d.ts")
	execute(t, dir, "node", "node_modules/typescript/bin/tsc", "--project", ".")
	return []string{"node", filepath.Join(dir, "out", "sale.js")}
}

// The recommended rules of Redocly and Spectral find nothing in the documents that a server serves, and the AsyncAPI
// document is valid.
func TestDeliveredDocumentsAreClean(t *testing.T) {
	t.Parallel()
	packages := needPackages(t)
	s := openAPI(t, func(*config.Config) {})
	dir := t.TempDir()
	require.NoError(t, os.Symlink(packages, filepath.Join(dir, "node_modules")))
	script, err := os.ReadFile("testdata/openapi/lint.mjs")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lint.mjs"), script, 0o600))
	documents := []string{"lint.mjs"}
	for _, path := range []string{"/openapi.json", "/openapi-3.0.json", "/asyncapi.json"} {
		documents = append(documents, download(t, "http://"+s.addr+path))
	}
	execute(t, dir, "node", documents...)
}

// needPackages returns the directory of the npm packages that scripts/ensure-tools.sh installs.
func needPackages(t *testing.T) string {
	t.Helper()
	target.Only(t, target.Delivery)
	packages, err := filepath.Abs("../.bin/openapi/node_modules")
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(packages, ".package-lock.json"))
	require.NoError(t, err, "scripts/ensure-tools.sh delivery installs the packages")
	return packages
}

// copied returns a copy of a directory in which a test may write.
func copied(t *testing.T, dir string) string {
	t.Helper()
	work := t.TempDir()
	require.NoError(t, os.CopyFS(work, os.DirFS(dir)))
	return work
}

// download saves what an address serves and returns the file.
func download(t *testing.T, address string) string {
	t.Helper()
	p := &platform{t: t}
	a := p.get(address, "")
	require.Equal(t, http.StatusOK, a.status)
	file := filepath.Join(t.TempDir(), filepath.Base(address))
	require.NoError(t, os.WriteFile(file, a.raw, 0o600))
	return file
}

// execute runs a program in a directory and returns its standard output.
func execute(t *testing.T, dir, program string, arguments ...string) string {
	t.Helper()
	out, err := output(t, dir, program, arguments...)
	require.NoError(t, err)
	return out
}

func output(t *testing.T, dir, program string, arguments ...string) (string, error) {
	t.Helper()
	var out, problems strings.Builder
	cmd := exec.CommandContext(t.Context(), program, arguments...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &problems
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %v: %w\n%.10000s\n%.10000s", program, arguments, err, out.String(), problems.String())
	}
	return out.String(), nil
}

// The lock file of the npm packages names no host, so that npm asks the registry that it is configured with.
func TestLockFileNamesNoHost(t *testing.T) {
	t.Parallel()
	lock, err := os.ReadFile("testdata/openapi/package-lock.json")
	require.NoError(t, err)
	assert.NotContains(t, string(lock), "://")
	assert.NotContains(t, string(lock), `"resolved"`)
	assert.Contains(t, string(lock), `"integrity"`)
}
