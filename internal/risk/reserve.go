package risk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/apperr"
	"banca/internal/platform/money"
	"banca/models"
)

// Reserve counts a ticket's lines at every level that has limits, one script call per draw, all draws in one round
// trip. If any draw refuses, the counts of the others are taken back and every refused line is named; a partial
// request asks again for the stakes that fit. The reservation must end in Confirm or Release; otherwise Sweep ends
// it. Errors: ErrLimitExceeded with details, ErrUnavailable.
func (s *Service) Reserve(ctx context.Context, req *Request) (*Reservation, error) {
	r := &reserving{Request: req, service: s, result: &Reservation{
		TicketID: req.TicketID, At: s.clock.Now(), Epochs: make(map[uuid.UUID]int64, 4),
		Accepted: make([]money.Amount, len(req.Lines)),
	}}
	err := r.run(ctx)
	if err == nil {
		return r.result, nil
	}
	// Also draws whose answer was lost: a reservation that does not exist takes nothing back.
	s.releaseQuietly(ctx, req)
	if errors.Is(err, ErrLimitExceeded) {
		err = ErrLimitExceeded.WithDetails(r.result.details(req)...)
	}
	return nil, err
}

// reserving is a request in progress. The accepted stakes in result are the ones to reserve, and shrink when a
// partial request is refused.
type reserving struct {
	*Request
	service *Service
	result  *Reservation
}

// partialTries bounds how often a partial request asks again: each time other sales may have used the rest.
const partialTries = 8

// recheckTries bounds how often a request that found counts lost or limits changed starts again.
const recheckTries = 3

// run reserves. If the counts of a draw are lost or its limits have changed, it starts again.
func (r *reserving) run(ctx context.Context) error {
	err := r.ask(ctx, r.Recheck)
	for range recheckTries {
		if !errors.Is(err, errCountsLost) {
			break
		}
		r.service.releaseQuietly(ctx, r.Request)
		err = r.ask(ctx, true)
	}
	return err
}

// ask reserves all draws, then those refused again with the stakes that fit, as long as the request is partial and
// any fits. fresh compares limits and counts with Postgres first.
func (r *reserving) ask(ctx context.Context, fresh bool) error {
	r.result.Cuts = nil
	clear(r.result.Epochs)
	for i := range r.Lines {
		r.result.Accepted[i] = r.Lines[i].Stake
	}
	calls, err := r.prepare(ctx, r.draws(), fresh)
	if err != nil {
		return err
	}
	for range partialTries {
		refused, err := r.attempt(ctx, calls)
		if err != nil || len(refused) == 0 {
			return err
		}
		if !r.Partial || !r.anythingLeft() {
			return ErrLimitExceeded
		}
		if calls, err = r.prepare(ctx, refused, false); err != nil || len(calls) == 0 {
			return err
		}
	}
	return ErrLimitExceeded
}

// prepare lays out the calls of draws that anything is asked of.
func (r *reserving) prepare(ctx context.Context, draws []uuid.UUID, fresh bool) ([]call, error) {
	read := r.service.limits
	if fresh {
		read = r.service.freshLimits
		if !r.service.rebuildLost(ctx, draws) { // which waits for a change under way
			return nil, errNotRebuilt
		}
	}
	table, err := read(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	calls := make([]call, 0, len(draws))
	for _, draw := range draws {
		if c := r.callOf(&table, draw); len(c.lines) > 0 {
			calls = append(calls, c)
		}
	}
	return calls, nil
}

// draws lists the draws of the request's lines.
func (r *reserving) draws() []uuid.UUID {
	return drawsOf(r.Lines, func(l *Line) uuid.UUID { return l.DrawID })
}

// drawsOf lists the draws of lines, each once, in the order of the lines.
func drawsOf[T any](lines []T, drawOf func(*T) uuid.UUID) []uuid.UUID {
	list := make([]uuid.UUID, 0, 4)
	for i := range lines {
		if draw := drawOf(&lines[i]); !slices.Contains(list, draw) {
			list = append(list, draw)
		}
	}
	return list
}

func (r *reserving) anythingLeft() bool {
	return slices.ContainsFunc(r.result.Accepted, func(a money.Amount) bool { return a > 0 })
}

// attempt makes calls in one round trip and returns the draws that refused.
func (r *reserving) attempt(ctx context.Context, calls []call) ([]uuid.UUID, error) {
	answers, err := r.service.evalAll(ctx, calls, func(sc *scripts) string { return sc.reserve })
	if err != nil {
		return nil, err
	}
	var refused []uuid.UUID
	for n := range answers {
		c, answer := &calls[n], answers[n]
		switch kind, _ := answer[0].(string); kind {
		case "O":
			if r.result.Epochs[c.draw], err = epochIn(answer); err != nil {
				return nil, err
			}
		case "R":
			refused = append(refused, c.draw)
			r.cut(c, answer)
		case "N":
			return nil, errNotReady
		case "X":
			return nil, ErrDrawClosed
		default:
			return nil, ErrUnavailable.WithCause(fmt.Errorf("reservation answered %q", kind))
		}
	}
	return refused, nil
}

// epochIn reads the epoch that a script answered.
func epochIn(answer []any) (int64, error) {
	text, _ := answer[1].(string)
	epoch, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, ErrUnavailable.WithCause(err)
	}
	return epoch, nil
}

// cut records which limits refused which lines and lowers the stakes to the rest of those limits.
func (r *reserving) cut(c *call, answer []any) {
	for at := 1; at+2 < len(answer); at += 3 {
		hit := &c.counts[amountAt(answer, at)-1]
		line := c.lines[hit.line]
		limit, sold := amountAt(answer, at+1), amountAt(answer, at+2)
		cut := Cut{
			Line: line, Level: r.Chain[hit.level].Type, Metric: metricOf(hit.what),
			Limit: limit, Sold: sold, Available: stakeWithin(&r.Lines[line], metricOf(hit.what), limit, sold),
		}
		r.result.Cuts = append(r.result.Cuts, cut)
		left := min(r.result.Accepted[line], cut.Available)
		if left < r.Lines[line].MinStake {
			left = 0
		}
		r.result.Accepted[line] = left
	}
}

// stakeWithin returns the remaining stake of a line under a partly used limit.
func stakeWithin(line *Line, metric string, limit, sold money.Amount) money.Amount {
	left := max(limit-sold, 0)
	if metric == models.MetricLiability {
		return left * 100 / money.Amount(line.Payout)
	}
	return left
}

func amountAt(answer []any, i int) money.Amount {
	n, _ := answer[i].(int64)
	return money.Amount(n)
}

// details names every refused line, in their order, with the limits that refused it.
func (r *Reservation) details(req *Request) []apperr.Detail {
	digits := req.Currency.Digits
	slices.SortStableFunc(r.Cuts, func(a, b Cut) int { return a.Line - b.Line })
	list := make([]apperr.Detail, len(r.Cuts))
	for i, c := range r.Cuts {
		limit, sold, available := c.Limit.Format(digits), c.Sold.Format(digits), c.Available.Format(digits)
		list[i] = apperr.Line("RISK_LIMIT_EXCEEDED", "the limit on "+c.Metric+" is reached", "limit", limit, "sold", sold, "available", available).
			At(apperr.ItemAt(req.Lines[c.Line].Item))
		list[i].Level, list[i].Limit, list[i].Sold, list[i].Available = c.Level, limit, sold, available
	}
	return list
}

// releaseTimeout bounds taking back after a failure; the caller's context may be over already.
const releaseTimeout = 2 * time.Second

func (s *Service) releaseQuietly(ctx context.Context, req *Request) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	reserved := make(notes, 4)
	for i := range req.Lines {
		reserved[req.Lines[i].DrawID] = []string{req.TicketID.String()}
	}
	_ = s.release(ctx, reserved) // what stays behind is the sweep's
}
