package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"banca/internal/platform/clock"
)

// listen opens the listeners of the api: plain, TLS, or both.
func (a *App) listen(ctx context.Context) (list []net.Listener, err error) {
	h := &a.cfg.HTTP
	plain, err := Listen(ctx, "HTTP_ADDR", h.Addr)
	if err != nil {
		return nil, err
	}
	list = []net.Listener{plain}
	if h.TLSCertFile == "" {
		return list, nil
	}
	config, err := tlsConfig(h.TLSCertFile, h.TLSKeyFile, a.clock, a.log)
	if err != nil {
		return nil, errors.Join(err, closeAll(list))
	}
	if h.TLSAddr == "" {
		return []net.Listener{tls.NewListener(plain, config)}, nil
	}
	secure, err := Listen(ctx, "TLS_ADDR", h.TLSAddr)
	if err != nil {
		return nil, errors.Join(err, closeAll(list))
	}
	return append(list, tls.NewListener(secure, config)), nil
}

func closeAll(list []net.Listener) error {
	var errs []error
	for _, l := range list {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

// tlsConfig serves a certificate from files. TLS 1.2 is the minimum; Go negotiates 1.3 if the client supports it.
func tlsConfig(certFile, keyFile string, clk clock.Clock, log *slog.Logger) (*tls.Config, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, clock: clk, log: log}
	if err := c.load(); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.get}, nil
}

// certificateCheck is the least time between two checks of the files.
const certificateCheck = time.Second

// certificate is a key pair from files that is read again when one of them changes. What cannot be read is
// logged, and the last good pair stays in use: a renewal half-way done must not take the bank away.
type certificate struct {
	certFile, keyFile string
	clock             clock.Clock
	log               *slog.Logger

	mu      sync.Mutex
	pair    *tls.Certificate
	changed [2]time.Time // of the files when they were last read
	checked time.Time
}

// get implements tls.Config.GetCertificate.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if now.Sub(c.checked) < certificateCheck {
		return c.pair, nil
	}
	c.checked = now
	if changed, err := c.modified(); err != nil || changed == c.changed {
		return c.pair, nil // a file that is away is being replaced
	}
	if err := c.load(); err != nil {
		c.log.Error("the certificate cannot be read again, the last one stays in use", slog.Any("error", err))
	} else {
		c.log.Info("the certificate was read again")
	}
	return c.pair, nil
}

// load reads the pair; c keeps the last one when that fails.
func (c *certificate) load() error {
	changed, err := c.modified()
	if err != nil {
		return fmt.Errorf("TLS_CERT_FILE, TLS_KEY_FILE: %w", err)
	}
	c.changed = changed // also when it is no good: it is tried again when it changes again
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("TLS_CERT_FILE, TLS_KEY_FILE: %w", err)
	}
	c.pair = &pair
	return nil
}

func (c *certificate) modified() (times [2]time.Time, err error) {
	for i, file := range [2]string{c.certFile, c.keyFile} {
		info, err := os.Stat(file)
		if err != nil {
			return times, err
		}
		times[i] = info.ModTime()
	}
	return times, nil
}
