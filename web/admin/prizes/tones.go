package prizes

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"prize.paid", "winning.counts", "difference.settled"},
		kit.ToneWaiting: {"prize.won", "prize.pending", "difference.open"},
		kit.ToneTrouble: {"prize.differences"},
	}
}
