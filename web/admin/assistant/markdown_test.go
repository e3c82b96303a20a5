package assistant

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"**Ventas** de _ayer_":         "<p><strong>Ventas</strong> de <em>ayer</em></p>",
		"a_b_c 2*3*4":                  "<p>a_b_c 2<em>3</em>4</p>",
		"uno\ndos\n\ntres":             "<p>uno<br>dos</p><p>tres</p>",
		"# Título\n### Más":            "<h3>Título</h3><h3>Más</h3>",
		"- a\n- b\n  - c\n1. d":        "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>d</li></ol>",
		"`<b>` y ``a`b``":              "<p><code>&lt;b&gt;</code> y <code>a`b</code></p>",
		"```\n<x> **y**\n```":          "<pre><code>&lt;x&gt; **y**</code></pre>",
		"---":                          "<hr>",
		"> dicho":                      "<blockquote><p>dicho</p></blockquote>",
		`\*no\* \<b\> &lt;i&gt; &amp;`: "<p>*no* &lt;b&gt; &lt;i&gt; &amp;</p>",
		"|a|b|\n|---|---:|\n|x|1,50|\n|y \\| z|": `<div class="table"><table><thead><tr><th>a</th><th class="number">b</th></tr></thead><tbody><tr><td>x</td><td class="number">1,50</td></tr>` +
			`<tr><td>y | z</td></tr></tbody></table></div>`,
		"[Ventas](/admin/reports/sales?from=2026-11-22&to=2026-11-22)": `<p><a href="/admin/reports/sales?from=2026-11-22&amp;to=2026-11-22">Ventas</a></p>`,
		"**sin fin": "<p>**sin fin</p>",
		"[sin fin":  "<p>[sin fin</p>",
	} {
		assert.Equal(t, want, strings.Join(render(text, false), ""), text)
	}
	assert.Contains(t, render("| a | b |", true)[0], "<table>", "the row of dashes has not come yet")
	assert.Contains(t, render("| a | b |", false)[0], "<p>")
}

// Neither HTML nor pictures nor addresses of others come out of a text, whoever wrote it.
func TestMarkdownIsHarmless(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "![x](http://evil.example/p.png)", "[x](javascript:alert(1))", "[x](//evil.example/admin)", "[x](https://evil.example)",
		"[x](/admin/../evil)", "[x](\\\\evil.example)", "<http://evil.example>", "[x](/administrator)", `[x](/admin" onclick="alert(1))`, "[x](&#106;avascript:alert(1))", "[x](/\\evil.example)",
		"| <b>a</b> |\n|---|\n| ![x](http://evil.example) [y](data:text/html,x) |", "```html\n<iframe src=x>\n```", "# <svg onload=alert(1)>", "- <a href=x>", "&lt;script&gt;", "[x](/admin/%2e%2e/x)",
	} {
		harmless(t, text)
	}
	rapid.Check(t, func(r *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"<", ">", "\"", "'", "[", "](", ")", "![", "`", "```", "\n", "|", "---", "**", "_", "~~", "# ", "- ", "1. ", "> ", "  ", "a", "1,5", "\\", "&lt;", "&#60;", "javascript:", "/admin/x", "//e", "script", "onload=",
		}), 0, 60).Draw(r, "parts")
		harmless(r, strings.Join(parts, ""))
	})
}

var (
	element = regexp.MustCompile(`</?([a-z0-9]+)([^<>]*)>`)
	allowed = regexp.MustCompile(`^(?:p|br|hr|h3|h4|ul|ol|li|strong|em|del|code|pre|blockquote|table|thead|tbody|tr|th|td|div|a)$`)
	plain   = regexp.MustCompile(`^(?: class="(?:number|table)"| href="/admin(?:/[^"<>]*|\?[^"<>]*)?")?$`)
)

func harmless(t assert.TestingT, text string) {
	open := []string{}
	out := strings.Join(render(text, strings.Contains(text, "|")), "")
	for _, found := range element.FindAllStringSubmatch(out, -1) {
		assert.Regexp(t, allowed, found[1], text)
		assert.Regexp(t, plain, found[2], text)
		switch {
		case found[1] == "br" || found[1] == "hr":
		case strings.HasPrefix(found[0], "</"):
			if assert.NotEmpty(t, open, text) {
				assert.Equal(t, open[len(open)-1], found[1], text)
				open = open[:len(open)-1]
			}
		default:
			open = append(open, found[1])
		}
	}
	assert.Empty(t, open, text)
	assert.NotRegexp(t, `[<>]`, element.ReplaceAllString(out, ""), text)
}

// What is written of a text is at most some times longer than the text.
func TestMarkdownIsBounded(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 4_000} {
		text := strings.Repeat("|", n) + "\n|-\n" + strings.Repeat("|\n", n)
		assert.Less(t, len(strings.Join(render(text, false), "")), 2_000+20*len(text))
	}
}
