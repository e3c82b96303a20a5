package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	startTimeout = 60 * time.Second // on a machine that is busy compiling
	stopTimeout  = 10 * time.Second
)

// errMissing reports that no browser is installed, as opposed to one that does not start.
var errMissing = errors.New("no Chromium (apt-get install chromium-headless-shell, or chromium)")

// shared is the browser of this test process. It is a variable because Open gets nothing but the test.
//
//nolint:gochecknoglobals // see above
var shared process

// process is a browser that is started once, on first use.
type process struct {
	once sync.Once
	err  error // of the start

	open func(...chromedp.ContextOption) (context.Context, context.CancelFunc) // a tab
	stop func() error
}

// Need skips the test, or fails it in continuous integration, when there is no browser. Open does the same; Need
// is for tests that have something dear to start first.
func Need(t testing.TB) {
	t.Helper()
	shared.once.Do(func() { shared.err = shared.start() })
	if errors.Is(shared.err, errMissing) && os.Getenv("CI") == "" {
		t.Skip("browser:", shared.err)
	}
	check(t, shared.err)
}

// Close ends the browser, if one was started, and returns an exit status. It is for TestMain only.
func Close() int {
	if shared.stop == nil {
		return 0
	}
	if err := shared.stop(); err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		return 1
	}
	return 0
}

// find returns the path of a browser. The shell is Chromium without the windows and tabs that nothing shows here; it takes
// half of the processor time.
func find() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errMissing
}

// start starts the browser with a profile in a temporary directory, which is removed when it ends.
func (p *process) start() error {
	path, err := find()
	if err != nil {
		return err
	}
	// The defaults are headless, no-first-run and disable-background-networking among others, and no-sandbox for root.
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path),
		chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("hide-scrollbars", false),
		chromedp.Flag("accept-lang", "en-US,en")) // the shell requests no language by default
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	late := time.AfterFunc(startTimeout, cancel)
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return fmt.Errorf("start %s: %w", path, err)
	}
	late.Stop()
	p.open = func(o ...chromedp.ContextOption) (context.Context, context.CancelFunc) {
		return chromedp.NewContext(ctx, o...)
	}
	p.stop = func() error {
		limit, done := context.WithTimeout(ctx, stopTimeout)
		defer done()
		defer stop()
		return chromedp.Cancel(limit)
	}
	return nil
}
