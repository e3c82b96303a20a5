package reports_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/ledger"
	"banca/internal/reports"
	"banca/internal/setup/seed"
)

// The totals of draws equal the report of their game by draw, for the operator and for each entity.
func TestTotalsOfDraws(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []uuid.UUID
	for _, draw := range b.draws {
		ids = append(ids, draw.ID)
	}
	unsold := uuid.New()
	for _, code := range []string{seed.CodeOperator, seed.CodeSuperAgency, seed.CodeAgency, seed.CodeTicketPoint, seed.CodeOtherPoint} {
		by := b.at(t, code)
		totals, err := b.Draws(t.Context(), by, "VES", append(ids, unsold))
		require.NoError(t, err)
		require.False(t, totals.AsOf.IsZero())
		require.NotContains(t, totals.ByDraw, unsold)
		for _, draw := range b.draws {
			report, err := b.Sales(t.Context(), by, &reports.Filter{GameID: draw.GameID, Currency: "VES"}, reports.GroupDraw)
			require.NoError(t, err)
			for i := range report.Rows {
				if row := &report.Rows[i]; row.ID == draw.ID {
					assert.Equal(t, row.Figures, totals.ByDraw[draw.ID], code)
					assert.Positive(t, row.NetSales())
				}
			}
		}
	}
	_, err := b.Draws(t.Context(), b.by, "XYZ", ids)
	require.ErrorIs(t, err, ledger.ErrCurrencyNotFound)
	none, err := b.Draws(t.Context(), b.by, "USD", ids)
	require.NoError(t, err)
	require.Empty(t, none.ByDraw)
}
