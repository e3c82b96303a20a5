package kit

import (
	"cmp"
	"fmt"
)

// Badge is the text and the tone by which a state is shown.
type Badge struct{ Tone, Text string }

// Tones of a state: the colour and the sign of its badge.
const (
	ToneOK      = "ok"
	ToneWaiting = "waiting"
	ToneTrouble = "trouble"
	ToneOff     = "off"
	ToneOver    = "off over" // nothing follows any more
	ToneVoid    = "off void" // taken back
)

// Tones lists the states of each tone, as "<kind of object>.<state>". A state that is not listed is ToneOff.
type Tones map[string][]string

// sharedTones returns the tones of the states that belong to no single area.
func sharedTones() Tones {
	return Tones{ToneWaiting: {"log.edited"}, ToneTrouble: {"log.removed", "alert.open"}}
}

// tonesOf returns the tone of each state of all areas. Errors: a state with two tones.
func tonesOf(areas []Area) (map[string]string, error) {
	all := map[string]string{}
	for _, area := range append([]Area{{Tones: sharedTones()}}, areas...) {
		for tone, states := range area.Tones {
			for _, state := range states {
				if all[state] != "" {
					return nil, fmt.Errorf("web: the state %s has two tones", state)
				}
				all[state] = tone
			}
		}
	}
	return all, nil
}

// State returns the badge of a state of a kind of object.
func (v *View) State(kind string, state any) Badge {
	key := fmt.Sprintf("%s.%v", kind, state)
	return Badge{Tone: cmp.Or(v.tones[key], ToneOff), Text: v.T("state." + key)}
}
