package bench

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// usage is the CPU time that the parts of a run have used so far: the api under test, Postgres with its
// backends, Redis, and this process, which makes the load (and, in the commit stage, does the work).
type usage struct{ api, postgres, redis, load time.Duration }

// clockTick is the unit of the times in /proc/*/stat, USER_HZ, which is 100 on every Linux that Go runs on.
const clockTick = time.Second / 100

// process is a line of /proc/*/stat.
type process struct {
	pid, parent int
	name        string
	cpu         time.Duration
}

// measureCPU reads what this process and its descendants have used.
func (c *child) measureCPU() usage {
	all := readProcesses()
	var u usage
	for pid, p := range all {
		switch {
		case pid == os.Getpid():
			u.load += p.cpu
		case pid == c.cmd.Process.Pid:
			u.api += p.cpu
		case !descends(all, pid, os.Getpid()):
		case p.name == "postgres":
			u.postgres += p.cpu
		case p.name == "redis-server" || p.name == "valkey-server":
			u.redis += p.cpu
		}
	}
	return u
}

// per returns the usage of one unit of work between u, the earlier reading, and later.
func (u usage) per(later usage, units int) usage {
	n := time.Duration(max(units, 1))
	return usage{
		api: (later.api - u.api) / n, postgres: (later.postgres - u.postgres) / n,
		redis: (later.redis - u.redis) / n, load: (later.load - u.load) / n,
	}
}

func readProcesses() map[int]process {
	all := make(map[int]process)
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		if p, ok := parseStat(line); ok {
			all[p.pid] = p
		}
	}
	return all
}

// parseStat reads "pid (name) state ppid ... utime stime ...", whose name may hold anything; proc(5).
func parseStat(line []byte) (process, bool) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return process{}, false
	}
	fields := bytes.Fields(line[end+1:])
	const parent, user, system = 1, 11, 12
	if len(fields) <= system {
		return process{}, false
	}
	number := func(b []byte) int { n, _ := strconv.Atoi(string(b)); return n }
	return process{
		pid: number(bytes.TrimSpace(line[:open])), parent: number(fields[parent]), name: string(line[open+1 : end]),
		cpu: time.Duration(number(fields[user])+number(fields[system])) * clockTick,
	}, true
}

func descends(all map[int]process, pid, ancestor int) bool {
	for range len(all) {
		p, ok := all[pid]
		if !ok {
			return false
		}
		if pid = p.parent; pid == ancestor {
			return true
		}
	}
	return false
}
