package test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
)

const (
	waitForOutput = testkit.WaitTimeout
	pollOutput    = 20 * time.Millisecond

	installDatabase = "banca_install"
)

// printedText is what a process prints, which a test reads meanwhile.
type printedText struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *printedText) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printedText) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// newMachine returns a machine with an empty database, an empty Redis and a program banca in its path.
func newMachine(t *testing.T) *machine {
	t.Helper()
	env := testkit.New(t)
	_, err := env.PG.Pool.Exec(t.Context(), "CREATE DATABASE "+installDatabase)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := env.PG.Pool.Exec(context.WithoutCancel(t.Context()), "DROP DATABASE "+installDatabase+" WITH (FORCE)")
		assert.NoError(t, err)
	})
	program, err := os.Executable()
	require.NoError(t, err)
	m := &machine{T: t, dir: testkit.Dir(t), objects: env.ObjectSettings()}
	script := "#!/bin/sh\n" + commandVariable + "=1 exec '" + program + "' \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(m.dir, "banca"), []byte(script), 0o700))
	m.env = append(os.Environ(), "PATH="+m.dir+":"+os.Getenv("PATH"), "DATABASE_URL="+databaseOf(t, env, installDatabase), "REDIS_URL="+env.RedisURL,
		"OBJECTS_DIR="+filepath.Join(m.dir, "objects"), "JWT_SECRET="+strings.Repeat("install-key-0123", 2), "PUBLIC_URL=http://127.0.0.1:8080",
		"CONFIG_FILE=", "BCRYPT_COST=4", "LOG_LEVEL=warn")
	for _, setting := range m.objects { // the folder has the names of the store's buckets
		if strings.HasPrefix(setting, "S3_BUCKET=") {
			m.env = append(m.env, setting)
		}
	}
	return m
}

// command is a command as a person types it.
func (m *machine) command(text string) *exec.Cmd {
	cmd := exec.CommandContext(m.Context(), "bash", "-c", text)
	cmd.Env, cmd.Dir = m.env, m.dir
	return cmd
}

// run runs a command and returns what it prints.
func (m *machine) run(text string) string {
	m.Helper()
	out, err := m.command(text).CombinedOutput()
	require.NoError(m, err, "%s: %s", text, out)
	return string(out)
}

// examine runs banca doctor, which finds nothing but the settings of the test's Postgres, which keeps nothing.
func (m *machine) examine(text string) {
	m.Helper()
	cmd := m.command(text)
	cmd.Env = append(cmd.Env, "HTTP_ADDR="+freeAddr(m.T))
	out, err := cmd.CombinedOutput()
	exit, failed := errors.AsType[*exec.ExitError](err)
	require.True(m, err == nil || failed && exit.ExitCode() == 1, "%s", out)
	assert.Contains(m, string(out), "the tables of this release are there")
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "FAILED") {
			assert.Regexp(m, `(?:fsync|full_page_writes|synchronous_commit) = off`, line)
		}
	}
}

// process starts a command that goes on, waits until it is ready, and ends it as an orchestrator does.
func (m *machine) process(text, variable string) {
	m.Helper()
	addr := freeAddr(m.T)
	cmd := m.command("exec " + text)
	cmd.Env = append(append([]string{}, m.env...), variable+"="+addr, "CONFIG_FILE="+filepath.Join(m.dir, "banca.env"))
	if text != "banca serve" { // which writes the file
		cmd.Env = append(cmd.Env, "CONFIG_FILE=")
	}
	var out printedText
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(m, cmd.Start())
	m.Cleanup(func() { _ = cmd.Process.Kill() })
	ready := func() bool { return (&platform{t: m.T, addr: addr}).get("/readyz", "").status == http.StatusOK }
	require.Eventually(m, ready, testkit.WaitTimeout, 20*time.Millisecond, "%s: %s", text, &out)
	require.NoError(m, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(m, cmd.Wait(), "%s: %s", text, &out)
}
