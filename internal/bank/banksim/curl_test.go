package banksim

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shell runs a curl line with a curl that prints its arguments, each ended by a zero byte.
func shell(t *testing.T, line string) []string {
	t.Helper()
	directory := t.TempDir()
	fake := "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\0' \"$a\"; done\n"
	require.NoError(t, os.WriteFile(filepath.Join(directory, "curl"), []byte(fake), 0o700))
	command := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
	command.Env = []string{"PATH=" + directory + ":/usr/bin:/bin", "BANK_TOKEN=of the shell"}
	command.Dir = directory
	out, err := command.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func TestCurlLineMakesTheCallAgain(t *testing.T) {
	t.Parallel()
	_, server := start(t)
	s := simulator(t, time.Minute, server.URL)
	for _, concept := range []string{
		`O'Hara "y" hijos`, `'; touch pwned; '`, "$(touch pwned) `touch pwned` $BANK_TOKEN", `\' \\ !! *?`, "línea\notra\t@x", `'''`, "\x00\x1b",
	} {
		for _, scenario := range []Scenario{Plain, Malformed} {
			r := &Run{Target: server.URL, Phase: PhaseB, Scenario: scenario, Token: testToken, Fields: map[string]string{"Concepto": concept}}
			x := run(t, s, r)[0]
			assert.Equal(t, []string{"-sS", "-i", "-X", "POST", server.URL + "/BancoNotifica", "-H", "Authorization: of the shell",
				"-H", "Content-Type: application/json", "--data-raw", x.RequestBody}, shell(t, x.Curl))
		}
	}
}

func TestCurlLineOfAWrongTokenIsWrongToo(t *testing.T) {
	t.Parallel()
	hooks, server := start(t)
	x := run(t, simulator(t, time.Minute, server.URL), &Run{Target: server.URL, Phase: PhaseA, Scenario: WrongToken, Token: testToken})[0]
	assert.NotContains(t, x.Curl, "BANK_TOKEN")
	sent, found := strings.CutPrefix(shell(t, x.Curl)[6], "Authorization: ")
	assert.True(t, found)
	assert.NoError(t, uuid.Validate(sent))
	assert.Equal(t, hooks.seen[0].authorization, sent)
}
