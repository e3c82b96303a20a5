package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// S3Subcommand is the first argument with which a program is started to be the S3 server. Its main must then
// do nothing but return [ServeS3].
const S3Subcommand = "embedded-s3"

// S3Options configures [StartS3].
type S3Options struct {
	Dir                  string // made when absent
	AccessKey, SecretKey string // of the one account, which may do everything
	Logger               *slog.Logger

	// IAMDir holds the gateway's file of further users, users.json; empty means the one account alone.
	IAMDir string

	// Program is the executable to start with [S3Subcommand]; empty means this very program.
	Program string
}

// S3 is a running S3 gateway process.
type S3 struct {
	child    *child
	stdin    io.Closer
	endpoint string
}

// StartS3 starts the gateway on a loopback port and returns when it answers. The port of an earlier start is
// used again when it is free, because stored image links hold it.
func StartS3(ctx context.Context, o S3Options) (*S3, error) {
	s, err := startS3(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("embedded s3: %w", err)
	}
	return s, nil
}

func startS3(ctx context.Context, o S3Options) (*S3, error) {
	if len(os.Args) > 1 && os.Args[1] == S3Subcommand {
		return nil, errors.New("this process was itself started to be the S3 server, but its main does not call ServeS3")
	}
	program := o.Program
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		program = self
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	addr, err := loopbackAddr(filepath.Join(dir, "port"))
	if err != nil {
		return nil, err
	}
	setup := s3Setup{Addr: addr, Dir: dir, AccessKey: o.AccessKey, SecretKey: o.SecretKey, IAMDir: o.IAMDir}
	return launchS3(ctx, program, setup, loggerFor(o.Logger, "s3"))
}

// launchS3 hands the secret over on standard input, where no process list shows it; the pipe then stays
// open, and its end tells the gateway that this program is gone.
func launchS3(ctx context.Context, program string, setup s3Setup, log *slog.Logger) (*S3, error) {
	line, err := json.Marshal(setup) //nolint:gosec // G117: handing the secret over is the point
	if err != nil {
		return nil, err
	}
	probe, err := setup.probe()
	if err != nil {
		return nil, err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c, err := startChild(childSpec{
		name: "s3", argv: []string{program, S3Subcommand}, stdin: in, stop: syscall.SIGTERM, log: log,
	})
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	s := &S3{child: c, stdin: out, endpoint: "http://" + setup.Addr}
	_, errWrite := out.Write(append(line, '\n'))
	if err := errors.Join(errWrite, in.Close()); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	if err := c.awaitReady(ctx, probe); err != nil {
		return nil, errors.Join(err, s.Stop(context.WithoutCancel(ctx)))
	}
	return s, nil
}

// probe returns a check that makes a signed request, which only our own gateway answers with success:
// another program may have taken the port meanwhile.
func (s s3Setup) probe() (func(context.Context) error, error) {
	client, err := minio.New(s.Addr, &minio.Options{
		Creds:      credentials.NewStaticV4(s.AccessKey, s.SecretKey, ""),
		Region:     s3Region,
		MaxRetries: 1,
		Transport:  &http.Transport{DisableKeepAlives: true}, // leaves no connection behind
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		_, err := client.ListBuckets(ctx)
		return err
	}, nil
}

// loopbackAddr returns the address remembered in file when its port is free, else a new one, which it
// remembers.
func loopbackAddr(file string) (string, error) {
	if raw, err := os.ReadFile(file); err == nil {
		if port, err := strconv.ParseUint(string(bytes.TrimSpace(raw)), 10, 16); err == nil {
			if addr, err := tryListen(strconv.FormatUint(port, 10)); err == nil {
				return addr, nil
			}
		}
	}
	addr, err := tryListen("0")
	if err != nil {
		return "", err
	}
	port := addr[strings.LastIndexByte(addr, ':')+1:]
	return addr, os.WriteFile(file, []byte(port+"\n"), 0o600)
}

// tryListen returns the loopback address of port ("0": any free one) after showing that it can be listened on.
func tryListen(port string) (string, error) {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)) //nolint:noctx // does not block
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// Endpoint returns the gateway's address, such as http://127.0.0.1:39143.
func (s *S3) Endpoint() string { return s.endpoint }

// PID returns the process id of the gateway.
func (s *S3) PID() int { return s.child.pid() }

// Done is closed when the gateway has ended, for whatever reason.
func (s *S3) Done() <-chan struct{} { return s.child.done }

// Stop lets running requests finish and stops the gateway; after a bound, or when ctx ends, it is killed.
// Stopping a stopped gateway is no error.
func (s *S3) Stop(ctx context.Context) error {
	err := s.child.stopChild(ctx)
	if errClose := s.stdin.Close(); errClose != nil && !errors.Is(errClose, os.ErrClosed) {
		err = errors.Join(err, errClose)
	}
	return err
}
