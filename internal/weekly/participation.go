package weekly

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// DistributionFilter selects the settlements of the weeks that lie in a period.
type DistributionFilter struct {
	EntityID uuid.UUID // whose result is divided; Nil is the caller's entity
	From, To businessday.Day
	Currency string // id or code
}

// Distribution divides the result of an entity: Own, the shares of its children, and Left for the entities above. They
// sum to the result.
type Distribution struct {
	Entity   org.Label
	EntityID uuid.UUID
	Currency ledger.Currency
	From, To businessday.Day // of the weeks that are summed; zero without any
	Drafts   int64           // settlements of the sum that are not confirmed
	// Provisional is the Monday of a week of the sum that is not drafted yet, up to now; zero for none.
	Provisional businessday.Day
	Result      money.Amount
	Own         money.Amount // kept by the entity; for the operator the rest
	Left        money.Amount // to the entities above; 0 for the operator
	Children    []Part
}

// Part is the part of an entity with everything below it.
type Part struct {
	EntityID      uuid.UUID
	Entity        org.Label
	Result        money.Amount
	Participation money.Amount // with the shares of the entities below and adjustments
	OwnShare      money.Amount
	CarryOut      money.Amount // after the last week
}

// Distribution returns how the results of the weeks in a period were divided. Errors: org.ErrEntityNotFound,
// ledger.ErrCurrencyNotFound, ErrRange.
func (s *Service) Distribution(ctx context.Context, by caller.Caller, f *DistributionFilter) (*Distribution, error) {
	if f.From.IsZero() || f.To.Before(f.From) || f.From.DaysUntil(f.To) > maxRange {
		return nil, ErrRange
	}
	entity := f.EntityID
	if entity == uuid.Nil {
		entity = by.EntityID
	}
	chain, err := s.Org.Chain(ctx, entity)
	if err != nil {
		return nil, err
	}
	if !by.Scope.Contains(chain.Path()) {
		return nil, org.ErrEntityNotFound
	}
	currency, err := s.Ledger.AnyCurrency(ctx, f.Currency)
	if err != nil {
		return nil, err
	}
	self := chain.Self()
	d := &Distribution{Entity: org.Label{Name: self.Name, Code: self.Code, Type: self.Type}, EntityID: entity, Currency: currency}
	own, err := s.parts(ctx, d, `s.entity_id`, f)
	if err != nil {
		return nil, err
	}
	if d.Children, err = s.parts(ctx, d, `s.parent_id`, f); err != nil {
		return nil, err
	}
	if own, err = s.addProvisional(ctx, d, f, own); err != nil {
		return nil, err
	}
	d.divide(own)
	return d, nil
}

// divide sets what the entity keeps and leaves. own is the part of the entity; the operator has none.
func (d *Distribution) divide(own []Part) {
	var below money.Amount
	for i := range d.Children {
		below += d.Children[i].Participation
		if d.Entity.Type == models.EntityOperator {
			d.Result += d.Children[i].Result
		}
	}
	if d.Entity.Type == models.EntityOperator {
		d.Own = d.Result - below
		return
	}
	for i := range own {
		d.Result, d.Own = own[i].Result, own[i].OwnShare
	}
	d.Left = d.Result - d.Own - below
}

// parts sums the settlements of a period by entity, of those with the distribution's entity in a column. It sets the
// weeks that are summed.
func (s *Service) parts(ctx context.Context, d *Distribution, column string, f *DistributionFilter) ([]Part, error) {
	return storage.Collect(ctx, s.PG.Pool, "participations", func(row pgx.CollectableRow) (p Part, err error) {
		var first, last businessday.Day
		var weeks, drafts int64
		err = row.Scan(
			&p.EntityID, &p.Entity.Name, &p.Entity.Code, &p.Entity.Type, &p.Result, &p.Participation, &p.OwnShare,
			&p.CarryOut, &first, &last, &weeks, &drafts,
		)
		d.cover(first, last.AddDays(6))
		d.Drafts += drafts
		return p, err
	}, `SELECT s.entity_id, e.name, e.code, e.entity_type, sum(s.result - coalesce(a.prizes, 0))::bigint,
		sum(s.participation + coalesce(a.participation, 0))::bigint, sum(s.own_share)::bigint, (array_agg(s.carry_out ORDER BY s.week DESC))[1],
		min(s.week), max(s.week), count(*), count(*) FILTER (WHERE s.confirmed_at IS NULL)
		FROM weekly_settlements s JOIN entities e ON e.id = s.entity_id LEFT JOIN LATERAL (
			SELECT sum(prizes)::bigint AS prizes, sum(participation)::bigint AS participation FROM weekly_adjustments WHERE settlement_id = s.id) a ON true
		WHERE `+column+` = $1 AND s.currency_id = $2 AND s.week >= $3 AND s.week + 6 <= $4 GROUP BY s.entity_id, e.name, e.code, e.entity_type ORDER BY e.code`,
		d.EntityID, d.Currency.ID, f.From, f.To)
}

// cover extends the period of the weeks that are summed.
func (d *Distribution) cover(from, to businessday.Day) {
	if d.From.IsZero() || from.Before(d.From) {
		d.From = from
	}
	if d.To.Before(to) {
		d.To = to
	}
}
