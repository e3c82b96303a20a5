package app

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Bounds of a process at rest: one that allocates less than restBytes in restPeriod returns its memory to the system once
// releaseBytes of garbage have come together. The collector of the runtime starts only when the heap has some four times
// the live bytes, after minutes at rest, and a start or a storm of connections leaves more garbage than a process at rest needs.
const (
	restPeriod   = 5 * time.Second
	restBytes    = 32 << 20
	releaseBytes = 6 << 20
)

// resting returns the memory of a process at rest to the system.
type resting struct {
	allocated func() uint64 // bytes since the start of the process
	free      func()

	last, freed uint64 // bytes allocated at the last look, and at the last return
}

func newResting() *resting { return &resting{allocated: allocatedBytes, free: releaseMemory} }

// run looks each restPeriod until ctx ends. The memory of the start is returned at once.
func (r *resting) run(ctx context.Context) {
	r.free()
	ticks := time.NewTicker(restPeriod)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			r.look()
		case <-ctx.Done():
			return
		}
	}
}

// look returns memory if the process allocated little since the last look and enough since the last return.
func (r *resting) look() {
	now := r.allocated()
	rests := now-r.last < restBytes
	r.last = now
	if !rests || now-r.freed < releaseBytes {
		return
	}
	r.free()
	r.freed = now
}

func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// releaseMemory collects twice, for pools keep their buffers over one collection, and gives up the pages of the program.
func releaseMemory() {
	runtime.GC()
	debug.FreeOSMemory()
	releaseProgram()
}
