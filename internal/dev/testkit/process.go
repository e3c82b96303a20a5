package testkit

import (
	"bytes"
	"math/rand/v2"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a server that a test runs as a child process. It ends with the test, and with the test process.
type Process struct {
	t    testing.TB
	argv []string
	as   *syscall.Credential // nil for the account of the test
	cmd  *exec.Cmd
	out  output
	done chan struct{}
}

// StartProcess runs a server. The program is looked for in PATH.
func StartProcess(t testing.TB, argv ...string) *Process {
	t.Helper()
	return startProcessAs(t, nil, argv...)
}

func startProcessAs(t testing.TB, as *syscall.Credential, argv ...string) *Process {
	t.Helper()
	p := &Process{t: t, argv: argv, as: as}
	p.Start()
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			t.Logf("testkit: output of %v:\n%s", argv, p.out.tail())
		}
	})
	return p
}

// Start runs the server again after Kill.
func (p *Process) Start() {
	p.t.Helper()
	p.done = make(chan struct{})
	p.cmd = exec.Command(p.argv[0], p.argv[1:]...) //nolint:noctx,gosec // a server of the test's; its life is bounded by the cleanup
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.out
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true, Credential: p.as}
	p.cmd.WaitDelay = time.Second
	started := make(chan error, 1)
	go func(cmd *exec.Cmd, done chan struct{}) {
		runtime.LockOSThread() // the signal of the parent's death is that of the thread
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
		close(done)
	}(p.cmd, p.done)
	check(p.t, <-started)
}

// Kill ends the server and its children without a warning, as a crash does. It may be called on one that has ended.
func (p *Process) Kill() {
	select {
	case <-p.done:
		return
	default:
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	<-p.done
}

// Signal sends a signal to the server itself.
func (p *Process) Signal(sig syscall.Signal) { _ = p.cmd.Process.Signal(sig) }

// Done is closed when the server has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// output keeps what a server printed.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) tail() string {
	const most = 1_000
	o.mu.Lock()
	defer o.mu.Unlock()
	b := o.buf.Bytes()
	return string(b[max(0, len(b)-most):])
}

// FreeAddr returns an address of this machine that nothing listens on. The port is below those that the system gives to
// connections (32768 and above), one of which could take it meanwhile.
func FreeAddr(t testing.TB) string {
	t.Helper()
	const lowest, ports, attempts = 10_000, 22_000, 100
	for range attempts {
		addr := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(ports))) //nolint:gosec // not a secret
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", addr)
		if err != nil {
			continue
		}
		check(t, l.Close())
		return addr
	}
	t.Fatal("testkit: no port is free")
	return ""
}

// await waits for a state of the test's equipment.
func await(t testing.TB, what string, reached func() bool) {
	t.Helper()
	const pause = 20 * time.Millisecond
	for end := time.Now().Add(WaitTimeout); !reached(); { //nolint:forbidigo // a timeout
		if time.Now().After(end) { //nolint:forbidigo // a timeout
			t.Fatal("testkit: in vain: ", what)
		}
		time.Sleep(pause)
	}
}
