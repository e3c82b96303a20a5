package trial

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// printMachine says how much of the machine the trial used, and how much other work there was.
func printMachine(out io.Writer, samples []sample) {
	for i, name := range []string{"first", "second", "last"} {
		part := samples[i*len(samples)/3 : (i+1)*len(samples)/3]
		a, b := part[0], part[len(part)-1]
		own, busy := b[figOwn]-a[figOwn], b[figBusy]-a[figBusy]
		if sold := b[figSales] - a[figSales]; sold > 0 {
			say(out, "%s third: %.0f sales; CPU a sale: %.1f ms by this trial with its clients, %.1f ms by other work of the machine", name, sold, own/sold, max(busy-own, 0)/sold)
		}
	}
}

// printReads writes how reports and files were answered.
func (l *load) printReads(out io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(l.reads)) {
		r := l.reads[name]
		failed := ""
		if r.failed > 0 {
			failed = fmt.Sprintf(", %d not well (last status %d)", r.failed, r.status)
		}
		say(out, "%-36s %5d times, at most %5d ms%s", name, r.all, r.longest.Milliseconds(), failed)
	}
	say(out, "%d times everything that runs hourly or daily", l.ticks.Load())
}
