package risk

import (
	"context"
	"strconv"

	"github.com/google/uuid"

	"banca/internal/money"
	"banca/internal/org"
	"banca/models"
)

// Room is what may still be staked on a line. Without any limit on it, Unlimited is set.
type Room struct {
	Stake     money.Amount
	Level     string // entity type whose limit is the tightest
	Limit     money.Amount
	Sold      money.Amount
	Metric    string
	Unlimited bool
}

// Available reads how much may still be staked on each line of one draw by a seller. It reserves
// nothing, so another sale may take the room first. Errors: ErrUnavailable.
func (s *Service) Available(ctx context.Context, chain org.Chain, currency Currency, draw uuid.UUID, lines []Line) ([]Room, error) {
	table, counters, err := s.counters(ctx, draw)
	if err != nil {
		return nil, err
	}
	rooms := make([]Room, len(lines))
	for i := range lines {
		rooms[i].Unlimited = true
		for level := range chain {
			for _, metric := range [2]string{models.MetricStake, models.MetricLiability} {
				if limit := table.boundOn(chain[level].ID, currency.ID, metric, &lines[i]); limit != nil {
					rooms[i].narrow(roomUnder(limit, &chain[level], currency.Code, counters, &lines[i]))
				}
			}
		}
	}
	return rooms, nil
}

func (r *Room) narrow(other Room) {
	if r.Unlimited || other.Stake < r.Stake {
		*r = other
	}
}

// roomUnder is the same arithmetic as in reserve.lua.
func roomUnder(limit *models.RiskLimit, at *org.Node, currency string, counters map[string]string, line *Line) Room {
	read := func(what plan) money.Amount {
		n, _ := strconv.ParseInt(counters[counterName(at.No, currency, what, line.key())], 10, 64) // a counter that is missing is zero
		return money.Amount(n)
	}
	room := Room{Level: at.Type, Metric: limit.Metric, Sold: read(metricPlan(limit.Metric))}
	room.Limit = money.Amount(limit.Base) + money.BasisPoints(limit.PctBps).Share(read(countTotal))
	room.Stake = stakeWithin(line, limit.Metric, room.Limit, room.Sold)
	return room
}

// counters reads the limits and all counters of a draw, rebuilding these first when they are lost.
func (s *Service) counters(ctx context.Context, draw uuid.UUID) (limitTable, map[string]string, error) {
	ctx, cancel := context.WithTimeout(ctx, (1+rebuildCalls)*s.timeout)
	defer cancel()
	read := s.limits
	for range 2 {
		at, err := s.nodes.of(ctx, draw)
		if err != nil {
			return limitTable{}, nil, ErrUnavailable.WithCause(err)
		}
		sc, err := at.scripts.current(ctx)
		if err != nil {
			return limitTable{}, nil, ErrUnavailable.WithCause(err)
		}
		table, err := read(ctx)
		if err != nil {
			return limitTable{}, nil, ErrUnavailable.WithCause(err)
		}
		all, err := s.redis.HGetAll(ctx, keysOf(draw)[0]).Result()
		if err != nil {
			return limitTable{}, nil, ErrUnavailable.WithCause(err)
		}
		if all["run"] == sc.run && all["plan"] == table.plan.String() && revIn(all["rev"]) == table.revOf(draw) {
			return table, all, nil
		}
		if read = s.freshLimits; !s.rebuildLost(ctx, []uuid.UUID{draw}) {
			break
		}
	}
	return limitTable{}, nil, errNotReady
}
