package risk

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/org"
	"banca/internal/platform/money"
)

// cancelPrefix marks the note of a cancellation among the reservations of a draw. The id of the attempt follows: two
// attempts at one ticket never share a note, so that the one that failed cannot drop the note of the one that
// succeeded, nor have it applied a second time.
const cancelPrefix = "c:"

// Confirm removes the reservations of committed tickets, in one round trip. A failure is harmless:
// the sweep finds the tickets in Postgres and does the same.
func (s *Service) Confirm(ctx context.Context, list ...*Reservation) error {
	return s.forget(ctx, notesOf(list))
}

// Release takes back what reservations counted, in one round trip. It does so once however often it
// is called.
func (s *Service) Release(ctx context.Context, list ...*Reservation) error {
	return s.release(ctx, notesOf(list))
}

// notes names reservations and intended cancellations by their draw.
type notes map[uuid.UUID][]string

func notesOf(list []*Reservation) notes {
	n := make(notes)
	for _, r := range list {
		for draw := range r.Epochs {
			n[draw] = append(n[draw], r.TicketID.String())
		}
	}
	return n
}

// forget removes notes and leaves the counts as they are.
func (s *Service) forget(ctx context.Context, n notes) error {
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for draw, fields := range n {
			p.HDel(ctx, keysOf(draw)[1], fields...)
		}
		return nil
	})
	return err
}

// release takes back what notes counted and removes them.
func (s *Service) release(ctx context.Context, n notes) error {
	calls := make([]call, 0, len(n))
	for draw, fields := range n {
		c := call{draw: draw}
		for _, field := range fields {
			c.args = append(c.args, field)
		}
		calls = append(calls, c)
	}
	_, err := s.evalAll(ctx, calls, func(sc *scripts) string { return sc.release })
	return err
}

// SoldLine is a line of a sold ticket whose counts a cancellation takes back.
type SoldLine struct {
	DrawID    uuid.UUID
	BetType   string
	Selection string
	Stake     money.Amount
	Prize     money.Amount
}

// Cancellation is one attempt to cancel a ticket, noted in Redis before Postgres decides.
type Cancellation struct {
	ID     uuid.UUID
	Epochs map[uuid.UUID]int64
}

// BeginCancellation writes a note at every draw of the ticket with the counts that its cancellation will take back. The id
// is new and becomes the id of the ledger transaction that reverses the sale, by which Sweep finds out whether the
// attempt was committed. After the commit call Apply, after a failure Drop; after a crash Sweep does it. Errors:
// ErrUnavailable.
func (s *Service) BeginCancellation(ctx context.Context, id uuid.UUID, chain org.Chain, currency string, lines []SoldLine) (*Cancellation, error) {
	c, err := s.noteCancellation(ctx, id, chain, currency, lines)
	if errors.Is(err, errCountsLost) {
		if s.ForgetLimits(); s.rebuildLost(ctx, drawsSold(lines)) {
			c, err = s.noteCancellation(ctx, id, chain, currency, lines)
		}
	}
	return c, err
}

func (s *Service) noteCancellation(ctx context.Context, id uuid.UUID, chain org.Chain, currency string, lines []SoldLine) (*Cancellation, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	table, err := s.limits(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	calls := s.intentions(id, table.plan, chain, currency, lines)
	answers, err := s.evalAll(ctx, calls, func(sc *scripts) string { return sc.intend })
	if err != nil {
		return nil, err
	}
	c := &Cancellation{ID: id, Epochs: make(map[uuid.UUID]int64, len(calls))}
	for n, answer := range answers {
		if answer[0] != "O" {
			return nil, errNotReady
		}
		if c.Epochs[calls[n].draw], err = epochIn(answer); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// intentions lays out one note a draw in the form that release.lua reads.
func (s *Service) intentions(id uuid.UUID, plan plan, chain org.Chain, currency string, lines []SoldLine) []call {
	now := s.clock.Now().UnixMilli()
	calls := make([]call, 0, 4)
	for _, draw := range drawsSold(lines) {
		var own []counted
		for i := range lines {
			if l := &lines[i]; l.DrawID == draw {
				own = append(own, counted{key: keyOf(l.BetType, l.Selection), stake: int64(l.Stake), liability: int64(l.Prize)})
			}
		}
		note := noteOf("c", now, plan.countsOf(chain, currency, own))
		calls = append(calls, call{draw: draw, args: []any{cancelPrefix + id.String(), plan.String(), note}})
	}
	return calls
}

// noteOf writes a note as reserve.lua does.
func noteOf(kind string, now int64, counts []count) string {
	parts := []string{kind, strconv.FormatInt(now, 10), strconv.Itoa(len(counts))}
	for i := range counts {
		parts = append(parts, counts[i].name)
	}
	for i := range counts {
		parts = append(parts, strconv.FormatInt(counts[i].add, 10))
	}
	return strings.Join(parts, ";")
}

func drawsSold(lines []SoldLine) []uuid.UUID {
	return drawsOf(lines, func(l *SoldLine) uuid.UUID { return l.DrawID })
}

// Apply takes back the counts of a cancelled ticket, once.
func (s *Service) Apply(ctx context.Context, c *Cancellation) error { return s.release(ctx, c.notes()) }

// Drop forgets the intention of a cancellation that did not happen.
func (s *Service) Drop(ctx context.Context, c *Cancellation) error { return s.forget(ctx, c.notes()) }

func (c *Cancellation) notes() notes {
	n := make(notes, len(c.Epochs))
	for draw := range c.Epochs {
		n[draw] = []string{cancelPrefix + c.ID.String()}
	}
	return n
}
