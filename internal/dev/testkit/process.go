package testkit

import (
	"bytes"
	"sync"
	"syscall"
	"testing"
	"time"

	"banca/internal/dev/process"
)

// Process is a server that a test runs as a child process. It ends with the test, and with the test process.
type Process struct {
	*process.Process
	t    testing.TB
	spec process.Spec
	out  output
}

// StartProcess runs a server. The program is looked for in PATH.
func StartProcess(t testing.TB, argv ...string) *Process {
	t.Helper()
	return startProcessAs(t, nil, argv...)
}

func startProcessAs(t testing.TB, as *syscall.Credential, argv ...string) *Process {
	t.Helper()
	p := &Process{t: t}
	p.spec = process.Spec{Argv: argv, As: as, Output: &p.out}
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
	var err error
	p.Process, err = process.Start(&p.spec)
	check(p.t, err)
}

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

// FreeAddr returns an address of this machine that nothing listens on.
func FreeAddr(t testing.TB) string {
	t.Helper()
	addr, err := process.FreeAddress(t.Context())
	check(t, err)
	return addr
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
