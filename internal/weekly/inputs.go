package weekly

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/prizes"
	"banca/internal/rollup"
	"banca/storage"
)

// key names the settlements of one week and currency.
type key struct {
	week     businessday.Day
	currency ledger.Currency
}

// inputs are what the settlements of a week are computed from. Maps are by entity.
type inputs struct {
	key

	entities    []org.Participant // the operator and every entity below it, parents before their children
	totals      map[uuid.UUID]rollup.Figures
	byParent    []rollup.Row               // the same, by the entity above at that time
	payments    map[uuid.UUID]money.Amount // including the entities below
	openings    map[uuid.UUID]money.Amount // owed before the week by the entities at and below it without an earlier settlement
	last        map[uuid.UUID]lastWeek
	differences map[uuid.UUID]map[businessday.Day]money.Amount // of prizes, by Monday of the week of the payment
	past        map[uuid.UUID][]pastWeek                       // of the entities in differences
}

// lastWeek is the newest settlement of an entity before a week.
type lastWeek struct {
	id       uuid.UUID
	parent   uuid.UUID
	balance  money.Amount
	carryOut money.Amount
}

// read reads the inputs of a week, of the entities at, above and below one. The past does not change, so they need
// not be of one snapshot. The totals are those of the entities that counted returns.
func (s *Service) read(ctx context.Context, k key, of uuid.UUID, counted func(in *inputs) []uuid.UUID) (in *inputs, err error) {
	in = &inputs{key: k}
	if in.entities, err = s.Org.Participants(ctx, of); err != nil {
		return nil, err
	}
	if err := s.readLast(ctx, in); err != nil {
		return nil, err
	}
	if err := s.readTotals(ctx, in, counted(in)); err != nil {
		return nil, err
	}
	sums, err := s.Ledger.Payments(ctx, k.currency.ID, k.week, k.week.AddDays(6), in.ids())
	if err != nil {
		return nil, err
	}
	in.payments = in.withBelow(sums)
	if err := s.readOpenings(ctx, in); err != nil {
		return nil, err
	}
	return in, s.readDifferences(ctx, in)
}

func (in *inputs) ids() []uuid.UUID {
	ids := make([]uuid.UUID, len(in.entities))
	for i := range in.entities {
		ids[i] = in.entities[i].ID
	}
	return ids
}

// withBelow adds to each entity the amounts of the entities below it.
func (in *inputs) withBelow(own map[uuid.UUID]money.Amount) map[uuid.UUID]money.Amount {
	sums := make(map[uuid.UUID]money.Amount, len(own))
	for i := range in.entities {
		e := &in.entities[len(in.entities)-1-i] // children before their parents
		sums[e.ID] += own[e.ID]
		if e.Parent != uuid.Nil {
			sums[e.Parent] += sums[e.ID]
		}
	}
	return sums
}

// near returns a function that selects the entities at and directly below one, and those that may have moved, whose
// sales [inputs.moves] needs. The totals of the others are the most to read, and decide only settlements further below.
func near(of uuid.UUID) func(in *inputs) []uuid.UUID {
	return func(in *inputs) []uuid.UUID {
		var ids []uuid.UUID
		for i := range in.entities {
			e := &in.entities[i]
			if last, found := in.last[e.ID]; e.ID == of || e.Parent == of || !found || last.parent != e.Parent {
				ids = append(ids, e.ID)
			}
		}
		return ids
	}
}

func (s *Service) readTotals(ctx context.Context, in *inputs, ids []uuid.UUID) error {
	q := &rollup.Query{Entities: ids, CurrencyID: in.currency.ID, From: in.week, To: in.week.AddDays(6)}
	var err error
	if in.byParent, err = s.Totals.Sum(ctx, q, rollup.ByEntity, rollup.ByParent); err != nil {
		return err
	}
	in.totals = make(map[uuid.UUID]rollup.Figures, len(in.byParent))
	for i := range in.byParent {
		sum := in.totals[in.byParent[i].EntityID]
		sum.Add(&in.byParent[i].Figures)
		in.totals[in.byParent[i].EntityID] = sum
	}
	return nil
}

// readLast reads the newest settlement of each entity before the week.
func (s *Service) readLast(ctx context.Context, in *inputs) error {
	in.last = map[uuid.UUID]lastWeek{}
	var entity uuid.UUID
	var l lastWeek
	return storage.Each(ctx, s.PG.Pool, "settlements before the week", []any{&entity, &l.id, &l.parent, &l.balance, &l.carryOut}, func() error { in.last[entity] = l; return nil }, `SELECT x.* FROM unnest($1::uuid[]) e (id) JOIN LATERAL (
			SELECT s.entity_id, s.id, s.parent_id, s.previous + s.moved + s.due, s.carry_out FROM weekly_settlements s WHERE s.entity_id = e.id AND s.currency_id = $2 AND s.week < $3
			ORDER BY s.week DESC LIMIT 1) x ON true`, storage.UUIDs(in.ids()), in.currency.ID, in.week)
}

// readOpenings reads what the entities without an earlier settlement owed before the week: what their wallets were
// short of. The others carry theirs on, or bring it when they move.
func (s *Service) readOpenings(ctx context.Context, in *inputs) error {
	var first []uuid.UUID
	for i := range in.entities {
		if _, found := in.last[in.entities[i].ID]; !found && in.entities[i].Parent != uuid.Nil {
			first = append(first, in.entities[i].ID)
		}
	}
	if len(first) == 0 {
		return nil
	}
	changes, err := s.Ledger.BalanceChanges(ctx, in.currency.ID, in.week, in.week, first)
	if err != nil {
		return err
	}
	own := make(map[uuid.UUID]money.Amount, len(changes))
	for id := range changes {
		own[id] = -changes[id].Opening
	}
	in.openings = in.withBelow(own)
	return nil
}

// readDifferences reads the differences of prizes settled in the week, and the settlements of the entities that they
// restate.
func (s *Service) readDifferences(ctx context.Context, in *inputs) error {
	list, err := s.Prizes.SettledDifferences(
		ctx, &prizes.Period{CurrencyID: in.currency.ID, From: in.week, To: in.week.AddDays(6)},
	)
	if err != nil {
		return err
	}
	in.differences = map[uuid.UUID]map[businessday.Day]money.Amount{}
	var touched storage.UUIDs
	for i := range list {
		for _, entity := range list[i].Entities {
			if in.differences[entity] == nil {
				in.differences[entity], touched = map[businessday.Day]money.Amount{}, append(touched, entity)
			}
			in.differences[entity][Monday(list[i].PaidOn)] += list[i].Amount
		}
	}
	if len(touched) == 0 {
		return nil
	}
	return s.readPast(ctx, in, touched)
}

// readPast reads the settlements of entities before the week, as they were restated up to now.
func (s *Service) readPast(ctx context.Context, in *inputs, entities storage.UUIDs) error {
	in.past = map[uuid.UUID][]pastWeek{}
	var entity uuid.UUID
	var w pastWeek
	return storage.Each(ctx, s.PG.Pool, "settlements to restate", []any{&entity, &w.id, &w.week, &w.result, &w.participation, &w.rate, &w.mode}, func() error {
		in.past[entity] = append(in.past[entity], w)
		return nil
	}, `SELECT s.entity_id, s.id, s.week, s.result - coalesce(a.prizes, 0), s.participation + coalesce(a.participation, 0), s.rate, s.mode
		FROM weekly_settlements s LEFT JOIN LATERAL (
			SELECT sum(prizes)::bigint AS prizes, sum(participation)::bigint AS participation FROM weekly_adjustments WHERE restates_id = s.id) a ON true
		WHERE s.entity_id = ANY ($1::uuid[]) AND s.currency_id = $2 AND s.week < $3 ORDER BY s.entity_id, s.week`, entities, in.currency.ID, in.week)
}
