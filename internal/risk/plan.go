package risk

import (
	"slices"
	"strconv"

	"banca/internal/org"
	"banca/models"
)

// plan is the set of counts: for each kind of entity one bit each for its stakes, its liabilities and its total.
// Only counts that some limit needs are kept, because counting is most of the cost of a sale in Redis. Counts
// carry the plan under which they were made; under another plan they are not ready and are rebuilt, which only the
// first limit of a metric on a level causes.
type plan uint32

// The bits of one kind of entity.
const (
	countStake plan = 1 << iota
	countLiability
	countTotal
	planBits = 3
)

// planLevels are the kinds of entities in the order of their bits, which is part of what Redis keeps.
//
//nolint:gochecknoglobals // a constant
var planLevels = [...]string{
	models.EntityOperator, models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint,
}

// of returns the counts of a kind of entity.
func (p plan) of(entityType string) plan {
	i := slices.Index(planLevels[:], entityType)
	if i < 0 {
		return 0
	}
	return p >> (planBits * i) & (countStake | countLiability | countTotal)
}

// with adds counts of a kind of entity.
func (p plan) with(entityType string, what plan) plan {
	if i := slices.Index(planLevels[:], entityType); i >= 0 {
		p |= what << (planBits * i)
	}
	return p
}

// levels lists the kinds of entities that anything is counted for.
func (p plan) levels() []string {
	var list []string
	for _, kind := range planLevels {
		if p.of(kind) != 0 {
			list = append(list, kind)
		}
	}
	return list
}

func (p plan) String() string { return strconv.FormatUint(uint64(p), 10) }

// count is a sum of amounts in Redis, with its increment.
type count struct {
	name  string
	add   int64
	line  int // index of the counted line; -1 for a total
	level int // index in the chain
	what  plan
}

// counted is a line as it is counted.
type counted struct {
	key              string // bet type and selection
	stake, liability int64
}

// countsOf lists what lines add to the counts of their seller's chain, level by level, the total first.
func (p plan) countsOf(chain org.Chain, currency string, lines []counted) []count {
	list := make([]count, 0, 4*len(lines)+2)
	for level := range chain {
		what := p.of(chain[level].Type)
		if what == 0 {
			continue
		}
		no := chain[level].No
		if what&countTotal != 0 {
			total := count{name: countName(no, currency, countTotal, ""), line: -1, level: level, what: countTotal}
			for i := range lines {
				total.add += lines[i].stake
			}
			list = append(list, total)
		}
		for i := range lines {
			if what&countStake != 0 {
				list = append(list, count{name: countName(no, currency, countStake, lines[i].key), add: lines[i].stake, line: i, level: level, what: countStake})
			}
			if what&countLiability != 0 {
				list = append(list, count{name: countName(no, currency, countLiability, lines[i].key), add: lines[i].liability, line: i, level: level, what: countLiability})
			}
		}
	}
	return list
}

// widest names the count of each line at the highest level of a chain that counts stakes or liabilities; nil without one.
func (p plan) widest(chain org.Chain, currency string, lines []Line) []string {
	for level := range chain {
		what := p.of(chain[level].Type) &^ countTotal
		if what == 0 {
			continue
		}
		what &= -what // either is zero exactly without a sale
		names := make([]string, len(lines))
		for i := range lines {
			names[i] = countName(chain[level].No, currency, what, lines[i].key())
		}
		return names
	}
	return nil
}

// countName is a count's name in Redis: of an entity's total, or of its stake or liability on one key.
func countName(entityNo int, currency string, what plan, key string) string {
	prefix := strconv.Itoa(entityNo) + ":" + currency
	switch what {
	case countTotal:
		return prefix + ":t"
	case countLiability:
		return prefix + ":l:" + key
	default:
		return prefix + ":s:" + key
	}
}

// metricPlan returns the counts of a metric, and metricOf the reverse.
func metricPlan(metric string) plan {
	if metric == models.MetricLiability {
		return countLiability
	}
	return countStake
}

// metricOf returns the metric that bounds a count.
func metricOf(what plan) string {
	if what == countLiability {
		return models.MetricLiability
	}
	return models.MetricStake
}
