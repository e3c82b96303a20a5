package trial

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// chunk is what a proxy forwards at once.
const chunk = 16 << 10

// proxyDial bounds a connection to what is behind a proxy, which is on this machine.
const proxyDial = 2 * time.Second

// mode is how a proxy treats connections.
type mode int32

const (
	passing mode = iota
	cutOff       // connections are reset and refused
	hanging      // connections are accepted, and nothing is forwarded
	slow         // every chunk is late
)

// proxy forwards connections of one process to one server.
type proxy struct {
	name     string
	listener net.Listener
	target   atomic.Pointer[endpoint]
	mode     atomic.Int32
	delay    atomic.Int64 // of every chunk when slow
	passed   atomic.Int64 // chunks so far
	harmed   atomic.Int64 // connections that were reset or refused and chunks that were late, so far

	mu    sync.Mutex
	conns map[net.Conn]struct{}
}

// endpoint is what a proxy connects to.
type endpoint struct{ network, address string }

// listenProxy starts a proxy, which runs until close.
func listenProxy(ctx context.Context, name string, target endpoint) (*proxy, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{name: name, listener: l, conns: map[net.Conn]struct{}{}}
	p.target.Store(&target)
	go p.serve(context.WithoutCancel(ctx))
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve(ctx context.Context) {
	for {
		conn, err := p.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err == nil {
			go p.forward(ctx, conn)
		}
	}
}

// forward connects one client with the target until one of them closes.
func (p *proxy) forward(ctx context.Context, client net.Conn) {
	if mode(p.mode.Load()) == cutOff {
		p.harmed.Add(1)
		reset(client)
		return
	}
	to := p.target.Load()
	ctx, cancel := context.WithTimeout(ctx, proxyDial)
	server, err := (&net.Dialer{}).DialContext(ctx, to.network, to.address)
	cancel()
	if err != nil {
		reset(client)
		return
	}
	p.keep(client, server)
	defer p.drop(client, server)
	done := make(chan struct{}, 2)
	go func() { p.pump(server, client); done <- struct{}{} }()
	go func() { p.pump(client, server); done <- struct{}{} }()
	<-done
	reset(client)
	reset(server)
	<-done
}

// pump forwards one direction.
func (p *proxy) pump(to, from net.Conn) {
	buffer := make([]byte, chunk)
	for {
		n, err := from.Read(buffer)
		if now := mode(p.mode.Load()); n > 0 && (now == hanging || now == slow) {
			p.harmed.Add(1)
		}
		for mode(p.mode.Load()) == hanging {
			time.Sleep(10 * time.Millisecond)
		}
		if mode(p.mode.Load()) == slow {
			time.Sleep(time.Duration(p.delay.Load()))
		}
		if n > 0 {
			p.passed.Add(1)
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

func (p *proxy) keep(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		p.conns[c] = struct{}{}
	}
}

func (p *proxy) drop(conns ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range conns {
		delete(p.conns, c)
	}
}

// set changes the mode; cutOff ends the connections, too.
func (p *proxy) set(m mode, delay time.Duration) {
	p.delay.Store(int64(delay))
	p.mode.Store(int32(m))
	if m == cutOff {
		p.resetAll()
	}
}

// lead sends new connections elsewhere and ends those that lead to the old place.
func (p *proxy) lead(target endpoint) {
	p.target.Store(&target)
	p.resetAll()
}

// resetAll ends all connections at once.
func (p *proxy) resetAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		reset(c)
	}
	p.harmed.Add(int64(len(p.conns) / 2)) // each has two ends
}

// open counts the connections.
func (p *proxy) open() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(len(p.conns) / 2)
}

func (p *proxy) close() {
	p.mode.Store(int32(cutOff))
	_ = p.listener.Close()
	p.resetAll()
}

// reset closes a connection; over TCP the peer sees a reset.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = c.Close()
}
