package org_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/models"
)

// A rate of an unknown category or bet type would seem to count, so it is refused by name. An existing one does not
// keep an entity from being changed after its category is gone.
func TestRatesAreForWhatExists(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	known := org.Classes{Categories: []string{"TRIPLES", "OLD"}, BetTypes: []string{"straight"}}
	var away error
	tr.Service = org.New(tr.env.PG.Gorm, org.Options{Classes: func(context.Context) (org.Classes, error) { return known, away }})
	rates := func(text string) org.Groups {
		return groups(t, `{"finance_info": {"commissions": [{"percent": "9"}, `+text+`]}}`)
	}
	const old = `{"category": "OLD", "percent": "8"}`
	e := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{"finance_info": {"commissions": [`+old+`, {"category": "TRIPLES", "bet_type": "straight", "percent": "7"}]}}`)
	known.Categories = known.Categories[:1]
	for text, at := range map[string]string{
		`{"category": "TRIPLE", "percent": "8"}`:                          "finance_info.commissions[1].category",
		`{"category": "triples", "percent": "8"}`:                         "finance_info.commissions[1].category",
		`{"bet_type": "triple", "percent": "8"}`:                          "finance_info.commissions[1].bet_type",
		`{"category": "OLD", "bet_type": "straight", "percent": "8"}`:     "finance_info.commissions[1].category",
		`{"category": "TRIPLES", "percent": "1"}, {"bet_type":"x"}`:       "finance_info.commissions[2].bet_type",
		`{"category": "TRIPLES", "bet_type": "Straight", "percent": "8"}`: "finance_info.commissions[1].bet_type",
	} {
		_, _, err := tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Groups: rates(text)})
		requireRefused(t, err, org.ErrInvalidEntity, at, text)
		_, err = tr.Create(t.Context(), tr.scope(), &org.NewEntity{ParentID: e.ID, Type: models.EntityGroup, Name: "G", Code: "G", Groups: rates(text)})
		requireRefused(t, err, org.ErrInvalidEntity, at, text)
	}
	_, _, err := tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Groups: rates(old)})
	require.NoError(t, err, "it was there before")
	away = errors.New("away")
	_, _, err = tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Groups: rates(old)})
	require.ErrorIs(t, err, away)
	name := "N"
	_, _, err = tr.Update(t.Context(), tr.scope(), e.ID, &org.Change{Name: &name})
	require.NoError(t, err, "what needs no rates asks for none")
}
