package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"banca/internal/dev/testbed"
	"banca/internal/setup/seed"
)

// bankCeiling is the rate, in notifications a second, that requests are prepared for.
const bankCeiling = 6_000

// bankPhases measures BancoNotifica through HTTP: every check, matching by telephone and amount, the deposit and the
// commit with its fsync, each notification for a request of its own.
func (s *benchTestbed) bankPhases(ctx context.Context, api *child, o Options) ([]phase, error) {
	list := []phase{}
	for _, p := range []struct {
		name string
		hot  bool
	}{{"notification, many wallets", false}, {"notification, one wallet", true}} {
		if o.Only != "" && o.Only != p.name {
			list = append(list, phase{p.name, nil})
			continue
		}
		if err := s.addRequests(ctx, o, p.hot); err != nil {
			return nil, err
		}
		list = append(list, phase{p.name, notifiers(api.addr, p.hot)})
	}
	_, err := s.pg.Pool.Exec(ctx, `ANALYZE payment_requests`)
	if err != nil {
		return nil, err
	}
	_, err = s.pg.Pool.Exec(ctx, `CHECKPOINT`) // so that it is not written while something is measured
	return list, err
}

// addRequests announces as many payments as each client can notify in the whole run: its n-th is of n céntimos.
func (s *benchTestbed) addRequests(ctx context.Context, o Options, hot bool) error {
	for client := range maxClients {
		each := 0
		for _, clients := range o.Clients {
			if client < clients {
				each += int(o.Phase.Seconds()*float64(bankCeiling)) * o.Rounds / clients
			}
		}
		point := client
		if hot {
			point = 0
		}
		_, err := s.pg.Pool.Exec(ctx, `INSERT INTO payment_requests (id, origin, entity_id, wallet_id, currency_id, client_number, client_phone, amount, expires_at, created_at)
			SELECT gen_random_uuid(), 'manual', w.entity_id, w.id, w.currency_id, $3, $4, n, now() + interval '1 day', now()
			FROM wallets w, generate_series(1, $5) n WHERE w.entity_id = $1 AND w.currency_id = $2 AND w.kind = 'main'`,
			pointID(point), seed.ID("currency", "VES"), strconv.Itoa(10_000_000+client), "+"+payerPhone(client, hot), each)
		if err != nil {
			return fmt.Errorf("payment requests: %w", err)
		}
	}
	return nil
}

// payerPhone is the telephone that a client's payments come from.
func payerPhone(client int, hot bool) string {
	if hot {
		return fmt.Sprintf("58424%07d", client)
	}
	return fmt.Sprintf("58414%07d", client)
}

// notifiers makes the clients. Where one was is remembered from round to round: each payment comes once.
func notifiers(addr string, hot bool) worker {
	sent := make([]atomic.Int64, maxClients)
	return func(ctx context.Context, client int) (func() (bool, error), error) {
		conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		n := &notifier{conn: conn, reader: bufio.NewReader(conn), addr: addr}
		phone := payerPhone(client, hot)
		return func() (bool, error) {
			number := sent[client].Add(1)
			return n.send(fmt.Sprintf(`{"Referencia":"%d%03d%08d","BancoEmisor":"0134","Monto":"%d.%02d","CodigoRed":"00","TelefonoEmisor":"%s"}`,
				btoi(hot), client, number, number/100, number%100, phone))
		}, nil
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// notifier is the bank's end of one connection.
type notifier struct {
	conn   net.Conn
	reader *bufio.Reader
	addr   string
	buf    bytes.Buffer
}

// send notifies one payment and reports whether it was answered true.
func (n *notifier) send(body string) (bool, error) {
	n.buf.Reset()
	_, _ = fmt.Fprintf(&n.buf, "POST /BancoNotifica HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\nX-Request-Id: %s\r\nContent-Length: %d\r\n\r\n%s",
		n.addr, testbed.BankToken, uuid.NewString(), len(body), body)
	if err := n.conn.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		return false, err
	}
	if _, err := n.conn.Write(n.buf.Bytes()); err != nil {
		return false, err
	}
	reader := textproto.NewReader(n.reader)
	status, err := reader.ReadLine()
	if err != nil {
		return false, fmt.Errorf("answer: %w", err)
	}
	header, err := reader.ReadMIMEHeader()
	if err != nil {
		return false, fmt.Errorf("headers: %w", err)
	}
	length, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return false, fmt.Errorf("length: %w", err)
	}
	answer := make([]byte, length)
	if _, err := io.ReadFull(n.reader, answer); err != nil {
		return false, fmt.Errorf("body: %w", err)
	}
	if status != "HTTP/1.1 200 OK" {
		return false, fmt.Errorf("%s: %s", status, answer)
	}
	return string(answer) == `{"abono":true}`, nil
}
