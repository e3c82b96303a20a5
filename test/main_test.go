// Package test holds the end-to-end tests: the platform as a user runs it, over HTTP.
package test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/app"
	"banca/internal/commands"
	"banca/internal/dev"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/trial"
	"banca/internal/platform/config"
)

// dataDir is the data directory in the directory of a platform.
const dataDir = "var"

// commandVariable makes the test binary run the command of its arguments, as banca does.
const commandVariable = "BANCA_TEST_RUN_COMMAND"

// devVariable makes the test binary run `banca-dev dev` instead of tests.
const devVariable = "BANCA_TEST_RUN_DEV"

func TestMain(m *testing.M) {
	if os.Getenv(commandVariable) != "" {
		cmd := commands.Root("test", app.WithClock(trial.Clock()))
		cmd.AddCommand(dev.Seed())
		os.Exit(commands.Execute(cmd))
	}
	if os.Getenv(devVariable) != "" {
		os.Exit(runDev())
	}
	code := testkit.Run(m)
	if err := prepared.close(); err != nil {
		fmt.Fprintln(os.Stderr, "remove the prepared platform:", err)
	}
	os.Exit(max(code, browser.Close()))
}

func runDev() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	cfg, err := config.Load()
	if err == nil {
		err = dev.Run(ctx, &cfg, app.NewLogger(cfg.Log, os.Stderr), os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// platform is `banca-dev dev` in a process of its own.
type platform struct {
	t       *testing.T
	dir     string
	addr    string
	gateway string
	env     []string  // more of the process's environment
	out     io.Writer // of the process's standard output; nil discards it
	errors  io.Writer // of its log; nil is that of the test
	cmd     *exec.Cmd
}

// newPlatform returns a platform whose data directory is a copy of the prepared one.
func newPlatform(t *testing.T) *platform {
	t.Helper()
	p := newEmptyPlatform(t)
	prepared.copyTo(t, p.dir)
	return p
}

// newEmptyPlatform returns a platform without data, as after a clone.
func newEmptyPlatform(t *testing.T) *platform {
	t.Helper()
	return &platform{t: t, dir: testkit.Dir(t), addr: freeAddr(t), gateway: freeAddr(t)}
}

// freeAddr returns an address that a process of the test is to listen on. The port is below those that the system gives to
// connections (32768 and above), one of which could take it meanwhile.
func freeAddr(t *testing.T) string {
	t.Helper()
	const lowest, ports, attempts = 10_000, 22_000, 100
	for range attempts {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(ports)))
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
		if err != nil {
			continue
		}
		require.NoError(t, l.Close())
		return addr
	}
	require.Fail(t, "no port is free")
	return ""
}

// in returns the platform for a test within the one that started it.
func (p *platform) in(t *testing.T) *platform {
	t.Helper()
	q := *p
	q.t = t
	return &q
}

// start runs the platform and returns how long it took to be ready.
func (p *platform) start() time.Duration {
	p.t.Helper()
	program, err := os.Executable()
	require.NoError(p.t, err)
	p.cmd = exec.Command(program)
	p.cmd.Env = append(os.Environ(), devVariable+"=1", "HTTP_ADDR="+p.addr, "DATA_DIR="+filepath.Join(p.dir, dataDir),
		"SIM_GATEWAY_ADDR="+p.gateway, "LOG_LEVEL=warn", "BCRYPT_COST=4")
	p.cmd.Env = append(p.cmd.Env, p.env...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, os.Stderr
	if p.errors != nil {
		p.cmd.Stderr = p.errors
	}
	begin := time.Now()
	require.NoError(p.t, p.cmd.Start())
	p.t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	require.Eventually(p.t, func() bool { return p.get("/readyz", "").status == 200 }, testkit.WaitTimeout, 20*time.Millisecond)
	return time.Since(begin)
}

// interrupt is Ctrl-C.
func (p *platform) interrupt() error {
	require.NoError(p.t, p.cmd.Process.Signal(os.Interrupt))
	return p.cmd.Wait()
}

// kill is kill -9.
func (p *platform) kill() {
	require.NoError(p.t, p.cmd.Process.Kill())
	_ = p.cmd.Wait()
}
