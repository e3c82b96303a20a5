package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"time"

	"banca/internal/dev/procstat"
	"banca/internal/dev/simulators"
)

// The kinds of faults.
const (
	faultKill             = "kill"
	faultGroup            = "group-kill"
	faultPause            = "pause"
	faultClock            = "clock"
	faultRedisFlush       = "redis-flush"
	faultRedisRestart     = "redis-restart"
	faultRedisTail        = "redis-tail"
	faultRedisFailover    = "redis-failover"
	faultPostgresRestart  = "postgres-restart"
	faultPostgresCrash    = "postgres-crash"
	faultPostgresFailover = "postgres-failover"
	faultDisk             = "disk"
	faultNetSlow          = "net-slow"
	faultNetCut           = "net-cut"
	faultNetHang          = "net-hang"
	faultNetReset         = "net-reset"
	faultObjects          = "objects-away"
	faultMessages         = "messages-away"
)

// Kinds returns the kinds of faults. Those of processes come more often than once, because there are six processes.
func Kinds() []string {
	return []string{
		faultKill, faultGroup, faultPause, faultClock, faultRedisFlush, faultRedisRestart, faultRedisTail, faultRedisFailover, faultPostgresRestart,
		faultPostgresCrash, faultPostgresFailover, faultDisk, faultNetSlow, faultNetCut, faultNetHang, faultNetReset, faultObjects, faultMessages,
	}
}

// fault is one thing that breaks. Its numbers are drawn before it is known what they mean.
type fault struct {
	kind    string
	target  int           // of processes, proxies or ways, modulo how many there are
	lasts   time.Duration // until it is mended
	variant int
	at      string        // the target by its name, in place of the drawn one
	gap     time.Duration // until the next one
}

// plan draws the faults of a run. The same seed and options make the same plan.
func plan(o *ChaosOptions) []fault {
	rng := rand.New(rand.NewPCG(o.Seed, 1)) //nolint:gosec // repeatable, not secret
	kinds := o.Only
	if len(kinds) == 0 {
		kinds = append(Kinds(), faultKill, faultKill, faultPause, faultNetCut)
	}
	n := o.Faults
	if len(o.Plan) > 0 {
		n = len(o.Plan)
	}
	list := make([]fault, n)
	for i := range list {
		list[i] = fault{
			kind: kinds[rng.IntN(len(kinds))], target: rng.IntN(1 << 16), variant: rng.IntN(1 << 16),
			lasts: 300*time.Millisecond + time.Duration(rng.Int64N(int64(2500*time.Millisecond))),
			gap:   o.Gap/2 + time.Duration(rng.Int64N(int64(o.Gap))),
		}
		if o.Short {
			list[i].lasts /= 3
		}
		if len(o.Plan) > 0 {
			list[i].kind, list[i].at, _ = strings.Cut(o.Plan[i], ":")
		}
	}
	return list
}

// String describes a fault, for the plan that is printed.
func (f *fault) String() string {
	return fmt.Sprintf("%s for %s", f.kind, f.lasts.Round(time.Millisecond))
}

// errImpossible says that this machine does not allow a fault.
var errImpossible = errors.New("this machine does not allow it")

// harms says what the effects of each kind count.
func harms() map[string]string {
	return map[string]string{
		faultKill: "processes ended", faultGroup: "groups that were under way", faultPause: "processes stood still", faultClock: "processes took the other time", faultRedisFlush: "keys lost",
		faultRedisRestart: "servers ended", faultRedisTail: "bytes lost", faultRedisFailover: "servers replaced", faultPostgresRestart: "sessions ended",
		faultPostgresCrash: "sessions ended", faultPostgresFailover: "sessions ended", faultDisk: "writes refused", faultNetSlow: "packets late",
		faultNetCut: "connections lost or refused", faultNetHang: "packets late", faultNetReset: "connections lost", faultObjects: "connections lost or refused",
		faultMessages: "connections lost or refused, or calls answered badly",
	}
}

// inject breaks something, and mends it before it returns. It returns what that did, in the unit of harms; 0 is a fault without an effect. Errors:
// errImpossible.
func (s *platform) inject(ctx context.Context, f *fault) (effect int64, err error) {
	switch f.kind {
	case faultKill:
		return s.kill(ctx, f), nil
	case faultGroup:
		return s.killGroup(ctx, f)
	case faultPause:
		return s.freeze(ctx, f), nil
	case faultClock:
		return s.jump(ctx, s.victim(f), f)
	case faultRedisFlush, faultRedisRestart, faultRedisTail, faultRedisFailover:
		return s.breakRedis(ctx, f)
	case faultPostgresRestart:
		return s.database.sessions(), s.database.restart(ctx, f.lasts)
	case faultPostgresCrash:
		return s.database.sessions(), s.database.crash(ctx, f.lasts)
	case faultPostgresFailover:
		return s.database.sessions(), s.database.failover(ctx)
	case faultDisk:
		return s.fillDisk(ctx, f)
	case faultMessages:
		return s.loseMessages(ctx, f), nil
	default:
		return s.breakNetwork(ctx, f), nil
	}
}

// victim is the process that a fault breaks.
func (s *platform) victim(f *fault) *supervised {
	for _, p := range s.processes {
		if p.name == f.at {
			return p
		}
	}
	return s.processes[f.target%len(s.processes)]
}

// last waits for the time of a fault, and longer until it has an effect.
func (s *platform) last(ctx context.Context, lasts time.Duration, effect func() int64) int64 {
	pause(ctx, lasts)
	for end := time.Now().Add(s.insist); effect() == 0 && ctx.Err() == nil && time.Now().Before(end); {
		pause(ctx, lookEvery)
	}
	return effect()
}

func (s *platform) kill(ctx context.Context, f *fault) (ended int64) {
	p := s.victim(f)
	p.hold(true)
	defer p.hold(false)
	if p.signal(syscall.SIGKILL) {
		ended = 1
	}
	pause(ctx, f.lasts)
	return ended
}

// freeze makes a process stand still.
func (s *platform) freeze(ctx context.Context, f *fault) int64 {
	p := s.victim(f)
	p.signal(syscall.SIGSTOP)
	defer p.signal(syscall.SIGCONT)
	return s.last(ctx, f.lasts*2, func() int64 {
		if process, ok := procstat.Of(p.pid()); ok && process.State == "T" {
			return 1
		}
		return 0
	})
}

// jump shifts the clock of a process by up to a day, and back.
func (s *platform) jump(ctx context.Context, p *supervised, f *fault) (int64, error) {
	offsets := []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}
	offset := offsets[f.variant%len(offsets)]
	if f.variant/len(offsets)%2 == 0 {
		offset = -offset
	}
	err := p.setClock(offset)
	effect := s.last(ctx, f.lasts*2, func() int64 {
		if raw, err := os.ReadFile(p.clock + seenSuffix); err == nil && string(raw) == offset.String() {
			return 1
		}
		return 0
	})
	return effect, errors.Join(err, p.setClock(0))
}

func (s *platform) breakRedis(ctx context.Context, f *fault) (int64, error) {
	switch f.kind {
	case faultRedisFlush:
		keys, err := s.memory.flush(ctx)
		pause(ctx, f.lasts) // what follows from it is counted here
		return keys, err
	case faultRedisRestart:
		_, err := s.memory.restart(ctx, f.lasts, 0)
		return 1, err
	case faultRedisTail:
		return s.memory.restart(ctx, f.lasts/2, 1+int64(f.variant))
	default:
		return 1, s.memory.failover(ctx, f.lasts/2)
	}
}

// fillDisk leaves Postgres or Redis without a free byte for a while. What ends by it is started again afterwards.
func (s *platform) fillDisk(ctx context.Context, f *fault) (refused int64, err error) {
	d, refuses, revive := s.database.disks[s.database.primary], s.database.refuses, s.database.revive
	if f.at == toRedis || f.at == "" && f.variant%2 == 1 {
		d, refuses, revive = s.memory.disks[s.memory.primary], s.memory.refuses, s.memory.revive
	}
	if !d.small {
		return 0, errImpossible
	}
	err = d.fill()
	refused = s.last(ctx, f.lasts, func() int64 {
		if refused == 0 && refuses(ctx) {
			refused = 1
		}
		return refused
	})
	return refused, errors.Join(err, d.free(), revive(ctx))
}

// loseMessages makes the gateway unreachable, or fail in a way after which a message may have arrived.
func (s *platform) loseMessages(ctx context.Context, f *fault) int64 {
	modes := []string{"", simulators.GatewayRetryable, simulators.GatewayDropAfterWrite, simulators.GatewayRateLimited, simulators.GatewayGarbage, simulators.GatewayHalf}
	mode := modes[f.variant%len(modes)]
	if mode == "" {
		return s.away(ctx, toGateway, f.lasts)
	}
	calls := sum(s.ways(toGateway), func(p *proxy) int64 { return p.passed.Load() })
	s.gateway.SetFault(simulators.Fault{Mode: mode})
	defer s.gateway.SetFault(simulators.Fault{Mode: simulators.ModelsOK})
	return s.last(ctx, f.lasts, calls)
}

// ways returns the proxies that lead to a server.
func (s *platform) ways(server string) (list []*proxy) {
	for _, p := range s.proxies {
		if strings.HasSuffix(p.name, "/"+server) {
			list = append(list, p)
		}
	}
	return list
}

// sum returns a function that says by how much the proxies have counted more since now.
func sum(proxies []*proxy, of func(*proxy) int64) func() int64 {
	total := func() (n int64) {
		for _, p := range proxies {
			n += of(p)
		}
		return n
	}
	before := total()
	return func() int64 { return total() - before }
}

func harmed(p *proxy) int64 { return p.harmed.Load() }

// away cuts all processes off from a server.
func (s *platform) away(ctx context.Context, server string, lasts time.Duration) int64 {
	ways := s.ways(server)
	lost := sum(ways, harmed)
	for _, p := range ways {
		p.set(cutOff, 0)
		defer p.set(passing, 0)
	}
	return s.last(ctx, lasts, lost)
}

// way is the proxy that a fault of the network breaks: one that is in use, if there is any.
func (s *platform) way(f *fault) *proxy {
	var used []*proxy
	for _, p := range s.proxies {
		if p.name == f.at {
			return p
		}
		if p.open() > 0 {
			used = append(used, p)
		}
	}
	if len(used) == 0 {
		used = s.proxies
	}
	return used[f.target%len(used)]
}

// breakNetwork disturbs the way of one process to one server.
func (s *platform) breakNetwork(ctx context.Context, f *fault) int64 {
	if f.kind == faultObjects {
		return s.away(ctx, toObjects, f.lasts)
	}
	p := s.way(f)
	harm := sum([]*proxy{p}, harmed)
	defer p.set(passing, 0)
	switch f.kind {
	case faultNetSlow:
		p.set(slow, time.Duration(5+f.variant%200)*time.Millisecond)
	case faultNetCut:
		p.set(cutOff, 0)
	case faultNetHang:
		p.set(hanging, 0)
	default:
		p.resetAll()
	}
	return s.last(ctx, f.lasts, harm)
}
