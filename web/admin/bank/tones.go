package bank

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK: {
			"event.held", "event.opened", "event.credited", "payment.credited", "payment.assigned",
			"request.paid", "layer.on", "bank.active", "code.approved",
		},
		kit.ToneWaiting: {
			"event.suspense", "event.unmatched", "payment.unmatched", "payment.suspense", "request.open",
		},
		kit.ToneTrouble: {
			"event.conflict", "event.failed", "event.tls", "event.address", "event.token", "event.json",
			"event.fields", "event.size", "payment.conflict", "layer.missing", "exchange.failed",
		},
	}
}
