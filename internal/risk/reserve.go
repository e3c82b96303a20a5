package risk

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/apperr"
	"banca/internal/money"
	"banca/models"
)

// Reserve counts a ticket's lines at every level, one script call a draw, all draws in one round
// trip. When any draw refuses, what the others counted is taken back and every refused line is
// named. The reservation must end in Confirm or Release; otherwise Sweep settles it.
// Errors: ErrLimitExceeded with details, ErrUnavailable.
func (s *Service) Reserve(ctx context.Context, req *Request) (*Reservation, error) {
	table, err := s.limits(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	calls := s.callsOf(table, req)
	if req.Recheck && !s.heal(ctx, calls) {
		return nil, errNotReady
	}
	res, err := s.attempt(ctx, req, calls)
	if errors.Is(err, errCountersLost) && s.heal(ctx, calls) {
		res, err = s.attempt(ctx, req, calls)
	}
	return res, err
}

// call is the script call of one draw with the positions of its lines in the request.
type call struct {
	draw  uuid.UUID
	lines []int
	args  []any
}

func (s *Service) callsOf(table limitTable, req *Request) []call {
	calls := make([]call, 0, 4)
	index := make(map[uuid.UUID]int, 4)
	for i := range req.Lines {
		n, ok := index[req.Lines[i].DrawID]
		if !ok {
			n = len(calls)
			index[req.Lines[i].DrawID] = n
			calls = append(calls, call{draw: req.Lines[i].DrawID})
		}
		calls[n].lines = append(calls[n].lines, i)
	}
	now := s.clock.Now().UnixMilli()
	for n := range calls {
		calls[n].args = argsOf(table, req, calls[n].lines, now)
	}
	return calls
}

// argsOf lays out the arguments that reserve.lua documents.
func argsOf(table limitTable, req *Request, lines []int, now int64) []any {
	partial := 0
	if req.Partial {
		partial = 1
	}
	args := make([]any, 0, 8+len(req.Chain)+10*len(lines))
	args = append(args, req.TicketID.String(), partial, now, req.Currency.Code, len(req.Chain))
	for i := range req.Chain {
		args = append(args, req.Chain[i].No)
	}
	args = append(args, len(lines))
	for _, i := range lines {
		l := &req.Lines[i]
		bounds := table.boundsOf(req.Chain, req.Currency.ID, l)
		args = append(args, l.key(), int64(l.Stake), int64(l.Prize), int64(l.Payout), int64(l.MinStake), len(bounds))
		for _, b := range bounds {
			args = append(args, b.level+1, b.metric[:1], int64(b.base), int32(b.pct))
		}
	}
	return args
}

// attempt makes the calls of all draws in one round trip and settles a refusal.
func (s *Service) attempt(ctx context.Context, req *Request, calls []call) (*Reservation, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	res := &Reservation{
		TicketID: req.TicketID, At: s.clock.Now(),
		Epochs: make(map[uuid.UUID]int64, len(calls)), Accepted: make([]money.Amount, len(req.Lines)),
	}
	answers, err := s.evalAll(ctx, calls, func(sc *scripts) string { return sc.reserve })
	for n := range answers {
		if err == nil {
			err = res.take(req, &calls[n], answers[n])
		}
	}
	var sold money.Amount
	for _, a := range res.Accepted {
		sold += a
	}
	if err == nil && len(res.Cuts) > 0 && (!req.Partial || sold == 0) {
		err = ErrLimitExceeded
	}
	if err != nil {
		// Also draws whose answer was lost: a reservation that does not exist takes nothing back.
		s.releaseQuietly(ctx, req.TicketID, calls)
		if errors.Is(err, ErrLimitExceeded) {
			err = ErrLimitExceeded.WithDetails(res.details(req)...)
		}
		return nil, err
	}
	return res, nil
}

// take reads one draw's answer into the reservation.
func (r *Reservation) take(req *Request, c *call, answer []any) error {
	kind, _ := answer[0].(string)
	switch kind {
	case "O":
		epoch, err := strconv.ParseInt(fmt.Sprint(answer[1]), 10, 64)
		if err != nil {
			return ErrUnavailable.WithCause(err)
		}
		r.Epochs[c.draw] = epoch
		for i, line := range c.lines {
			r.Accepted[line] = amountAt(answer, 2+i)
		}
		r.takeCuts(req, c, answer, 2+len(c.lines))
		return nil
	case "R":
		r.takeCuts(req, c, answer, 1)
		return nil
	case "N":
		return errNotReady
	default:
		return ErrUnavailable.WithCause(fmt.Errorf("reservation answered %q", kind))
	}
}

func (r *Reservation) takeCuts(req *Request, c *call, answer []any, from int) {
	for at := from; at+5 < len(answer); at += 6 {
		r.Cuts = append(r.Cuts, cutAt(req, c, answer, at))
	}
}

func cutAt(req *Request, c *call, answer []any, at int) Cut {
	metric := models.MetricStake
	if answer[at+2] == "l" {
		metric = models.MetricLiability
	}
	return Cut{
		Line:   c.lines[amountAt(answer, at)-1],
		Level:  req.Chain[amountAt(answer, at+1)-1].Type,
		Metric: metric,
		Limit:  amountAt(answer, at+3), Sold: amountAt(answer, at+4), Available: amountAt(answer, at+5),
	}
}

func amountAt(answer []any, i int) money.Amount {
	if i >= len(answer) {
		return 0
	}
	n, _ := answer[i].(int64)
	return money.Amount(n)
}

// details names every refused line with the limit that refused it.
func (r *Reservation) details(req *Request) []apperr.Detail {
	digits := req.Currency.Digits
	list := make([]apperr.Detail, len(r.Cuts))
	for i, c := range r.Cuts {
		list[i] = apperr.Detail{
			Location: "items[" + strconv.Itoa(req.Lines[c.Line].Item) + "]", Message: "the limit on " + c.Metric + " is reached",
			Level: c.Level, Limit: c.Limit.Format(digits), Sold: c.Sold.Format(digits), Available: c.Available.Format(digits),
		}
	}
	return list
}

// evalAll runs one script over all draws in one round trip; the answers are in the order of calls. A
// server that knows no such script has restarted: the scripts are loaded for its new run and the
// calls made once more.
func (s *Service) evalAll(ctx context.Context, calls []call, name func(*scripts) string) ([][]any, error) {
	sc, err := s.scripts.current(ctx)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	answers, err := s.evalOnce(ctx, calls, name(sc))
	if err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		if sc, err = s.scripts.reload(ctx, sc); err == nil {
			answers, err = s.evalOnce(ctx, calls, name(sc))
		}
	}
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	return answers, nil
}

func (s *Service) evalOnce(ctx context.Context, calls []call, sha string) ([][]any, error) {
	cmds := make([]*redis.Cmd, len(calls))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for n := range calls {
			cmds[n] = p.EvalSha(ctx, sha, keysOf(calls[n].draw), calls[n].args...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	answers := make([][]any, len(cmds))
	for n, cmd := range cmds {
		if answers[n], err = cmd.Slice(); err != nil {
			return nil, err
		}
	}
	return answers, nil
}

// releaseTimeout bounds taking back after a failure; the caller's context may be over already.
const releaseTimeout = 2 * time.Second

func (s *Service) releaseQuietly(ctx context.Context, id uuid.UUID, calls []call) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	reserved := make(notes, len(calls))
	for i := range calls {
		reserved[calls[i].draw] = []string{id.String()}
	}
	_ = s.release(ctx, reserved) // what stays behind is the sweep's
}
