package kit

import (
	"cmp"
	"fmt"
)

// Badge is a state as it is shown.
type Badge struct{ Tone, Text string }

// Tones of a state: the colour of its badge.
const (
	ToneOK      = "ok"
	ToneWaiting = "waiting"
	ToneTrouble = "trouble"
	ToneOff     = "off"
)

// Tones are the states, as "kind.state", of each tone. A state without a tone is off.
type Tones map[string][]string

// sharedTones are those of the states that parts of several areas show.
func sharedTones() Tones {
	return Tones{ToneWaiting: {"log.edited"}, ToneTrouble: {"log.removed", "alert.open"}}
}

// tonesOf returns the tones of all areas by state.
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

// State returns how a state of a kind of object is shown.
func (v *View) State(kind string, state any) Badge {
	key := fmt.Sprintf("%s.%v", kind, state)
	return Badge{Tone: cmp.Or(v.tones[key], ToneOff), Text: v.T("state." + key)}
}

// Did returns the badge of an action on a module; without a text it shows their names.
func (v *View) Did(module, action string) Badge {
	key := "did." + module + "." + action
	text := v.T(key)
	if text == key {
		text = module + " · " + action
	}
	tone := ToneOff
	if action == "delete" || action == "remove" || action == "terminate" {
		tone = ToneWaiting
	}
	return Badge{Tone: tone, Text: text}
}
