package bench

import (
	"os"
	"time"

	"banca/internal/dev/procstat"
)

// usage is the CPU time that the parts of a run have used so far: the api under test, Postgres with its
// backends, Redis, and this process, which makes the load (and, in the commit stage, does the work).
type usage struct{ api, postgres, redis, load time.Duration }

// measureCPU reads what this process and its descendants have used.
func (c *child) measureCPU() usage {
	all := procstat.Read()
	var u usage
	for pid, p := range all {
		switch {
		case pid == os.Getpid():
			u.load += p.CPU
		case pid == c.PID():
			u.api += p.CPU
		case !all.Descends(pid, os.Getpid()):
		case p.Name == "postgres":
			u.postgres += p.CPU
		case p.Name == "redis-server" || p.Name == "valkey-server":
			u.redis += p.CPU
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
