package prizes_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/api/problem"
	"banca/internal/auth"
	"banca/internal/catalog"
	"banca/internal/dev/testkit"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/draws"
	"banca/internal/platform/caller"
	"banca/internal/sales"
	"banca/models"
)

// process returns the services of a second process: its own connections to the same Postgres and Redis.
func (b *bundle) process(t testing.TB) *bundle {
	t.Helper()
	operator, other := *b.Operator, *b
	operator.PG = b.Env.Connect(t)
	other.Operator = &operator
	other.assemble(t)
	return &other
}

// logins returns a service that logs users in.
func (b *bundle) logins(t testing.TB) *auth.Service {
	t.Helper()
	hash, err := auth.HashPassword("banca-dev", 4)
	require.NoError(t, err)
	b.Exec(t, `UPDATE users SET password_hash = $1`, hash)
	s, err := auth.New(b.PG, b.Clock, auth.Options{
		Secret: make([]byte, 32), AccessTTL: time.Hour, RefreshTTL: time.Hour, BcryptCost: 4, Redis: b.Redis, ThrottleWait: testkit.RedisTimeout,
		Scope: func(context.Context, uuid.UUID) (caller.Scope, error) { return b.by.Scope, nil },
	})
	require.NoError(t, err)
	return s
}

// crowd runs many actors at once and keeps their statuses.
type crowd struct {
	sync.WaitGroup
	mu       sync.Mutex
	statuses map[string]int
	failures []error
}

// note counts an answer, and keeps a server error.
func (c *crowd) note(what string, err error) {
	status := http.StatusOK
	if err != nil {
		status = problem.From(err).Status
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.statuses[fmt.Sprintf("%s %d", what, status)]++
	if status == http.StatusInternalServerError {
		c.failures = append(c.failures, fmt.Errorf("%s: %w", what, err))
	}
}

// enough is the number of corrections verified and of payments made that ends the test.
const enough = 12

// goesOn reports whether fewer answers than required have come.
func (c *crowd) goesOn(ctx context.Context) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return ctx.Err() == nil && len(c.failures) == 0 && (c.statuses["verify 200"] < enough || c.statuses["pay 200"] < enough)
}

// 30 concurrent actors on two processes correct, verify and pay: no answer is 500, and logins are not delayed.
func TestCorrectionsVerificationsAndPaymentsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	held := b.open(t)[:3]
	tickets := make([]*sales.Ticket, 30)
	for i := range tickets {
		tickets[i] = b.sell(t, []string{"5", "6", "7"}[i/len(held)%3], held[i%len(held)])
	}
	for _, d := range held {
		b.settle(t, d, "5")
	}
	processes := []*bundle{b, b.process(t)}
	users := b.logins(t)
	login := func() time.Duration {
		began := time.Now()
		_, _, err := users.Login(t.Context(), auth.Credentials{Email: "admin@banca.test", Password: "banca-dev"}, auth.Client{Address: "10.0.0.1"})
		require.NoError(t, err)
		return time.Since(began)
	}
	alone := login() // on a machine that other tests use, too
	c := &crowd{statuses: map[string]int{}}
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	for i := range 30 {
		p := processes[i%2]
		c.Go(func() {
			for n := 0; c.goesOn(ctx); n++ {
				switch i % 3 {
				case 0:
					p.fileCorrection(t, c, held[n%len(held)].ID, i+n)
				case 1:
					p.verifyProposed(t, c, held[n%len(held)].ID)
				default:
					ticket := tickets[(i+n*7)%len(tickets)]
					_, err := p.Pay(t.Context(), p.by, p.ask(ticket, ""))
					c.note("pay", err)
					_, err = p.Cancel(t.Context(), p.by, p.unask(ticket, ""))
					c.note("take back", err)
				}
			}
		})
	}
	over := make(chan struct{})
	go func() { defer close(over); c.Wait() }()
	var took []time.Duration
	for alive := true; alive; {
		took = append(took, login())
		select {
		case <-over:
			alive = false
		case <-time.After(20 * time.Millisecond):
		}
	}
	slices.Sort(took)
	t.Logf("%v; %d logins, median %v, slowest %v", c.statuses, len(took), took[len(took)/2], took[len(took)-1])
	require.Empty(t, c.failures)
	require.GreaterOrEqual(t, c.statuses["verify 200"], enough, "corrections were verified meanwhile")
	require.GreaterOrEqual(t, c.statuses["pay 200"], enough, "prizes were paid meanwhile")
	assert.Less(t, took[len(took)/2], 200*time.Millisecond+20*alone, "logins go on")
	b.requireSound(t)
}

// fileCorrection previews a correction of a draw's verified result and files it.
func (b *bundle) fileCorrection(t *testing.T, c *crowd, draw uuid.UUID, n int) {
	t.Helper()
	list, _, err := b.draws.Results(t.Context(), fixture.As(fixture.Typist), &draws.ResultFilter{DrawID: draw, Status: models.ResultVerified, Limit: 1})
	c.note("read", err)
	if len(list) == 0 {
		return
	}
	outcome := catalog.Outcome{Value: []string{"5", "6", "7", "8"}[n%4]}
	_, _, err = b.draws.Correct(t.Context(), fixture.As(fixture.Typist), list[0].ID, outcome, "misread", true)
	c.note("preview", err)
	_, _, err = b.draws.Correct(t.Context(), fixture.As(fixture.Typist), list[0].ID, outcome, "misread", false)
	c.note("correct", err)
}

// verifyProposed verifies what awaits its second person.
func (b *bundle) verifyProposed(t *testing.T, c *crowd, draw uuid.UUID) {
	t.Helper()
	list, _, err := b.draws.Results(t.Context(), fixture.As(fixture.Typist), &draws.ResultFilter{DrawID: draw, Status: models.ResultProposed, Limit: 1})
	c.note("read", err)
	for _, r := range list {
		_, _, err = b.draws.Verify(t.Context(), fixture.As(fixture.Verifier), r.ID, nil)
		c.note("verify", err)
	}
	if errors.Is(err, draws.ErrSealBroken) {
		t.Error(err)
	}
}
