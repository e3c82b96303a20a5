package closes

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
)

// Missing is a ticket point with events up to a day that it has not closed.
type Missing struct {
	EntityID uuid.UUID
	Entity   string // name
	Currency ledger.Currency
	LastDay  businessday.Day // the newest day that it closed; zero for none
	OpenID   uuid.UUID       // its earliest open row; Nil for none
	Since    businessday.Day // the earliest day that it has not closed
}

// missingFilter selects ticket points: of a pattern of paths, and a currency, all if Nil.
type missingFilter struct {
	pattern  string
	currency uuid.UUID
	day      businessday.Day
}

// Missing returns the ticket points in the caller's scope, and below an entity unless it is Nil, that have not closed
// a day or an earlier one: today for the zero day. Errors: ErrEntityNotFound, ErrFuture.
func (s *Service) Missing(
	ctx context.Context, by caller.Caller, entity uuid.UUID, day businessday.Day,
) ([]Missing, error) {
	if day.IsZero() {
		day = s.today()
	}
	if s.today().Before(day) {
		return nil, ErrFuture
	}
	f := &missingFilter{pattern: by.Scope.Pattern(), day: day}
	if entity != uuid.Nil {
		chain, err := s.Org.Chain(ctx, entity)
		if err != nil || !by.Scope.Contains(chain.Path()) {
			return nil, ErrEntityNotFound
		}
		f.pattern = chain.Path() + "%"
	}
	return s.missing(ctx, s.PG.Pool, f)
}

func (s *Service) missing(ctx context.Context, db storage.Querier, f *missingFilter) ([]Missing, error) {
	list, err := storage.Collect(ctx, db, "entities that have not closed", func(row pgx.CollectableRow) (m Missing, err error) {
		var day, openDay *businessday.Day
		var open uuid.NullUUID
		var first *time.Time
		err = row.Scan(&m.EntityID, &m.Entity, &m.Currency.ID, &day, &open, &openDay, &first)
		if m.OpenID = open.UUID; day != nil {
			m.LastDay = *day
		}
		if openDay != nil {
			m.Since = *openDay
		}
		if first != nil {
			if day := businessday.Of(*first, s.Zone); openDay == nil || day.Before(m.Since) {
				m.Since = day
			}
		}
		return m, err
	}, `SELECT e.id, e.name, w.currency_id, l.day, o.id, o.day, p.created_at
		FROM wallets w JOIN entities e ON e.id = w.entity_id
		LEFT JOIN LATERAL (SELECT day, ends_at FROM daily_closes c WHERE c.wallet_id = w.id AND c.status = 'closed' ORDER BY c.day DESC LIMIT 1) l ON true
		LEFT JOIN LATERAL (SELECT id, day FROM daily_closes c WHERE c.entity_id = w.entity_id AND c.currency_id = w.currency_id AND c.status = 'open' AND c.day <= $3 ORDER BY c.day LIMIT 1) o ON true
		LEFT JOIN LATERAL (SELECT created_at FROM wallet_postings p WHERE p.wallet_id = w.id AND p.direct
			AND p.created_at >= coalesce(l.ends_at, '-infinity') AND p.created_at < $4 ORDER BY p.created_at LIMIT 1) p ON true
		WHERE w.kind = 'main' AND e.entity_type = 'TICKET_POINT' AND e.path LIKE $1 AND ($2::uuid IS NULL OR w.currency_id = $2)
			AND (o.id IS NOT NULL OR p.created_at IS NOT NULL)
		ORDER BY e.name, e.id, w.currency_id`, f.pattern, models.Optional(f.currency), f.day, s.endOf(f.day))
	if err != nil {
		return nil, err
	}
	return list, ledger.FillCurrencies(ctx, s.Ledger, list, func(m *Missing) *ledger.Currency { return &m.Currency })
}
