package markdown

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape returns a text as HTML. Entities of Markdown are the characters that they stand for.
func escape(text string) string { return html.EscapeString(html.UnescapeString(text)) }

// inline returns a line of Markdown as HTML.
func (p *blocks) inline(text string) string {
	w := &spans{own: p.Own, picture: p.Picture}
	w.write(text, 0)
	return w.out.String()
}

// spans writes a line: plain text is collected and escaped as a whole.
type spans struct {
	own     func(target string) (address string, ok bool)
	picture func(target string) (p Picture, ok bool)
	out     strings.Builder
	plain   strings.Builder
}

func (w *spans) flush() {
	w.out.WriteString(escape(w.plain.String()))
	w.plain.Reset()
}

// literal writes a text without entities.
func (w *spans) literal(text string) {
	w.flush()
	w.out.WriteString(html.EscapeString(text))
}

func (w *spans) write(text string, depth int) {
	for at := 0; at < len(text); {
		length := 0
		if depth < maxDepth {
			length = w.span(text, at, depth)
		}
		if length == 0 {
			_, length = utf8.DecodeRuneInString(text[at:])
			w.plain.WriteString(text[at : at+length])
		}
		at += length
	}
	w.flush()
}

// span writes what begins at a place and returns its length; 0 if it is plain text.
func (w *spans) span(text string, at, depth int) int {
	rest := text[at:]
	switch rest[0] {
	case '\\':
		if len(rest) > 1 && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rest[1]) >= 0 {
			w.literal(rest[1:2])
			return 2
		}
	case '`':
		return w.code(rest)
	case '!':
		if strings.HasPrefix(rest, "![") {
			if description, target, length := linkOf(rest[1:]); length > 0 {
				w.image(description, target, depth)
				return length + 1
			}
		}
	case '[':
		if inner, target, length := linkOf(rest); length > 0 {
			w.link(inner, target, depth)
			return length
		}
	case '*', '_':
		return w.emphasis(text, at, depth)
	case '~':
		if inner, ok := enclosed(rest, "~~"); ok {
			w.tag("del", inner, depth)
			return len(inner) + 2*len("~~")
		}
	}
	return 0
}

func (w *spans) tag(name, inner string, depth int) {
	w.flush()
	w.out.WriteString("<" + name + ">")
	w.write(inner, depth+1)
	w.out.WriteString("</" + name + ">")
}

// code writes what stands between equal runs of grave accents.
func (w *spans) code(rest string) int {
	run := len(rest) - len(strings.TrimLeft(rest, "`"))
	mark := rest[:run]
	end := strings.Index(rest[run:min(len(rest), maxReach)], mark)
	if run >= maxReach || end < 0 {
		w.literal(mark)
		return run
	}
	w.flush()
	w.out.WriteString("<code>" + html.EscapeString(strings.TrimSpace(rest[run:run+end])) + "</code>")
	return end + 2*run
}

// emphasis writes bold and italic text. Marks within words are plain text if they are underscores.
func (w *spans) emphasis(text string, at, depth int) int {
	rest := text[at:]
	mark := rest[:1]
	if rest[0] == '_' && at > 0 && isWord(text[:at]) {
		return 0
	}
	for _, kind := range []struct{ mark, name string }{{mark + mark, "strong"}, {mark, "em"}} {
		inner, ok := enclosed(rest, kind.mark)
		if !ok {
			continue
		}
		length := len(inner) + 2*len(kind.mark)
		if after, _ := utf8.DecodeRuneInString(rest[length:]); rest[0] == '_' && (unicode.IsLetter(after) || unicode.IsDigit(after)) {
			continue
		}
		w.tag(kind.name, inner, depth)
		return length
	}
	return 0
}

func isWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// enclosed returns the text between two marks, without space at its ends.
func enclosed(rest, mark string) (inner string, ok bool) {
	after, ok := strings.CutPrefix(rest, mark)
	if !ok || after == "" || after[0] == ' ' || strings.HasPrefix(after, mark) {
		return "", false
	}
	reach := after[:min(len(after), maxReach)]
	for from := 0; ; {
		end := strings.Index(reach[from:], mark)
		if end < 0 {
			return "", false
		}
		if end += from; end > 0 && reach[end-1] != ' ' && reach[end-1] != '\\' {
			return reach[:end], true
		}
		from = end + len(mark)
	}
}

// linkOf splits "[text](target)" at the beginning of a text; length is 0 if it is none.
func linkOf(rest string) (inner, target string, length int) {
	reach := rest[:min(len(rest), maxReach)]
	depth := 0
	for i := 0; i < len(reach); i++ {
		switch reach[i] {
		case '\\':
			i++
		case '[':
			depth++
		case ']':
			if depth--; depth > 0 {
				continue
			}
			end := strings.IndexByte(reach[i:], ')')
			if !strings.HasPrefix(reach[i+1:], "(") || end < 0 {
				return "", "", 0
			}
			target, _, _ = strings.Cut(strings.TrimSpace(reach[i+2:i+end]), " ")
			return reach[1:i], strings.Trim(target, "<>"), i + end + 1
		}
	}
	return "", "", 0
}

// image writes a picture that the options have; of any other only the description.
func (w *spans) image(description, target string, depth int) {
	var p Picture
	ok := false
	if w.picture != nil {
		p, ok = w.picture(target)
	}
	if !ok {
		w.write(description, depth+1)
		return
	}
	w.flush()
	fmt.Fprintf(&w.out, `<img src="%s" alt="%s" width="%d" height="%d" loading="lazy">`, html.EscapeString(p.Address), escape(description), p.Width, p.Height)
}

// link writes a link to an address of its own; of any other only the text.
func (w *spans) link(inner, target string, depth int) {
	own, ok := "", false
	if w.own != nil {
		own, ok = w.own(target)
	}
	if !ok {
		w.write(inner, depth+1)
		return
	}
	w.flush()
	w.out.WriteString(`<a href="` + html.EscapeString(own) + `">`)
	w.write(inner, depth+1)
	w.out.WriteString("</a>")
}
