// Package procstat reads what processes of this machine use, from /proc. It is for measurements only.
package procstat

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of the times in /proc/*/stat, USER_HZ, which is 100 on every Linux that Go runs on.
const clockTick = time.Second / 100

// Process is a line of /proc/*/stat.
type Process struct {
	PID, Parent int
	Name        string
	State       string // a letter: R runs, S sleeps, T is stopped
	CPU         time.Duration
}

// Of returns a process; false if there is none with this id.
func Of(pid int) (Process, bool) {
	line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return Process{}, false
	}
	return parseStat(line)
}

// Processes are the processes of the machine by id.
type Processes map[int]Process

// Read returns all processes. One that ends meanwhile is left out.
func Read() Processes {
	all := make(Processes)
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, ok := parseStat(line); ok {
			all[p.PID] = p
		}
	}
	return all
}

// parseStat reads "pid (name) state ppid ... utime stime ...", whose name may hold anything; proc(5).
func parseStat(line []byte) (Process, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return Process{}, false
	}
	fields := bytes.Fields(line[end+1:])
	const parent, user, system = 1, 11, 12
	if len(fields) <= system {
		return Process{}, false
	}
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	return Process{
		PID: number(bytes.TrimSpace(line[:open])), Parent: number(fields[parent]), Name: string(line[open+1 : end]),
		State: string(fields[0]),
		CPU:   time.Duration(number(fields[user])+number(fields[system])) * clockTick,
	}, true
}

// Descends reports whether a process was started by another one, directly or not.
func (all Processes) Descends(pid, ancestor int) bool {
	for range len(all) {
		p, ok := all[pid]
		if !ok {
			return false
		}
		if pid = p.Parent; pid == ancestor {
			return true
		}
	}
	return false
}

// MiB returns a size of a process from /proc/*/status, such as VmRSS, or RssAnon without what it shares with others;
// false if there is no such process.
func MiB(pid int, name string) (float64, bool) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, false
	}
	for line := range strings.SplitSeq(string(raw), "\n") {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			return kib / 1024, err == nil
		}
	}
	return 0, false
}

// Busy returns how long the machine's processors have worked so far, all together; 0 where that cannot be read.
func Busy() time.Duration {
	raw, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(raw), "\n")
	const user, nice, system, irq, softirq = 1, 2, 3, 6, 7
	fields := strings.Fields(line)
	ticks := 0
	for _, i := range []int{user, nice, system, irq, softirq} {
		if i < len(fields) {
			n, _ := strconv.Atoi(fields[i])
			ticks += n
		}
	}
	return time.Duration(ticks) * clockTick
}
