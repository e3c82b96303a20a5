package reports_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/money"
	"banca/internal/reports"
	"banca/internal/setup/seed"
)

// shared is the database of seeded, whose entities participate in the result.
var shared = fixture.Rows{ //nolint:gochecknoglobals // a lazy constant
	Games: []string{"lotto-activo", "la-granjita"}, DrawDays: 1, Change: []string{
		`DELETE FROM risk_limits`,
		`UPDATE entities SET finance_info = finance_info || jsonb_build_object('participation', jsonb_build_object('percent',
			CASE entity_type WHEN 'SUPER_AGENCY' THEN '40' WHEN 'AGENCY' THEN '25' WHEN 'GROUP' THEN '10' ELSE '0' END)) WHERE parent_id IS NOT NULL`,
	},
}.Template()

// shareOf returns percent of a result that is no loss.
func shareOf(result money.Amount, percent int) money.Amount {
	return result * money.Amount(percent) / 100
}

// A row has the share of its entity or of the report's, the rest is the net, and rows of parts differ from the total by
// rounding only.
func TestAccruedParticipation(t *testing.T) {
	t.Parallel()
	b := setupOver(t, shared)
	percent := map[string]int{"SUPER_AGENCY": 40, "AGENCY": 25, "GROUP": 10, "TICKET_POINT": 0}
	for code, own := range map[string]int{seed.CodeOperator: 40, seed.CodeSuperAgency: 40, seed.CodeAgency: 25, seed.CodeGroup: 10, seed.CodeTicketPoint: 0} {
		for _, group := range reports.Groups() {
			f := &reports.Filter{EntityID: fixture.EntityID(code), Currency: "VES"}
			if group == reports.GroupDraw {
				f.GameID = b.draws[0].GameID
			}
			report, err := b.Sales(t.Context(), b.by, f, group)
			require.NoError(t, err)
			require.Equal(t, shareOf(report.Total.Cash(), own), report.Participation, "%s by %s", code, group)
			require.Equal(t, report.Total.Cash(), report.Participation+report.Net)
			if group == reports.GroupMeans {
				continue // a participation is in a result, and it has sales only
			}
			var sum money.Amount
			for i := range report.Rows {
				row := &report.Rows[i]
				rate := own
				if group == reports.GroupEntity {
					rate = percent[row.EntityType]
				}
				require.Equal(t, shareOf(row.Cash(), rate), row.Participation, "%s by %s", code, group)
				require.Equal(t, row.Cash(), row.Participation+row.Net)
				sum += row.Participation
			}
			if group != reports.GroupEntity {
				require.InDelta(t, int64(report.Participation), int64(sum), float64(len(report.Rows)))
			}
		}
	}
}

// A share in a loss is negative, also for the operator, which bears less of it.
func TestAccruedParticipationInALoss(t *testing.T) {
	t.Parallel()
	b := setupOver(t, shared)
	b.Exec(t, `UPDATE daily_totals SET paid = sold * 3`)
	for code, percent := range map[string]int{seed.CodeOperator: 40, seed.CodeAgency: 25} {
		report, err := b.Sales(t.Context(), b.by, &reports.Filter{EntityID: fixture.EntityID(code), Currency: "VES"}, reports.GroupDay)
		require.NoError(t, err)
		require.Negative(t, report.Total.Cash())
		require.Equal(t, -shareOf(-report.Total.Cash(), percent), report.Participation)
		require.Equal(t, report.Participation, report.Rows[0].Participation)
	}
}
