package test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// curlLines returns the commands of a document that begin with curl and call the API.
func curlLines(t *testing.T, document string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		command := ""
		for line := range strings.Lines(block[1]) {
			if command == "" && !strings.HasPrefix(line, "curl ") {
				continue
			}
			command += line
			if !strings.HasSuffix(line, "\\\n") && strings.Count(command, "'")%2 == 0 {
				commands = append(commands, command)
				command = ""
			}
		}
		require.Empty(t, command, document)
	}
	return commands
}

// Every curl line of the documents is a call that the API understands: the operation exists, and takes the content type, the query and the body.
func TestCurlLinesOfTheDocuments(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	p.start()
	documents, err := filepath.Glob("../docs/*.md")
	require.NoError(t, err)
	spanish, err := filepath.Glob("../docs/es/*.md")
	require.NoError(t, err)
	documents = append(documents, spanish...)
	token := p.login("admin@banca.test")
	url := "http://" + p.addr
	environment := append(os.Environ(),
		"URL="+url, "API="+url, "TOKEN="+token, "AUTH=Authorization: Bearer "+token, "ROOT=Authorization: Bearer "+token, "JSON=Content-Type: application/json",
		"BANK="+uuid.NewString(), "DEVICE="+uuid.NewString(), "MONDAY=2026-11-16", "SUNDAY=2026-11-22")
	for _, name := range []string{"ID", "TICKET", "GAME", "DRAW", "POINT", "WALLET", "CLOSE"} {
		environment = append(environment, name+"="+uuid.NewString())
	}
	found := 0
	for _, document := range append(documents, "../README.md") {
		for _, command := range curlLines(t, document) {
			if !strings.Contains(command, "$URL") && !strings.Contains(command, "$API") && !strings.Contains(command, "{base_url}") {
				continue // of a simulator
			}
			found++
			command = strings.NewReplacer("{base_url}", url, "0193...", uuid.NewString()).Replace(command)
			cmd := exec.CommandContext(t.Context(), "bash", "-c", "curl() { command curl -o - -w '\\n%{http_code}' \"$@\"; }\n"+command)
			cmd.Env, cmd.Dir = environment, t.TempDir()
			out, err := cmd.Output()
			if !assert.NoError(t, err, "%s: %s", document, command) {
				continue
			}
			status := string(out[strings.LastIndex(string(out), "\n")+1:])
			assert.NotContains(t, []string{"400", "405", "415", "500"}, status, "%s: %s%s", document, command, out)
			assert.NotContains(t, string(out), `"NOT_FOUND"`, "%s: %s", document, command)
		}
	}
	assert.Greater(t, found, 20)
	require.NoError(t, p.interrupt())
}
