package web

import (
	"fmt"
	"strings"
	"time"

	"banca/internal/money"
)

// T returns the text with a key in the page's language, with args put into it; a key without text is shown
// itself, which a test keeps from happening.
func (v *view) T(key string, args ...any) string {
	text, ok := v.words[key]
	switch {
	case !ok:
		return key
	case len(args) > 0:
		return fmt.Sprintf(text, args...)
	default:
		return text
	}
}

// Money writes an amount with the separators of the page's language.
func (v *view) Money(a money.Amount, digits int) string {
	local := a.FormatLocal(digits)
	if v.Language == spanish {
		return local
	}
	return strings.Map(func(r rune) rune {
		switch r {
		case '.':
			return ','
		case ',':
			return '.'
		default:
			return r
		}
	}, local)
}

// Day writes a date; it is given as the local day it is.
func (v *view) Day(t time.Time) string {
	if v.Language == spanish {
		return t.Format("02/01/2006")
	}
	return t.Format(time.DateOnly)
}

// moment is an instant in business time, with UTC as its tooltip.
type moment struct{ Local, UTC string }

// Time writes an instant; the zero one is empty.
func (v *view) Time(t time.Time) moment {
	if t.IsZero() {
		return moment{}
	}
	local := t.In(v.zone)
	return moment{Local: v.Day(local) + " " + local.Format(time.TimeOnly), UTC: t.UTC().Format(time.RFC3339)}
}

// Hundredths writes hundredths, such as those of a percent, with two digits.
func (v *view) Hundredths(n money.BasisPoints) string { return v.Money(money.Amount(n), 2) }

// Took writes a duration in milliseconds.
func (v *view) Took(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
}

// Minutes formats a duration in whole minutes, for settings in minutes.
func (v *view) Minutes(d time.Duration) string {
	return fmt.Sprintf("%d min", int64(d/time.Minute))
}

// badge is a state as it is shown.
type badge struct{ Tone, Text string }

// Tones of a state: the colour of its badge.
const (
	toneOK      = "ok"
	toneWaiting = "waiting"
	toneTrouble = "trouble"
	toneOff     = "off"
)

// toneOf returns the tone of a state of a kind of object; an unlisted one is off.
func toneOf(key string) string {
	switch key {
	case "event.held", "event.opened", "event.credited", "payment.credited", "payment.assigned", "request.paid", "layer.on",
		"bank.active", "code.approved", "user.active", "session.active", "permission.yes", "totp.on", "entity.active", "sells.yes",
		"device.active", "devsession.active", "online.true", "game.active", "element.false", "draw.open", "draw.settled", "result.verified",
		"prize.paid", "winning.counts", "difference.settled":
		return toneOK
	case "event.suspense", "event.unmatched", "payment.unmatched", "payment.suspense", "request.open", "log.edited", "entity.register", "device.suspended", "devsession.suspended",
		"game.suspended", "draw.scheduled", "draw.closed", "draw.resulted", "result.proposed", "prize.won", "prize.pending", "difference.open":
		return toneWaiting
	case "draw.suspended", "event.conflict", "event.failed", "event.tls", "event.address", "event.token", "event.json", "event.fields", "event.size",
		"payment.conflict", "alert.open", "layer.missing", "log.removed", "session.reuse", "exchange.failed", "entity.suspended", "device.blocked", "prize.differences", "element.blocked":
		return toneTrouble
	default:
		return toneOff
	}
}

// State returns how a state of a kind of object is shown.
func (v *view) State(kind string, state any) badge {
	key := fmt.Sprintf("%s.%v", kind, state)
	return badge{Tone: toneOf(key), Text: v.T("state." + key)}
}
