package groupcommit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/platform/clock"
)

// eight are the arguments of the calls of a test.
func eight() []int { return []int{0, 1, 2, 3, 4, 5, 6, 7} }

type doubling = Call[int, int]

// shared are calls that double their arguments. before may set a call's outcome or fail the run.
type shared struct {
	*sharing[int, int]

	mu   sync.Mutex
	runs [][]int
}

func newShared(before func(calls []*doubling) error) *shared {
	s := &shared{}
	s.sharing, _ = NewCalls("doubling", func(_ context.Context, calls []*doubling) error {
		var arguments []int
		for _, c := range calls {
			arguments = append(arguments, c.Argument)
			c.Result = 2 * c.Argument
		}
		s.mu.Lock()
		s.runs = append(s.runs, arguments)
		s.mu.Unlock()
		return before(calls)
	}, clock.System{}).(*sharing[int, int])
	return s
}

// serve runs the calls until the returned function is called.
func (s *shared) serve(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); s.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return stop
}

// together makes calls that share their first run, and returns their errors.
func (s *shared) together(t *testing.T, arguments ...int) (wait func() []error) {
	t.Helper()
	errs := make([]error, len(arguments))
	var running sync.WaitGroup
	for i, argument := range arguments {
		running.Go(func() {
			defer s.Expect()()
			var result int
			defer func() {
				if value := recover(); value != nil {
					errs[i] = fmt.Errorf("panic: %v", value)
				}
			}()
			result, errs[i] = s.Do(t.Context(), uuid.New(), argument)
			if errs[i] == nil {
				assert.Equal(t, 2*argument, result)
			}
		})
	}
	return func() []error { running.Wait(); return errs }
}

func (s *shared) gathered(t *testing.T, n int) {
	t.Helper()
	require.Eventually(t, func() bool { return len(s.group.queues[0]) == n }, waitFor, tick)
}

func holds(calls []*doubling, argument int) bool {
	return slices.ContainsFunc(calls, func(c *doubling) bool { return c.Argument == argument })
}

// Of calls whose run fails or panics each runs alone: the bad one fails where its own caller is.
func TestABadCallFailsAlone(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"of Postgres":  func() error { return &pgconn.PgError{Code: "23514"} },
		"of a domain":  func() error { return errors.New("not found") },
		"with a panic": func() error { panic("bad") },
	} {
		s := newShared(func(calls []*doubling) error {
			if holds(calls, 3) {
				return fail()
			}
			return nil
		})
		s.entered(t, 8)
		wait := s.together(t, eight()...)
		s.gathered(t, 8)
		s.serve(t)
		for i, err := range wait() {
			require.Equal(t, i == 3, err != nil, "%s: %d: %v", name, i, err)
		}
		require.Len(t, s.runs, 1+8, name)
	}
}

// entered counts n further calls, so that the calls of the test wait in the queue.
func (s *shared) entered(t *testing.T, n int) {
	t.Helper()
	for range n {
		t.Cleanup(s.Expect())
	}
}

// An outage is the error of all calls of the run, and none of them runs again.
func TestAnOutageFailsAllCalls(t *testing.T) {
	t.Parallel()
	for _, outage := range []error{io.ErrUnexpectedEOF, context.DeadlineExceeded, &pgconn.PgError{Code: "53300"}, &pgconn.PgError{Code: "25006"}} {
		s := newShared(func([]*doubling) error { return fmt.Errorf("run: %w", outage) })
		s.entered(t, 8)
		wait := s.together(t, eight()...)
		s.gathered(t, 8)
		s.serve(t)
		for _, err := range wait() {
			require.ErrorIs(t, err, outage)
		}
		require.Len(t, s.runs, 1)
	}
}

// Calls that wait for a lock hold up no others, also one that is the only call of its shared run.
func TestACallThatWaitsHoldsUpNoOthers(t *testing.T) {
	t.Parallel()
	for _, arguments := range [][]int{{0, 1, 2, 3}, {1}} {
		proceed := make(chan struct{})
		s := newShared(func(calls []*doubling) error {
			for _, c := range calls {
				c.Again = c.Argument == 1 && !MayWait(calls)
			}
			if MayWait(calls) && calls[0].Argument == 1 {
				<-proceed
			}
			return nil
		})
		s.entered(t, 8)
		first := s.together(t, arguments...)
		s.gathered(t, len(arguments))
		s.serve(t)
		require.Eventually(t, func() bool { s.mu.Lock(); defer s.mu.Unlock(); return len(s.runs) == 2 }, waitFor, tick)
		result, err := s.Do(t.Context(), uuid.New(), 21)
		require.NoError(t, err)
		require.Equal(t, 42, result)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = s.Do(ctx, uuid.New(), 22)
		require.NoError(t, err, "a shared run is finished though its caller left")
		close(proceed)
		for _, err := range first() {
			require.NoError(t, err)
		}
	}
}

// Calls that come after the end of the runs run alone, so that a result that is known is not lost.
func TestACallAfterTheEndRunsAlone(t *testing.T) {
	t.Parallel()
	s := newShared(func([]*doubling) error { return nil })
	s.serve(t)()
	s.entered(t, 8)
	for i := range 3 {
		result, err := s.Do(t.Context(), uuid.New(), i)
		require.NoError(t, err, strconv.Itoa(i))
		require.Equal(t, 2*i, result)
	}
}
