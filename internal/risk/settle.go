package risk

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/money"
	"banca/internal/org"
)

// cancelPrefix marks the note of a cancellation among the reservations of a draw.
const cancelPrefix = "c:"

// Confirm removes the reservations of committed tickets, in one round trip. A failure is harmless:
// the sweep finds the tickets in Postgres and does the same.
func (s *Service) Confirm(ctx context.Context, list ...*Reservation) error {
	fields := make(map[uuid.UUID][]string)
	for _, r := range list {
		for draw := range r.Epochs {
			fields[draw] = append(fields[draw], r.TicketID.String())
		}
	}
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for draw, ids := range fields {
			p.HDel(ctx, keysOf(draw)[1], ids...)
		}
		return nil
	})
	return err
}

// Release takes back what a reservation counted. It does so once however often it is called.
func (s *Service) Release(ctx context.Context, r *Reservation) error {
	return s.release(ctx, r.TicketID.String(), slices.Collect(maps.Keys(r.Epochs)))
}

func (s *Service) release(ctx context.Context, id string, draws []uuid.UUID) error {
	calls := make([]call, len(draws))
	for i, d := range draws {
		calls[i] = call{draw: d, args: []any{id}}
	}
	sc, err := s.scripts.current(ctx)
	if err != nil {
		return ErrUnavailable.WithCause(err)
	}
	_, err = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i := range calls {
			p.EvalSha(ctx, sc.release, keysOf(calls[i].draw), calls[i].args...)
		}
		return nil
	})
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

// Cancellation is the intention to cancel a ticket, noted in Redis before Postgres decides.
type Cancellation struct {
	ticketID uuid.UUID
	Epochs   map[uuid.UUID]int64
}

// IntendCancel notes at every draw of the ticket what its cancellation will take back. After the
// cancellation is committed call Apply, after a failure Drop; what a crash leaves, Sweep settles.
// Errors: ErrUnavailable.
func (s *Service) IntendCancel(ctx context.Context, ticketID uuid.UUID, chain org.Chain, currency string, lines []SoldLine) (*Cancellation, error) {
	calls := s.intentions(ticketID, chain, currency, lines)
	c, err := s.intend(ctx, ticketID, calls)
	if errors.Is(err, errCountersLost) && s.heal(ctx, calls) {
		c, err = s.intend(ctx, ticketID, calls)
	}
	return c, err
}

func (s *Service) intend(ctx context.Context, ticketID uuid.UUID, calls []call) (*Cancellation, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	answers, err := s.evalAll(ctx, calls, func(sc *scripts) string { return sc.intend })
	if err != nil {
		return nil, err
	}
	c := &Cancellation{ticketID: ticketID, Epochs: make(map[uuid.UUID]int64, len(calls))}
	for n, answer := range answers {
		if answer[0] != "O" {
			return nil, errNotReady
		}
		text, _ := answer[1].(string)
		if c.Epochs[calls[n].draw], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, ErrUnavailable.WithCause(err)
		}
	}
	return c, nil
}

// intentions lays out one note a draw in the form that release.lua reads.
func (s *Service) intentions(ticketID uuid.UUID, chain org.Chain, currency string, lines []SoldLine) []call {
	nos := make([]string, len(chain))
	for i := range chain {
		nos[i] = strconv.Itoa(chain[i].No)
	}
	head := "c;" + strconv.FormatInt(s.clock.Now().UnixMilli(), 10) + ";" + currency + ";" + strings.Join(nos, ",")
	notes := make(map[uuid.UUID]*strings.Builder)
	for i := range lines {
		l := &lines[i]
		b := notes[l.DrawID]
		if b == nil {
			b = &strings.Builder{}
			b.WriteString(head)
			notes[l.DrawID] = b
		}
		b.WriteString(";" + l.BetType + "|" + l.Selection + "=" + strconv.FormatInt(int64(l.Stake), 10) + "=" + strconv.FormatInt(int64(l.Prize), 10))
	}
	calls := make([]call, 0, len(notes))
	for draw, note := range notes {
		calls = append(calls, call{draw: draw, args: []any{cancelPrefix + ticketID.String(), note.String()}})
	}
	return calls
}

// Apply takes back the counts of a cancelled ticket, once.
func (s *Service) Apply(ctx context.Context, c *Cancellation) error {
	return s.release(ctx, cancelPrefix+c.ticketID.String(), slices.Collect(maps.Keys(c.Epochs)))
}

// Drop forgets the intention of a cancellation that did not happen.
func (s *Service) Drop(ctx context.Context, c *Cancellation) error {
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for draw := range c.Epochs {
			p.HDel(ctx, keysOf(draw)[1], cancelPrefix+c.ticketID.String())
		}
		return nil
	})
	return err
}
