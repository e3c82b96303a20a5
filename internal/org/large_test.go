package org_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/models"
)

// plant fills the tree with agencies, groups and ticket points below the root.
func (tr *tree) plant(t testing.TB, agencies, groups, points int) {
	t.Helper()
	tr.exec(t, `WITH a AS (
			SELECT gen_random_uuid() AS id, i FROM generate_series(1, $2::int) i
		), g AS (
			SELECT gen_random_uuid() AS id, a.id AS parent, a.i, j FROM a, generate_series(1, $3::int) j
		), p AS (
			SELECT gen_random_uuid() AS id, g.parent AS agency, g.id AS parent, i, j, k FROM g, generate_series(1, $4::int) k
		), r AS (SELECT id, path FROM entities WHERE id = $1)
		INSERT INTO entities (id, entity_type, name, code, parent_id, path, status, finance_info)
		SELECT a.id, 'AGENCY', 'Agencia ' || i, 'A' || i, r.id, r.path || a.id || '/', 'active', '{"commissions": [{"percent": "15"}, {"category": "A", "percent": "14"}, {"bet_type": "x", "percent": "13"}]}'::jsonb FROM a, r
		UNION ALL SELECT g.id, 'GROUP', 'Grupo ' || i || '-' || j, 'G' || i || '-' || j, parent, r.path || parent || '/' || g.id || '/', 'active', '{"commissions": [{"percent": "12"}]}' FROM g, r
		UNION ALL SELECT p.id, 'TICKET_POINT', 'Taquilla ' || i || '-' || j || '-' || k, 'T' || i || '-' || j || '-' || k, parent, r.path || agency || '/' || parent || '/' || p.id || '/', 'active', '{}' FROM p, r`,
		tr.ids[0], agencies, groups, points)
	tr.exec(t, `ANALYZE entities`)
}

// Twenty thousand entities, which is more than the largest operators have: nothing takes long, and what grows with the
// tree is bounded.
func TestALargeTree(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	tr.plant(t, 20, 20, 50)
	super := tr.add(t, tr.ids[0], models.EntitySuperAgency, "SUP", `{"finance_info": {"commissions": [{"percent": "20"}]}}`)
	id := func(code string) uuid.UUID {
		found, err := tr.ByCode(t.Context(), tr.scope(), code)
		require.NoError(t, err)
		return found
	}
	took := func(name string, most time.Duration, fn func() error) {
		begin := time.Now()
		require.NoError(t, fn(), name)
		d := time.Since(begin)
		t.Log(name, d)
		require.Less(t, d, most, name)
	}
	took("tree", 15*time.Second, func() error {
		root, err := tr.Tree(t.Context(), tr.scope(), tr.ids[0])
		require.Len(t, root.Children, 21)
		return err
	})
	for name, f := range map[string]*org.EntityFilter{
		"first page": {Limit: 50}, "last page": {Limit: 50, Offset: 20_300},
		"text": {Text: "19-19-4", Limit: 50}, "type": {Type: models.EntityTicketPoint, Sort: "name", Limit: 50},
	} {
		took(name, 15*time.Second, func() error {
			list, total, err := tr.Entities(t.Context(), tr.scope(), f)
			require.NotEmpty(t, list)
			require.Positive(t, total)
			return err
		})
	}
	took("effective", 10*time.Second, func() error { _, err := tr.Effective(t.Context(), tr.scope(), id("T1-1-1")); return err })
	took("status", 10*time.Second, func() error {
		_, err := tr.SetStatus(t.Context(), tr.scope(), id("A1"), models.StatusSuspended)
		return err
	})
	took("rates of an agency", 15*time.Second, func() error {
		_, _, err := tr.Update(t.Context(), tr.scope(), id("A1"), &org.Change{Groups: groups(t, percents("16"))})
		return err
	})
	took("a move of a thousand", 15*time.Second, func() error {
		_, _, err := tr.Move(t.Context(), tr.scope(), org.MoveRequest{EntityID: id("A2"), ParentID: super.ID})
		return err
	})
	// Every category and bet type that the catalogue has, granted to the top of all of it.
	tr.exec(t, `UPDATE entities SET path = $1 || substr(path, length($2::text) + 1), parent_id = CASE WHEN parent_id = $3 THEN $4 ELSE parent_id END
		WHERE entity_type <> 'OPERATOR' AND path NOT LIKE $1 || '%'`, super.Path, tr.scope().Scope.Path(), tr.ids[0], super.ID)
	rules := []string{`{"percent": "20"}`}
	for i := range 3 {
		for j := range 9 {
			rules = append(rules, fmt.Sprintf(`{"category": "C%d", "bet_type": "b%d", "percent": "19"}`, i, j))
		}
	}
	took("many rules over all", 90*time.Second, func() error {
		_, _, err := tr.Update(t.Context(), tr.scope(), super.ID, &org.Change{Groups: groups(t, `{"finance_info": {"commissions": [`+strings.Join(rules, ",")+`]}}`)})
		return err
	})
	took("what a lower one would break", 90*time.Second, func() error {
		_, what, err := tr.Update(t.Context(), tr.scope(), super.ID, &org.Change{DryRun: true, Groups: groups(t, percents("1"))})
		require.Equal(t, []int{500, 500, 20_733}, []int{len(what.Violations), len(what.Changes), what.TotalChanges}, "what is answered is bounded")
		require.Greater(t, what.TotalViolations, 500)
		return err
	})
}
