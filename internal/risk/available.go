package risk

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/models"
)

// Remaining is the stake that the tightest limit still allows on a line. Without a limit, Unlimited is set.
type Remaining struct {
	Stake     money.Amount
	Level     string // entity type whose limit is the tightest
	Limit     money.Amount
	Sold      money.Amount
	Metric    string
	Unlimited bool
	Unsold    bool // without a sale in the currency below the highest counted level; false where no limit counts it
}

// Counted reports whether the counts of a draw at a time are still kept at now.
func Counted(draw, now time.Time) bool { return now.Before(draw.Add(keepCounts)) }

// Available reads how much may still be staked on each line by a seller. The lines may be of several draws, whose
// counts are read in one round trip a server. It reserves nothing, so another sale may be faster. Errors:
// ErrUnavailable.
func (s *Service) Available(
	ctx context.Context, chain org.Chain, currency Currency, lines []Line,
) ([]Remaining, error) {
	ctx, cancel := context.WithTimeout(ctx, (1+rebuildCalls)*s.timeout)
	defer cancel()
	draws := drawsOf(lines, func(l *Line) uuid.UUID { return l.DrawID })
	read := s.limits
	for range 2 {
		table, err := read(ctx)
		if err != nil {
			return nil, ErrUnavailable.WithCause(err)
		}
		bounds, widest := table.boundsOf(chain, currency, lines), table.plan.widest(chain, currency.Code, lines)
		counted, lost, err := s.countsOf(ctx, &table, draws, namesOf(bounds, lines, widest))
		if err != nil {
			return nil, ErrUnavailable.WithCause(err)
		}
		if len(lost) == 0 {
			return remainingOf(bounds, counted, lines, widest), nil
		}
		read = s.freshLimits
		for _, draw := range lost {
			if ctx.Err() != nil || !s.rebuildLost(ctx, []uuid.UUID{draw}) {
				return nil, errNotReady
			}
		}
	}
	return nil, errNotReady
}

// bound is a limit that holds for a line, with the names of the counts that it is compared with.
type bound struct {
	line  int
	level string // entity type
	limit *limitRow
	sold  string
	total string // "" for a fixed limit
}

// boundsOf returns the limits on lines at every level and in every metric.
func (t limitTable) boundsOf(chain org.Chain, currency Currency, lines []Line) []bound {
	var list []bound
	for level := range chain {
		at := &chain[level]
		all := t.rows[owner{entity: at.ID, currency: currency.ID}]
		if len(all) == 0 {
			continue
		}
		var rows []limitRow
		for i := range lines {
			if i == 0 || lines[i].DrawID != lines[i-1].DrawID {
				rows = rowsOn(all, lines[i].DrawID)
			}
			for _, metric := range [2]string{models.MetricStake, models.MetricLiability} {
				limit := holding(rows, metric, &lines[i])
				if limit == nil {
					continue
				}
				b := bound{
					line: i, level: at.Type, limit: limit,
					sold: countName(at.No, currency.Code, metricPlan(metric), lines[i].key()),
				}
				if limit.PctBps > 0 {
					b.total = countName(at.No, currency.Code, countTotal, "")
				}
				list = append(list, b)
			}
		}
	}
	return list
}

// rowsOn returns the limits that do not name another draw. An entity may have hundreds of blocks, each in one draw.
func rowsOn(rows []limitRow, draw uuid.UUID) []limitRow {
	kept := make([]limitRow, 0, len(rows))
	for i := range rows {
		if rows[i].DrawID == nil || *rows[i].DrawID == draw {
			kept = append(kept, rows[i])
		}
	}
	return kept
}

// namesOf lists the counts of each draw that bounds are compared with, and the counts of all sales.
func namesOf(bounds []bound, lines []Line, widest []string) map[uuid.UUID][]string {
	names := map[uuid.UUID][]string{}
	for i := range bounds {
		draw := lines[bounds[i].line].DrawID
		names[draw] = append(names[draw], bounds[i].sold)
		if bounds[i].total != "" {
			names[draw] = append(names[draw], bounds[i].total)
		}
	}
	for i, name := range widest {
		names[lines[i].DrawID] = append(names[lines[i].DrawID], name)
	}
	for draw := range names {
		slices.Sort(names[draw])
		names[draw] = slices.Compact(names[draw])
	}
	return names
}

// remainingOf is the same arithmetic as in reserve.lua.
func remainingOf(bounds []bound, counted map[uuid.UUID]map[string]money.Amount, lines []Line, widest []string) []Remaining {
	remaining := make([]Remaining, len(lines))
	for i := range remaining {
		remaining[i].Unlimited = true
	}
	for i := range bounds {
		b := &bounds[i]
		line := &lines[b.line]
		counts := counted[line.DrawID] // a count that is missing is zero
		left := Remaining{
			Level: b.level, Metric: b.limit.Metric, Sold: counts[b.sold], Limit: money.Amount(b.limit.Base),
		}
		if b.total != "" {
			left.Limit += money.BasisPoints(b.limit.PctBps).Share(counts[b.total])
		}
		left.Stake = stakeWithin(line, b.limit.Metric, left.Limit, left.Sold)
		remaining[b.line].narrow(left)
	}
	for i, name := range widest {
		remaining[i].Unsold = counted[lines[i].DrawID][name] == 0
	}
	return remaining
}

func (r *Remaining) narrow(other Remaining) {
	if r.Unlimited || other.Stake < r.Stake {
		*r = other
	}
}

// countsOf reads the named counts of draws in one round trip a server. lost are the draws whose counts are
// missing, of another run or plan, or of limits of another revision; they are in the order of draws.
func (s *Service) countsOf(
	ctx context.Context, table *limitTable, draws []uuid.UUID, names map[uuid.UUID][]string,
) (counted map[uuid.UUID]map[string]money.Amount, lost []uuid.UUID, err error) {
	if len(draws) == 0 {
		return nil, nil, nil
	}
	runs, err := s.nodes.current(ctx, draws)
	if err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	cmds := make([]*redis.SliceCmd, len(draws))
	_, err = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, draw := range draws {
			cmds[i] = p.HMGet(ctx, keysOf(draw)[0], append([]string{"run", "plan", revField}, names[draw]...)...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	counted = make(map[uuid.UUID]map[string]money.Amount, len(draws))
	for i, draw := range draws {
		values := cmds[i].Val()
		if len(values) != 3+len(names[draw]) || values[0] != runs.of(draw) || values[1] != table.plan.String() || revIn(values[2]) != table.revOf(draw) {
			lost = append(lost, draw)
			continue
		}
		counted[draw] = amountsOf(names[draw], values[3:])
	}
	return counted, lost, nil
}

func amountsOf(names []string, values []any) map[string]money.Amount {
	amounts := make(map[string]money.Amount, len(names))
	for i, name := range names {
		text, _ := values[i].(string) // nil for a count that is missing, which is zero
		n, _ := strconv.ParseInt(text, 10, 64)
		amounts[name] = money.Amount(n)
	}
	return amounts
}
