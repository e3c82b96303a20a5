package org_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/org"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
)

func TestMain(m *testing.M) { os.Exit(testkit.Run(m)) }

// tree is a chain of entities in a database, root first.
type tree struct {
	*org.Service
	env *testkit.Env
	ids []uuid.UUID
}

func setup(t testing.TB, finance ...string) *tree {
	t.Helper()
	env := testkit.New(t)
	tr := &tree{Service: org.New(env.PG.Gorm, org.Options{}), env: env}
	kinds := []string{models.EntityOperator, models.EntitySuperAgency, models.EntityAgency, models.EntityGroup, models.EntityTicketPoint}
	path := "/"
	for i, doc := range finance {
		id := uuid.Must(uuid.NewV7())
		path += id.String() + "/"
		tr.exec(t, `INSERT INTO entities (id, entity_type, name, code, path, status, finance_info) VALUES ($1, $2, $2, $2, $3, 'active', $4)`, id, kinds[i], path, doc)
		tr.ids = append(tr.ids, id)
	}
	return tr
}

func (tr *tree) exec(t testing.TB, sql string, args ...any) {
	t.Helper()
	_, err := tr.env.PG.Pool.Exec(t.Context(), sql, args...)
	require.NoError(t, err, sql)
	tr.Forget()
}

// last is the chain of the lowest entity.
func (tr *tree) last(t testing.TB) org.Chain {
	t.Helper()
	chain, err := tr.Chain(t.Context(), tr.ids[len(tr.ids)-1])
	require.NoError(t, err)
	return chain
}

func TestCommissionRates(t *testing.T) {
	t.Parallel()
	const a, b = models.CategoryAnimalitos, models.CategoryTriples
	for _, tt := range []struct {
		name          string
		finance       []string
		category, bet string
		want          []money.BasisPoints
	}{
		{"each its own", []string{`{}`, percent("18"), percent("15"), percent("13"), percent("9.5")}, a, "", []money.BasisPoints{1800, 1500, 1300, 950}},
		{"missing is the parent's", []string{`{}`, percent("18"), `{}`, percent("13"), `{}`}, a, "", []money.BasisPoints{1800, 1800, 1300, 1300}},
		{"never above the parent's", []string{`{}`, percent("10"), percent("15"), `{}`, percent("12.34")}, a, "", []money.BasisPoints{1000, 1000, 1000, 1000}},
		{"nothing granted", []string{`{}`, `{}`, percent("15")}, a, "", []money.BasisPoints{0, 0}},
		{"zero in any writing", []string{`{}`, percent("10"), percent("0"), percent("5")}, a, "", []money.BasisPoints{1000, 0, 0}},
		{"zero with digits", []string{`{}`, percent("10"), percent("0.00"), percent("5")}, a, "", []money.BasisPoints{1000, 0, 0}},
		{"all of it", []string{`{}`, percent("100")}, a, "", []money.BasisPoints{10_000}},
		{
			"the most specific rule", []string{`{}`, `{"commissions": [{"percent": "1"}, {"category": "ANIMALITOS", "percent": "2"}, {"bet_type": "tripleta", "percent": "3"},
				{"category": "ANIMALITOS", "bet_type": "tripleta", "percent": "4"}]}`}, a, "tripleta", []money.BasisPoints{400},
		},
		{"of another category", []string{`{}`, `{"commissions": [{"percent": "1"}, {"category": "ANIMALITOS", "percent": "2"}]}`}, b, "", []money.BasisPoints{100}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tr := setup(t, tt.finance...)
			require.Equal(t, tt.want, tr.last(t).CommissionRates(tt.category, tt.bet))
			require.Nil(t, tr.last(t)[:1].CommissionRates(tt.category, tt.bet), "the root grants itself nothing")
		})
	}
}

func percent(p string) string { return `{"commissions": [{"percent": "` + p + `"}]}` }

func TestUnreadableCommissionsAreAnError(t *testing.T) {
	t.Parallel()
	tr := setup(t, `{}`)
	for _, wrong := range []string{"", "-1", "100.01", "1e1", "1.234", "5%", "0.000"} {
		tr.exec(t, `UPDATE entities SET finance_info = $1`, percent(wrong))
		_, err := tr.Chain(t.Context(), tr.ids[0])
		require.Error(t, err, wrong)
	}
}

func TestSettingsAreInherited(t *testing.T) {
	t.Parallel()
	tr := setup(t, `{}`, `{}`, `{}`)
	chain := tr.last(t)
	require.Equal(t, []time.Duration{5 * time.Minute, 5 * time.Minute, 72 * time.Hour}, []time.Duration{chain.SaleStop(), chain.CancelWindow(), chain.PrizeExpiry()})
	require.Equal(t, 20, chain.CancelsPerDay())
	tr.exec(t, `UPDATE entities SET config_info = '{"sale_stop_seconds": 60, "cancels_per_day": 3, "confirm_line_above": 900, "confirm_ticket_above": 3000}' WHERE id = $1`, tr.ids[0])
	tr.exec(t, `UPDATE entities SET config_info = '{"cancel_seconds": 0, "cancels_per_day": 0, "confirm_line_above": 500}' WHERE id = $1`, tr.ids[1])
	tr.exec(t, `UPDATE entities SET config_info = '{"prize_expiry_hours": 1}', print_info = '{"footer": ["F"]}' WHERE id = $1`, tr.ids[2])
	tr.exec(t, `UPDATE entities SET print_info = '{"title": "T", "footer": ["G"]}' WHERE id = $1`, tr.ids[1])
	chain = tr.last(t)
	require.Equal(t, []time.Duration{time.Minute, 0, time.Hour}, []time.Duration{chain.SaleStop(), chain.CancelWindow(), chain.PrizeExpiry()})
	require.Zero(t, chain.CancelsPerDay(), "zero is a value")
	require.Equal(t, 500, *chain.Confirmed().Line, "the nearest one")
	require.Equal(t, 3000, *chain.Confirmed().Ticket)
	require.Equal(t, org.PrintInfo{Title: "T", Footer: []string{"F"}}, chain.Printing())
}

func TestNamesOfEntities(t *testing.T) {
	t.Parallel()
	tr := setup(t, `{}`, `{}`, `{}`)
	names, err := tr.Names(t.Context(), []uuid.UUID{tr.ids[0], tr.ids[2], uuid.New()})
	require.NoError(t, err)
	require.Equal(t, map[uuid.UUID]string{tr.ids[0]: models.EntityOperator, tr.ids[2]: models.EntityAgency}, names)
}

func TestScope(t *testing.T) {
	t.Parallel()
	tr := setup(t, `{}`, `{}`, `{}`)
	chain := tr.last(t)
	require.Len(t, chain, 3)
	require.Equal(t, tr.ids[2], chain.Self().ID)
	for i, want := range []bool{false, true, true} { // within the second's subtree
		inside, err := tr.InScope(t.Context(), caller.Caller{Scope: testkit.Scope(chain[:2].Path())}, tr.ids[i])
		require.NoError(t, err)
		require.Equal(t, want, inside, i)
	}
	inside, err := tr.InScope(t.Context(), testkit.Operator(tr.ids[0]), uuid.New())
	require.NoError(t, err)
	require.False(t, inside)
	_, err = tr.Chain(t.Context(), uuid.New())
	require.ErrorIs(t, err, org.ErrEntityNotFound)
	_, err = tr.Seller(t.Context(), tr.ids[2])
	require.NoError(t, err)
	tr.exec(t, `UPDATE entities SET status = 'suspended' WHERE id = $1`, tr.ids[0])
	_, err = tr.Seller(t.Context(), tr.ids[2])
	require.ErrorIs(t, err, org.ErrCannotSell)
}
