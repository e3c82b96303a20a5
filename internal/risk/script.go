package risk

import (
	"context"
	"crypto/sha1" //nolint:gosec // the name Redis itself gives a script, not a protection
	_ "embed"
	"encoding/hex"
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"
)

//go:embed reserve.lua
var reserveSource string

//go:embed release.lua
var releaseSource string

//go:embed intend.lua
var intendSource string

// scripts are the Lua programs bound to one run of one Redis server: the run is part of their text. A server that
// restarted or took over from its master does not have the script, so a call under an old run cannot execute there
// by accident: it answers NOSCRIPT, and the new run's scripts find no counts marked with their run.
type scripts struct {
	run                      string
	reserve, release, intend string // SHA-1 names
}

// preamble begins every script. Writes of scripts go neither to the append-only file nor to replicas: counts are
// useless to another run of the server, and some fifty writes per sale would fill the file, whose syncs would delay
// Redis and Postgres alike (measured: a call of 0.1 ms took 2.6 ms). The in-process Redis of tests has neither such a
// switch nor such a file.
const preamble = "local RUN = '%s'\nif redis.set_repl then redis.set_repl(redis.REPL_NONE) end\n"

// loader keeps the scripts of the current run of a server.
type loader struct {
	redis     redis.UniversalClient
	connected atomic.Bool // a connection was made since the run was asked for
	mu        sync.RWMutex
	now       *scripts
}

// dialWatch notes new connections. Sentinel ends those to a master that it demotes; if that server becomes the master
// again, it still has the scripts of its first time, but maybe the data of the time when it became a replica.
type dialWatch struct{ scripts *loader }

// DialHook implements redis.Hook.
func (w dialWatch) DialHook(next redis.DialHook) redis.DialHook {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := next(ctx, network, addr)
		w.scripts.connected.Store(true)
		return conn, err
	}
}

// ProcessHook implements redis.Hook.
func (dialWatch) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (dialWatch) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

// current returns the scripts loaded last, loading them for the first caller and asking for the run after a connection
// was made.
func (l *loader) current(ctx context.Context) (*scripts, error) {
	l.mu.RLock()
	s := l.now
	l.mu.RUnlock()
	switch {
	case s == nil:
		return l.reload(ctx, nil)
	case l.connected.Load():
		return l.check(ctx, s)
	default:
		return s, nil
	}
}

// live is current, after asking the server whether it still is the run that they were loaded for.
func (l *loader) live(ctx context.Context) (*scripts, error) {
	l.mu.RLock()
	s := l.now
	l.mu.RUnlock()
	if s == nil {
		return l.reload(ctx, nil)
	}
	return l.check(ctx, s)
}

// check returns s if it is of the live run, else the scripts of that run. A connection that the question itself makes
// asks for the run once more.
func (l *loader) check(ctx context.Context, s *scripts) (*scripts, error) {
	l.connected.Store(false)
	run, err := runID(ctx, l.redis)
	if err != nil {
		l.connected.Store(true)
		return nil, err
	}
	if run == s.run {
		return s, nil
	}
	return l.reload(ctx, s)
}

// reload loads the scripts for the server's current run; stale is the caller's outdated copy, so only the first of many
// callers does the work.
func (l *loader) reload(ctx context.Context, stale *scripts) (*scripts, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != nil && l.now != stale {
		return l.now, nil
	}
	run, err := runID(ctx, l.redis)
	if err != nil {
		return nil, err
	}
	s := &scripts{run: run}
	for _, part := range []struct {
		name   *string
		source string
	}{{&s.reserve, reserveSource}, {&s.release, releaseSource}, {&s.intend, intendSource}} {
		source := fmt.Sprintf(preamble, run) + part.source
		if err := l.redis.ScriptLoad(ctx, source).Err(); err != nil {
			return nil, fmt.Errorf("load script: %w", err)
		}
		sum := sha1.Sum([]byte(source)) //nolint:gosec // see the import
		*part.name = hex.EncodeToString(sum[:])
	}
	l.now = s
	return s, nil
}

// leastRedis is the first release that keeps loaded scripts out of its file and from its replicas, on
// which noticing a restart or failover rests.
const leastRedis = 7

// runID returns what names a run of a server as a master: its run id, which is new at every start, and its replication
// id, which is new at every promotion. A master that becomes a replica and a master again has the same process, and
// may have lost what the scripts wrote. The in-process stand-in has neither; it keeps nothing over a restart, so a
// constant serves.
func runID(ctx context.Context, client redis.UniversalClient) (string, error) {
	var parts [2]*redis.StringCmd
	_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		parts[0], parts[1] = p.Info(ctx, "server"), p.Info(ctx, "replication")
		return nil
	})
	if err != nil {
		if strings.Contains(err.Error(), "section (") {
			return "standin", nil
		}
		return "", fmt.Errorf("redis run id: %w", err)
	}
	id, master := "standin", ""
	for line := range strings.SplitSeq(parts[0].Val()+parts[1].Val(), "\n") {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ":"); name {
		case "run_id":
			id = value
		case "master_replid":
			master = ":" + value
		case "redis_version": // Valkey reports the Redis version it is compatible with
			major, _, _ := strings.Cut(value, ".")
			if n, err := strconv.Atoi(major); err == nil && n < leastRedis {
				return "", fmt.Errorf("redis %s is too old, %d is needed", value, leastRedis)
			}
		}
	}
	return id + master, nil
}
