package seed

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
)

// Codes of the seeded entities that tests and guides refer to.
const (
	CodeOperator     = "OPE"
	CodeSuperAgency  = "SUP-001"
	CodeAgency       = "AGE-001"
	CodeGroup        = "GRU-001"
	CodeTicketPoint  = "TAQ-001"
	CodeTicketPoint2 = "TAQ-002"
	CodeOtherAgency  = "AGE-002"
	CodeOtherPoint   = "TAQ-101"
)

// entity is a node of the seeded tree.
type entity struct {
	code, parent, kind, name string
	percent                  string // commission granted, of net sales; empty inherits
}

// entities lists the tree, parents first. The rates are the worked example of the commission
// rule: 18, 15, 13 and 10 % for super-agency, agency, group and ticket point.
func entities() []entity {
	return []entity{
		{CodeOperator, "", models.EntityOperator, "Banca La Fortuna", ""},
		{CodeSuperAgency, CodeOperator, models.EntitySuperAgency, "Superagencia Oriente", "18"},
		{CodeAgency, CodeSuperAgency, models.EntityAgency, "Agencia El Ávila", "15"},
		{CodeGroup, CodeAgency, models.EntityGroup, "Grupo Catia", "13"},
		{CodeTicketPoint, CodeGroup, models.EntityTicketPoint, "Taquilla Doña Peña", "10"},
		{CodeTicketPoint2, CodeGroup, models.EntityTicketPoint, "Taquilla Plaza Sucre", "10"},
		{CodeOtherAgency, CodeSuperAgency, models.EntityAgency, "Agencia Maracay", "14"},
		{"GRU-101", CodeOtherAgency, models.EntityGroup, "Grupo Las Delicias", "12"},
		{CodeOtherPoint, "GRU-101", models.EntityTicketPoint, "Taquilla Base Aragua", "9.50"},
	}
}

// currency is a currency of the seed with the credit of a ticket point and the default limits, in minor units.
type currency struct {
	code, name, symbol           string
	credit, stake, agency, prize int64
}

func currencies() []currency {
	return []currency{
		{"VES", "Bolívar", "Bs", 100_000_00, 20_000_00, 100_000_00, 10_000_000_00},
		{"USD", "Dólar", "$", 1_000_00, 200_00, 1_000_00, 100_000_00},
		{"COP", "Peso colombiano", "COL$", 4_000_000_00, 800_000_00, 4_000_000_00, 400_000_000_00},
	}
}

func queueCurrencies(b *pgx.Batch, codes []string) {
	for _, c := range currencies() {
		if codes != nil && !slices.Contains(codes, c.code) {
			continue
		}
		b.Queue(
			`INSERT INTO currencies (id, code, name, symbol, digits) VALUES ($1, $2, $3, $4, 2) ON CONFLICT DO NOTHING`,
			ID("currency", c.code), c.code, c.name, c.symbol,
		)
	}
}

func queueEntities(b *pgx.Batch, root uuid.UUID, tree []entity) error {
	ids, paths := map[string]uuid.UUID{}, map[string]string{"": "/"}
	for _, e := range tree {
		ids[e.code] = entityID(e.code, root)
		paths[e.code] = paths[e.parent] + ids[e.code].String() + "/"
		finance, config, printing := map[string]any{}, map[string]any{}, map[string]any{}
		if e.percent != "" {
			finance["commissions"] = []map[string]string{{"percent": e.percent}}
		}
		if e.parent == "" {
			config = map[string]any{
				"sale_stop_seconds": 300, "cancel_seconds": 300, "cancels_per_day": 20, "prize_expiry_hours": 72,
			}
			paymentInfo(finance)
			printing = map[string]any{
				"subtitle": "RIF J-40123456-7",
				"footer":   []string{"Revise su ticket.", "Caduca a los 3 días del sorteo."},
			}
		}
		var parent *uuid.UUID
		if e.parent != "" {
			id := ids[e.parent]
			parent = &id
		}
		legal, contact := identityOf(e.code)
		columns := make([][]byte, 0, 5)
		for _, doc := range []map[string]any{finance, config, printing, legal, contact} {
			raw, err := json.Marshal(doc)
			if err != nil {
				return err
			}
			columns = append(columns, raw)
		}
		b.Queue(`INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info, config_info, print_info, legal_info, contact_info)
			VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
			ids[e.code], e.kind, e.name, e.code, parent, paths[e.code], columns[0], columns[1], columns[2], columns[3], columns[4])
	}
	return nil
}

// queueWallets gives every entity a wallet in each currency: ticket points have credit, and the root, whose wallet is
// the operator's side of every sale, is unlimited.
func queueWallets(b *pgx.Batch, root uuid.UUID, tree []entity, list []currency) {
	for _, c := range list {
		for _, e := range tree {
			credit := int64(0)
			if e.kind == models.EntityTicketPoint {
				credit = c.credit
			}
			b.Queue(`INSERT INTO wallets (id, entity_id, currency_id, credit_limit, unlimited) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
				ID("wallet", e.code, c.code), entityID(e.code, root), ID("currency", c.code), credit, e.parent == "")
		}
	}
}

// queueLimits sets default limits on every selection of every draw: the operator's liability, each
// agency's stake and each ticket point's stake.
func queueLimits(b *pgx.Batch, root uuid.UUID, tree []entity, list []currency) {
	for _, c := range list {
		for _, e := range tree {
			metric := models.MetricStake
			var base int64
			switch e.kind {
			case models.EntityOperator:
				metric, base = models.MetricLiability, c.prize
			case models.EntityAgency:
				base = c.agency
			case models.EntityTicketPoint:
				base = c.stake
			default:
				continue
			}
			risk.QueueLimit(
				b, ID("limit", e.code, c.code, metric), entityID(e.code, root), ID("currency", c.code), metric,
				money.Amount(base),
			)
		}
	}
}

func entityID(code string, root uuid.UUID) uuid.UUID {
	if code == CodeOperator {
		return root
	}
	return ID("entity", code)
}

// ID derives the id of a seeded row from its name.
func ID(parts ...string) uuid.UUID {
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte("banca/"+strings.Join(parts, "/")))
}
