package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"banca/internal/app"
	"banca/internal/dev/procstat"
	"banca/internal/dev/simulators"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
)

// onlyWhole is the name of the measurement of sales with all that follows, for Options.Only.
const onlyWhole = "whole"

// What the whole sale is measured with.
const (
	wholeAlone  = 10 * time.Second // sales without a worker
	wholeStep   = 6 * time.Second  // of the ramp
	wholeHold   = 30 * time.Second
	wholeFirst  = 100.0 // sales a second
	wholeFactor = 1.25
	wholeLag    = 2 * time.Second // within which the last sale of a rate is followed by everything
	wholeSold   = 0.95            // of the sales that were due
	wholeSlow   = time.Second     // 99 of 100 sales
	wholeSettle = 2 * time.Minute

	wholePictures = 100        // whose bytes are counted
	wholeNumbers  = 10_000_000 // telephones 0414-0000000 to -9999999
)

// wholeSales are sales with a telephone of their own each, and the processes that serve them.
type wholeSales struct {
	*benchTestbed

	gateway                *httptest.Server
	api, worker, scheduler *child
	work                   worker

	number   atomic.Int64   // of the last sale
	soldAt   []atomic.Int64 // Unix microseconds by the number of the sale
	accepted []atomic.Int64 // from its answer until the gateway has accepted its message, in microseconds
}

// whole finds the rate of sales that the platform bears with everything that follows them: the receipt is drawn and stored,
// image_url is set, the message is accepted by the gateway, the totals are counted, and the outbox is empty. It holds the rate
// and prints what a sale costs, then does so at half of the rate.
func (s *benchTestbed) whole(ctx context.Context, out io.Writer) (err error) {
	w := &wholeSales{benchTestbed: s, soldAt: make([]atomic.Int64, wholeNumbers), accepted: make([]atomic.Int64, wholeNumbers)}
	gateway := simulators.NewGateway(simulators.GatewayConfig{
		APIKey: messagesKey, Instance: "bench", Clock: clock.System{}, StatusDelay: time.Hour, Delivered: w.delivered,
	})
	w.gateway = httptest.NewServer(gateway)
	defer w.gateway.Close()
	if _, err = s.pg.Pool.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS pg_stat_statements`); err != nil {
		return err
	}
	if w.api, err = s.startChild(ctx, string(app.RoleAPI)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.api.stop()) }()
	if w.work, err = w.sellers(ctx); err != nil {
		return err
	}
	alone, cpu, err := w.alone(ctx)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\nWhole sales, %d ticket points, five lines and a telephone each\n\n  the sale alone: %.0f/s, p99 %s ms, CPU %.2f ms\n",
		maxClients, alone.rate(), millis(alone.quantile(.99)), milliseconds(cpu))
	if w.worker, err = s.launch(ctx, string(app.RoleWorker), w.gatewayEnvironment()...); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.worker.stop()) }()
	if w.scheduler, err = s.launch(ctx, string(app.RoleScheduler)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.scheduler.stop()) }()
	return errors.Join(w.measureRates(ctx, alone.rate(), out), s.emptyTasks(ctx, out))
}

// measureRates finds the highest rate, holds it and half of it, and checks that nothing is missing.
func (w *wholeSales) measureRates(ctx context.Context, alone float64, out io.Writer) error {
	rate, err := w.ramp(ctx, out)
	if err != nil {
		return err
	}
	for {
		held, err := w.hold(ctx, rate, wholeHold)
		if err != nil {
			return err
		}
		held.print(out, alone)
		if held.borne() {
			if err := w.printStatements(ctx, held, out); err != nil {
				return err
			}
			break
		}
		rate /= wholeFactor
	}
	half, err := w.hold(ctx, rate/2, wholeHold) //nolint:mnd // half of the rate
	if err != nil {
		return err
	}
	half.print(out, alone)
	return errors.Join(w.complete(ctx), w.printPictures(ctx, out), w.proof(ctx, out))
}

// printPictures writes the bytes of a stored picture, the mean of some of the newest.
func (w *wholeSales) printPictures(ctx context.Context, out io.Writer) error {
	objects, err := w.store(ctx, false)
	if err != nil {
		return err
	}
	defer objects.Close()
	var addresses []string
	err = w.pg.Pool.QueryRow(ctx, `SELECT array_agg(image_url) FROM (SELECT image_url FROM tickets WHERE image_url IS NOT NULL ORDER BY id DESC LIMIT $1) t`,
		wholePictures).Scan(&addresses)
	if err != nil {
		return err
	}
	total := 0
	for _, address := range addresses {
		content, _, err := objects.Get(ctx, address[strings.Index(address, "receipts/"):])
		if err != nil {
			return err
		}
		total += len(content)
	}
	_, _ = fmt.Fprintf(out, "  a stored picture: %d bytes\n", total/max(len(addresses), 1))
	return nil
}

func (w *wholeSales) gatewayEnvironment() []string {
	return []string{
		"MESSAGING_DRIVER=" + config.DriverEvolution, "MESSAGING_URL=" + w.gateway.URL, "MESSAGING_API_KEY=" + messagesKey, "MESSAGING_INSTANCE=bench",
		"MESSAGING_PER_MINUTE=0", "MESSAGING_RECIPIENT_PER_MINUTE=0",
	}
}

// delivered notes that the gateway has accepted a message.
func (w *wholeSales) delivered(d simulators.Delivered) {
	n, err := strconv.Atoi(strings.TrimPrefix(d.Number, "58414"))
	if err != nil || n < 0 || n >= wholeNumbers {
		return
	}
	w.accepted[n].Store(max(1, time.Now().UnixMicro()-w.soldAt[n].Load()))
}

// sellers returns clients that sell at a ticket point of their own, to another telephone each time.
func (w *wholeSales) sellers(ctx context.Context) (worker, error) {
	draws, err := w.ticketDraws(ctx, 0)
	if err != nil {
		return nil, err
	}
	tokens := make([]string, maxClients)
	for i := range tokens {
		if tokens[i], err = w.api.login(ctx, login(i)); err != nil {
			return nil, err
		}
	}
	const phone = "0414-0000000"
	return func(ctx context.Context, client int) (func() (bool, error), error) {
		body, err := json.Marshal(map[string]any{
			"currency": "VES", "items": itemsBody(draws, client), "customer": map[string]string{"name": "Ana Pérez", "phone": phone},
		})
		if err != nil {
			return nil, err
		}
		p, err := dialPOS(ctx, w.api.addr, tokens[client], body)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, p.close)
		digits := p.body[strings.Index(string(body), phone)+len("0414-"):][:7]
		return func() (bool, error) {
			n := w.number.Add(1) % wholeNumbers
			copy(digits, fmt.Sprintf("%07d", n))
			good, err := p.sell()
			w.soldAt[n].Store(time.Now().UnixMicro())
			return good, err
		}, nil
	}, nil
}

// alone sells without a worker, then forgets the tasks of these sales. cpu is what a sale takes of the platform.
func (w *wholeSales) alone(ctx context.Context) (r *result, cpu time.Duration, err error) {
	if err := warm(ctx, w.work); err != nil {
		return nil, 0, err
	}
	before := w.usage()
	if r, err = drive(ctx, load{clients: maxClients, time: wholeAlone}, w.work); err != nil {
		return nil, 0, err
	}
	after := w.usage()
	for _, name := range platformParts() {
		cpu += (after[name] - before[name]) / time.Duration(max(r.done, 1))
	}
	_, err = w.pg.Pool.Exec(ctx, `DELETE FROM outbox`)
	return r, cpu, err
}

// platformParts are the parts whose use of the processors is the platform's.
func platformParts() []string { return []string{"api", "worker", "Postgres", "Redis"} }

// ramp sells faster and faster and returns the highest rate that is borne. A rate that is not is tried a second time.
func (w *wholeSales) ramp(ctx context.Context, out io.Writer) (best float64, err error) {
	for rate, failed := wholeFirst, false; ; {
		h, err := w.hold(ctx, rate, wholeStep)
		if err != nil {
			return 0, err
		}
		_, _ = fmt.Fprintf(out, "  ramp: %4.0f/s asked for, %4.0f made, p99 %s ms, followed within %.1f s\n", rate, h.sales.rate(), millis(h.sales.quantile(.99)), h.lag.Seconds())
		switch {
		case h.borne():
			best, failed, rate = rate, false, rate*wholeFactor
		case !failed:
			failed = true
		case best == 0:
			return 0, errors.New("the lowest rate of whole sales is not borne")
		default:
			return best, nil
		}
	}
}

// held is a rate of whole sales that was held for a time.
type held struct {
	rate     float64
	sales    *result
	lag      time.Duration // from the end of the sales until nothing waits
	cpu      map[string]time.Duration
	counts   map[string]float64
	accepted []time.Duration
}

func (h *held) borne() bool {
	return h.sales.rate() >= wholeSold*h.rate && h.sales.quantile(.99) <= wholeSlow && h.lag <= wholeLag
}

// hold sells at a rate for a time and waits until nothing waits.
func (w *wholeSales) hold(ctx context.Context, rate float64, length time.Duration) (*held, error) {
	h := &held{rate: rate, cpu: w.usage()}
	if err := w.forgetStatements(ctx); err != nil {
		return nil, err
	}
	before, err := w.figures(ctx)
	if err != nil {
		return nil, err
	}
	first := w.number.Load()
	if h.sales, err = drive(ctx, load{clients: maxClients, time: length, pace: rate}, w.work); err != nil {
		return nil, err
	}
	begun := time.Now()
	for waits := true; waits; time.Sleep(readyPoll) {
		if waits, err = w.waiting(ctx); err != nil {
			return nil, err
		}
		if time.Since(begun) > wholeSettle {
			return nil, fmt.Errorf("tasks of sales still wait after %s", wholeSettle)
		}
	}
	h.lag = time.Since(begun)
	for name, cpu := range w.usage() {
		h.cpu[name] = (cpu - h.cpu[name]) / time.Duration(max(h.sales.done, 1))
	}
	after, err := w.figures(ctx)
	h.counts = map[string]float64{}
	for name, n := range after {
		h.counts[name] = (n - before[name]) / float64(max(h.sales.done, 1))
	}
	for n := first + 1; n <= w.number.Load(); n++ {
		if took := w.accepted[n%wholeNumbers].Load(); took > 0 {
			h.accepted = append(h.accepted, time.Duration(took)*time.Microsecond)
		}
	}
	slices.Sort(h.accepted)
	return h, err
}

// usage returns what each part has used of the processors.
func (w *wholeSales) usage() map[string]time.Duration {
	names := map[int]string{os.Getpid(): "load, gateway and objects", w.api.PID(): "api"}
	if w.scheduler != nil {
		names[w.worker.PID()], names[w.scheduler.PID()] = "worker", "scheduler"
	}
	all, used := procstat.Read(), map[string]time.Duration{}
	for pid, p := range all {
		switch name := names[pid]; {
		case name != "":
			used[name] += p.CPU
		case !all.Descends(pid, os.Getpid()):
		case p.Name == "postgres":
			used["Postgres"] += p.CPU
		case p.Name == "redis-server" || p.Name == "valkey-server":
			used["Redis"] += p.CPU
		}
	}
	return used
}

// waiting reports whether something still follows from a sale.
func (w *wholeSales) waiting(ctx context.Context) (waits bool, err error) {
	err = w.pg.Pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM outbox) OR EXISTS (SELECT FROM message_logs WHERE status IN ('queued', 'sending'))
		OR EXISTS (SELECT FROM outbox_sent WHERE kind IN ('receipt.render', 'message.send'))`).Scan(&waits)
	return waits, err
}

// figures returns what the servers have done so far. A commit is a transaction that wrote.
func (w *wholeSales) figures(ctx context.Context) (map[string]float64, error) {
	c := map[string]float64{}
	var commits, wal, size float64
	err := w.pg.Pool.QueryRow(ctx, `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8, pg_database_size(datname)::float8
		FROM pg_stat_database WHERE datname = current_database()`).Scan(&commits, &wal, &size)
	if err != nil {
		return nil, err
	}
	c["commits"], c["WAL bytes"], c["bytes of tables and indexes"] = commits, wal, size
	var statements float64
	err = w.pg.Pool.QueryRow(ctx, `SELECT coalesce(sum(calls), 0)::float8 FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid
		WHERE d.datname = current_database() AND s.query NOT ILIKE 'begin%' AND s.query NOT ILIKE 'commit%'`).Scan(&statements)
	if err != nil {
		return nil, err
	}
	c["statements"] = statements
	info, err := w.redisInfo(ctx)
	c["Redis commands"] = info
	return c, err
}

// complete returns an error if a sold ticket has no picture, or its buyer no message.
func (w *wholeSales) complete(ctx context.Context) error {
	var pictures, messages int
	err := w.pg.Pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE t.image_url IS NULL), count(*) FILTER (WHERE m.status IS DISTINCT FROM 'sent')
		FROM tickets t LEFT JOIN message_logs m ON m.ticket_id = t.id AND m.kind = 'receipt'
		WHERE t.created_at > (SELECT min(created_at) FROM message_logs)`).Scan(&pictures, &messages)
	if err == nil && pictures+messages > 0 {
		err = fmt.Errorf("%d tickets have no picture and %d no sent message", pictures, messages)
	}
	return err
}

func (h *held) print(out io.Writer, alone float64) {
	at := func(q float64) string {
		if len(h.accepted) == 0 {
			return "-"
		}
		return millis(h.accepted[min(int(q*float64(len(h.accepted))), len(h.accepted)-1)])
	}
	_, _ = fmt.Fprintf(out, "\n  %.0f whole sales/s for %d tickets, %.2f of the sale alone; sale p50 %s, p99 %s ms; followed within %.1f s\n",
		h.sales.rate(), h.sales.done, h.sales.rate()/alone, millis(h.sales.quantile(.5)), millis(h.sales.quantile(.99)), h.lag.Seconds())
	_, _ = fmt.Fprintf(out, "  sale to message accepted, ms: p50 %s, p95 %s, p99 %s (%d messages)\n", at(.5), at(.95), at(.99), len(h.accepted))
	platform := time.Duration(0)
	for _, name := range platformParts() {
		platform += h.cpu[name]
	}
	_, _ = fmt.Fprintf(out, "  CPU of a sale, ms: %.2f", milliseconds(platform))
	for _, name := range append(platformParts(), "scheduler", "load, gateway and objects") {
		_, _ = fmt.Fprintf(out, "; %s %.2f", name, milliseconds(h.cpu[name]))
	}
	_, _ = fmt.Fprintf(out, "\n  a sale: %.1f statements, %.2f commits, %.0f WAL bytes, %.1f Redis commands, %.0f bytes of tables and indexes\n",
		h.counts["statements"], h.counts["commits"], h.counts["WAL bytes"], h.counts["Redis commands"], h.counts["bytes of tables and indexes"])
}

// settingsOf returns the settings of Postgres for a measurement: the whole sale counts statements.
func settingsOf(only string) []string {
	if only != onlyWhole {
		return nil
	}
	return []string{"shared_preload_libraries=pg_stat_statements", "pg_stat_statements.max=5000"}
}
