package reports

import (
	"context"

	"github.com/google/uuid"

	"banca/internal/ledger"
	"banca/internal/org"
	"banca/internal/platform/caller"
)

// MaxBalances bounds the entities of one report of balances on a page.
const MaxBalances = 1_000

// Balance is how the balance of an entity with the operator changed.
type Balance struct {
	Entity Entity
	ledger.BalanceChange
}

// Balances is the report of balances: of the entity, and of the entities one level below it.
type Balances struct {
	Head
	Own      *Balance // nil without a wallet in the currency
	Children []Balance
	More     bool // there are more entities than the limit
}

// Balances returns how the balances of an entity and of its children, up to limit, changed over a period. They come
// from the ledger, so they contain the last committed transaction. Errors: see ask.
func (s *Service) Balances(ctx context.Context, by caller.Caller, f *Filter, limit int) (*Balances, error) {
	q, err := s.ask(ctx, by, f)
	if err != nil {
		return nil, err
	}
	children, total, err := s.org.Entities(ctx, by, &org.EntityFilter{ParentID: q.Entity.ID, Limit: limit})
	if err != nil {
		return nil, err
	}
	ids := []uuid.UUID{q.Entity.ID}
	for i := range children {
		ids = append(ids, children[i].ID)
	}
	moved, err := s.ledger.BalanceChanges(ctx, q.Currency.ID, q.From, q.To, ids)
	if err != nil {
		return nil, err
	}
	report := &Balances{Head: q.Head, More: total > int64(len(children))}
	if m, found := moved[q.Entity.ID]; found {
		report.Own = &Balance{Entity: q.Entity, BalanceChange: m}
	}
	for i := range children {
		if m, found := moved[children[i].ID]; found {
			e := Entity{ID: children[i].ID, Name: children[i].Name, Code: children[i].Code, Type: children[i].Type}
			report.Children = append(report.Children, Balance{Entity: e, BalanceChange: m})
		}
	}
	report.AsOf = s.clock.Now()
	return report, nil
}
