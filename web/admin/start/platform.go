package start

import (
	"banca/internal/platform/health"
	"banca/web/admin/links"
	"banca/web/kit"
)

// platform is the state of the platform in one line, for the operator. It comes from the last sample and reads nothing.
type platform struct {
	*health.Snapshot
}

// pulse is one part of the line.
type pulse struct{ Tone, Text, Link string }

// Pulses are the parts that are known.
func (p *platform) Pulses(v *kit.View) []pulse {
	var list []pulse
	add := func(good bool, link, text string) {
		tone := kit.ToneOK
		if !good {
			tone = kit.ToneTrouble
		}
		list = append(list, pulse{Tone: tone, Text: text, Link: link})
	}
	if b := p.Bank; b != nil {
		text := v.T("start.bank.none")
		if !b.LastGoodAt.IsZero() {
			text = v.T("start.bank", v.Clock(b.LastGoodAt), v.Milliseconds(b.P95))
		}
		add(b.Refused == 0, links.BankEvents, text)
	}
	if q := p.Queues; q != nil {
		add(q.Archived() == 0 && q.Workers > 0, links.Tasks, v.N("start.queues", q.Pending()))
	}
	if m := p.Messages; m != nil {
		add(m.Failed == 0 && m.Closed == 0, links.Messages, v.N("start.messages", m.Waiting))
	}
	if l := p.Ledger; l != nil && !l.VerifiedAt.IsZero() {
		add(l.Broken == 0, links.Health, v.T("start.ledger", v.Clock(l.VerifiedAt)))
	}
	return list
}
