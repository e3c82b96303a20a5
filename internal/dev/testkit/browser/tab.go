package browser

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const (
	timeout = 2 * time.Minute // of one step, on a machine that is busy
	pause   = 30 * time.Millisecond
)

// Tab is a page in the browser. Its methods end the test on an error and must be called from the test's goroutine.
// Selectors are those of CSS.
type Tab struct {
	t     testing.TB
	ctx   context.Context //nolint:containedctx // chromedp keeps the tab in it
	watch *watch
	why   string
}

// Open opens a tab that shares nothing with other tests. The test's end closes it.
func Open(t testing.TB) *Tab {
	t.Helper()
	Need(t)
	ctx, cancel := shared.open(chromedp.WithNewBrowserContext())
	return begin(t, ctx, cancel)
}

// Another opens a second tab beside this one, with the same cookies.
func (tab *Tab) Another() *Tab {
	tab.t.Helper()
	ctx, cancel := chromedp.NewContext(tab.ctx)
	return begin(tab.t, ctx, cancel)
}

func begin(t testing.TB, ctx context.Context, cancel context.CancelFunc) *Tab {
	t.Helper()
	tab := &Tab{t: t, ctx: ctx, watch: newWatch()}
	t.Cleanup(func() { //nolint:contextcheck // the tab has its own, as the test's has ended by then
		defer cancel()
		tab.end()
	})
	late := time.AfterFunc(timeout, cancel)
	check(t, chromedp.Do(ctx))
	late.Stop()
	check(t, chromedp.Listen(ctx, tab.watch.event))
	return tab
}

// end reports the page's errors and saves a picture of it.
func (tab *Tab) end() {
	tab.t.Helper()
	tab.settle()
	for _, problem := range tab.watch.verdict() {
		tab.t.Errorf("browser: %s", problem)
	}
	if tab.t.Failed() {
		tab.picture()
	}
}

// settle makes sure that the events up to now have come: they come before the answer to a command.
func (tab *Tab) settle() {
	tab.t.Helper()
	tab.step("settle", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.GetFrameTree, cdp.Empty{})
		return err
	}))
}

// shown is the beginning of what the page says, with the field that has the cursor and the fields that have a value.
const shown = `document.body.innerText.replace(/\s*\n\s*/g, "\n").slice(0, 3000) + "\ncursor: " + document.activeElement.outerHTML.slice(0, 120) +
	Array.from(document.querySelectorAll("input:not([type=hidden])")).filter(field => field.value && field.type !== "password")
		.map(field => "\n" + (field.id || field.name) + ": " + field.value).join("")`

// picture logs what the tab shows, and saves a picture of it, in the directory of the run's files, else in the temporary one.
func (tab *Tab) picture() {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	address, _ := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href"))
	text, _ := chromedp.Run(ctx, chromedp.Evaluate[string](shown))
	tab.t.Logf("browser: the page %s says\n%s", address, text)
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		tab.t.Log("browser: no picture:", err)
		return
	}
	dir := os.TempDir() // the test's own directory is removed when it ends
	if kept := flag.Lookup("test.artifacts"); kept != nil && kept.Value.String() == "true" {
		dir = tab.t.ArtifactDir()
	}
	file, err := os.CreateTemp(dir, "banca-"+regexp.MustCompile(`\W+`).ReplaceAllString(tab.t.Name(), "-")+"-*.png")
	if err == nil {
		_, err = file.Write(png)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		tab.t.Log("browser: no picture:", err)
		return
	}
	tab.t.Log("browser: its picture is", file.Name(), tab.why)
}

// fatalf ends the test. The reason is logged again below the page's text, as the end of a long output is what is read.
func (tab *Tab) fatalf(format string, args ...any) {
	tab.t.Helper()
	tab.why = fmt.Sprintf(format, args...)
	tab.t.Fatal(tab.why)
}

// Expect announces errors that hold the text: without any the test fails.
func (tab *Tab) Expect(text string) { tab.watch.expect(text) }

// Allow permits errors that hold the text, which some browsers cause and others do not.
func (tab *Tab) Allow(text string) { tab.watch.allow(text) }

// step does something with the page within a time.
func (tab *Tab) step(what string, actions ...chromedp.Action[chromedp.Void]) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		tab.fatalf("browser: %s: %v", what, err)
	}
}

// Visit goes to an address and waits for the page.
func (tab *Tab) Visit(address string) {
	tab.t.Helper()
	tab.step("visit "+address, chromedp.Navigate(address))
}

// Before runs a script in each page to come, before the page's own scripts.
func (tab *Tab) Before(script string) {
	tab.t.Helper()
	tab.step("before", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
}

// Back goes to the page before and waits for it.
func (tab *Tab) Back() {
	tab.t.Helper()
	tab.step("back", chromedp.NavigateBack())
}

// Click clicks on an element.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.step("click "+selector, click(selector))
}

// Follow clicks on an element that leads to another page and waits for that.
func (tab *Tab) Follow(selector string) {
	tab.t.Helper()
	tab.step("follow "+selector, loaded(click(selector)))
}

// Fill replaces the content of a field by typing.
func (tab *Tab) Fill(selector, text string) {
	tab.t.Helper()
	tab.step("fill "+selector, chromedp.Focus(chromedp.CSS(selector), chromedp.NodeVisible),
		chromedp.Evaluate[chromedp.Void](`document.activeElement.select()`), chromedp.KeyEvent(text))
}

// Choose chooses the option with a value.
func (tab *Tab) Choose(selector, value string) {
	tab.t.Helper()
	tab.step("choose "+selector, chromedp.SetValue(chromedp.CSS(selector), value))
}

// Upload puts a file into a field.
func (tab *Tab) Upload(selector, file string) {
	tab.t.Helper()
	tab.step("upload "+selector, chromedp.SetUploadFiles(chromedp.CSS(selector), []string{file}))
}

// Press presses keys, those of package kb among them.
func (tab *Tab) Press(keys string) {
	tab.t.Helper()
	tab.step("press", chromedp.KeyEvent(keys))
}

// PressTo presses keys that lead to another page and waits for that.
func (tab *Tab) PressTo(keys string) {
	tab.t.Helper()
	tab.step("press", loaded(chromedp.KeyEvent(keys)))
}

// Text returns what an element shows, without space around it.
func (tab *Tab) Text(selector string) string {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS(selector), chromedp.NodeReady))
	if err != nil {
		tab.fatalf("browser: text of %s: %v", selector, err)
	}
	return strings.TrimSpace(text)
}

// Value evaluates a script, or the promise that it returns.
func Value[T any](tab *Tab, script string) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script, chromedp.EvalAwaitPromise))
	if err != nil {
		tab.fatalf("browser: %s: %v", script, err)
	}
	return value
}

// Until waits until a script is true, over changes of the page.
func (tab *Tab) Until(script string) {
	tab.t.Helper()
	tab.UntilWithin(timeout, script)
}

// UntilWithin waits for at most a time until a script is true, over changes of the page.
func (tab *Tab) UntilWithin(bound time.Duration, script string) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, bound)
	defer cancel()
	for {
		yes, err := chromedp.Run(ctx, chromedp.Evaluate[bool](script))
		if err == nil && yes {
			return
		}
		select {
		case <-ctx.Done():
			tab.fatalf("browser: never true: %s (%v)", script, err)
		case <-time.After(pause):
		}
	}
}

// Without deletes a cookie of the page.
func (tab *Tab) Without(cookie string) {
	tab.t.Helper()
	address := Value[string](tab, "location.href")
	tab.step("delete "+cookie, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.DeleteCookies, network.DeleteCookiesParams{Name: cookie, URL: address})
		return err
	}))
}

// Language makes the browser ask for a language.
func (tab *Tab) Language(code string) {
	tab.t.Helper()
	tab.step("language "+code, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.SetExtraHTTPHeaders, network.SetExtraHTTPHeadersParams{Headers: network.Headers{"Accept-Language": code}})
		return err
	}))
}

// Narrow makes the page as wide as a small phone, and the browser name itself as the browser of a phone.
func (tab *Tab) Narrow() {
	tab.t.Helper()
	tab.size("narrow", 360, 740, "Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/148.0.0.0 Mobile Safari/537.36")
}

// Wide makes the page as wide as a small screen.
func (tab *Tab) Wide() {
	tab.t.Helper()
	tab.size("wide", 1280, 900, "")
}

// Screen makes the page as wide and as high as a common screen.
func (tab *Tab) Screen() {
	tab.t.Helper()
	tab.size("screen", 1440, 900, "")
}

// Till makes the page as wide and as high as the screen of a common till.
func (tab *Tab) Till() {
	tab.t.Helper()
	tab.size("till", 1366, 768, "")
}

// size makes the page as wide and as high as a screen, of a browser that names itself so; "" for its own name.
func (tab *Tab) size(what string, width, height int64, browser string) {
	tab.t.Helper()
	tab.step(what, chromedp.EmulateViewport(width, height), chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: browser})
		return err
	}))
}

// Save writes a picture of the whole page to a file.
func (tab *Tab) Save(file string) {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, timeout)
	defer cancel()
	tab.step("hide the scroll bars", scrollBars("none")) // the picture is as wide as the screen
	defer tab.step("show the scroll bars", scrollBars(""))
	Value[bool](tab, `new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`) // laid out without them
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	check(tab.t, err)
	check(tab.t, os.WriteFile(file, png, 0o600))
}

func scrollBars(width string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.documentElement.style.scrollbarWidth = %q", width))
}

// Scheme emulates a screen and a user who prefers light or dark.
func (tab *Tab) Scheme(scheme string) {
	tab.t.Helper()
	tab.emulate("screen", scheme)
}

// Print emulates a printer, for a user who prefers light or dark.
func (tab *Tab) Print(scheme string) {
	tab.t.Helper()
	tab.emulate("print", scheme)
}

func (tab *Tab) emulate(media, scheme string) {
	tab.t.Helper()
	tab.step(media+" "+scheme, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// NoScripts turns off the scripts of pages to come. Value and Until still work.
func (tab *Tab) NoScripts() {
	tab.t.Helper()
	tab.step("no scripts", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
}

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible)
}

// loaded does something that leads to another page and waits for that.
func loaded(action chromedp.Action[chromedp.Void]) chromedp.Action[chromedp.Void] {
	wait := chromedp.WaitEvent(page.LoadEventFired, nil, action)
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := wait(ctx, t)
		return err
	})
}

// check ends the test on an error of the test's own equipment.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal("browser:", err)
	}
}
