package volume

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/risk"
	"banca/internal/setup/seed"
	"banca/models"
)

// writePlaces inserts the entities of the profile with their wallets and users.
func (w *Writer) writePlaces(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	w.Profile.Each(func(place, parent *Place, depth int) {
		level := levelsOf(0)[depth]
		above, id, credit := w.Root, placeID(place.Code), int64(0)
		if parent != nil {
			above = placeID(parent.Code)
		}
		if level.kind == models.EntityTicketPoint {
			credit = int64(w.Profile.Credit)
		}
		all := w.Profile.Levels[depth]
		b.Queue(`INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info)
			SELECT $1::uuid, $2, $3, $4, id, path || ($1::uuid)::text || '/', 'active', jsonb_build_object('commissions', jsonb_build_array(jsonb_build_object('percent', $6::text)))
				|| CASE WHEN $7 = '' THEN '{}' ELSE jsonb_build_object('participation', jsonb_build_object('percent', $7::text)) END
			FROM entities WHERE id = $5`, id, level.kind, place.Name, place.Code, above, level.percent, all.Participation)
		if all.Stake > 0 {
			risk.QueueLimit(b, seed.ID("place", place.Code, "limit"), id, w.currency, models.MetricStake, all.Stake)
		}
		b.Queue(`INSERT INTO wallets (id, entity_id, currency_id, credit_limit) VALUES ($1, $2, $3, $4)`,
			placeWallet(place.Code), id, w.currency, credit)
		w.queueUser(b, &place.User, id)
	})
	b.Queue(`INSERT INTO wallets (id, entity_id, currency_id, kind, unlimited) VALUES (gen_random_uuid(), $1, $2, 'external', true) ON CONFLICT DO NOTHING`, w.Root, w.currency)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("places: %w", err)
	}
	return nil
}

// queueUser inserts the user of a place, if it has one.
func (w *Writer) queueUser(b *pgx.Batch, u *User, entity uuid.UUID) {
	if u.Identifier == "" {
		return
	}
	b.Queue(`INSERT INTO users (id, entity_id, identifier, email, name, role, auth_method, password_hash)
		VALUES ($1, $2, $3, nullif($4, ''), $5, $6, 'password', $7)`,
		seed.ID("place", u.Identifier, "user"), entity, u.Identifier, u.Email, u.Name, u.Role, w.Profile.PasswordHash)
}

func placeID(code string) uuid.UUID { return seed.ID("place", code) }

func placeWallet(code string) uuid.UUID { return seed.ID("place", code, "wallet") }

// addEarners adds the entities of a profile above ticket points.
func (t *tree) addEarners(p *Profile) {
	t.earning = map[uuid.UUID]*earner{}
	owing := p.owing()
	p.Each(func(place, _ *Place, _ int) {
		if place.Below == nil {
			return
		}
		e := &earner{entity: placeID(place.Code), wallet: placeWallet(place.Code), owes: owing[place]}
		t.earners, t.earning[e.wallet] = append(t.earners, e), e
	})
}
