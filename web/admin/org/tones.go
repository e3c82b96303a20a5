package org

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"entity.active", "sells.yes", "rates.changed"},
		kit.ToneWaiting: {"entity.register", "rates.changes"},
		kit.ToneTrouble: {"entity.suspended", "bulk.failed", "rates.refused"},
	}
}
