package trial

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/dev/embedded"
)

const redisWithin = time.Minute

// memory is a Redis with an append-only file and a replica.
type memory struct {
	disks [2]*disk
	log   *slog.Logger
	spare bool // with a replica

	nodes   [2]*embedded.Redis
	primary int
	link    *proxy   // from the replica to the primary
	clients []*proxy // that lead to the primary
}

func (m *memory) dir(node int) string { return filepath.Join(m.disks[node].dir, "redis") }

// launch starts one node on the data that its directory has.
func (m *memory) launch(ctx context.Context, node int, settings ...string) error {
	r, err := embedded.StartRedis(ctx, embedded.RedisOptions{
		Dir: m.dir(node), Databases: 1, Logger: m.log, Required: true,
		Settings: append([]string{"repl-diskless-sync yes", "repl-diskless-sync-delay 0", "repl-timeout 5"}, settings...),
	})
	m.nodes[node] = r
	return err
}

func (m *memory) start(ctx context.Context) error {
	if err := m.launch(ctx, 0); err != nil || !m.spare {
		return err
	}
	var err error
	if m.link, err = listenProxy(ctx, "redis/replica", m.target()); err != nil {
		return err
	}
	return m.follow(ctx)
}

// follow makes the other node a replica of the primary.
func (m *memory) follow(ctx context.Context) error {
	replica := 1 - m.primary
	if err := os.RemoveAll(m.dir(replica)); err != nil {
		return err
	}
	m.link.lead(m.target())
	host, port, err := net.SplitHostPort(m.link.address())
	if err != nil {
		return err
	}
	if err := m.launch(ctx, replica, "replicaof "+host+" "+port); err != nil {
		return err
	}
	return m.await(ctx, replica, "replication", "master_link_status:up")
}

// await waits until a section of a node's info has a line.
func (m *memory) await(ctx context.Context, node int, section, line string) error {
	ctx, cancel := context.WithTimeout(ctx, redisWithin)
	defer cancel()
	return m.with(node, func(c *redis.Client) error {
		for ctx.Err() == nil {
			info, err := c.Info(ctx, section).Result()
			if err == nil && strings.Contains(info, line) {
				return nil
			}
			pause(ctx, lookEvery)
		}
		return fmt.Errorf("redis: no %s within %s", line, redisWithin)
	})
}

func (m *memory) with(node int, fn func(*redis.Client) error) error {
	c := redis.NewClient(&redis.Options{Network: "unix", Addr: m.socket(node)})
	return errors.Join(fn(c), c.Close())
}

func (m *memory) socket(node int) string {
	u, err := url.Parse(m.nodes[node].URL())
	if err != nil {
		return ""
	}
	return u.Path
}

func (m *memory) target() endpoint { return endpoint{"unix", m.socket(m.primary)} }

// flush removes everything and returns how many keys there were.
func (m *memory) flush(ctx context.Context) (keys int64, err error) {
	return keys, m.with(m.primary, func(c *redis.Client) (err error) {
		if keys, err = c.DBSize(ctx).Result(); err != nil {
			return err
		}
		return c.FlushAll(ctx).Err()
	})
}

// refuses reports whether the primary refuses a write.
func (m *memory) refuses(ctx context.Context) bool {
	return m.with(m.primary, func(c *redis.Client) error { return c.Set(ctx, "trial:probe", "x", time.Second).Err() }) != nil
}

// restart kills the primary, cuts a number of bytes off its append-only file and starts it. It returns how many there were to cut.
func (m *memory) restart(ctx context.Context, down time.Duration, lose int64) (lost int64, err error) {
	m.kill()
	pause(ctx, down)
	if lost, err = m.truncate(lose); err != nil {
		return lost, err
	}
	if err := m.launch(ctx, m.primary); err != nil {
		if !strings.Contains(err.Error(), "Bad file format") {
			return lost, err
		}
		if err := m.mend(ctx); err != nil {
			return lost, err
		}
	}
	return lost, m.await(ctx, 1-m.primary, "replication", "master_link_status:up")
}

// revive starts the primary again if it does not run.
func (m *memory) revive(ctx context.Context) error {
	select {
	case <-m.nodes[m.primary].Done():
		_, err := m.restart(ctx, 0, 0)
		return err
	default:
		return nil
	}
}

func (m *memory) kill() {
	node := m.nodes[m.primary]
	_ = syscall.Kill(node.PID(), syscall.SIGKILL)
	<-node.Done()
}

// mend does what the runbook says of an append-only file that Redis refuses to load, as it may after its disk was full: it loses what is behind
// the damage.
func (m *memory) mend(ctx context.Context) error {
	manifests, err := filepath.Glob(filepath.Join(m.dir(m.primary), "appendonlydir", "*.manifest"))
	if err != nil || len(manifests) != 1 {
		return errors.Join(err, fmt.Errorf("manifests: %v", manifests))
	}
	program := "redis-check-aof"
	if _, err := exec.LookPath(program); err != nil {
		program = "valkey-check-aof"
	}
	cmd := exec.CommandContext(ctx, program, "--fix", manifests[0]) //nolint:gosec // one of two names
	cmd.Stdin = strings.NewReader("y\n")
	out, err := cmd.CombinedOutput()
	m.log.WarnContext(ctx, "the append-only file was damaged and is mended", "output", string(out), "error", err)
	if err != nil {
		return fmt.Errorf("%s: %w: %s", program, err, out)
	}
	return m.launch(ctx, m.primary)
}

// truncate loses the end of what the primary wrote, as a crash of its machine does.
func (m *memory) truncate(lose int64) (lost int64, err error) {
	files, err := filepath.Glob(filepath.Join(m.dir(m.primary), "appendonlydir", "*.incr.aof"))
	if err != nil || lose == 0 {
		return 0, err
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			return lost, err
		}
		cut := min(info.Size(), lose)
		if err := os.Truncate(f, info.Size()-cut); err != nil {
			return lost, err
		}
		lost += cut
	}
	return lost, nil
}

// failover stops replication for a time, then kills the primary and promotes the replica, which lacks that time.
func (m *memory) failover(ctx context.Context, behind time.Duration) error {
	m.link.set(hanging, 0)
	pause(ctx, behind)
	m.link.set(cutOff, 0)
	m.kill()
	m.primary = 1 - m.primary
	err := m.with(m.primary, func(c *redis.Client) error { return c.ReplicaOf(ctx, "NO", "ONE").Err() })
	for _, c := range m.clients {
		c.lead(m.target())
	}
	m.link.set(passing, 0)
	return errors.Join(err, m.follow(ctx))
}

func (m *memory) stop(ctx context.Context) error {
	var errs []error
	for _, n := range m.nodes {
		if n != nil {
			errs = append(errs, n.Stop(ctx))
		}
	}
	if m.link != nil {
		m.link.close()
	}
	return errors.Join(errs...)
}
