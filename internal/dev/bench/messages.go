package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/app"
	"banca/internal/dev/simulators"
	"banca/internal/platform/clock"
	"banca/internal/platform/config"
	"banca/models"
	"banca/tasks"
	"banca/tasks/outbox"
)

// onlyMessages is the name of the measurement of messages, for Options.Only.
const onlyMessages = "messages"

// What sending is measured with: one worker with its default number of tasks at a time, and a gateway that answers at once or as a real one.
const (
	messagesSent   = 3_000
	messagesSlow   = 600
	gatewayLatency = 250 * time.Millisecond
	messagesKey    = "key-of-the-gateway-of-the-benchmark"
	messagesWithin = 3 * time.Minute
)

// messages measures one worker that sends texts to as many recipients through the simulated gateway, in this process.
func (s *benchTestbed) messages(ctx context.Context, out io.Writer) (err error) {
	gateway := simulators.NewGateway(simulators.GatewayConfig{APIKey: messagesKey, Instance: "bench", Clock: clock.System{}})
	var latency, arrived atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(time.Duration(latency.Load()))
		gateway.ServeHTTP(w, r)
		if strings.HasPrefix(r.URL.Path, "/message/") {
			arrived.Add(1)
		}
	}))
	defer server.Close()
	worker, err := s.launch(ctx, string(app.RoleWorker), "MESSAGING_DRIVER="+config.DriverEvolution, "MESSAGING_URL="+server.URL, "MESSAGING_API_KEY="+messagesKey,
		"MESSAGING_INSTANCE=bench", "MESSAGING_PER_MINUTE=100000")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.stop()) }()
	if _, _, err := s.sendMessages(ctx, worker, 1); err != nil { // it is ready when it has sent one
		return err
	}
	_, _ = fmt.Fprintf(out, "\nMessages, one worker\n")
	for _, run := range []struct {
		n       int
		latency time.Duration
	}{{messagesSent, 0}, {messagesSlow, gatewayLatency}} {
		latency.Store(int64(run.latency))
		arrived.Store(0)
		took, cpu, err := s.sendMessages(ctx, worker, run.n)
		if err != nil {
			return err
		}
		if n := arrived.Load(); n != int64(run.n) {
			return fmt.Errorf("%d messages arrived instead of %d", n, run.n)
		}
		_, _ = fmt.Fprintf(out, "  gateway answers after %3d ms: %5d messages in %4.1f s, %4.0f/s; CPU of a message: worker %.2f ms, Postgres %.2f ms, Redis %.2f ms\n",
			run.latency.Milliseconds(), run.n, took.Seconds(), float64(run.n)/took.Seconds(), milliseconds(cpu.api), milliseconds(cpu.postgres), milliseconds(cpu.redis))
	}
	return nil
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// sendMessages queues n messages to n recipients in one transaction, and returns the time until all of them are sent and the CPU of each.
func (s *benchTestbed) sendMessages(ctx context.Context, worker *child, n int) (time.Duration, usage, error) {
	ids, rows := make([]uuid.UUID, n), make([]outbox.Row, n)
	for i := range ids {
		ids[i] = uuid.Must(uuid.NewV7())
		row, err := outbox.NewRow(tasks.MessageSend{MessageID: ids[i]})
		if err != nil {
			return 0, usage{}, err
		}
		rows[i] = row
	}
	var clk clock.System
	before, began := worker.measureCPU(), clk.Now()
	err := s.pg.InTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO message_logs (id, entity_id, kind, recipient, body)
			SELECT id, $2, $3, '+58414' || to_char(n, 'FM0000000'), 'bench' FROM unnest($1::uuid[]) WITH ORDINALITY AS m (id, n)`, ids, rootID(), models.MessageReceipt)
		if err != nil {
			return err
		}
		return outbox.EnqueueTx(ctx, tx, rows...)
	})
	for left := n; err == nil && left > 0; {
		if clk.Now().Sub(began) > messagesWithin {
			return 0, usage{}, fmt.Errorf("%d of %d messages were not sent within %s", left, n, messagesWithin)
		}
		time.Sleep(readyPoll)
		err = s.pg.Pool.QueryRow(ctx, `SELECT count(*) FROM message_logs WHERE id = ANY($1) AND status <> 'sent'`, ids).Scan(&left)
	}
	return clk.Now().Sub(began), before.per(worker.measureCPU(), n), err
}
