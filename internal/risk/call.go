package risk

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/platform/money"
)

// call is a script call on the counts of one draw. That of a reservation also holds what it counts: lines are
// positions in the request, counts refer to them.
type call struct {
	draw   uuid.UUID
	args   []any
	lines  []int
	counts []count
}

// callOf builds the arguments that reserve.lua documents for the remaining lines of a draw.
func (r *reserving) callOf(table *limitTable, draw uuid.UUID) call {
	c := call{draw: draw}
	var lines []counted
	for i := range r.Lines {
		l, stake := &r.Lines[i], r.result.Accepted[i]
		if l.DrawID == draw && stake > 0 {
			c.lines = append(c.lines, i)
			lines = append(lines, counted{key: l.key(), stake: int64(stake), liability: int64(r.prizeOf(l, stake))})
		}
	}
	c.counts = table.plan.countsOf(r.Chain, r.Currency.Code, lines)
	n := len(c.counts)
	c.args = make([]any, 5+3*n, 5+3*n+3)
	c.args[0], c.args[1], c.args[2], c.args[3], c.args[4] = r.TicketID.String(), table.plan.String(), r.madeBy(), table.revOf(draw), n
	total := 0 // position of the level's total
	for i := range c.counts {
		count := &c.counts[i]
		c.args[5+i], c.args[5+n+i], c.args[5+2*n+i] = count.name, count.add, -1
		if count.what == countTotal {
			total = i + 1
			continue
		}
		line := &r.Lines[c.lines[count.line]]
		row := table.boundOn(r.Chain[count.level].ID, r.Currency.ID, metricOf(count.what), line)
		if row == nil {
			continue
		}
		c.args[5+2*n+i] = row.Base
		if row.PctBps > 0 {
			c.args = append(c.args, i+1, total, row.PctBps)
		}
	}
	return c
}

func (r *reserving) madeBy() string {
	return madeBy{at: r.result.At.UnixMilli(), seller: r.Chain.Self().No, key: r.Key}.String()
}

// prizeOf returns the prize of a line for a stake, which is less than the requested one if the request was cut.
func (r *reserving) prizeOf(line *Line, stake money.Amount) money.Amount {
	if stake == line.Stake {
		return line.Prize
	}
	return line.Payout.Of(stake)
}

// evalAll runs one script over all draws in one round trip a server; the answers are in the order of calls.
func (s *Service) evalAll(ctx context.Context, calls []call, name func(*scripts) string) ([][]any, error) {
	answers, err := s.nodes.eval(ctx, calls, name)
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	return answers, nil
}
