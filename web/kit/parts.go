package kit

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Parts reads the parts of a page at the same time. The parts change nothing of the request. A part that panics is an error: nothing else recovers a
// panic outside the goroutine of the request, and it would end the process.
type Parts struct{ group errgroup.Group }

// Limit bounds how many parts are read at a time, and so the connections of a page. It is called before Go.
func (p *Parts) Limit(parts int) { p.group.SetLimit(parts) }

// Go reads a part.
func (p *Parts) Go(read func() error) {
	p.group.Go(func() (err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("a part of a page panicked: %v\n%s", cause, debug.Stack())
			}
		}()
		return read()
	})
}

// Wait waits for all parts and returns the first error.
func (p *Parts) Wait() error { return p.group.Wait() }
