package trial

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"banca/internal/app"
	"banca/internal/dev/procstat"
)

// sample is what was read at one moment: figures by their names.
type sample map[string]float64

const (
	kibi = 1 << 10
	mebi = 1 << 20
)

// The figures that others are divided by, or that name no process.
const (
	figSales = "sales"
	figBusy  = "machine CPU ms"
	figOwn   = "own CPU ms"
)

// sampleAll reads every figure. What cannot be read is left out, and named at the end as not measured.
func (s *platform) sampleAll(ctx context.Context, l *load) (sample, error) {
	v := sample{figSales: float64(l.pace.total())}
	took := l.pace.window()
	v["sale p50 ms"], v["sale p99 ms"] = millis(quantile(took, .5)), millis(quantile(took, .99))
	s.sampleCPU(v)
	var errs []error
	for _, p := range s.processes {
		errs = append(errs, s.sampleProcess(ctx, p, v))
	}
	errs = append(errs, s.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error { return sampleDatabase(ctx, c, v) }), s.sampleMemory(ctx, v))
	n, err := s.waiting(ctx)
	v["tasks that wait"] = float64(n)
	return v, errors.Join(append(errs, err)...)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// sampleCPU reads what the processors did for each part, and for all other work of the machine.
func (s *platform) sampleCPU(v sample) {
	all, own := procstat.Read(), time.Duration(0)
	roles := map[int]string{}
	for _, p := range s.processes {
		roles[p.pid()] = p.role
	}
	used := map[string]time.Duration{}
	private := 0.0
	for pid, p := range all {
		if pid != os.Getpid() && !all.Descends(pid, os.Getpid()) {
			continue
		}
		own += p.CPU
		switch {
		case roles[pid] != "":
			used[roles[pid]] += p.CPU
		case p.Name == "postgres":
			used["postgres"] += p.CPU
			mib, _ := procstat.MiB(pid, "RssAnon")
			private += mib
		case p.Name == "redis-server" || p.Name == "valkey-server":
			used["redis"] += p.CPU
		}
	}
	for name, cpu := range used {
		v[name+" CPU ms"] = millis(cpu)
	}
	v["postgres private MiB"], v[figOwn], v[figBusy] = private, millis(own), millis(procstat.Busy())
}

// sampleProcess reads the memory, goroutines and files of a process; of an api also the state of the platform.
func (s *platform) sampleProcess(ctx context.Context, p *supervised, v sample) error {
	name := strings.TrimSuffix(p.name, "-1")
	if mib, ok := procstat.MiB(p.pid(), "VmRSS"); ok {
		v[name+" resident MiB"] = mib
	}
	m, err := readMetrics(ctx, "http://"+p.ops+"/metrics")
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	v[name+" heap goal MiB"] = m.most("go_memstats_next_gc_bytes") / mebi
	v[name+" goroutines"] = m.most("go_goroutines")
	v[name+" files"] = m.most("process_open_fds")
	if p.role == string(app.RoleAPI) {
		v["queue lag s"], v["outbox age s"] = m.most("banca_queue_lag_seconds"), m.most("banca_outbox_age_seconds")
	}
	return nil
}

// series are the values of the text that /metrics answers with, by name and labels.
type series map[string]float64

func readMetrics(ctx context.Context, address string) (series, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	res, err := (&http.Client{Timeout: attemptWithin}).Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	return parseMetrics(res.Body)
}

// parseMetrics reads lines such as `name{label="value"} 1.5`.
func parseMetrics(text io.Reader) (series, error) {
	m := series{}
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if value, err := strconv.ParseFloat(line[at+1:], 64); err == nil {
			m[line[:at]] = value
		}
	}
	return m, lines.Err()
}

// most returns the greatest value of a name, whatever its labels; 0 without one.
func (m series) most(name string) (most float64) {
	for key, value := range m {
		if of, _, _ := strings.Cut(key, "{"); of == name {
			most = max(most, value)
		}
	}
	return most
}

// sampleMemory reads what Redis holds.
func (s *platform) sampleMemory(ctx context.Context, v sample) error {
	return s.memory.with(s.memory.primary, func(c *redis.Client) error {
		info, err := c.Info(ctx, "memory", "clients").Result()
		if err != nil {
			return err
		}
		for line := range strings.Lines(info) {
			name, text, _ := strings.Cut(strings.TrimSpace(line), ":")
			value, _ := strconv.ParseFloat(text, 64)
			switch name {
			case "used_memory":
				v["redis used MiB"] = value / mebi
			case "used_memory_rss":
				v["redis resident MiB"] = value / mebi
			case "connected_clients":
				v["redis connections"] = value
			}
		}
		keys, err := c.DBSize(ctx).Result()
		v["redis keys"] = float64(keys)
		return err
	})
}
