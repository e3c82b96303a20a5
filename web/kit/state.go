package kit

import "fmt"

// Badge is a state as it is shown.
type Badge struct{ Tone, Text string }

// Tones of a state: the colour of its badge.
const (
	ToneOK      = "ok"
	ToneWaiting = "waiting"
	ToneTrouble = "trouble"
	ToneOff     = "off"
)

// toneOf returns the tone of a state of a kind of object; an unlisted one is off.
func toneOf(key string) string {
	switch key {
	case "event.held", "event.opened", "event.credited", "payment.credited", "payment.assigned", "request.paid", "layer.on",
		"bank.active", "code.approved", "user.active", "session.active", "permission.yes", "totp.on", "entity.active", "sells.yes",
		"device.active", "devsession.active", "online.true", "game.active", "element.false", "draw.open", "draw.settled", "result.verified",
		"prize.paid", "winning.counts", "difference.settled":
		return ToneOK
	case "event.suspense", "event.unmatched", "payment.unmatched", "payment.suspense", "request.open", "log.edited", "entity.register", "device.suspended", "devsession.suspended",
		"game.suspended", "draw.scheduled", "draw.closed", "draw.resulted", "result.proposed", "prize.won", "prize.pending", "difference.open":
		return ToneWaiting
	case "draw.suspended", "event.conflict", "event.failed", "event.tls", "event.address", "event.token", "event.json", "event.fields", "event.size",
		"payment.conflict", "alert.open", "layer.missing", "log.removed", "session.reuse", "exchange.failed", "entity.suspended", "device.blocked", "prize.differences", "element.blocked":
		return ToneTrouble
	default:
		return ToneOff
	}
}

// State returns how a state of a kind of object is shown.
func (v *View) State(kind string, state any) Badge {
	key := fmt.Sprintf("%s.%v", kind, state)
	return Badge{Tone: toneOf(key), Text: v.T("state." + key)}
}

// Did returns the badge of an action on a module; without a text it shows their names.
func (v *View) Did(module, action string) Badge {
	key := "did." + module + "." + action
	text := v.T(key)
	if text == key {
		text = module + " · " + action
	}
	tone := ToneOff
	if action == "delete" || action == "remove" || action == "terminate" {
		tone = ToneWaiting
	}
	return Badge{Tone: tone, Text: text}
}
