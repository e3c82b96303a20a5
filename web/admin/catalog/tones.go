package catalog

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"game.active", "element.false"},
		kit.ToneWaiting: {"game.suspended"},
		kit.ToneTrouble: {"element.blocked"},
	}
}
