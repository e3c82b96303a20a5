package org

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/web/kit"
)

// However large the organisation is, the tree shows a bounded part of it, level by level.
func TestTheTreeIsBounded(t *testing.T) {
	t.Parallel()
	root := &org.TreeNode{Code: "R"}
	for i := range 50 {
		agency := &org.TreeNode{Code: fmt.Sprint("A", i)}
		for range 20 {
			agency.Children = append(agency.Children, &org.TreeNode{Code: "T"})
		}
		root.Children = append(root.Children, agency)
	}
	count := func(b *branch) (n, hidden int) {
		var walk func(*branch)
		walk = func(b *branch) {
			n++
			if b.Hidden {
				hidden++
			}
			for _, c := range b.Shown {
				walk(c)
			}
		}
		walk(b)
		return n, hidden
	}
	top := branchOf(root)
	shown, hidden := count(top)
	assert.Equal(t, []int{1050, 1 + 50 + 12*20, 38}, []int{top.Below, shown, hidden}, "what is left out says so")
	for range maxTree {
		root.Children = append(root.Children, &org.TreeNode{})
	}
	shown, hidden = count(branchOf(root))
	assert.Equal(t, []int{1, 1}, []int{shown, hidden})
}

// Every word that a page composes is in the catalogue.
func TestWordsOfTheOrganisation(t *testing.T) {
	t.Parallel()
	words, err := kit.LoadCatalogue()
	require.NoError(t, err)
	need := []string{"group.finance_info", "rate.commission", "rate.participation", "losses.CARRY", "losses.SHARED", "losses.NONE"}
	for _, g := range settingGroups() {
		need = append(need, "group."+g.name)
		for _, k := range g.settings {
			need = append(need, "setting."+k.key, k.rule())
		}
	}
	for _, kind := range org.DocumentKinds() {
		need = append(need, "document."+kind)
	}
	for _, kind := range append(org.TypesBelow(models.EntityOperator), models.EntityOperator) {
		need = append(need, "type."+kind)
	}
	for _, status := range statuses() {
		need = append(need, "state.entity."+status)
		for _, next := range models.StatusesAfter(status) {
			need = append(need, "org.status."+next, "org.status.ask."+next, "org.status.do."+next)
		}
	}
	for _, e := range []error{
		org.ErrEntityNotFound, org.ErrEntityExists, org.ErrInvalidEntity, org.ErrTypeOrder, org.ErrCycle, org.ErrRootProtected, org.ErrOwnEntity, org.ErrStatusMove,
		org.ErrHasChildren, org.ErrMovedMoney, org.ErrEntityInUse, org.ErrRates, org.ErrDocumentNotFound, org.ErrInvalidDocument, org.ErrDocumentType, org.ErrDocumentBroken,
		org.ErrDocumentMixed, org.ErrDocumentDimensions, org.ErrDocumentTooLarge, org.ErrDocumentExists, org.ErrDocumentLimit, org.ErrDocumentStore,
	} {
		need = append(need, "code."+apperr.CodeOf(e))
	}
	for _, key := range need {
		assert.NotEmpty(t, words[kit.Spanish][key], key)
	}
}
