package assistant

import (
	"encoding/json"
	"slices"
	"strings"

	"banca/internal/assistant"
	"banca/web/kit"
)

// stream sends an answer while it is written. A browser that connects again gets the whole answer so far.
func (p *pages) stream(r *kit.Request) error {
	follower, err := p.Assistant.Follow(r.Context(), r.Caller, r.ID, "")
	if err != nil {
		return err
	}
	follower.Run(r.Context(), &reader{request: r, out: r.Stream()})
	return nil
}

// reader sends an answer as HTML: how many of the blocks that were sent stay, and the blocks behind them.
type reader struct {
	request *kit.Request
	out     *kit.Stream
	text    strings.Builder
	sent    []string
	begun   bool
}

// part is the data of an event of the stream.
type part struct {
	Keep int    `json:"keep"`
	HTML string `json:"html"`
}

// Events implements assistant.Reader.
func (d *reader) Events(list []assistant.Event) error {
	tool := ""
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
	if err := d.blocks(); err != nil || tool == "" {
		return err
	}
	raw, err := json.Marshal(d.request.T("assistant.reading") + " " + d.request.T("assistant.tool."+tool))
	if err != nil {
		return err
	}
	return d.out.Send("tool", string(raw))
}

// blocks sends what has changed.
func (d *reader) blocks() error {
	now := render(d.text.String(), true)
	keep := 0
	for keep < len(now) && keep < len(d.sent) && now[keep] == d.sent[keep] {
		keep++
	}
	if d.begun && slices.Equal(now, d.sent) {
		return nil
	}
	raw, err := json.Marshal(part{Keep: keep, HTML: strings.Join(now[keep:], "")})
	if err != nil {
		return err
	}
	d.begun, d.sent = true, now
	return d.out.Send("part", string(raw))
}

// Wait implements assistant.Reader.
func (d *reader) Wait() error { return d.out.Beat() }

// Done implements assistant.Reader. The script reads the finished message.
func (d *reader) Done(*assistant.Message) error { return d.out.Send("done", "{}") }
