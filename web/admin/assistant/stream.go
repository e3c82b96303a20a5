package assistant

import (
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"banca/internal/assistant"
	"banca/web/kit"
)

// stream sends an answer while it is written. A browser that connects again gets what it has not.
func (p *pages) stream(r *kit.Request) error {
	follower, err := p.Assistant.Follow(r.Context(), r.Caller, r.ID, "")
	if err != nil {
		return err
	}
	out := r.Stream()
	follower.Run(r.Context(), &reader{words: r.T, out: out, seen: out.Seen})
	return nil
}

// sender is where a reader writes: *kit.Stream.
type sender interface {
	Send(id, event, data string) error
	Beat() error
}

// reader sends an answer as HTML: how much of what was sent stays, and what is behind it. The id of an event is that of the last part of the answer in it.
type reader struct {
	words func(key string) string
	out   sender
	seen  string // the event that the browser got last
	text  strings.Builder
	sent  []string // blocks
	begun bool
}

// part is the data of an event of the stream. Keep blocks stay. At characters (of UTF-16) of the block behind them stay if it is above 0; HTML[0] is then the
// rest of that block. The other blocks are new.
type part struct {
	Keep int      `json:"keep"`
	At   int      `json:"at,omitzero"`
	HTML []string `json:"html"`
}

// Events implements assistant.Reader.
func (d *reader) Events(list []assistant.Event) error {
	if d.seen != "" {
		list = d.resume(list)
	}
	tool := d.read(list)
	if len(list) == 0 {
		return nil
	}
	id := list[len(list)-1].ID
	if err := d.blocks(id); err != nil || tool == "" {
		return err
	}
	raw, err := json.Marshal(d.words("assistant.reading") + " " + d.words("assistant.tool."+tool))
	if err != nil {
		return err
	}
	return d.out.Send(id, "tool", string(raw))
}

// resume returns the events after the one that the browser got last, whose answer so far it has. Without that event it gets all.
func (d *reader) resume(list []assistant.Event) []assistant.Event {
	at := slices.IndexFunc(list, func(e assistant.Event) bool { return e.ID == d.seen })
	d.seen = ""
	if at < 0 {
		return list
	}
	d.read(list[:at+1])
	d.sent, d.begun = render(d.text.String(), true), true
	return list[at+1:]
}

// read adds events to the text. It returns the tool that is being run, "" for none.
func (d *reader) read(list []assistant.Event) (tool string) {
	for i := range list {
		switch list[i].Kind {
		case assistant.EventStart:
			d.text.Reset()
		case assistant.EventText:
			d.text.WriteString(list[i].Data)
			tool = ""
		case assistant.EventTool:
			tool = list[i].Data
		}
	}
	return tool
}

// blocks sends what has changed.
func (d *reader) blocks(id string) error {
	now := render(d.text.String(), true)
	if d.begun && slices.Equal(now, d.sent) {
		return nil
	}
	raw, err := json.Marshal(difference(d.sent, now))
	if err != nil {
		return err
	}
	d.begun, d.sent = true, now
	return d.out.Send(id, "part", string(raw))
}

// difference returns what turns the blocks of before into those of now.
func difference(before, now []string) part {
	p := part{HTML: []string{}}
	for p.Keep < len(now) && p.Keep < len(before) && now[p.Keep] == before[p.Keep] {
		p.Keep++
	}
	if p.HTML = append(p.HTML, now[p.Keep:]...); p.Keep < len(now) && p.Keep < len(before) {
		bytes, units := common(before[p.Keep], now[p.Keep])
		p.At, p.HTML[0] = units, p.HTML[0][bytes:]
	}
	return p
}

// common returns how much the beginnings of two texts have in common, in bytes and in characters of UTF-16.
func common(a, b string) (bytes, units int) {
	for i, r := range b {
		size := utf8.RuneLen(r)
		if i+size > len(a) || a[i:i+size] != b[i:i+size] {
			return i, units
		}
		units += utf16.RuneLen(r)
	}
	return len(b), units
}

// Wait implements assistant.Reader.
func (d *reader) Wait() error { return d.out.Beat() }

// Done implements assistant.Reader. The script reads the finished message.
func (d *reader) Done(*assistant.Message) error { return d.out.Send("", "done", "{}") }
