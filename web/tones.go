package web

import "banca/web/kit"

// tones are the tones of the states of all areas, as "<kind of object>.<state>". A state that is not listed is off.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK: {
			"event.held", "event.opened", "event.credited", "payment.credited", "payment.assigned", "request.paid",
			"layer.on", "bank.active", "code.approved",
			"game.active", "element.false",
			"close.closed", "balance.ok",
			"device.active", "devsession.active", "online.true",
			"draw.open", "draw.settled", "result.verified",
			"message.sent", "message.delivered", "message.read", "connection.open",
			"wallet.active", "currency.active", "rate.fetch.saved", "rate.fetch.unchanged", "rate.fetch.typed",
			"entity.active", "sells.yes", "rates.changed",
			"prize.paid", "winning.counts", "difference.settled",
			"export.done",
			"health.ok", "dependency.ok",
			"line.won", "element.drawn",
			"user.active", "session.active", "permission.yes", "totp.on",
			"settlement.paid",
			"text.own",
			"import.new",
		},
		kit.ToneWaiting: {
			"layer.off", "event.suspense", "event.unmatched", "payment.unmatched", "payment.suspense", "request.open",
			"game.suspended", "import.changed",
			"device.suspended", "devsession.suspended",
			"draw.late", "draw.proposed", "draw.resulted", "result.proposed",
			"message.queued", "message.sending", "message.waits", "message.unknown", "connection.qr",
			"connection.connecting", "connection.paused",
			"wallet.overdrawn",
			"entity.register", "rates.changes",
			"prize.won", "difference.open",
			"export.pending", "export.running",
			"health.degraded",
			"settlement.draft",
			"settlement.provisional",
		},
		kit.ToneTrouble: {
			"event.conflict", "event.failed", "event.tls", "event.address", "event.token", "event.json",
			"event.fields", "event.size", "payment.conflict", "layer.missing", "exchange.failed",
			"element.blocked", "import.wrong",
			"balance.differs",
			"device.blocked",
			"draw.suspended",
			"message.failed", "connection.disconnected", "connection.passkey_required", "connection.banned",
			"connection.license_required",
			"rate.fetch.refused", "rate.fetch.failed",
			"entity.suspended", "bulk.failed", "rates.refused",
			"prize.differences",
			"export.failed",
			"health.failed", "dependency.failed",
			"line.refunded",
			"session.reuse",
			"settlement.confirmed",
		},
		kit.ToneOver: {"prize.lost", "prize.expired", "line.lost", "draw.unsold"},
		kit.ToneVoid: {"prize.cancelled", "line.cancelled", "winning.annulled"},
	}
}
