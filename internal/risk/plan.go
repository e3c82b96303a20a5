package risk

import (
	"slices"
	"strconv"

	"banca/internal/org"
	"banca/models"
)

// plan says what is counted: for each kind of entity whether its stakes, its liabilities and its total are,
// one bit each. Only what some limit asks for is counted, because counting is most of what a sale costs
// Redis. Counters say under which plan they were made; under another one they are not ready and are
// rebuilt, which a limit brings about only if it is the first of its metric on its level.
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

// of returns what is counted for a kind of entity.
func (p plan) of(entityType string) plan {
	i := slices.Index(planLevels[:], entityType)
	if i < 0 {
		return 0
	}
	return p >> (planBits * i) & (countStake | countLiability | countTotal)
}

// with adds what is to be counted for a kind of entity.
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

// counter is a counter and what is added to it.
type counter struct {
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

// countersOf lists what lines add to the counters of their seller's chain, level by level, the total first.
func (p plan) countersOf(chain org.Chain, currency string, lines []counted) []counter {
	list := make([]counter, 0, 4*len(lines)+2)
	for level := range chain {
		what := p.of(chain[level].Type)
		if what == 0 {
			continue
		}
		no := chain[level].No
		if what&countTotal != 0 {
			total := counter{name: counterName(no, currency, countTotal, ""), line: -1, level: level, what: countTotal}
			for i := range lines {
				total.add += lines[i].stake
			}
			list = append(list, total)
		}
		for i := range lines {
			if what&countStake != 0 {
				list = append(list, counter{name: counterName(no, currency, countStake, lines[i].key), add: lines[i].stake, line: i, level: level, what: countStake})
			}
			if what&countLiability != 0 {
				list = append(list, counter{name: counterName(no, currency, countLiability, lines[i].key), add: lines[i].liability, line: i, level: level, what: countLiability})
			}
		}
	}
	return list
}

// counterName is a counter's name in Redis: of an entity's total, or of its stake or liability on one key.
func counterName(entityNo int, currency string, what plan, key string) string {
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

// metricPlan returns what a metric counts, and metricOf the reverse.
func metricPlan(metric string) plan {
	if metric == models.MetricLiability {
		return countLiability
	}
	return countStake
}

// metricOf names what a counter is bounded by.
func metricOf(what plan) string {
	if what == countLiability {
		return models.MetricLiability
	}
	return models.MetricStake
}
