package trial

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"

	"banca/internal/simulators"
)

// The kinds of faults.
const (
	faultKill             = "kill"
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
		faultKill, faultPause, faultClock, faultRedisFlush, faultRedisRestart, faultRedisTail, faultRedisFailover, faultPostgresRestart, faultPostgresCrash,
		faultPostgresFailover, faultDisk, faultNetSlow, faultNetCut, faultNetHang, faultNetReset, faultObjects, faultMessages,
	}
}

// fault is one thing that breaks. Its numbers are drawn before it is known what they mean.
type fault struct {
	kind    string
	target  int           // of processes, proxies or ways, modulo how many there are
	lasts   time.Duration // until it is mended
	variant int
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
		if len(o.Plan) > 0 {
			list[i].kind = o.Plan[i]
		}
	}
	return list
}

// String describes a fault, for the plan that is printed.
func (f *fault) String() string {
	return fmt.Sprintf("%s for %s", f.kind, f.lasts.Round(time.Millisecond))
}

// inject breaks something, and mends it before it returns.
func (s *stage) inject(ctx context.Context, f *fault) error {
	process := s.processes[f.target%len(s.processes)]
	switch f.kind {
	case faultKill:
		process.hold(true)
		process.signal(syscall.SIGKILL)
		pause(ctx, f.lasts)
		process.hold(false)
		return nil
	case faultPause:
		process.signal(syscall.SIGSTOP)
		pause(ctx, f.lasts*2)
		process.signal(syscall.SIGCONT)
		return nil
	case faultClock:
		return s.jump(ctx, process, f)
	case faultRedisFlush, faultRedisRestart, faultRedisTail, faultRedisFailover:
		return s.breakRedis(ctx, f)
	case faultPostgresRestart:
		return s.database.restart(ctx, f.lasts)
	case faultPostgresCrash:
		return s.database.crash(ctx, f.lasts)
	case faultPostgresFailover:
		return s.database.failover(ctx)
	case faultDisk:
		return s.fillDisk(ctx, f)
	case faultMessages:
		return s.loseMessages(ctx, f)
	default:
		return s.breakNetwork(ctx, f)
	}
}

// jump shifts the clock of a process by up to a day, and back.
func (s *stage) jump(ctx context.Context, p *process, f *fault) error {
	offsets := []time.Duration{time.Second, time.Minute, time.Hour, 24 * time.Hour}
	offset := offsets[f.variant%len(offsets)]
	if f.variant/len(offsets)%2 == 0 {
		offset = -offset
	}
	err := p.setClock(offset)
	pause(ctx, f.lasts*2)
	return errors.Join(err, p.setClock(0))
}

func (s *stage) breakRedis(ctx context.Context, f *fault) error {
	switch f.kind {
	case faultRedisFlush:
		err := s.memory.flush(ctx)
		pause(ctx, f.lasts) // what follows from it is counted here
		return err
	case faultRedisRestart:
		return s.memory.restart(ctx, f.lasts, 0)
	case faultRedisTail:
		return s.memory.restart(ctx, f.lasts/2, 1+int64(f.variant))
	default:
		return s.memory.failover(ctx, f.lasts/2)
	}
}

// fillDisk leaves Postgres or Redis without a free byte for a while. What ends by it is started again afterwards.
func (s *stage) fillDisk(ctx context.Context, f *fault) error {
	d, revive := s.database.disks[s.database.primary], s.database.revive
	if f.variant%2 == 1 {
		d, revive = s.memory.disks[s.memory.primary], s.memory.revive
	}
	if !d.small {
		pause(ctx, f.lasts)
		return nil
	}
	err := d.fill()
	pause(ctx, f.lasts)
	return errors.Join(err, d.free(), revive(ctx))
}

// loseMessages makes the gateway unreachable, or fail in a way after which a message may have arrived.
func (s *stage) loseMessages(ctx context.Context, f *fault) error {
	modes := []string{"", simulators.GatewayRetryable, simulators.GatewayDropAfterWrite, simulators.GatewayRateLimited, simulators.GatewayGarbage, simulators.GatewayHalf}
	mode := modes[f.variant%len(modes)]
	if mode == "" {
		return s.away(ctx, toGateway, f.lasts)
	}
	s.gateway.SetFault(simulators.Fault{Mode: mode})
	pause(ctx, f.lasts)
	s.gateway.SetFault(simulators.Fault{Mode: simulators.ModelsOK})
	return nil
}

// away cuts all processes off from a server.
func (s *stage) away(ctx context.Context, server string, lasts time.Duration) error {
	var cut []*proxy
	for _, p := range s.proxies {
		if strings.HasSuffix(p.name, "/"+server) {
			p.set(cutOff, 0)
			cut = append(cut, p)
		}
	}
	pause(ctx, lasts)
	for _, p := range cut {
		p.set(passing, 0)
	}
	return nil
}

// breakNetwork disturbs the way of one process to one server.
func (s *stage) breakNetwork(ctx context.Context, f *fault) error {
	if f.kind == faultObjects {
		return s.away(ctx, toObjects, f.lasts)
	}
	p := s.proxies[f.target%len(s.proxies)]
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
	pause(ctx, f.lasts)
	p.set(passing, 0)
	return nil
}
