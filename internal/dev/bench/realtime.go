package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/app"
	"banca/internal/platform/realtime"
	"banca/internal/setup/seed"
	"banca/storage"
)

// Required figures of the connections, on two cores.
const (
	idleConnections  = 5_000
	idleMiB          = 200.0
	broadcastWithin  = 2 * time.Second
	broadcastRounds  = 5
	broadcastPatient = 20 * time.Second
	dialAtOnce       = 32
	settle           = 20 * time.Second // for the process to come to rest and return the garbage of the handshakes
	descriptors      = 3*idleConnections/2 + 1_000
	eventPayload     = 200 // bytes, about those of draw.closed
)

// connections measures what idle WebSocket connections cost a process, and how long an event takes to reach them all.
func (s *benchTestbed) connections(ctx context.Context, out io.Writer) (err error) {
	if err := raiseDescriptors(); err != nil {
		return err
	}
	client, err := storage.OpenRedis(ctx, s.stack.RedisURL)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	api, err := s.startChild(ctx, string(app.RoleAPI))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.stop()) }()
	token, err := api.login(ctx, login(0))
	if err != nil {
		return err
	}
	if err := s.addDevices(ctx); err != nil {
		return err
	}
	empty, err := api.residentMiB()
	if err != nil {
		return err
	}
	ears, took, err := connectAll(ctx, api.addr, token)
	defer hangUp(ears)
	if err != nil {
		return err
	}
	time.Sleep(settle)
	full, err := api.residentMiB()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\n%d idle WebSocket connections, one process, connected in %.1f s: %.0f MiB resident (%.0f MiB without them, %.1f KiB each); at most %.0f MiB: %s\n",
		len(ears), took.Seconds(), full, empty, (full-empty)*1024/float64(len(ears)), idleMiB, verdict(full < idleMiB))
	return broadcasts(ctx, client, s, ears, api, out)
}

func verdict(good bool) string {
	if good {
		return "ok"
	}
	return "MISSED"
}

// raiseDescriptors makes room for the load's ends; the child raises its own.
func raiseDescriptors() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	if limit.Max < descriptors {
		return fmt.Errorf("%d files may be open, and %d are needed: raise `ulimit -Hn`", limit.Max, descriptors)
	}
	limit.Cur = limit.Max
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

func benchDevice(i int) uuid.UUID  { return seed.ID("bench", "device", fmt.Sprint(i)) }
func benchSession(i int) uuid.UUID { return seed.ID("bench", "device-session", fmt.Sprint(i)) }

// addDevices gives the first user as many devices with sessions as there are connections, in his last login.
func (s *benchTestbed) addDevices(ctx context.Context) error {
	ids, sessions := make(storage.UUIDs, idleConnections), make(storage.UUIDs, idleConnections)
	for i := range ids {
		ids[i], sessions[i] = benchDevice(i), benchSession(i)
	}
	_, err := s.pg.Pool.Exec(ctx, `INSERT INTO devices (id, entity_id, name, fingerprint_hash, key_hash, status, created_by)
		SELECT id, $2, 'bench', sha256(id::text::bytea), sha256('key'), 'active', $3 FROM unnest($1::uuid[]) id`, ids, pointID(0), userID(0))
	if err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	_, err = s.pg.Pool.Exec(ctx, `INSERT INTO device_sessions (id, device_id, user_id, user_session_id, status)
		SELECT l.session, l.device, $3, (SELECT id FROM user_sessions WHERE user_id = $3 ORDER BY created_at DESC LIMIT 1), 'active'
		FROM unnest($1::uuid[], $2::uuid[]) AS l(device, session)`, ids, sessions, userID(0))
	if err != nil {
		return fmt.Errorf("device sessions: %w", err)
	}
	_, err = s.pg.Pool.Exec(ctx, `ANALYZE devices, device_sessions`)
	return err
}

// ear is the client's end of a connection. It reads all the time, and answers pings, as a client does.
type ear struct {
	conn   net.Conn
	reader *bufio.Reader
	heard  chan heard
}

// heard is a message and when it came, or why there will be none.
type heard struct {
	message []byte
	at      time.Time
	err     error
}

// connectAll opens every connection.
func connectAll(ctx context.Context, addr, token string) ([]*ear, time.Duration, error) {
	ears := make([]*ear, idleConnections)
	errs := make([]error, idleConnections)
	began := time.Now()
	var group sync.WaitGroup
	next := make(chan int)
	for range dialAtOnce {
		group.Go(func() {
			for i := range next {
				ears[i], errs[i] = connect(ctx, addr, token, benchDevice(i), benchSession(i))
			}
		})
	}
	for i := range idleConnections {
		next <- i
	}
	close(next)
	group.Wait()
	return slices.DeleteFunc(ears, func(e *ear) bool { return e == nil }), time.Since(began), errors.Join(errs...)
}

func connect(ctx context.Context, addr, token string, device, session uuid.UUID) (*ear, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	_, err = fmt.Fprintf(conn, "GET /ws?deviceId=%s&sessionId=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", device, session, addr, token)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	reader := bufio.NewReaderSize(conn, smallBuffer)
	answer, err := http.ReadResponse(reader, nil) //nolint:bodyclose // it has none: the connection is a WebSocket now
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if answer.StatusCode != http.StatusSwitchingProtocols {
		return nil, errors.Join(fmt.Errorf("GET /ws: status %d", answer.StatusCode), conn.Close())
	}
	e := &ear{conn: conn, reader: reader, heard: make(chan heard, 1)}
	go e.listen()
	return e, nil
}

func hangUp(ears []*ear) {
	for _, e := range ears {
		_ = e.conn.Close()
	}
}

const smallBuffer = 1_024

// Frames of RFC 6455, 5.2, as a server sends them: not masked.
const (
	opcodeText = 1
	opcodePing = 9
	opcodePong = 10
	finished   = 0x80 // and, in the second byte, masked
	length16   = 126
	ownMask    = 4 // bytes, zero here
)

// listen reads until the connection ends.
func (e *ear) listen() {
	for {
		message, err := e.hear()
		e.heard <- heard{message, time.Now(), err}
		if err != nil {
			return
		}
	}
}

// hear waits for a message.
func (e *ear) hear() ([]byte, error) {
	for {
		var head [2]byte
		if _, err := io.ReadFull(e.reader, head[:]); err != nil {
			return nil, err
		}
		size := int(head[1])
		if size == length16 {
			var long [2]byte
			if _, err := io.ReadFull(e.reader, long[:]); err != nil {
				return nil, err
			}
			size = int(long[0])<<8 | int(long[1])
		}
		payload := make([]byte, size)
		if _, err := io.ReadFull(e.reader, payload); err != nil {
			return nil, err
		}
		switch head[0] {
		case finished | opcodeText:
			return payload, nil
		case finished | opcodePing:
			pong := append([]byte{finished | opcodePong, finished | byte(size)}, make([]byte, ownMask)...)
			if _, err := e.conn.Write(append(pong, payload...)); err != nil {
				return nil, err
			}
		default:
			return nil, fmt.Errorf("unexpected frame %x", head[0])
		}
	}
}

// broadcasts publishes events for everybody and measures when each connection has them.
func broadcasts(ctx context.Context, client redis.UniversalClient, s *benchTestbed, ears []*ear, api *child, out io.Writer) error {
	sending, stop := context.WithCancel(ctx)
	defer stop()
	bus := realtime.NewBus(client, s.log)
	var running sync.WaitGroup
	running.Go(func() { bus.Run(sending) })
	defer running.Wait()
	defer stop()
	worst := time.Duration(0)
	for round := range broadcastRounds {
		took, err := broadcast(ctx, bus, ears)
		if err != nil {
			return fmt.Errorf("broadcast %d: %w", round+1, err)
		}
		slices.Sort(took)
		last := took[len(took)-1]
		worst = max(worst, last)
		memory, err := api.residentMiB()
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "broadcast %d to %d connections: p50 %s ms, p99 %s ms, all after %s ms; api %.0f MiB\n", round+1, len(took),
			millis(took[len(took)/2]), millis(took[len(took)*99/100]), millis(last), memory)
	}
	_, _ = fmt.Fprintf(out, "at most %s: %s\n", broadcastWithin, verdict(worst < broadcastWithin))
	return nil
}

// broadcast publishes one event and returns how long it took to each connection.
func broadcast(ctx context.Context, bus *realtime.Bus, ears []*ear) ([]time.Duration, error) {
	took := make([]time.Duration, len(ears))
	e := realtime.NewEvent(realtime.DrawClosed, time.Now(), strings.Repeat("x", eventPayload))
	began := time.Now()
	bus.Publish(ctx, realtime.Everybody(), e)
	late := time.After(broadcastPatient)
	for i, ear := range ears {
		select {
		case got := <-ear.heard:
			if got.err != nil || !strings.Contains(string(got.message), e.ID.String()) {
				return nil, fmt.Errorf("connection %d got %q: %w", i, got.message, got.err)
			}
			took[i] = got.at.Sub(began)
		case <-late:
			return nil, fmt.Errorf("connection %d heard nothing in %s", i, broadcastPatient)
		}
	}
	return took, nil
}
