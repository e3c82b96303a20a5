package risk

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"golang.org/x/sync/errgroup"
)

// node is a Redis server with counts: the only one, or a master of a cluster.
type node struct {
	redis    redis.UniversalClient
	scripts  *loader
	pipeline *pipeline
}

func newNode(client redis.UniversalClient, timeout time.Duration) *node {
	scripts := &loader{redis: client}
	client.AddHook(dialWatch{scripts})
	return &node{redis: client, scripts: scripts, pipeline: &pipeline{redis: client, timeout: timeout}}
}

// cluster has the methods of a client of a Redis Cluster other than commands. Scripts are sent to the masters
// themselves: each has a run of its own, and the cluster's client would load a script on all nodes, and repeat a call
// whose answer was lost.
type cluster interface {
	MasterForKey(ctx context.Context, key string) (*redis.Client, error)
	ReloadState(ctx context.Context)
}

// nodes finds the server of a draw's counts.
type nodes struct {
	redis   redis.UniversalClient
	cluster cluster // nil for a single server
	only    *node   // nil in a cluster
	timeout time.Duration

	mu  sync.RWMutex
	all map[*redis.Client]*node // the masters of a cluster
}

// nodesKept bounds the masters that are remembered; the addresses of a cluster may change for ever.
const nodesKept = 256

func newNodes(client redis.UniversalClient, timeout time.Duration) *nodes {
	n := &nodes{redis: client, timeout: timeout}
	if c, ok := client.(cluster); ok {
		n.cluster, n.all = c, map[*redis.Client]*node{}
		return n
	}
	n.only = newNode(client, timeout)
	return n
}

// of returns the server that has the counts of a draw, as far as this process knows.
func (n *nodes) of(ctx context.Context, draw uuid.UUID) (*node, error) {
	if n.only != nil {
		return n.only, nil
	}
	client, err := n.cluster.MasterForKey(ctx, keysOf(draw)[0])
	if err != nil {
		n.cluster.ReloadState(ctx)
		return nil, err
	}
	n.mu.RLock()
	found := n.all[client]
	n.mu.RUnlock()
	if found != nil {
		return found, nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if found = n.all[client]; found != nil {
		return found, nil
	}
	if len(n.all) >= nodesKept {
		clear(n.all)
	}
	found = newNode(client, n.timeout)
	n.all[client] = found
	return found, nil
}

// runs are the live runs of Redis by the draws whose counts are in them.
type runs struct {
	only string // "" in a cluster
	each map[uuid.UUID]string
}

func (r *runs) of(draw uuid.UUID) string {
	if r.only != "" {
		return r.only
	}
	return r.each[draw]
}

// live asks each server of the draws for its run.
func (n *nodes) live(ctx context.Context, draws []uuid.UUID) (runs, error) {
	if n.only != nil {
		sc, err := n.only.scripts.live(ctx)
		if err != nil {
			return runs{}, err
		}
		return runs{only: sc.run}, nil
	}
	r := runs{each: make(map[uuid.UUID]string, len(draws))}
	known := map[*node]string{}
	for _, draw := range draws {
		at, err := n.of(ctx, draw)
		if err != nil {
			return runs{}, err
		}
		if _, asked := known[at]; !asked {
			sc, err := at.scripts.live(ctx)
			if err != nil {
				n.cluster.ReloadState(ctx)
				return runs{}, err
			}
			known[at] = sc.run
		}
		r.each[draw] = known[at]
	}
	return r, nil
}

// current returns the runs of the draws' servers, as far as this process knows.
func (n *nodes) current(ctx context.Context, draws []uuid.UUID) (runs, error) {
	if n.only != nil {
		sc, err := n.only.scripts.current(ctx)
		if err != nil {
			return runs{}, err
		}
		return runs{only: sc.run}, nil
	}
	r := runs{each: make(map[uuid.UUID]string, len(draws))}
	for _, draw := range draws {
		at, err := n.of(ctx, draw)
		if err != nil {
			return runs{}, err
		}
		sc, err := at.scripts.current(ctx)
		if err != nil {
			return runs{}, err
		}
		r.each[draw] = sc.run
	}
	return r, nil
}

// part is the calls of one request on one server, with their positions in the request.
type part struct {
	node  *node
	calls []call
	at    []int
}

func (n *nodes) split(ctx context.Context, calls []call) ([]part, error) {
	var parts []part
calls:
	for i := range calls {
		at, err := n.of(ctx, calls[i].draw)
		if err != nil {
			return nil, err
		}
		for k := range parts {
			if parts[k].node == at {
				parts[k].calls, parts[k].at = append(parts[k].calls, calls[i]), append(parts[k].at, i)
				continue calls
			}
		}
		parts = append(parts, part{node: at, calls: []call{calls[i]}, at: []int{i}})
	}
	return parts, nil
}

// eval makes the calls of each server in one round trip; the answers are in the order of calls.
func (n *nodes) eval(ctx context.Context, calls []call, name func(*scripts) string) ([][]any, error) {
	if n.only != nil {
		return n.only.eval(ctx, calls, name)
	}
	answers := make([][]any, len(calls))
	parts, err := n.split(ctx, calls)
	if err != nil {
		return nil, err
	}
	var group errgroup.Group
	for _, p := range parts {
		group.Go(func() error {
			own, err := n.evalPart(ctx, &p, name)
			for i := range own {
				answers[p.at[i]] = own[i]
			}
			return err
		})
	}
	return answers, group.Wait()
}

// evalPart follows a draw that another master has taken over: a server that answers MOVED has run nothing. Of several
// draws only some may have moved: the request fails then, as after any other failure. The masters are read again in
// the background.
func (n *nodes) evalPart(ctx context.Context, p *part, name func(*scripts) string) ([][]any, error) {
	answers, err := p.node.eval(ctx, p.calls, name)
	if err == nil {
		return answers, nil
	}
	n.cluster.ReloadState(ctx)
	if len(p.calls) > 1 || !redis.HasErrorPrefix(err, "MOVED") {
		return nil, err
	}
	at, failed := n.awaitMove(ctx, p.calls[0].draw, p.node)
	if failed != nil {
		return nil, err
	}
	return at.eval(ctx, p.calls, name)
}

// moveCheck is how often a process looks whether it has learned of the new master of a draw.
const moveCheck = 5 * time.Millisecond

// awaitMove returns the server of a draw, once it is another one than before.
func (n *nodes) awaitMove(ctx context.Context, draw uuid.UUID, before *node) (*node, error) {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	ticks := time.NewTicker(moveCheck)
	defer ticks.Stop()
	for {
		at, err := n.of(ctx, draw)
		if err == nil && at != before {
			return at, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticks.C:
		}
	}
}

// eval makes calls in one round trip. A server without the script has restarted or has taken over: the scripts are
// loaded for its run and the calls repeated once. So they are if a connection was made meanwhile and the run is a new
// one, see [dialWatch].
func (n *node) eval(ctx context.Context, calls []call, name func(*scripts) string) ([][]any, error) {
	sc, err := n.scripts.current(ctx)
	if err != nil {
		return nil, err
	}
	answers, err := n.pipeline.do(ctx, calls, name(sc))
	switch {
	case err != nil && redis.HasErrorPrefix(err, "NOSCRIPT"):
		if sc, err = n.scripts.reload(ctx, sc); err != nil {
			return nil, err
		}
	case err == nil && n.scripts.connected.Load():
		now, err := n.scripts.current(ctx)
		if err != nil || now == sc {
			return answers, err
		}
		sc = now
	default:
		return answers, err
	}
	return n.pipeline.do(ctx, calls, name(sc))
}
