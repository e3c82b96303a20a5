package draws

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"draw.open", "draw.settled", "result.verified"},
		kit.ToneWaiting: {"draw.scheduled", "draw.closed", "draw.resulted", "result.proposed"},
		kit.ToneTrouble: {"draw.suspended"},
	}
}
