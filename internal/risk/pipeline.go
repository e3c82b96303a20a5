package risk

import (
	"context"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/telemetry"
)

// pipeline lets the script calls of concurrent requests share round trips to Redis: calls that arrive during a round
// trip wait for its end and are then sent together. A request never waits while no round trip is running, and there
// is no background goroutine: the first request sends for all waiting ones, then passes the turn on.
type pipeline struct {
	redis   redis.UniversalClient
	timeout time.Duration // of a round trip

	mu      sync.Mutex
	waiting []*evaluation
	busy    bool
}

// evaluation holds one request's script calls and their answers.
type evaluation struct {
	ctx     context.Context //nolint:containedctx // of the request that waits; another one sends for it
	calls   []call
	script  string // SHA-1
	answers [][]any
	err     error     // errNotAnswered until it is
	turn    chan bool // true: send for all waiting; false: it is answered
}

// sharedLimit bounds how many requests share a round trip.
const sharedLimit = 64

// do runs a script over the draws of some calls and returns the answers in their order. A request whose context ends
// while it waits is not sent. A round trip takes p.timeout at most.
func (p *pipeline) do(ctx context.Context, calls []call, script string) ([][]any, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e := &evaluation{ctx: ctx, calls: calls, script: script, err: errNotAnswered, turn: make(chan bool, 1)}
	p.mu.Lock()
	p.waiting = append(p.waiting, e)
	mine := !p.busy
	p.busy = true
	p.mu.Unlock()
	if mine || <-e.turn {
		p.send(ctx, e)
	}
	return e.answers, e.err
}

// send makes the calls of all waiting requests in one round trip and passes the turn on.
func (p *pipeline) send(ctx context.Context, own *evaluation) {
	p.mu.Lock()
	n := min(len(p.waiting), sharedLimit)
	batch := p.waiting[:n:n]
	p.waiting = p.waiting[n:]
	p.mu.Unlock()
	defer func() {
		for _, e := range batch {
			if e != own {
				e.turn <- false
			}
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.busy = len(p.waiting) > 0; p.busy {
			p.waiting[0].turn <- true
		}
	}()
	p.evaluate(ctx, batch)
}

// evaluate does not stop when its sender goes away: it is for others, too.
func (p *pipeline) evaluate(ctx context.Context, batch []*evaluation) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout)
	defer cancel()
	var cmds []*redis.Cmd
	pipe := p.redis.Pipeline()
	sent := make([]*evaluation, 0, len(batch))
	for _, e := range batch {
		if gone := e.ctx.Err(); gone != nil {
			e.err = gone
			continue
		}
		sent = append(sent, e)
		for n := range e.calls {
			cmds = append(cmds, pipe.EvalSha(ctx, e.script, keysOf(e.calls[n].draw), e.calls[n].args...))
		}
	}
	ctx, stage := telemetry.Risk.Begin(ctx, "scripts")
	_, err := pipe.Exec(ctx) // every command holds its own error, too
	stage.End(err)
	telemetry.RiskItems.Observe("scripts", len(sent))
	for _, e := range sent {
		e.take(cmds[:len(e.calls)])
		cmds = cmds[len(e.calls):]
	}
}

func (e *evaluation) take(cmds []*redis.Cmd) {
	answers := make([][]any, len(cmds))
	for n, cmd := range cmds {
		if answers[n], e.err = cmd.Slice(); e.err != nil {
			return
		}
	}
	e.answers, e.err = answers, nil
}
