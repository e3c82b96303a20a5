package testkit

import (
	"context"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// RedisNode is a Redis that listens on a port, as servers of several machines do.
type RedisNode struct {
	*Process
	Addr   string
	Client *redis.Client // to this server and no other

	name string // in a cluster
}

// StartRedisNode starts a Redis with further settings, as pairs of names and values.
func StartRedisNode(t testing.TB, settings ...string) *RedisNode {
	t.Helper()
	program := redisProgram(t)
	addr := FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr) // cannot fail: FreeAddr made it
	argv := []string{program, "--bind", "127.0.0.1", "--port", port, "--dir", Dir(t), "--save", "", "--appendonly", "no", "--repl-diskless-sync-delay", "0", "--loglevel", "warning", "--enable-debug-command", "local"}
	for pair := range slices.Chunk(settings, 2) {
		argv = append(argv, "--"+pair[0])
		argv = append(argv, pair[1:]...)
	}
	n := &RedisNode{Process: StartProcess(t, argv...), Addr: addr, Client: redis.NewClient(&redis.Options{Addr: addr, DialerRetries: 1, MaxRetries: -1})}
	cleanup(t, func(context.Context) error { return n.Client.Close() })
	n.awaitReady(t)
	return n
}

func (n *RedisNode) awaitReady(t testing.TB) {
	t.Helper()
	await(t, "Redis answers", func() bool {
		select {
		case <-n.Done():
			t.Fatal("testkit: Redis ended: ", n.out.tail())
		default:
		}
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", n.Addr) // the client would log each failure
		if err != nil {
			return false
		}
		_ = conn.Close()
		return n.Client.Ping(t.Context()).Err() == nil
	})
}

// Restart starts the server again after Kill, without its data.
func (n *RedisNode) Restart(t testing.TB) {
	t.Helper()
	n.Start()
	n.awaitReady(t)
}

func redisProgram(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"redis-server", "valkey-server"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missingTool(t, "redis-server")
	return ""
}

// missingTool skips the test, or fails it in continuous integration.
func missingTool(t testing.TB, name string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("testkit: %s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

// RedisCluster is a Redis Cluster of three masters, each with a replica if the test wants them.
type RedisCluster struct {
	URL     string // of all nodes, for storage.OpenRedis
	Masters []*RedisNode
	Nodes   []*RedisNode
}

const (
	slots         = 16_384
	masters       = 3
	nodeTimeoutMS = "2000"
)

// StartRedisCluster starts a cluster and returns when all of its nodes know all slots.
func StartRedisCluster(t testing.TB, withReplicas bool) *RedisCluster {
	t.Helper()
	c, count := &RedisCluster{}, masters
	if withReplicas {
		count *= 2
	}
	for range count {
		_, bus, _ := net.SplitHostPort(FreeAddr(t))
		n := StartRedisNode(t, "cluster-enabled", "yes", "cluster-port", bus, "cluster-node-timeout", nodeTimeoutMS,
			"cluster-replica-validity-factor", "0", "cluster-allow-replica-migration", "no")
		var err error
		n.name, err = n.Client.Do(t.Context(), "cluster", "myid").Text()
		check(t, err)
		c.Nodes = append(c.Nodes, n)
		first := c.Nodes[0]
		host, port, _ := net.SplitHostPort(first.Addr)
		if n != first {
			_, firstBus := first.argument("cluster-port")
			check(t, n.Client.Do(t.Context(), "cluster", "meet", host, port, firstBus).Err())
		}
	}
	c.Masters = c.Nodes[:masters]
	for i, n := range c.Masters {
		check(t, n.Client.ClusterAddSlotsRange(t.Context(), i*slots/masters, (i+1)*slots/masters-1).Err())
	}
	c.awaitState(t, "all nodes know each other", func(n *RedisNode) bool {
		nodes, _ := n.Client.ClusterNodes(t.Context()).Result()
		return strings.Count(nodes, "connected") == count && !strings.Contains(nodes, "disconnected")
	})
	for i, n := range c.Nodes[masters:] {
		check(t, n.Client.ClusterReplicate(t.Context(), c.Masters[i].name).Err())
	}
	c.awaitState(t, "the cluster is ready", func(n *RedisNode) bool {
		info, _ := n.Client.ClusterInfo(t.Context()).Result()
		nodes, _ := n.Client.ClusterNodes(t.Context()).Result()
		role, _ := n.Client.Info(t.Context(), "replication").Result()
		return strings.Contains(info, "cluster_state:ok") && strings.Count(nodes, "slave") == count-masters &&
			(strings.Contains(role, "role:master") || strings.Contains(role, "master_link_status:up"))
	})
	c.URL = c.address()
	return c
}

func (c *RedisCluster) awaitState(t testing.TB, what string, reached func(n *RedisNode) bool) {
	t.Helper()
	for _, n := range c.Nodes {
		await(t, what, func() bool { return reached(n) })
	}
}

func (c *RedisCluster) address() string {
	query := url.Values{}
	for _, n := range c.Nodes[1:] {
		query.Add("addr", n.Addr)
	}
	u := url.URL{Scheme: "redis", Host: c.Nodes[0].Addr, RawQuery: query.Encode()}
	return u.String()
}

// argument returns a setting of the server's command line.
func (p *Process) argument(name string) (found bool, value string) {
	for i := range p.spec.Argv {
		if p.spec.Argv[i] == "--"+name {
			return true, p.spec.Argv[i+1]
		}
	}
	return false, ""
}

// MasterOf returns the master of a key.
func (c *RedisCluster) MasterOf(t testing.TB, key string) *RedisNode {
	t.Helper()
	slot, err := c.alive(t).Client.ClusterKeySlot(t.Context(), key).Result()
	check(t, err)
	ranges, err := c.alive(t).Client.ClusterSlots(t.Context()).Result() //nolint:staticcheck // ClusterShards does not say which node is the master first
	check(t, err)
	for _, r := range ranges {
		if int64(r.Start) <= slot && slot <= int64(r.End) {
			for _, n := range c.Nodes {
				if n.Addr == r.Nodes[0].Addr {
					return n
				}
			}
		}
	}
	t.Fatal("testkit: a slot without a master")
	return nil
}

func (c *RedisCluster) alive(t testing.TB) *RedisNode {
	t.Helper()
	for _, n := range c.Nodes {
		select {
		case <-n.Done():
		default:
			return n
		}
	}
	t.Fatal("testkit: no node is alive")
	return nil
}

// FailOver kills the master of a key and waits until a replica has taken over and the cluster works again.
func (c *RedisCluster) FailOver(t testing.TB, key string) {
	t.Helper()
	dead := c.MasterOf(t, key)
	dead.Kill()
	await(t, "a replica takes over", func() bool {
		info, _ := c.alive(t).Client.ClusterInfo(t.Context()).Result()
		return strings.Contains(info, "cluster_state:ok") && c.MasterOf(t, key) != dead
	})
}

// MoveSlot moves the slot of a key, with its keys, to another master.
func (c *RedisCluster) MoveSlot(t testing.TB, key string) {
	t.Helper()
	ctx := t.Context()
	from := c.MasterOf(t, key)
	to := c.Masters[0]
	if to == from {
		to = c.Masters[1]
	}
	slot, err := from.Client.ClusterKeySlot(ctx, key).Result()
	check(t, err)
	check(t, to.Client.Do(ctx, "cluster", "setslot", slot, "importing", from.name).Err())
	check(t, from.Client.Do(ctx, "cluster", "setslot", slot, "migrating", to.name).Err())
	keys, err := from.Client.ClusterGetKeysInSlot(ctx, int(slot), slots).Result()
	check(t, err)
	host, port, _ := net.SplitHostPort(to.Addr)
	for _, k := range keys {
		check(t, from.Client.Migrate(ctx, host, port, k, 0, 5*time.Second).Err())
	}
	for _, n := range []*RedisNode{to, from} {
		check(t, n.Client.Do(ctx, "cluster", "setslot", slot, "node", to.name).Err())
	}
}

// Sentinels are three sentinels that watch one master with one replica.
type Sentinels struct {
	URL       string // for storage.OpenRedis
	Master    *RedisNode
	Replica   *RedisNode
	sentinels []*RedisNode
}

// SentinelMaster is the name of the master at the sentinels.
const SentinelMaster = "banca"

// StartSentinels starts the servers and returns when all of them know each other. The replica is synchronised.
func StartSentinels(t testing.TB) *Sentinels {
	t.Helper()
	s := &Sentinels{Master: StartRedisNode(t, "appendonly", "yes")}
	host, port, _ := net.SplitHostPort(s.Master.Addr)
	s.Replica = StartRedisNode(t, "appendonly", "yes", "replicaof", host+" "+port)
	query := url.Values{"master_name": {SentinelMaster}}
	for range 3 {
		n := startSentinel(t, s.Master.Addr)
		if len(s.sentinels) > 0 {
			query.Add("addr", n.Addr)
		}
		s.sentinels = append(s.sentinels, n)
	}
	u := url.URL{Scheme: "redis", Host: s.sentinels[0].Addr, RawQuery: query.Encode()}
	s.URL = u.String()
	for _, n := range s.sentinels {
		await(t, "the sentinels know each other", func() bool {
			state, err := redis.NewSentinelClient(n.Client.Options()).Master(t.Context(), SentinelMaster).Result()
			return err == nil && state["num-other-sentinels"] == "2" && state["num-slaves"] == "1" && state["flags"] == "master"
		})
	}
	return s
}

func startSentinel(t testing.TB, master string) *RedisNode {
	t.Helper()
	addr := FreeAddr(t)
	_, port, _ := net.SplitHostPort(addr)
	host, masterPort, _ := net.SplitHostPort(master)
	conf := filepath.Join(Dir(t), "sentinel.conf")
	lines := []string{
		"bind 127.0.0.1", "port " + port, "dir " + filepath.Dir(conf),
		"sentinel monitor " + SentinelMaster + " " + host + " " + masterPort + " 2",
		"sentinel down-after-milliseconds " + SentinelMaster + " 2000",
		"sentinel failover-timeout " + SentinelMaster + " 5000",
	}
	check(t, os.WriteFile(conf, []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	n := &RedisNode{Process: StartProcess(t, redisProgram(t), conf, "--sentinel"), Addr: addr, Client: redis.NewClient(&redis.Options{Addr: addr, DialerRetries: 1, MaxRetries: -1})}
	cleanup(t, func(context.Context) error { return n.Client.Close() })
	n.awaitReady(t)
	return n
}

// FailOver kills the master and waits until the sentinels have promoted the replica.
func (s *Sentinels) FailOver(t testing.TB) {
	t.Helper()
	s.Master.Kill()
	await(t, "the replica is promoted", func() bool {
		addr, err := redis.NewSentinelClient(s.sentinels[0].Client.Options()).GetMasterAddrByName(t.Context(), SentinelMaster).Result()
		if err != nil || net.JoinHostPort(addr[0], addr[1]) != s.Replica.Addr {
			return false
		}
		role, _ := s.Replica.Client.Info(t.Context(), "replication").Result()
		return strings.Contains(role, "role:master")
	})
}
