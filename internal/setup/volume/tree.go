package volume

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/models"
	"banca/storage"
)

// Entities of each level above the ticket points.
const (
	superAgencies = 5
	agencies      = 20
	groups        = 60
)

// credit of a ticket point, in minor units: more than it ever owes.
const credit = 1_000_000_000_000

// rates are the commissions of the worked example, from the super-agency down to the ticket point.
func rates() []money.BasisPoints { return []money.BasisPoints{1_800, 1_500, 1_300, 1_000} }

// point is a ticket point with the wallets of its chain.
type point struct {
	entity, user, wallet uuid.UUID
	path                 int32
	above                []uuid.UUID  // wallets of super-agency, agency and group
	debt                 money.Amount // since the last deposit

	habits
}

// earner is an entity of a profile above ticket points, to which the operator pays its commissions.
type earner struct {
	entity, wallet uuid.UUID
	owes           bool
	earned         money.Amount // since the last payment
}

// tree is what the history sells at.
type tree struct {
	points         []point
	earners        []*earner // of a profile
	earning        map[uuid.UUID]*earner
	byWallet       map[uuid.UUID]*point
	root, external uuid.UUID // wallets of the operator
}

// level is the entities of one kind.
type level struct {
	kind, code, percent string
	count               int
}

// levelsOf returns the levels of a tree, the operator's children first.
func levelsOf(points int) []level {
	return []level{
		{models.EntitySuperAgency, "VOL-S", "18", superAgencies}, {models.EntityAgency, "VOL-A", "15", agencies},
		{models.EntityGroup, "VOL-G", "13", groups}, {models.EntityTicketPoint, "VOL-T", "10", points},
	}
}

// writeTree inserts entities, a user for each ticket point, and wallets.
func (w *Writer) writeTree(ctx context.Context, tx pgx.Tx) (*tree, error) {
	var exists bool
	first := "VOL-S-1"
	if w.Profile != nil {
		first = w.Profile.Places[0].Code
	}
	err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM entities WHERE code = $1)`, first).Scan(&exists)
	if err != nil || exists {
		if err == nil {
			err = ErrExists
		}
		return nil, err
	}
	if w.Profile != nil {
		if err := w.writePlaces(ctx, tx); err != nil {
			return nil, err
		}
		return w.readTree(ctx, tx)
	}
	names := map[string]string{"VOL-S": "Superagencia", "VOL-A": "Agencia", "VOL-G": "Grupo", "VOL-T": "Taquilla"}
	for depth, level := range levelsOf(w.Points) {
		for n := range level.count {
			parent := "id = $5"
			args := []any{
				entityID(level.code, n), level.kind, fmt.Sprintf("%s %03d", names[level.code], n+1),
				fmt.Sprintf("%s-%d", level.code, n+1), w.Root, level.percent,
			}
			if depth > 0 {
				above := levelsOf(w.Points)[depth-1]
				args[4] = entityID(above.code, n%above.count)
			}
			_, err := tx.Exec(ctx, `INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info)
				SELECT $1::uuid, $2, $3, $4, id, path || ($1::uuid)::text || '/', 'active', jsonb_build_object('commissions', jsonb_build_array(jsonb_build_object('percent', $6::text)))
				FROM entities WHERE `+parent, args...)
			if err != nil {
				return nil, fmt.Errorf("entities: %w", err)
			}
		}
	}
	if err := w.writeAccounts(ctx, tx); err != nil {
		return nil, err
	}
	return w.readTree(ctx, tx)
}

func entityID(code string, n int) uuid.UUID { return seed.ID("volume", code, strconv.Itoa(n)) }

// writeAccounts inserts the wallets, and a user for each ticket point who cannot log in.
func (w *Writer) writeAccounts(ctx context.Context, tx pgx.Tx) error {
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO wallets (id, entity_id, currency_id, credit_limit) SELECT gen_random_uuid(), id, $1, CASE entity_type WHEN 'TICKET_POINT' THEN $2::bigint ELSE 0 END
		FROM entities WHERE code LIKE 'VOL-%'`, w.currency, credit)
	b.Queue(`INSERT INTO wallets (id, entity_id, currency_id, kind, unlimited) VALUES (gen_random_uuid(), $1, $2, 'external', true) ON CONFLICT DO NOTHING`, w.Root, w.currency)
	b.Queue(`INSERT INTO users (id, entity_id, identifier, name, role, auth_method, password_hash)
		SELECT gen_random_uuid(), id, lower(code), name, 'TAQUILLA', 'password', '!' FROM entities WHERE code LIKE 'VOL-T-%'`)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("wallets and users: %w", err)
	}
	return nil
}

// readTree reads the ticket points with the wallets of their chains.
func (w *Writer) readTree(ctx context.Context, tx pgx.Tx) (*tree, error) {
	t, known := &tree{}, map[string]habits{}
	if w.Profile != nil {
		known = w.Profile.habits()
		t.addEarners(w.Profile)
	}
	err := tx.QueryRow(ctx, `SELECT m.id, x.id FROM wallets m JOIN wallets x USING (entity_id, currency_id) WHERE m.entity_id = $1 AND m.currency_id = $2 AND m.kind = 'main' AND x.kind = 'external'`,
		w.Root, w.currency).Scan(&t.root, &t.external)
	if err != nil {
		return nil, fmt.Errorf("wallets of the operator: %w", err)
	}
	rows, err := tx.Query(ctx, `SELECT e.code, e.id, u.id, v.id, e.path_id, array_agg(w.id ORDER BY length(a.path)) FROM entities e JOIN users u ON u.entity_id = e.id
		JOIN wallets v ON v.entity_id = e.id AND v.currency_id = $1
		JOIN entities a ON starts_with(e.path, a.path) AND a.id <> e.id AND a.parent_id IS NOT NULL JOIN wallets w ON w.entity_id = a.id AND w.currency_id = $1 AND w.kind = 'main'
		WHERE e.entity_type = 'TICKET_POINT' AND (e.code LIKE 'VOL-T-%' OR e.code = ANY($2)) GROUP BY e.id, u.id, v.id, e.path_id, e.code ORDER BY e.code`, w.currency, slices.Sorted(maps.Keys(known)))
	if err != nil {
		return nil, fmt.Errorf("ticket points: %w", err)
	}
	var p point
	var code string
	var above storage.UUIDs
	_, err = pgx.ForEachRow(rows, []any{&code, &p.entity, &p.user, &p.wallet, &p.path, (*[]uuid.UUID)(&above)}, func() error {
		p.above, above = above, nil
		p.habits = known[code]
		t.points = append(t.points, p)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("ticket points: %w", err)
	}
	t.byWallet = make(map[uuid.UUID]*point, len(t.points))
	for i := range t.points {
		t.byWallet[t.points[i].wallet] = &t.points[i]
	}
	return t, nil
}
