package assistant

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// Whatever a model writes, its HTML is harmless, valid and bounded, and the text so far is one, too.
func FuzzRender(f *testing.F) {
	for _, text := range []string{"**a** _b_ `c`", "| a | b |\n|---|--:|\n| 1 | 2 |", "- a\n  - b\n1. c", "> x\n> > y", "```\n<b>", "[a](/admin/x?y=1)", "![a](http://b)", "# h\n---", "\\<a\\>", "&lt;script&gt;", "~~d~~"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		harmless(t, text)
		for _, open := range []bool{false, true} {
			out := strings.Join(render(text, open), "")
			if !utf8.ValidString(out) && utf8.ValidString(text) {
				t.Errorf("%q: invalid HTML %q", text, out)
			}
			if len(out) > 2_000+60*len(text) {
				t.Errorf("%d bytes of %d", len(out), len(text))
			}
		}
	})
}
