package org_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/activity"
	"banca/internal/org"
	"banca/internal/platform/clock"
	"banca/models"
)

// trail lists the entries, oldest first, as action, entity and details.
func (tr *tree) logDetails(t testing.TB) (entries []activity.Log) {
	t.Helper()
	entries, _, err := activity.New(tr.env.PG, clock.System{}).List(t.Context(), tr.scope(), &activity.Filter{Oldest: true, Limit: 100})
	require.NoError(t, err)
	return entries
}

func (tr *tree) requireLog(t testing.TB, module, action string, seenBy uuid.UUID, target uuid.UUID, details string) {
	t.Helper()
	all := tr.logDetails(t)
	require.NotEmpty(t, all)
	e := all[len(all)-1]
	require.Equal(t, []any{module, action, seenBy, target.String()}, []any{e.Module, e.Action, e.EntityID, e.Target})
	require.JSONEq(t, details, string(e.Details))
}

func TestEveryChangeIsLogged(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	ctx := activity.WithActor(t.Context(), activity.Actor{UserID: uuid.New(), Name: "Ana"})
	e, err := tr.Create(ctx, tr.scope(), &org.NewEntity{
		ParentID: tr.ids[0], Type: models.EntityAgency, Name: "Agencia", Code: "AGE",
		Groups: groups(t, `{"legal_info": {"tax_id": "J-1"}, "finance_info": {"commissions": [{"percent": "9"}, {"category": "A", "bet_type": "x", "percent": "8"}]}}`),
	})
	require.NoError(t, err)
	const who = `"code": "AGE", "name": "Agencia", "entity_type": "AGENCY"`
	tr.requireLog(t, "entities", "create", e.ID, e.ID, `{`+who+`, "changes": {"parent_id": {"old": null, "new": "`+tr.ids[0].String()+`"}, "status": {"old": null, "new": "register"},
		"legal_info.tax_id": {"old": null, "new": "J-1"}, "finance_info.commissions[*/*]": {"old": null, "new": "9"}, "finance_info.commissions[A/x]": {"old": null, "new": "8"}}}`)
	assert.Equal(t, "Ana", tr.logDetails(t)[0].UserName)

	name := "Otra"
	change := &org.Change{Name: &name, Groups: groups(t, `{"legal_info": {"tax_id": null, "license": "L"}, "config_info": {"cancels_per_day": 3},
		"finance_info": {"commissions": [{"category": "A", "bet_type": "x", "percent": "7"}, {"percent": "9"}]}}`)}
	change.DryRun = true
	_, _, err = tr.Update(ctx, tr.scope(), e.ID, change)
	require.NoError(t, err)
	require.Len(t, tr.logDetails(t), 1, "a dry run leaves no trace")
	change.DryRun = false
	_, _, err = tr.Update(ctx, tr.scope(), e.ID, change)
	require.NoError(t, err)
	tr.requireLog(t, "entities", "update", e.ID, e.ID, `{"code": "AGE", "name": "Otra", "entity_type": "AGENCY", "changes": {"name": {"old": "Agencia", "new": "Otra"},
		"legal_info.tax_id": {"old": "J-1", "new": null}, "legal_info.license": {"old": null, "new": "L"}, "config_info.cancels_per_day": {"old": null, "new": 3},
		"finance_info.commissions[A/x]": {"old": "8", "new": "7"}}}`)
	for range 2 {
		_, _, err = tr.Update(ctx, tr.scope(), e.ID, change)
		require.NoError(t, err)
	}
	require.Len(t, tr.logDetails(t), 2, "what changes nothing is no change")

	const now = `"code": "AGE", "name": "Otra", "entity_type": "AGENCY"`
	for range 2 {
		_, err = tr.SetStatus(ctx, tr.scope(), e.ID, models.StatusActive)
		require.NoError(t, err)
	}
	tr.requireLog(t, "entities", "status", e.ID, e.ID, `{`+now+`, "changes": {"status": {"old": "register", "new": "active"}}}`)
	super := tr.add(t, tr.ids[0], models.EntitySuperAgency, "SUP", `{"finance_info": {"commissions": [{"percent": "20"}]}}`)
	for _, dry := range []bool{true, false, false} {
		_, _, err = tr.Move(ctx, tr.scope(), org.MoveRequest{EntityID: e.ID, ParentID: super.ID, DryRun: dry})
		require.NoError(t, err)
	}
	tr.requireLog(t, "entities", "move", e.ID, e.ID, `{`+now+`, "changes": {"parent_id": {"old": "`+tr.ids[0].String()+`", "new": "`+super.ID.String()+`"}}}`)
	d, err := tr.attach(t, e.ID, "Cédula.png", pngOf(t, 10))
	require.NoError(t, err)
	raw, err := json.Marshal(map[string]any{"kind": "tax_id", "name": "Cédula.png", "content_type": "image/png", "size": d.Size})
	require.NoError(t, err)
	tr.requireLog(t, "documents", "create", e.ID, d.ID, string(raw))
	require.NoError(t, tr.Detach(ctx, tr.scope(), org.DocumentRef{EntityID: e.ID, ID: d.ID}))
	tr.requireLog(t, "documents", "delete", e.ID, d.ID, string(raw))
	require.NoError(t, tr.Delete(ctx, tr.scope(), e.ID))
	tr.requireLog(t, "entities", "delete", super.ID, e.ID, `{`+now+`}`)
	require.Len(t, tr.logDetails(t), 8)

	for _, refused := range []func() error{
		func() error { return tr.Delete(ctx, tr.scope(), tr.ids[0]) },
		func() error { _, err := tr.SetStatus(ctx, tr.scope(), super.ID, "gone"); return err },
		func() error {
			_, _, err := tr.Move(ctx, tr.scope(), org.MoveRequest{EntityID: super.ID, ParentID: super.ID})
			return err
		},
		func() error {
			_, _, err := tr.Update(ctx, tr.scope(), super.ID, &org.Change{Groups: groups(t, `{"finance_info": {"commissions": [{"percent": "101"}]}}`)})
			return err
		},
	} {
		require.Error(t, refused())
	}
	require.Len(t, tr.logDetails(t), 8, "what was refused did not happen")
}

// An entry about a large change lists as many fields as fit.
func TestDetailsOfALargeChangeAreBounded(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{}`)
	long := `"` + strings.Repeat("ñ", 200) + `"`
	lines := "[" + strings.TrimSuffix(strings.Repeat(long+",", 10), ",") + "]"
	var rules []string
	for i := range 200 {
		rules = append(rules, `{"category": "`+strings.Repeat("C", 30)+strings.Repeat("a", i/20)+string(rune('a'+i%20))+`", "percent": "1"}`)
	}
	_, _, err := tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Groups: groups(t, `{"print_info": {"header": `+lines+`, "footer": `+lines+`}, "legal_info": {"license": `+long+`},
		"finance_info": {"commissions": [`+strings.Join(rules, ",")+`]}}`)})
	require.NoError(t, err)
	all := tr.logDetails(t)
	var told struct {
		Changes map[string]any `json:"changes"`
		More    int            `json:"more_changes"`
	}
	require.NoError(t, json.Unmarshal(all[len(all)-1].Details, &told))
	assert.Positive(t, told.More)
	assert.Equal(t, 203, len(told.Changes)+told.More)
}
