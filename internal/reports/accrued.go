package reports

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/models"
)

// Accrued is the participation in a result as it arises: the current effective rate times the result, rounded towards
// zero, negative for a loss.
// Losses of earlier weeks, modes and adjustments, which weekly settlements take into account, are not part of it.
type Accrued struct {
	Participation money.Amount
	Net           money.Amount // the rest of the result
}

func accrued(f *rollup.Figures, rate money.BasisPoints) Accrued { return accruedOf(f.Cash(), rate) }

func accruedOf(result money.Amount, rate money.BasisPoints) Accrued {
	share := rate.Share(max(result, 0)) - rate.Share(max(-result, 0))
	return Accrued{Participation: share, Net: result - share}
}

// shares sets the participations of a report: rows by entity have the rate of the row's entity, the others the rate of
// the report's entity, and rows by means none. The operator's rows have the rates that it grants to the entities directly below.
func (s *Service) shares(ctx context.Context, q *question, report *Sales, group string) error {
	rate, err := s.rateOf(ctx, q.Entity.ID)
	if err != nil {
		return err
	}
	if group == GroupEntity {
		for i := range report.Rows {
			row := &report.Rows[i]
			own, err := s.rateOf(ctx, row.ID)
			if err != nil {
				return err
			}
			row.Accrued = accrued(&row.Figures, own)
		}
	} else if group != GroupMeans {
		for i := range report.Rows {
			report.Rows[i].Accrued = accrued(&report.Rows[i].Figures, rate)
		}
	}
	report.Accrued = accrued(&report.Total, rate)
	if q.Entity.Type == models.EntityOperator {
		return s.granted(ctx, q, report, group)
	}
	return nil
}

// rateOf returns the effective rate of an entity; 0 for the operator.
func (s *Service) rateOf(ctx context.Context, entity uuid.UUID) (money.BasisPoints, error) {
	chain, err := s.org.Chain(ctx, entity)
	if err != nil || len(chain) == 1 {
		return 0, err
	}
	rate, _, err := chain.Participation()
	return rate, err
}

// granted sets the participations of a report of the operator: the sum of the shares of the entities directly below.
func (s *Service) granted(ctx context.Context, q *question, report *Sales, group string) error {
	by := []rollup.Dimension{rollup.ByEntity}
	switch group {
	case GroupGame:
		by = append(by, rollup.ByGame)
	case GroupDay:
		by = append(by, rollup.ByDay)
	}
	query := q.query
	query.Children = true
	below, err := s.totals.Sum(ctx, &query, by...)
	if err != nil {
		return err
	}
	shares, figures := map[string]money.Amount{}, map[uuid.UUID]*rollup.Figures{}
	for i := range below {
		row := &below[i]
		rate, err := s.rateOf(ctx, row.EntityID)
		if err != nil {
			return err
		}
		if figures[row.EntityID] == nil {
			figures[row.EntityID] = &rollup.Figures{}
		}
		figures[row.EntityID].Add(&row.Figures)
		shares[keyOf(row.GameID, row.Day)] += accrued(&row.Figures, rate).Participation
	}
	if group == GroupDraw {
		if shares, err = s.drawShares(ctx, q, figures); err != nil {
			return err
		}
	}
	return s.grant(ctx, report, group, figures, shares)
}

// grant writes the participations of the total, from the figures of the entities below, and of the rows but those by
// entity.
func (s *Service) grant(ctx context.Context, report *Sales, group string, figures map[uuid.UUID]*rollup.Figures, shares map[string]money.Amount) error {
	var total money.Amount
	for entity, f := range figures {
		rate, err := s.rateOf(ctx, entity)
		if err != nil {
			return err
		}
		total += accrued(f, rate).Participation
	}
	report.Accrued = Accrued{Participation: total, Net: report.Total.Cash() - total}
	for i := range report.Rows {
		row := &report.Rows[i]
		share := total
		switch group {
		case GroupEntity, GroupMeans:
			continue
		case GroupGame:
			share = shares[keyOf(row.ID, businessday.Day{})]
		case GroupDay:
			share = shares[keyOf(uuid.Nil, row.Day)]
		case GroupDraw:
			share = shares[row.ID.String()]
		}
		row.Accrued = Accrued{Participation: share, Net: row.Cash() - share}
	}
	return nil
}

// keyOf names a group of totals.
func keyOf(game uuid.UUID, day businessday.Day) string { return game.String() + day.String() }

// drawShares returns the sums of the shares by draw. The totals by draw have no entities, so they are read for each.
func (s *Service) drawShares(
	ctx context.Context, q *question, figures map[uuid.UUID]*rollup.Figures,
) (map[string]money.Amount, error) {
	shares := map[string]money.Amount{}
	for entity := range figures {
		rate, err := s.rateOf(ctx, entity)
		if err != nil {
			return nil, err
		}
		if rate == 0 {
			continue
		}
		rows, err := s.totals.SumDraws(ctx, &q.query, q.path+entity.String()+"/") // where it was when it sold
		if err != nil {
			return nil, err
		}
		for i := range rows {
			shares[rows[i].DrawID.String()] += accrued(&rows[i].Figures, rate).Participation
		}
	}
	return shares, nil
}
