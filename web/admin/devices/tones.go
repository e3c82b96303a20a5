package devices

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"device.active", "devsession.active", "online.true"},
		kit.ToneWaiting: {"device.suspended", "devsession.suspended"},
		kit.ToneTrouble: {"device.blocked"},
	}
}
