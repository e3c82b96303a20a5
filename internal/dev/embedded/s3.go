package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/net/netutil"
)

const (
	s3MaxConnections = 512
	s3ReadTimeout    = time.Minute // of a request with its body
	s3WriteTimeout   = time.Minute // of a response
	s3IdleTimeout    = 2 * time.Minute
	s3StopTimeout    = 10 * time.Second // for running requests
)

// S3Options configures [StartS3].
type S3Options struct {
	Dir                  string // created when absent
	AccessKey, SecretKey string // of the only account, which has every right
	Logger               *slog.Logger
}

// S3 is a running object store.
type S3 struct {
	server   *http.Server
	endpoint string
	done     chan struct{}
}

// StartS3 starts the object store on a loopback port. It uses the port of its last start if that is free,
// because stored image links contain it.
func StartS3(ctx context.Context, o S3Options) (*S3, error) {
	s, err := startS3(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("embedded s3: %w", err)
	}
	return s, nil
}

func startS3(ctx context.Context, o S3Options) (*S3, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	handler, err := newS3Handler(dir, o.AccessKey, o.SecretKey)
	if err != nil {
		return nil, err
	}
	listener, err := listenOnKeptPort(ctx, filepath.Join(dir, "port"))
	if err != nil {
		return nil, err
	}
	log := loggerFor(o.Logger, "s3")
	s := &S3{endpoint: "http://" + listener.Addr().String(), done: make(chan struct{}), server: &http.Server{
		Handler: handler, ReadTimeout: s3ReadTimeout, WriteTimeout: s3WriteTimeout, IdleTimeout: s3IdleTimeout,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}}
	go func() {
		defer close(s.done)
		if err := s.server.Serve(netutil.LimitListener(listener, s3MaxConnections)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("object store ended", slog.Any("error", err))
		}
	}()
	return s, nil
}

// listenOnKeptPort listens on the port stored in file, or on a free port if that one is taken, and stores
// the port it got.
func listenOnKeptPort(ctx context.Context, file string) (net.Listener, error) {
	var listen net.ListenConfig
	if raw, err := os.ReadFile(file); err == nil {
		if port, err := strconv.ParseUint(string(bytes.TrimSpace(raw)), 10, 16); err == nil {
			if l, err := listen.Listen(ctx, "tcp", loopbackPort(port)); err == nil {
				return l, nil
			}
		}
	}
	l, err := listen.Listen(ctx, "tcp", loopbackPort(0))
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err == nil {
		err = os.WriteFile(file, []byte(port+"\n"), 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func loopbackPort(port uint64) string {
	return net.JoinHostPort("127.0.0.1", strconv.FormatUint(port, 10))
}

// Endpoint returns the address of the store, such as http://127.0.0.1:39143.
func (s *S3) Endpoint() string { return s.endpoint }

// Done is closed when the store has ended, for any reason.
func (s *S3) Done() <-chan struct{} { return s.done }

// Stop waits for running requests, at most until ctx ends or s3StopTimeout passes, and closes the store.
// Stopping twice is a no-op.
func (s *S3) Stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s3StopTimeout)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("embedded s3: stop: %w", err), s.server.Close())
	}
	<-s.done
	return err
}
