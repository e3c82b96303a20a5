package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"banca/internal/app"
	"banca/internal/platform/config"
)

// Options are how long and with how many clients to measure.
type Options struct {
	DataDir string // on a real disk; a scratch directory is made below it
	Phase   time.Duration
	Rounds  int
	Clients []int  // at most 64
	Only    string // measure nothing but the phase of this name, for profiling; empty measures all
	Lines   int    // bet lines of the history that reports and pages are measured on, or of the month that is archived
	Keep    bool   // pages are measured on a stack below DataDir that the next run uses again on the same day
}

// onlyConnections is the name of the measurement of WebSocket connections, for Options.Only.
const onlyConnections = "connections"

// phase is one way of selling that is measured.
type phase struct {
	name   string
	worker worker
}

// cell holds the measurements of one phase at one number of clients.
type cell struct {
	rates         []float64
	ratios        []float64
	p50, p95, p99 []time.Duration
	refused       int
	memory        float64 // MiB of the api process after the phase; zero without one
	cpu           usage   // of one sale or notification, in the last round
}

// Run measures everything and writes the tables to out.
func Run(ctx context.Context, o Options, log *slog.Logger, out io.Writer) (err error) {
	pgbench, err := findPgbench()
	if err != nil {
		return err
	}
	if o.Keep && o.Only != onlyPages {
		return errors.New("only the measurement of pages keeps its stack: --keep needs --only pages")
	}
	s, err := openTestbed(ctx, o, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	switch o.Only {
	case onlyConnections:
		return s.connections(ctx, out)
	case onlySettlement:
		return s.settlement(ctx, out)
	case onlyWhole:
		return s.whole(ctx, out)
	case onlyMessages:
		return s.messages(ctx, out)
	case onlyCounting:
		return s.onlyCount(ctx, out)
	case onlyAssistant:
		return s.assistant(ctx, out)
	case onlyReports:
		return s.reports(ctx, o, out)
	case onlyMonths:
		return s.months(ctx, o, out)
	case onlyPages:
		return s.pages(ctx, o, out)
	default:
		return s.all(ctx, pgbench, o, out)
	}
}

// all measures everything, or the one phase that is named.
func (s *benchTestbed) all(ctx context.Context, pgbench string, o Options, out io.Writer) (err error) {
	url, err := s.pgbenchDatabase(ctx, pgbench)
	if err != nil {
		return err
	}
	if err := s.ageLog(ctx); err != nil {
		return err
	}
	api, err := s.startChild(ctx, string(app.RoleAPI))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.stop()) }()
	phases, stop, err := s.phases(ctx, api)
	if err != nil {
		return err
	}
	defer stop()
	notifications, err := s.bankPhases(ctx, api, o)
	if err != nil {
		return err
	}
	phases = append(phases, notifications...)
	for _, clients := range o.Clients {
		cells, base, err := measure(ctx, o, phases, api, clients, func(d time.Duration) (float64, error) {
			return runPgbench(ctx, pgbench, url, clients, d)
		})
		if err != nil {
			return err
		}
		writeTable(out, clients, base, phases, cells)
	}
	if err := s.proof(ctx, out); err != nil || o.Only != "" {
		return err
	}
	if err := s.connections(ctx, out); err != nil {
		return err
	}
	if err := s.idle(ctx, out); err != nil {
		return err
	}
	if err := s.settlement(ctx, out); err != nil {
		return err
	}
	if err := s.assistant(ctx, out); err != nil {
		return err
	}
	if err := s.messages(ctx, out); err != nil {
		return err
	}
	return s.reports(ctx, o, out)
}

// ageLog makes the write-ahead log that of a database that has run for a while: its segments are reused. A
// new one is filled and synced while everybody waits, some 50 ms, and in the first minutes of a new cluster
// that would happen several times a second.
func (s *benchTestbed) ageLog(ctx context.Context) error {
	for range walSegments {
		if _, err := s.pg.Pool.Exec(ctx, "SELECT pg_logical_emit_message(true, 'bench', ''), pg_switch_wal()"); err != nil {
			return err
		}
	}
	_, err := s.pg.Pool.Exec(ctx, "CHECKPOINT")
	return err
}

// walSegments of 16 MiB are what two checkpoints may keep between them: somewhat over max_wal_size.
const walSegments = 160

func (s *benchTestbed) pgbenchDatabase(ctx context.Context, program string) (string, error) {
	if _, err := s.pg.Pool.Exec(ctx, `CREATE DATABASE pgbench`); err != nil {
		return "", err
	}
	url, err := withDatabase(s.stack.PostgresURL, "pgbench")
	if err != nil {
		return "", err
	}
	return url, preparePgbench(ctx, program, url)
}

// phases prepares the clients of every way of selling.
func (s *benchTestbed) phases(ctx context.Context, api *child) ([]phase, func(), error) {
	draws, err := s.ticketDraws(ctx, drawsOfBypass)
	if err != nil {
		return nil, nil, err
	}
	distinct, hot, err := s.posWorkers(ctx, api)
	if err != nil {
		return nil, nil, err
	}
	if err := warm(ctx, distinct); err != nil {
		return nil, nil, err
	}
	e, err := s.openEngine(ctx, draws)
	if err != nil {
		return nil, nil, err
	}
	return []phase{
		{"HTTP, many wallets", distinct}, {"HTTP, one wallet", hot},
		{"commit stage, many wallets", e.worker(false)}, {"commit stage, one wallet", e.worker(true)},
	}, e.stop, nil
}

// drawsOfBypass are skipped: the first two draws belong to the sales through HTTP.
const drawsOfBypass = 2

// posWorkers logs every client in twice: at a ticket point of its own and at the shared one.
func (s *benchTestbed) posWorkers(ctx context.Context, api *child) (distinct, hot worker, err error) {
	draws, err := s.ticketDraws(ctx, 0)
	if err != nil {
		return nil, nil, err
	}
	tokens := [2][]string{}
	for client := range maxClients {
		for i, name := range []string{login(client), hotLogin(client)} {
			token, err := api.login(ctx, name)
			if err != nil {
				return nil, nil, err
			}
			tokens[i] = append(tokens[i], token)
		}
	}
	sells := func(tokens []string) worker {
		return func(ctx context.Context, client int) (func() (bool, error), error) {
			body, err := json.Marshal(map[string]any{"currency": "VES", "items": itemsBody(draws, client)})
			if err != nil {
				return nil, err
			}
			p, err := dialPOS(ctx, api.addr, tokens[client], body)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, p.close)
			return p.sell, nil
		}
	}
	return sells(tokens[0]), sells(tokens[1]), nil
}

// warm sells once, which fills caches and counts.
func warm(ctx context.Context, work worker) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	call, err := work(ctx, 0)
	if err != nil {
		return err
	}
	if good, err := call(); err != nil || !good {
		return fmt.Errorf("the first sale was refused: %w", err)
	}
	return nil
}

// measure runs pgbench and then each phase in every round, so that all of them share the machine's conditions.
func measure(ctx context.Context, o Options, phases []phase, api *child, clients int, pgbench func(time.Duration) (float64, error)) ([]cell, float64, error) {
	cells := make([]cell, len(phases))
	var base []float64
	for range o.Rounds {
		tps, err := pgbench(o.Phase)
		if err != nil {
			return nil, 0, err
		}
		base = append(base, tps)
		for i, p := range phases {
			if o.Only != "" && o.Only != p.name {
				continue
			}
			before := api.measureCPU()
			r, err := drive(ctx, load{clients: clients, time: o.Phase}, p.worker)
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", p.name, err)
			}
			cells[i].cpu = before.per(api.measureCPU(), r.done)
			if err := cells[i].add(r, tps, api); err != nil {
				return nil, 0, err
			}
		}
	}
	return cells, median(base), nil
}

func (c *cell) add(r *result, pgbench float64, api *child) error {
	c.record(r)
	c.ratios = append(c.ratios, r.rate()/pgbench)
	memory, err := api.residentMiB()
	c.memory = memory
	return err
}

// record adds what one round measured.
func (c *cell) record(r *result) {
	c.rates = append(c.rates, r.rate())
	c.p50, c.p95, c.p99 = append(c.p50, r.quantile(.5)), append(c.p95, r.quantile(.95)), append(c.p99, r.quantile(.99))
	c.refused += r.refused
}

// median returns the middle value, the lower one of two.
func median[T float64 | time.Duration](list []T) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Clone(list)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}

// proof verifies the books, the tickets and the counts after the load.
func (s *benchTestbed) proof(ctx context.Context, out io.Writer) error {
	a, err := app.Open(ctx, s.cfg, "bench", s.log)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, "\nAfter the load:")
	return errors.Join(a.Verify(ctx, out), a.Close())
}

// idle measures what api, worker and scheduler hold in one process that has nothing to do.
func (s *benchTestbed) idle(ctx context.Context, out io.Writer) error {
	if _, err := s.pg.Pool.Exec(ctx, `DELETE FROM outbox`); err != nil { // the receipts of the load are not its business
		return err
	}
	c, err := s.startChild(ctx, string(config.ModeDev))
	if err != nil {
		return err
	}
	time.Sleep(idleWait)
	memory, err := c.residentMiB()
	_, _ = fmt.Fprintf(out, "\napi + worker + scheduler with simulators, idle for %s: %.0f MiB resident\n", idleWait, memory)
	return errors.Join(err, c.stop())
}

// idleWait lets the first collections of garbage pass.
const idleWait = 10 * time.Second
