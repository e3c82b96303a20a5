package bench

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// writeTable prints one number of clients: medians of the rounds, R being the median of the ratios.
func writeTable(out io.Writer, clients int, base float64, phases []phase, cells []cell) {
	_, _ = fmt.Fprintf(out, "\n%d clients; pgbench tpcb-like prepared: %.0f tx/s\n\n", clients, base)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(w, "| phase\t| done/s\t| R\t| p50 ms\t| p95 ms\t| p99 ms\t| refused\t| api MiB\t| CPU µs each: api\t| Postgres\t| Redis\t| load\t|")
	_, _ = fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for i, p := range phases {
		c := &cells[i]
		if len(c.rates) == 0 {
			continue
		}
		_, _ = fmt.Fprintf(w, "| %s\t| %.0f\t| %.2f\t| %s\t| %s\t| %s\t| %d\t| %.0f\t| %d\t| %d\t| %d\t| %d\t|\n", p.name, median(c.rates), median(c.ratios),
			millis(median(c.p50)), millis(median(c.p95)), millis(median(c.p99)), c.refused, c.memory,
			c.cpu.api.Microseconds(), c.cpu.postgres.Microseconds(), c.cpu.redis.Microseconds(), c.cpu.load.Microseconds())
	}
	_ = w.Flush()
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f", float64(d.Microseconds())/1000) }
