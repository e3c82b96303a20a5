package testbed

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

const (
	readyWithin = 2 * time.Minute
	readyPoll   = 50 * time.Millisecond
	callAtMost  = 10 * time.Second
)

// AwaitReady waits until the process at an address answers that it is ready.
func AwaitReady(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	client := &http.Client{Timeout: callAtMost}
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		res, err := client.Do(req)
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("status %d", res.StatusCode)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%s was not ready within %s: %w", addr, readyWithin, err)
		case <-time.After(readyPoll):
		}
	}
}
