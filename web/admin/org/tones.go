package org

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"entity.active", "sells.yes", "agency.made", "agency.there"},
		kit.ToneWaiting: {"entity.register"},
		kit.ToneTrouble: {"entity.suspended", "agency.failed"},
	}
}
