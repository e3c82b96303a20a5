package pixels

import (
	"context"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"banca/internal/platform/apperr"
)

// Defaults of a Memory.
const (
	DefaultBytes = 256 << 20
	DefaultWait  = 10 * time.Second

	collectFrom = 16 << 20 // bytes of a picture that are collected when it is released
	retryAfter  = 5 * time.Second
)

// Errors of Take.
var (
	// ErrTooMuchMemory refuses a picture that alone takes more than the whole Memory.
	ErrTooMuchMemory = apperr.New(apperr.Invalid, "PICTURE_MEMORY",
		"decoding the picture needs more memory than the server allows; send fewer pixels, or 8 bits per channel")
	// ErrBusy refuses a picture that waited too long for others.
	ErrBusy = apperr.New(apperr.Unavailable, "BUSY", "too many pictures are being decoded; nothing was stored").WithRetryAfter(retryAfter)
)

// Memory admits pictures to decoding as long as the sum of their bytes is within its size.
type Memory struct {
	size  int64
	wait  time.Duration
	bytes *semaphore.Weighted
}

// NewMemory returns a Memory of a size in bytes. A picture waits for others at most wait.
func NewMemory(size int64, wait time.Duration) *Memory {
	return &Memory{size: size, wait: wait, bytes: semaphore.NewWeighted(size)}
}

// Default returns a Memory of the default size.
func Default() *Memory { return NewMemory(DefaultBytes, DefaultWait) }

// Take waits until n bytes may be decoded. The caller calls release when it needs the pixels no longer, and keeps no
// reference to them. Errors: ErrTooMuchMemory, ErrBusy, the context's.
func (m *Memory) Take(ctx context.Context, n int64) (release func(), err error) {
	if n > m.size {
		return nil, ErrTooMuchMemory
	}
	waiting, cancel := context.WithTimeout(ctx, m.wait)
	defer cancel()
	if err := m.bytes.Acquire(waiting, n); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, ErrBusy.WithCause(err)
	}
	return sync.OnceFunc(func() {
		if n >= collectFrom {
			debug.FreeOSMemory()
		}
		m.bytes.Release(n)
	}), nil
}
