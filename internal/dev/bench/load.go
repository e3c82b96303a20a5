package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
)

// dialTimeout and callTimeout bound one connection and one request of a simulated point of sale.
const (
	dialTimeout = 3 * time.Second
	callTimeout = 30 * time.Second
)

// result is what one phase measured.
type result struct {
	done      int
	refused   int // answered, but not as asked
	elapsed   time.Duration
	latencies []time.Duration
}

func (r *result) rate() float64 { return float64(r.done) / r.elapsed.Seconds() }

// quantile returns the latency below which share q of the calls stayed.
func (r *result) quantile(q float64) time.Duration {
	if len(r.latencies) == 0 {
		return 0
	}
	slices.Sort(r.latencies)
	return r.latencies[min(int(q*float64(len(r.latencies))), len(r.latencies)-1)]
}

// load is how calls are made: by each client as soon as its last one was answered, or at a given pace.
type load struct {
	clients int
	time    time.Duration
	pace    float64         // calls per second of all clients together; zero for as many as are answered
	ended   <-chan struct{} // ends the load before its time; nil for never
}

// over reports whether a client begins no further call.
func (l load) over(begin time.Time) bool {
	select {
	case <-l.ended:
		return true
	default:
		return time.Since(begin) >= l.time
	}
}

// due returns when a client's nth call is to begin. With a pace the latency of a call counts from here, so that a
// call which waits for the one before it is seen to be late.
func (l load) due(begin time.Time, client, n int) time.Time {
	if l.pace <= 0 {
		return time.Now()
	}
	at := begin.Add(time.Duration((float64(n*l.clients+client) / l.pace) * float64(time.Second)))
	time.Sleep(time.Until(at))
	return at
}

// worker prepares a client and returns its call.
type worker = func(ctx context.Context, client int) (call func() (good bool, err error), err error)

// drive runs one worker per client until the load is over. A worker returns whether its call did what
// was asked; an error ends the phase.
func drive(ctx context.Context, l load, work worker) (*result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	parts := make([]result, l.clients)
	var running sync.WaitGroup
	begin := time.Now()
	for i := range l.clients {
		running.Go(func() {
			call, err := work(ctx, i)
			for n := 0; err == nil && !l.over(begin) && ctx.Err() == nil; n++ {
				start := l.due(begin, i, n)
				var good bool
				if good, err = call(); err != nil {
					break
				}
				parts[i].latencies = append(parts[i].latencies, time.Since(start))
				if good {
					parts[i].done++
				} else {
					parts[i].refused++
				}
			}
			if err != nil {
				cancel(fmt.Errorf("client %d: %w", i, err))
			}
		})
	}
	running.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	total := &result{elapsed: time.Since(begin)}
	for i := range parts {
		total.done += parts[i].done
		total.refused += parts[i].refused
		total.latencies = append(total.latencies, parts[i].latencies...)
	}
	return total, nil
}

// pos is a simulated point of sale: one connection, requests one after another. It writes HTTP/1.1 by
// hand because the load generator shares the machine and must stay light.
type pos struct {
	conn   net.Conn
	reader *bufio.Reader
	head   []byte // request line and headers up to the idempotency key
	body   []byte
	buf    bytes.Buffer
}

func dialPOS(ctx context.Context, addr, token string, body []byte) (*pos, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	p := &pos{conn: conn, reader: bufio.NewReaderSize(conn, 16<<10), body: body}
	p.head = fmt.Appendf(nil, "POST /sales/tickets HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nIdempotency-Key: ",
		addr, token, len(body))
	return p, nil
}

// errUnavailable is an answer 503: nothing was sold, and the connection goes on.
var errUnavailable = errors.New("status 503")

// sell sends one sale and reports whether it was answered 201.
func (p *pos) sell() (bool, error) {
	p.buf.Reset()
	p.buf.Write(p.head)
	p.buf.WriteString(uuid.NewString())
	p.buf.WriteString("\r\n\r\n")
	p.buf.Write(p.body)
	if err := p.conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		return false, err
	}
	if _, err := p.conn.Write(p.buf.Bytes()); err != nil {
		return false, err
	}
	return p.answer()
}

func (p *pos) answer() (bool, error) {
	line, err := p.reader.ReadSlice('\n')
	if err != nil || len(line) < len("HTTP/1.1 201") {
		return false, fmt.Errorf("answer: %q: %w", line, err)
	}
	status, err := strconv.Atoi(string(line[9:12]))
	if err != nil {
		return false, fmt.Errorf("status: %w", err)
	}
	length := 0
	for {
		line, err = p.reader.ReadSlice('\n')
		if err != nil {
			return false, fmt.Errorf("headers: %w", err)
		}
		if len(bytes.TrimSpace(line)) == 0 {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte(":")); ok && bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return false, fmt.Errorf("length: %w", err)
			}
		}
	}
	if status >= http.StatusInternalServerError {
		text, _ := io.ReadAll(io.LimitReader(p.reader, int64(length)))
		if status == http.StatusServiceUnavailable {
			return false, fmt.Errorf("%w: %s", errUnavailable, text)
		}
		return false, fmt.Errorf("status %d: %s", status, text)
	}
	_, err = p.reader.Discard(length)
	return status == http.StatusCreated, err
}

func (p *pos) close() { _ = p.conn.Close() }
