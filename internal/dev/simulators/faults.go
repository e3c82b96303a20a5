package simulators

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// modeOK is the mode in which a simulator works.
const modeOK = ModelsOK

// maxFaultDelay bounds the delay of an answer.
const maxFaultDelay = 2 * time.Minute

// maxLateness bounds the lateness of results.
const maxLateness = 24 * time.Hour

// Fault is how a simulator misbehaves.
type Fault struct {
	Mode    string `json:"mode"`
	Times   int    `json:"times"`            // calls it applies to; 0 until the next setting
	DelayMS int    `json:"delay_ms"`         // for the modes that wait
	Source  string `json:"source,omitempty"` // of a simulator that plays several: the one it applies to; all when empty
	Code    int    `json:"code,omitempty"`   // of the mode code: the provider's own
}

// delay is the fault's delay, bounded.
func (f Fault) delay() time.Duration {
	return min(time.Duration(max(f.DelayMS, 0))*time.Millisecond, maxFaultDelay)
}

// lateness returns the fault's delay if it does not delay answers.
func (f Fault) lateness() time.Duration {
	return min(time.Duration(max(f.DelayMS, 0))*time.Millisecond, maxLateness)
}

// faults holds the setting of one simulator.
type faults struct {
	modes   []string
	sources []string // that it plays, when it plays several

	mu      sync.Mutex
	current Fault
}

func newFaults(modes ...string) *faults {
	return &faults{modes: append([]string{modeOK}, modes...), current: Fault{Mode: modeOK}}
}

// set changes the setting and reports whether there is such a mode.
func (f *faults) set(fault Fault) bool {
	if !slices.Contains(f.modes, fault.Mode) || fault.Times < 0 || fault.Source != "" && !slices.Contains(f.sources, fault.Source) {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.current = fault
	return true
}

// get returns the setting without using it up.
func (f *faults) get() Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current
}

// take returns the fault of this call and counts it.
func (f *faults) take() Fault { return f.takeFor("") }

// takeFor is take for a call of one of the sources; a fault of another neither applies nor counts.
func (f *faults) takeFor(source string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	fault := f.current
	if fault.Source != "" && fault.Source != source {
		return Fault{Mode: modeOK}
	}
	if fault.Times == 1 {
		f.current = Fault{Mode: modeOK}
	}
	if fault.Times > 1 {
		f.current.Times--
	}
	return fault
}

// takeIf is takeFor for a call that only one mode applies to.
func (f *faults) takeIf(source, mode string) bool {
	if current := f.get(); current.Mode != mode || current.Source != "" && current.Source != source {
		return false
	}
	return f.takeFor(source).Mode == mode
}

// routes adds the switches to a simulator.
func (f *faults) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /_faults", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, f.get()) })
	mux.HandleFunc("POST /_faults", func(w http.ResponseWriter, r *http.Request) {
		var fault Fault
		if err := readJSON(w, r, &fault); err != nil || !f.set(fault) {
			writeJSON(w, http.StatusBadRequest, map[string]any{"error": "mode must be one of modes, source one of sources", "modes": f.modes, "sources": f.sources})
			return
		}
		writeJSON(w, http.StatusOK, fault)
	})
}
