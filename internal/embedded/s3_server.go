package embedded

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

const (
	s3Region         = "us-east-1" // what S3 clients assume when told nothing
	s3MaxConnections = 512
	s3MaxRequests    = 256
	s3MaxParts       = 10_000  // of a multipart upload: S3's own limit
	s3MaxCopy        = 5 << 30 // bytes: S3's own limit; the zero value would refuse every copy
)

// s3Setup is what the gateway process is told on its standard input, as one line of JSON.
type s3Setup struct {
	Addr, Dir, AccessKey, SecretKey, IAMDir string
}

// ServeS3 is the whole life of the gateway process: it reads its setup from stdin and serves until SIGTERM,
// until ctx ends or until stdin ends, which means that the program that started it is gone. It changes the
// process's working directory and may run once per process.
func ServeS3(ctx context.Context, stdin io.Reader) error {
	ctx, cancel := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer cancel()
	in := bufio.NewReader(stdin)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("embedded s3: read setup: %w", err)
	}
	var setup s3Setup
	if err := json.Unmarshal(line, &setup); err != nil {
		return fmt.Errorf("embedded s3: read setup: %w", err)
	}
	go func() {
		_, _ = io.Copy(io.Discard, in) // returns when the starter is gone, with or without an error
		cancel()
	}()
	if err := setup.serve(ctx); err != nil {
		return fmt.Errorf("embedded s3: %w", err)
	}
	return nil
}

// serve runs the gateway. Metadata are kept in files beside the objects and not in extended attributes,
// which temporary and container file systems often lack.
func (s s3Setup) serve(ctx context.Context) error {
	objects, metadata := filepath.Join(s.Dir, "objects"), filepath.Join(s.Dir, "metadata")
	for _, dir := range []string{objects, metadata} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	attributes, err := meta.NewSideCar(metadata)
	if err != nil {
		return err
	}
	backend, err := posix.New(objects, attributes, posix.PosixOpts{
		SideCarDir: metadata, CopyObjectThreshold: s3MaxCopy,
	})
	if err != nil {
		return err
	}
	return embedgw.RunVersityGW(ctx, backend, &embedgw.Config{
		RootUserAccess:    s.AccessKey,
		RootUserSecret:    s.SecretKey,
		Region:            s3Region,
		IAMDir:            s.IAMDir,
		Ports:             []string{s.Addr},
		MaxConnections:    s3MaxConnections,
		MaxRequests:       s3MaxRequests,
		MultipartMaxParts: s3MaxParts,
		KeepAlive:         true,
		Quiet:             true,
	})
}
