package reports

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"banca/internal/platform/money"
	"banca/internal/rollup"
	"banca/models"
)

// workedExample are the figures of the contract: sales of 10,000, prizes of 7,200, commissions of 10, 13, 15 and 18 %.
func workedExample() *rollup.Figures {
	return &rollup.Figures{
		Sold: 10_000_00, Won: 7_700_00, Paid: 7_200_00,
		Commission: rollup.Commission{TicketPoint: 1_000_00, Group: 300_00, Agency: 200_00, SuperAgency: 300_00},
	}
}

func TestTheWorkedExampleByLevel(t *testing.T) {
	t.Parallel()
	list, passedUp := auditLevels(workedExample(), models.EntityOperator)
	require.Zero(t, passedUp)
	require.Equal(t, []Level{
		{Type: models.EntityTicketPoint, Received: 10_000_00, Prizes: 7_200_00, Commission: 1_000_00, PassedUp: 1_800_00, Kept: 1_000_00},
		{Type: models.EntityGroup, Received: 1_800_00, Commission: 300_00, PassedUp: 1_500_00, Kept: 300_00},
		{Type: models.EntityAgency, Received: 1_500_00, Commission: 200_00, PassedUp: 1_300_00, Kept: 200_00},
		{Type: models.EntitySuperAgency, Received: 1_300_00, Commission: 300_00, PassedUp: 1_000_00, Kept: 300_00},
		{Type: models.EntityOperator, Received: 1_000_00, Kept: 1_000_00},
	}, list)

	list, passedUp = auditLevels(workedExample(), models.EntityGroup)
	require.Len(t, list, 2)
	require.EqualValues(t, 1_500_00, passedUp)
}

func TestTheWorkedExampleAsAWaterfall(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Step{
		{Name: StepSold, Amount: 10_000_00, Running: 10_000_00},
		{Name: StepVoided, Running: 10_000_00},
		{Name: StepRefunded, Running: 10_000_00},
		{Name: StepNetSales, Amount: 10_000_00, Running: 10_000_00, Subtotal: true},
		{Name: StepCommissionTicketPoint, Amount: -1_000_00, Running: 9_000_00},
		{Name: StepCommissionGroup, Amount: -300_00, Running: 8_700_00},
		{Name: StepCommissionAgency, Amount: -200_00, Running: 8_500_00},
		{Name: StepCommissionSuperAgency, Amount: -300_00, Running: 8_200_00},
		{Name: StepPrizesWon, Amount: -7_700_00, Running: 500_00},
		{Name: StepGameResult, Amount: 500_00, Running: 500_00, Subtotal: true},
		{Name: StepUncollected, Amount: 500_00, Running: 1_000_00},
		{Name: StepCash, Amount: 1_000_00, Running: 1_000_00, Subtotal: true},
	}, waterfall(workedExample(), models.EntityOperator))
	agency := waterfall(workedExample(), models.EntityAgency)
	require.Equal(t, []Step{
		{Name: StepPrizes, Amount: -7_200_00, Running: 1_300_00},
		{Name: StepPassedUp, Amount: 1_300_00, Running: 1_300_00, Subtotal: true},
	}, agency[len(agency)-2:])
}

// Whatever the figures are, nothing is lost between the levels, and the steps of a waterfall sum to its result.
func TestLevelsAndStepsSumToZero(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string) money.Amount { return money.Amount(rapid.Int64Range(-1e15, 1e15).Draw(t, name)) }
		f := &rollup.Figures{
			Sold: amount("sold"), Voided: amount("voided"), Refunded: amount("refunded"), Paid: amount("paid"), Won: amount("won"),
			Commission: rollup.Commission{SuperAgency: amount("super"), Agency: amount("agency"), Group: amount("group"), TicketPoint: amount("point")},
		}
		top := rapid.SampledFrom(levels()).Draw(t, "top")
		list, passedUp := auditLevels(f, top)
		rest := f.NetSales() - f.Paid - passedUp
		for _, l := range list {
			rest -= l.Kept
		}
		require.Zero(t, rest)
		if top == models.EntityOperator {
			require.Zero(t, passedUp)
			require.Equal(t, f.Cash(), list[len(list)-1].Kept)
		}
		var sum money.Amount
		steps := waterfall(f, top)
		for _, s := range steps {
			if !s.Subtotal {
				sum += s.Amount
			}
			require.Equal(t, sum, s.Running, s.Name)
		}
		require.Equal(t, f.NetSales()-f.Paid-f.Commission.Total()+aboveOf(f, top), sum)
	})
}

// aboveOf returns the commission of the levels above a type, which its waterfall leaves out.
func aboveOf(f *rollup.Figures, top string) money.Amount {
	return f.Commission.Total() - f.Commission.Below(top) - f.Commission.Of(top)
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for want, share := range map[string][2]money.Amount{
		"72.00": {7200, 10000}, "": {5, 0}, "-3.33": {-1, 30}, "66.67": {2, 3}, "0.01": {1, 20000}, "0.00": {1, 20001},
		"123456789012.00": {1234567890120000, 1000000},
	} {
		require.Equal(t, want, Percent(share[0], share[1]))
	}
}
