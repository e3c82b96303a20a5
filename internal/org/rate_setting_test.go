package org_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/models"
)

// granted returns the rate of a setting's class that an entity is granted, and the mode of a participation.
func (tr *tree) granted(t require.TestingT, id uuid.UUID, set *org.RateSetting) (money.BasisPoints, string) {
	tr.Forget()
	chain, err := tr.Chain(context.Background(), id)
	require.NoError(t, err)
	if set.Kind == org.RateParticipation {
		rate, mode, err := chain.Participation()
		require.NoError(t, err)
		return rate, mode
	}
	rates := chain.CommissionRates(set.Category, set.BetType)
	return rates[len(rates)-1], ""
}

// Trying a rate tells whether it can be set, and which rates hold afterwards for the entity and how many below it change.
func TestTryingARateIsWhatSettingItDoes(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	var parents, all []uuid.UUID
	children := map[uuid.UUID][]uuid.UUID{}
	level := []uuid.UUID{tr.ids[0]}
	for _, kind := range []string{models.EntitySuperAgency, models.EntityAgency, models.EntityTicketPoint} {
		parents = append(parents, level...)
		var next []uuid.UUID
		for _, parent := range level {
			for i := range 2 {
				id := tr.add(t, parent, kind, fmt.Sprintf("%s-%d-%d", kind, len(all), i), `{}`).ID
				children[parent], next, all = append(children[parent], id), append(next, id), append(all, id)
			}
		}
		level = next
	}
	var below func(id uuid.UUID) []uuid.UUID
	below = func(id uuid.UUID) []uuid.UUID {
		var list []uuid.UUID
		for _, child := range children[id] {
			list = append(append(list, child), below(child)...)
		}
		return list
	}
	outcomes := map[bool]int{}
	rapid.Check(t, func(rt *rapid.T) {
		parent := rapid.SampledFrom(parents).Draw(rt, "parent")
		set := &org.RateSetting{
			Kind:    rapid.SampledFrom([]string{org.RateCommission, org.RateParticipation}).Draw(rt, "kind"),
			Percent: rapid.SampledFrom([]string{"", "0", "5", "10", "10.50", "20", "40"}).Draw(rt, "percent"),
		}
		if set.Kind == org.RateCommission {
			set.Category = rapid.SampledFrom([]string{"", "A"}).Draw(rt, "category")
			set.BetType = rapid.SampledFrom([]string{"", "x"}).Draw(rt, "bet")
		} else {
			set.Mode = rapid.SampledFrom([]string{"", org.ParticipationShared}).Draw(rt, "mode")
		}
		id := rapid.SampledFrom(children[parent]).Draw(rt, "entity")
		before := map[uuid.UUID]money.BasisPoints{}
		for _, lower := range below(id) {
			before[lower], _ = tr.granted(rt, lower, set)
		}
		was, wasMode := tr.granted(rt, id, set)
		effects, err := tr.TryRate(t.Context(), tr.scope(), parent, set)
		require.NoError(rt, err)
		require.Len(rt, effects, len(children[parent]))
		effect := effects[id]
		require.Equal(rt, was, effect.Before.Rate)
		require.Equal(rt, wasMode, effect.Before.Mode)
		_, _, err = tr.SetRate(t.Context(), tr.scope(), id, set)
		outcomes[err == nil]++
		require.Equal(rt, len(effect.Violations) > 0, errors.Is(err, org.ErrRates), "%v", err)
		if err != nil {
			return
		}
		rate, mode := tr.granted(rt, id, set)
		require.Equal(rt, rate, effect.After.Rate)
		require.Equal(rt, mode, effect.After.Mode)
		changed := 0
		for lower, old := range before {
			if now, _ := tr.granted(rt, lower, set); now != old {
				changed++
			}
		}
		require.Equal(rt, changed, effect.Below)
		again, err := tr.TryRate(t.Context(), tr.scope(), parent, set)
		require.NoError(rt, err)
		require.True(rt, again[id].Same)
	})
	require.Positive(t, outcomes[true])
	require.Positive(t, outcomes[false])
}

// Rates of different classes that are set at the same time are all kept, and setting a rate again is no change.
func TestRatesSetAtTheSameTimeAreKept(t *testing.T) {
	t.Parallel()
	tr := grow(t)
	agency := tr.add(t, tr.ids[0], models.EntityAgency, "AGE", `{"finance_info": {"commissions": [{"percent": "10"}], "top_up": {"min": "1.00", "max": "5.00"}}}`)
	var running sync.WaitGroup
	const classes = 8
	for i := range classes {
		running.Go(func() {
			set := org.RateSetting{Kind: org.RateCommission, Category: fmt.Sprintf("C%d", i), Percent: strconv.Itoa(i + 1)}
			_, _, err := tr.SetRate(t.Context(), tr.scope(), agency.ID, &set)
			assert.NoError(t, err)
		})
	}
	running.Wait()
	entries := func() (n int) {
		require.NoError(t, tr.env.PG.Pool.QueryRow(t.Context(), `SELECT count(*) FROM activity_logs WHERE target = $1 AND action = 'update'`, agency.ID.String()).Scan(&n))
		return n
	}
	e, err := tr.Entity(t.Context(), tr.scope(), agency.ID)
	require.NoError(t, err)
	assert.Len(t, e.Finance.Commissions, classes+1)
	assert.NotNil(t, e.Finance.TopUp)
	assert.Equal(t, classes, entries())
	_, _, err = tr.SetRate(t.Context(), tr.scope(), agency.ID, &org.RateSetting{Kind: org.RateCommission, Percent: "10.00"})
	require.NoError(t, err)
	assert.Equal(t, classes, entries(), "10 and 10.00 are the same rate")
	_, _, err = tr.SetRate(t.Context(), tr.scope(), tr.ids[0], &org.RateSetting{Kind: org.RateCommission, Percent: "1"})
	require.ErrorIs(t, err, org.ErrInvalidEntity, "the operator has no rates")
	for name, set := range map[string]org.RateSetting{
		"kind": {Kind: "x", Percent: "1"}, "percent": {Kind: org.RateCommission, Percent: "101"}, "mode": {Kind: org.RateParticipation, Percent: "1", Mode: "x"},
	} {
		_, err := tr.TryRate(t.Context(), tr.scope(), tr.ids[0], &set)
		require.ErrorIs(t, err, org.ErrInvalidEntity, name)
	}
	_, err = tr.TryRate(t.Context(), tr.scope(), uuid.New(), &org.RateSetting{Kind: org.RateCommission})
	require.ErrorIs(t, err, org.ErrEntityNotFound)
}
