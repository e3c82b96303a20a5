package users

import "banca/web/kit"

// tones are the tones of the area's states.
func tones() kit.Tones {
	return kit.Tones{
		kit.ToneOK:      {"user.active", "session.active", "permission.yes", "totp.on"},
		kit.ToneTrouble: {"session.reuse"},
	}
}
