package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"banca/internal/platform/config"
	"banca/internal/setup/seed"
	"banca/models"
)

// Who decides on an operation that changes what an entity owes, earns or may.
const (
	theOperator = "the operator"
	thoseAbove  = "entities above"
	itself      = "the entity itself" // in the bounds that were set above, by the roles that have the permission
	noTerms     = "changes no terms"
)

// level is an entity of a chain with what others decide about it.
type level struct {
	code, id, parent                          string
	wallet, limit, block, settlement, payment string
	difference                                string
}

func (l *level) admin() string { return l.code + " " + models.RoleAdmin }

// TestAnEntityDoesNotDecideOnItsOwnTerms: an administrator of an entity at any level changes nothing that the entity
// owes, earns or may, unless those above leave it to the entity; other roles write what their permissions name.
func TestAnEntityDoesNotDecideOnItsOwnTerms(t *testing.T) {
	t.Parallel()
	s := openAPI(t, func(cfg *config.Config) { cfg.HTTP.RateLimitRequests = 1_000_000 })
	levels := s.fillLevels()
	operations, table := s.operations(), ownTerms()
	known := map[string]bool{}
	for i := range operations {
		o := &operations[i]
		if !o.writes() {
			continue
		}
		known[o.id] = true
		require.NotEmpty(t, table[o.id], "%s %s: say in ownTerms who decides", o.method, o.path)
		for n := range levels {
			l := &levels[n]
			for _, role := range []string{models.RoleTaquilla, models.RoleSocio} {
				if len(o.roles) > 0 && !slices.Contains(o.roles, role) {
					s.forbidden(o, s.termsOf(o.id, l), l.code+" "+role)
				}
			}
			switch {
			case n == 0: // the operator decides on itself
			case table[o.id] == theOperator:
				s.forbidden(o, s.termsOf(o.id, l), l.admin())
			case table[o.id] == thoseAbove:
				s.forbidden(o, s.termsOf(o.id, l), l.admin())
				if o.id != "delete-entity" && o.id != "delete-limit" &&
					o.id != "unblock-element" { // which would end what later levels need
					a := s.call(o, s.termsOf(o.id, l), s.tokens[levels[n-1].admin()])
					assert.NotContains(t, []int{http.StatusUnauthorized, http.StatusForbidden}, a.status,
						"%s of %s by %s: %s", o.id, l.code, levels[n-1].code, a.raw)
				}
			}
		}
	}
	for id := range table {
		assert.True(t, known[id], "%s: there is no such operation", id)
	}
	last := &levels[len(levels)-1]
	i := slices.IndexFunc(operations, func(o leakOperation) bool { return o.id == "write-off-prize-difference" })
	a := s.call(&operations[i], s.termsOf("write-off-prize-difference", last), s.tokens[levels[0].admin()])
	assert.Equal(t, http.StatusOK, a.status, string(a.raw))
}

func (s *leakSuite) forbidden(o *leakOperation, p probe, who string) {
	s.t.Helper()
	a := s.call(o, p, s.tokens[who])
	if o.id == "move-entity" && a.status == http.StatusNotFound { // no other parent is in the scope of an entity itself
		return
	}
	assert.Equal(s.t, http.StatusForbidden, a.status, "%s by %s: %s", o.id, who, a.raw)
}

// termsOf names what an operation changes of an entity. Ids that are not named are of nothing.
func (s *leakSuite) termsOf(id string, l *level) probe {
	p := probe{path: map[string]string{"id": l.id, "gameId": l.id, "elementId": l.id, "movementId": l.payment,
		"date": "2026-01-05", "code": "VES"}}
	move := map[string]any{"amount": "5.00", "reference": "terms " + uuid.NewString()}
	switch id {
	case "deposit", "withdraw":
		p.path["id"], p.body = l.wallet, move
	case "transfer":
		move["direction"] = "from_parent"
		p.path["id"], p.body = l.wallet, move
	case "reverse-movement":
		p.path["id"], p.body = l.wallet, map[string]any{"reference": "none"}
	case "set-credit-limit":
		p.path["id"], p.body = l.wallet, map[string]any{"amount": "5.00", "reason": "a test"}
	case "update-entity":
		p.query, p.body = "?dry_run=true",
			map[string]any{"finance_info": map[string]any{"commissions": []map[string]any{{"percent": "1"}}}}
	case "set-entity-status":
		p.body = map[string]any{"status": models.StatusActive}
	case "move-entity":
		p.body = map[string]any{"parent_id": l.parent}
	case "create-limit":
		p.body = map[string]any{"entityId": l.id, "currency": "VES", "metric": "stake", "base": "999.00",
			"game_id": s.game}
	case "change-limit":
		p.path["id"], p.body = l.limit, map[string]any{"base": "999.00"}
	case "delete-limit":
		p.path["id"] = l.limit
	case "unblock-element":
		p.path["id"] = l.block
	case "pay-weekly-settlement":
		p.path["id"], p.body = l.settlement, map[string]any{"amount": "5.00", "reference": "terms " + l.code}
	case "unlink-weekly-payment":
		p.path["id"] = l.settlement
	case "create-bank", "update-bank":
		p.path["code"], p.body = "0134", map[string]any{"code": "0999", "name": "Bank", "status": models.StatusActive}
		if id == "update-bank" {
			delete(p.body, "code")
		}
	case "create-network-code", "update-network-code":
		p.path["code"], p.body = "77", map[string]any{"code": "77", "meaning": "New"}
		if id == "update-network-code" {
			delete(p.body, "code")
		}
	case "draft-week":
		p.body = map[string]any{"week": "2026-01-05", "currency": "VES"}
	case "confirm-week":
		p.body = map[string]any{"week": "2026-01-05", "currency": "VES", "parent_id": l.id}
	case "assign-bank-payment":
		p.body = map[string]any{"entityId": l.id, "note": "x"}
	case "refund-bank-payment":
		p.body = map[string]any{"note": "x"}
	case "import-bank-statement":
		p.raw, p.contentType = "date,reference,amount\n2026-01-01,1234,1\n", "text/csv"
	case "write-off-prize-difference":
		p.path["id"], p.body = l.difference, map[string]any{"note": "we shall not pay"}
	}
	return p
}

// fillLevels makes a user of each role at each level of the seed's chain, and what others decide about each entity.
func (s *leakSuite) fillLevels() []level {
	s.t.Helper()
	s.game = seed.ID("game", "lotto-activo").String()
	require.NoError(s.t, s.db.QueryRow(s.t.Context(), `SELECT id FROM draws WHERE game_id = $1 AND status = 'open'
		ORDER BY draw_time DESC LIMIT 1`, s.game).Scan(&s.draw))
	s.fillDraws()
	hash, err := bcrypt.GenerateFromPassword([]byte(leakPassword), bcrypt.MinCost)
	require.NoError(s.t, err)
	ves := seed.ID("currency", "VES")
	s.exec(`DELETE FROM risk_limits`)
	s.exec(`INSERT INTO weekly_drafts (week, currency_id, drafted_at) VALUES ('2026-01-05', $1, now())`, ves)
	var levels []level
	for n, code := range []string{seed.CodeOperator, seed.CodeSuperAgency, seed.CodeAgency, seed.CodeGroup,
		seed.CodeTicketPoint} {
		l := level{code: code, id: seed.ID("entity", code).String(), limit: uuid.NewString(), block: uuid.NewString(),
			settlement: uuid.NewString(), payment: uuid.NewString(), difference: uuid.NewString()}
		if n == 0 {
			l.id, l.parent = seed.RootEntityID, seed.RootEntityID
		} else {
			l.parent = levels[n-1].id
			s.exec(`INSERT INTO weekly_settlements (id, week, entity_id, parent_id, currency_id, sales, prizes,
				commissions, commissions_above, payments, result, rate, mode, carried, carry_out,
				participation, own_share, adjustments, previous, moved, due, drafted_at) VALUES ($1, '2026-01-05',
					$2, $3, $4, 77001, 0, 0, 0, 0, 77001, 0, 'CARRY', 0, 0, 0, 0, 0, 0, 0, 77001, now())`,
				l.settlement, l.id, l.parent, ves)
		}
		require.NoError(s.t, s.db.QueryRow(s.t.Context(), `SELECT id::text FROM wallets WHERE entity_id = $1 AND
			currency_id = $2 AND kind = 'main'`, l.id, ves).Scan(&l.wallet))
		s.exec(`INSERT INTO risk_limits (id, entity_id, currency_id, metric, base, set_by) VALUES ($1, $2, $3,
			'stake', 10000, $4)`, l.limit, l.id, ves, l.parent)
		s.exec(`INSERT INTO risk_limits (id, entity_id, currency_id, draw_id, element, metric, base, set_by) VALUES
			($1, $2, $3, $4, '7', 'stake', 0, $5)`, l.block, l.id, ves, s.draw, l.parent)
		s.fillOverpaid(&l)
		for i, role := range []string{models.RoleAdmin, models.RoleTaquilla, models.RoleSocio} {
			email := fmt.Sprintf("%s-%s@terms.test", strings.ToLower(role), strings.ToLower(code))
			s.exec(`INSERT INTO users (id, entity_id, email, phone, identifier, name, role, auth_method,
				password_hash) VALUES (gen_random_uuid(), $1, $2, $3, $2, $2, $4, 'password', $5)`,
				l.id, email, fmt.Sprintf("+5842499%05d", n*10+i), role, string(hash))
			s.login(code+" "+role, email)
		}
		levels = append(levels, l)
	}
	s.exec(`UPDATE user_sessions SET confirmed_at = now()`)
	return levels
}

// fillOverpaid makes a prize of which an entity owes 0.01, as only a ticket point does.
func (s *leakSuite) fillOverpaid(l *level) {
	s.t.Helper()
	ves, ticket, payment := seed.ID("currency", "VES"), uuid.NewString(), uuid.NewString()
	s.exec(`INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id,
		status, total, potential_prize, prize, settled_at, cancel_before, expires_at, created_at)
		VALUES ($1, $2, '000000', $3, gen_random_uuid(), $4, $5, 'paid', 77001, 77001, 77001, now(), current_timestamp, now() +
			interval '9 days', now())`, ticket, "TERMS-"+l.code, l.id, l.wallet, ves)
	s.exec(`INSERT INTO paid_prizes (id, ticket_id, entity_id, wallet_id, currency_id, amount, transaction_id,
		paid_by, paid_at) VALUES ($1, $2, $3, $4, $5, 77002, gen_random_uuid(), $1, now())`,
		payment, ticket, l.id, l.wallet, ves)
	s.exec(`INSERT INTO prize_differences (id, ticket_id, paid_prize_id, result_id, entity_id, currency_id, paid,
		due, created_at)
		VALUES ($1, $2, $3, $6, $4, $5, 77002, 77001, now())`, l.difference, ticket, payment, l.id, ves, s.result)
}
