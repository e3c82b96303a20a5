// Package browser gives tests a real browser: one headless Chromium per test process, started when the first test
// asks for it, and in it a tab per test with cookies and storage of its own.
//
//	func TestMain(m *testing.M) {
//		code := testkit.Run(m)
//		os.Exit(max(code, browser.Close()))
//	}
//
// A test fails when its page logs an error, violates its content policy, throws an uncaught error or makes a failing
// request, unless the test announced it with [Tab.Expect] or permits it with [Tab.Allow]. The page of a failed test is saved as a picture that the
// test's log names.
//
// On a machine without Chromium these tests are skipped with the reason; with the variable CI set they fail instead.
package browser
