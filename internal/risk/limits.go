package risk

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/maypok86/otter/v2"

	"banca/internal/catalog"
	"banca/internal/platform/cache"
	"banca/models"
)

// How long limits are cached; a change reaches every process within limitExpiry, and a change of a limit that names a
// draw at once: see revOf.
const (
	limitRefresh = time.Second
	limitExpiry  = 5 * time.Second
)

// owner is whose limits they are.
type owner struct{ entity, currency uuid.UUID }

// limitTable holds every limit row by owner, and what must be counted for them.
type limitTable struct {
	rows map[owner][]limitRow
	plan plan
	revs map[uuid.UUID]string // of the draws that limits were ever made for
}

// revOf returns the revision of a draw's limits that the table holds, as Redis keeps it. Counts of another one
// refuse, and the caller reads the limits again.
func (t limitTable) revOf(draw uuid.UUID) string {
	if rev, ok := t.revs[draw]; ok {
		return rev
	}
	return "0"
}

// limitRow is a limit with the depth of the entity that set it: less is nearer to the operator, whose depth is 0.
type limitRow struct {
	models.RiskLimit
	EntityType string
	SetAt      int
}

func newLimitCache() cache.Cache[struct{}, limitTable] {
	return cache.New(&otter.Options[struct{}, limitTable]{
		MaximumSize:       1,
		ExpiryCalculator:  otter.ExpiryWriting[struct{}, limitTable](limitExpiry),
		RefreshCalculator: otter.RefreshWriting[struct{}, limitTable](limitRefresh),
	})
}

func (s *Service) limits(ctx context.Context) (limitTable, error) {
	return s.table.Get(ctx, struct{}{}, otter.LoaderFunc[struct{}, limitTable](s.loadLimits))
}

// freshLimits reads the limits past the cache and stores them in it: the cache may hold, or be about to store, limits
// read before a change.
func (s *Service) freshLimits(ctx context.Context) (limitTable, error) {
	table, err := s.loadLimits(ctx, struct{}{})
	if err == nil {
		s.table.Set(struct{}{}, table)
	}
	return table, err
}

// loadLimits reads the revisions before the limits, so that a change in between makes them look older than they are
// and never newer.
func (s *Service) loadLimits(ctx context.Context, _ struct{}) (limitTable, error) {
	revs, err := s.loadRevs(ctx)
	if err != nil {
		return limitTable{}, err
	}
	var rows []limitRow
	err = s.pg.Gorm.WithContext(ctx).Model(&models.RiskLimit{}).
		Select("risk_limits.*, entities.entity_type, coalesce(length(setters.path), 0) AS set_at").
		Joins("JOIN entities ON entities.id = risk_limits.entity_id").
		Joins("LEFT JOIN entities setters ON setters.id = risk_limits.set_by").Find(&rows).Error
	if err != nil {
		return limitTable{}, fmt.Errorf("load limits: %w", err)
	}
	table := limitTable{rows: make(map[owner][]limitRow), revs: revs}
	for i := range rows {
		row := &rows[i]
		key := owner{entity: row.EntityID, currency: row.CurrencyID}
		table.rows[key] = append(table.rows[key], *row)
		table.plan = table.plan.with(row.EntityType, neededBy(&row.RiskLimit))
	}
	return table, nil
}

func (s *Service) loadRevs(ctx context.Context) (map[uuid.UUID]string, error) {
	var rows []struct {
		ID  uuid.UUID
		Rev string
	}
	err := s.pg.Gorm.WithContext(ctx).Model(&models.Draw{}).Select("id, risk_rev::text AS rev").
		Where("risk_rev > 0 AND draw_time > ?", s.clock.Now().Add(-keepCounts)).Find(&rows).Error
	if err != nil {
		return nil, fmt.Errorf("load revisions of limits: %w", err)
	}
	revs := make(map[uuid.UUID]string, len(rows))
	for _, r := range rows {
		revs[r.ID] = r.Rev
	}
	return revs, nil
}

// neededBy returns what must be counted for a limit.
func neededBy(row *models.RiskLimit) plan {
	what := metricPlan(row.Metric)
	if row.PctBps > 0 {
		what |= countTotal
	}
	return what
}

// boundOn returns the limit of one level and metric that holds for a line, or nil.
func (t limitTable) boundOn(entity, currency uuid.UUID, metric string, line *Line) *limitRow {
	return holding(t.rows[owner{entity: entity, currency: currency}], metric, line)
}

// holding returns the limit of a metric that holds for a line, or nil: the most specific one, with the amounts of the
// most specific ones that were set above it where those allow less. So a limit from above binds whichever was set first.
func holding(rows []limitRow, metric string, line *Line) *limitRow {
	held := mostSpecific(rows, metric, line, math.MaxInt)
	for above := held; above != nil && above.SetAt > 0; {
		if above = mostSpecific(rows, metric, line, above.SetAt); above != nil {
			held = tighter(held, above)
		}
	}
	return held
}

// mostSpecific returns the most specific limit of a metric for a line that was set above a depth, or nil.
func mostSpecific(rows []limitRow, metric string, line *Line, depth int) *limitRow {
	var best *limitRow
	bestScore := -1
	for i := range rows {
		if rows[i].Metric != metric || rows[i].SetAt >= depth {
			continue
		}
		if score, ok := specificity(&rows[i], line); ok && score > bestScore {
			best, bestScore = &rows[i], score
		}
	}
	return best
}

// tighter returns a limit with the amounts of another where those are less. Its id is the other's if that has the base.
func tighter(l, above *limitRow) *limitRow {
	if above.Base >= l.Base && above.PctBps >= l.PctBps {
		return l
	}
	held := *l
	if above.Base < l.Base {
		held.ID, held.Base = above.ID, above.Base
	}
	held.PctBps = min(l.PctBps, above.PctBps)
	return &held
}

// Scores of what a limit names; blockScore is above the sum of all others.
const (
	betTypeScore = 1 << iota
	categoryScore
	gameScore
	drawScore
	elementScore
	blockScore
)

// blocks reports whether a row blocks an element in a draw.
func blocks(row *limitRow) bool {
	return row.DrawID != nil && row.Element != nil && row.BetType == nil && row.Base == 0 && row.PctBps == 0
}

// specificity ranks a row by its fields: element above draw above game above category above bet type. A block of an
// element in a draw ranks above all of them, and applies to every bet that wins when the element is drawn: a block of
// the number 042 ends its terminal 42, its first two 04, its neighbours 041 and 043 and all of these with any sign,
// too.
func specificity(row *limitRow, line *Line) (int, bool) {
	if blocks(row) && *row.DrawID == line.DrawID && (holdsElement(line.Selection, *row.Element) || catalog.WinsOn(line.BetType, line.Selection, *row.Element)) {
		return blockScore, true
	}
	score := 0
	for _, c := range []struct {
		named, matches bool
		weight         int
	}{
		{row.Element != nil, row.Element != nil && holdsElement(line.Selection, *row.Element), elementScore},
		{row.DrawID != nil, row.DrawID != nil && *row.DrawID == line.DrawID, drawScore},
		{row.GameID != nil, row.GameID != nil && *row.GameID == line.GameID, gameScore},
		{row.CategoryID != nil, row.CategoryID != nil && *row.CategoryID == line.CategoryID, categoryScore},
		{row.BetType != nil, row.BetType != nil && *row.BetType == line.BetType, betTypeScore},
	} {
		switch {
		case c.named && !c.matches:
			return 0, false
		case c.named:
			score += c.weight
		}
	}
	return score, true
}

// holdsElement reports whether a canonical selection is, or contains, an element.
func holdsElement(selection, element string) bool {
	for part := range strings.SplitSeq(selection, ",") {
		if part == element {
			return true
		}
	}
	return false
}
