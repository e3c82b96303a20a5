package weekly_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
	"banca/internal/weekly"
	"banca/models"
	"banca/storage"
)

// branch lists the codes of a branch, from the ticket point up.
func branch() []string {
	return []string{seed.CodeTicketPoint, seed.CodeGroup, seed.CodeAgency, seed.CodeSuperAgency}
}

// sellWorkedExample sells 10,000 at the ticket point and pays 7,200 of prizes.
func (b *bundle) sellWorkedExample(t testing.TB) {
	t.Helper()
	d := b.drawOf(t, 0)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "9760.00", "7"))
	winner := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "240.00", "5"))
	b.settle(t, d, "5")
	b.pay(t, winner)
}

// The worked example of participations: 0/10/25/40 % of a result of 1,000.
func TestTheWorkedExampleOfParticipations(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	monday := b.week()
	b.count(t)
	running := b.distributions(t, monday)
	require.Equal(t, monday, running[0].Provisional)
	agency, err := b.Running(t.Context(), b.by, "VES", fixture.EntityID(seed.CodeAgency))
	require.NoError(t, err)
	require.Equal(t, weekly.Provisional, agency.Own.Status)
	require.Len(t, agency.Children, 1)
	require.Equal(t, weekly.SumsOf(agency.Children).Owed, agency.Children[0].Outstanding())
	b.nextWeek()
	b.draft(t)

	commissions := []money.Amount{1_000_00, 1_300_00, 1_500_00, 1_800_00}
	participations := []money.Amount{0, 100_00, 250_00, 400_00}
	own := []money.Amount{0, 100_00, 150_00, 150_00}
	for i, code := range branch() {
		s := b.of(t, code)
		require.Equal(t, monday, s.Week, code)
		require.Equal(t, weekly.Draft, s.Status, code)
		require.EqualValues(t, 10_000_00, s.Sales, code)
		require.EqualValues(t, 7_200_00, s.Prizes, code)
		require.Equal(t, commissions[i], s.Commissions, code)
		require.EqualValues(t, 1_800_00, s.Commissions+s.CommissionsAbove, code)
		require.EqualValues(t, 1_000_00, s.Result(), code)
		require.Equal(t, participations[i], s.Participation, code)
		require.Equal(t, own[i], s.OwnShare, code)
		require.Equal(t, 2_800_00-commissions[i]-participations[i], s.Due, code)
		require.Equal(t, s.Due, s.Balance(), code)
	}
	drafted := b.of(t, seed.CodeAgency)
	require.Equal(t, drafted.Figures, agency.Own.Figures, "the draft says what the running week said")
	require.Equal(t, drafted.Balance(), agency.Own.Balance())
	b.confirmAll(t)
	for _, code := range branch() {
		s := b.of(t, code)
		require.Equal(t, weekly.Confirmed, s.Status, code)
		require.Equal(t, b.short(t, code), s.Balance(), "%s: the wallets with the shares booked", code)
	}
	operator := b.Number(t, `SELECT sum(p.amount)::bigint FROM wallet_postings p WHERE p.wallet_id = $1`, b.wallet(t, seed.CodeOperator))
	require.EqualValues(t, 600_00, operator, "what is left to the operator")
	b.requireSound(t)

	settled := b.distributions(t, monday)
	d, middle := settled[0], settled[1]
	require.EqualValues(t, 1_000_00, d.Result)
	require.EqualValues(t, 600_00, d.Own)
	require.Len(t, d.Children, 1)
	require.EqualValues(t, 400_00, d.Children[0].Participation)
	require.Equal(t, []money.Amount{1_000_00, 150_00, 750_00}, []money.Amount{middle.Result, middle.Own, middle.Left})
	for i := range settled {
		require.True(t, settled[i].Provisional.IsZero())
		running[i].Provisional = settled[i].Provisional
		require.Equal(t, settled[i], running[i], "the week that is not over says the same")
	}
}

// distributions returns how the operator and an agency divide the result of a week.
func (b *bundle) distributions(t testing.TB, monday businessday.Day) []*weekly.Distribution {
	t.Helper()
	var list []*weekly.Distribution
	for _, code := range []string{seed.CodeOperator, seed.CodeAgency} {
		f := &weekly.DistributionFilter{EntityID: fixture.EntityID(code), From: monday, To: monday.AddDays(6), Currency: "VES"}
		d, err := b.Distribution(t.Context(), b.by, f)
		require.NoError(t, err)
		list = append(list, d)
	}
	return list
}

// A week is drafted once it is over and counted, in order, and again until one of its settlements is confirmed.
func TestWeeksAreDraftedInOrder(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.week()
	redraft := func(weeks int) error { return b.Redraft(t.Context(), b.by, first.AddDays(7*weeks), "VES") }
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 0), catalog.BetStraight, "10.00", "7"))
	require.ErrorIs(t, redraft(0), weekly.ErrWeekNotOver)
	b.nextWeek()
	require.ErrorIs(t, redraft(0), weekly.ErrWeekNotOver, "the sale is not counted")
	b.draft(t)
	old := b.of(t, seed.CodeGroup)

	b.Exec(t, `UPDATE entities SET finance_info = jsonb_set(finance_info, '{participation,percent}', '"20"') WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	require.NoError(t, redraft(0))
	s := b.of(t, seed.CodeGroup)
	require.NotEqual(t, old.ID, s.ID)
	require.EqualValues(t, 20_00, s.Rate)
	_, _, err := b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: old.ID})
	require.ErrorIs(t, err, weekly.ErrNotFound)

	b.nextWeek()
	b.draft(t)
	require.ErrorIs(t, redraft(0), weekly.ErrNotNewest)
	next := b.of(t, seed.CodeGroup)
	require.Equal(t, s.Balance(), next.Previous, "a debt goes on without sales")
	require.Equal(t, s.ID, next.PreviousID)
	_, _, err = b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: next.ID})
	require.ErrorIs(t, err, weekly.ErrEarlierDraft)
	_, _, err = b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: s.ID})
	require.NoError(t, err)
	b.confirm(t, seed.CodeGroup)
	_, _, err = b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: next.ID})
	require.ErrorIs(t, err, weekly.ErrConfirmed)
	require.ErrorIs(t, redraft(1), weekly.ErrConfirmed)
	require.ErrorIs(t, b.Redraft(t.Context(), b.by, first.AddDays(1), "VES"), weekly.ErrWeek)
	require.ErrorIs(t, b.Redraft(t.Context(), b.by, first, "XXX"), ledger.ErrCurrencyNotFound)
	agency := b.callerOf(t, seed.CodeAgency)
	require.ErrorIs(t, b.Redraft(t.Context(), agency, first, "VES"), weekly.ErrOperatorOnly)
	b.requireSound(t)
	require.Error(t, b.exec(t, `UPDATE weekly_settlements SET due = due + 1, sales = sales + 1, result = result + 1 WHERE id = '`+next.ID.String()+`'`), "a confirmed settlement is final")
	require.Error(t, b.exec(t, `DELETE FROM weekly_settlements WHERE id = '`+next.ID.String()+`'`))
}

// Weeks are drafted without a gap: events in a gap would never be paid.
func TestNoWeekIsLeftOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.week()
	redraft := func(weeks int) error { return b.Redraft(t.Context(), b.by, first.AddDays(7*weeks), "VES") }
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 0), catalog.BetStraight, "10.00", "7"))
	b.nextWeek()
	b.count(t)
	require.ErrorIs(t, redraft(-1), weekly.ErrUndrafted, "the first is the last week that is over")
	require.NoError(t, redraft(0))
	b.nextWeek()
	b.nextWeek()
	require.ErrorIs(t, redraft(2), weekly.ErrUndrafted)
	require.NoError(t, redraft(1))
	require.NoError(t, redraft(2))
	require.Equal(t, first.AddDays(14), b.of(t, seed.CodeAgency).Week)
	b.requireSound(t)
}

// The weeks of a currency that nothing uses are drafted, too, and do not keep it.
func TestACurrencyWithoutSettlementsIsDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 0), catalog.BetStraight, "10.00", "7"))
	unused, err := b.Ledger.CreateCurrency(t.Context(), ledger.CurrencyFields{Code: "XTS", Name: "Test", Digits: 2, Status: models.StatusActive})
	require.NoError(t, err)
	b.nextWeek()
	b.draft(t)
	require.Positive(t, b.Number(t, `SELECT count(*) FROM weekly_drafts WHERE currency_id = $1`, unused.ID))
	require.NoError(t, b.Ledger.DeleteCurrency(t.Context(), unused.ID))
	require.ErrorIs(t, b.Ledger.DeleteCurrency(t.Context(), ves), ledger.ErrCurrencyUsed)
	require.Positive(t, b.Number(t, `SELECT count(*) FROM weekly_drafts WHERE currency_id = $1`, ves))
}

// A currency that was deactivated is settled by hand, in the order of weeks, and paid when it is active again.
func TestACurrencyThatWasDeactivated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	b.nextWeek()
	b.draft(t)
	week := b.of(t, seed.CodeAgency).Week
	_, _, err := b.ConfirmWeek(t.Context(), b.by, &weekly.Filter{Currency: "VES"})
	require.ErrorIs(t, err, weekly.ErrWeek, "one week is confirmed, not all")
	b.setCurrency(t, models.StatusInactive)
	b.confirmAll(t)
	s := b.of(t, seed.CodeAgency)
	_, _, err = b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: s.ID, Reference: "r"})
	require.ErrorIs(t, err, ledger.ErrCurrencyNotFound)

	b.nextWeek()
	b.draft(t)
	require.Equal(t, week, b.of(t, seed.CodeAgency).Week, "the task leaves it out")
	require.NoError(t, b.Redraft(t.Context(), b.by, week.AddDays(7), "VES"))
	b.confirmAll(t)
	b.setCurrency(t, models.StatusActive)
	paid, _, err := b.Pay(t.Context(), b.by, &weekly.PayRequest{ID: b.of(t, seed.CodeAgency).ID, Reference: "r"})
	require.NoError(t, err)
	require.Equal(t, weekly.Paid, paid.Status)
	require.Zero(t, b.short(t, seed.CodeAgency))
	b.requireSound(t)
}

// A currency whose weeks cannot be drafted does not keep the others.
func TestACurrencyThatFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 0), catalog.BetStraight, "10.00", "7"))
	later, err := b.Ledger.CreateCurrency(t.Context(), ledger.CurrencyFields{Code: "XTS", Name: "Test", Digits: 2, Status: models.StatusActive})
	require.NoError(t, err)
	b.nextWeek()
	b.count(t)
	require.NoError(t, b.exec(t, `ALTER TABLE weekly_settlements ADD CONSTRAINT broken CHECK (sales = 0)`))
	_, err = b.Due(t.Context())
	require.True(t, storage.Violates(err, "broken"), "%v", err)
	require.Zero(t, b.Number(t, `SELECT count(*) FROM weekly_drafts WHERE currency_id = $1`, ves))
	require.EqualValues(t, 1, b.Number(t, `SELECT count(*) FROM weekly_drafts WHERE currency_id = $1`, later.ID))
}

func (b *bundle) setCurrency(t testing.TB, status string) {
	t.Helper()
	c, err := b.Ledger.AnyCurrency(t.Context(), "VES")
	require.NoError(t, err)
	_, err = b.Ledger.UpdateCurrency(t.Context(), ves, ledger.CurrencyFields{Code: c.Code, Name: c.Name, Symbol: c.Symbol, Digits: c.Digits, Status: status})
	require.NoError(t, err)
}

func (b *bundle) exec(t testing.TB, sql string) error {
	t.Helper()
	_, err := b.PG.Pool.Exec(t.Context(), sql)
	return err
}

// A loss is carried forward, borne or forgotten.
func TestModesOfParticipation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE entities SET finance_info = jsonb_set(finance_info, '{participation,mode}', '"SHARED"') WHERE id = $1`, fixture.EntityID(seed.CodeAgency))
	b.Exec(t, `UPDATE entities SET finance_info = jsonb_set(finance_info, '{participation,mode}', '"NONE"') WHERE id = $1`, fixture.EntityID(seed.CodeGroup))
	d := b.drawOf(t, 0)
	winner := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "100.00", "5"))
	b.settle(t, d, "5")
	b.pay(t, winner) // 3,000.00 paid of 100.00 sold: a loss
	b.nextWeek()
	b.draft(t)
	loss := b.of(t, seed.CodeSuperAgency).Result()
	require.EqualValues(t, 100_00-18_00-3_000_00, loss)
	group, agency, top := b.of(t, seed.CodeGroup), b.of(t, seed.CodeAgency), b.of(t, seed.CodeSuperAgency)
	require.Zero(t, group.Participation)
	require.Zero(t, group.CarryOut)
	require.Equal(t, loss/4, agency.Participation)
	require.Zero(t, agency.CarryOut)
	require.Zero(t, top.Participation)
	require.Equal(t, loss, top.CarryOut)
	require.Equal(t, -loss/4, top.OwnShare, "it bears what its agency gives back")
	b.confirmAll(t)

	b.Clock.Advance(8 * time.Hour)
	b.sellAt(t, seed.CodeTicketPoint, fixture.Line(b.drawOf(t, 0), catalog.BetStraight, "10000.00", "7"))
	b.nextWeek()
	b.draft(t)
	group, agency, top = b.of(t, seed.CodeGroup), b.of(t, seed.CodeAgency), b.of(t, seed.CodeSuperAgency)
	require.EqualValues(t, 8_200_00, top.Result())
	require.EqualValues(t, 820_00, group.Participation)
	require.EqualValues(t, 2_050_00, agency.Participation)
	require.Equal(t, loss, top.Carried)
	require.Equal(t, (8_200_00+loss)*40/100, top.Participation)
	require.Zero(t, top.CarryOut)
	b.confirmAll(t)
	for _, code := range branch() {
		require.Equal(t, b.short(t, code), b.of(t, code).Balance(), code)
	}
	b.requireSound(t)
}

// A share in a loss that the wallet does not cover is refused, and changes nothing.
func TestAShareInALossMustBeCovered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `UPDATE entities SET finance_info = jsonb_set(finance_info, '{participation,mode}', '"SHARED"') WHERE id = $1`, fixture.EntityID(seed.CodeSuperAgency))
	d := b.drawOf(t, 0)
	winner := b.sellAt(t, seed.CodeTicketPoint, fixture.Line(d, catalog.BetStraight, "100.00", "5"))
	b.settle(t, d, "5")
	b.pay(t, winner)
	b.nextWeek()
	b.draft(t)
	b.Exec(t, `UPDATE wallets SET credit_limit = 0 WHERE id = $1`, b.wallet(t, seed.CodeSuperAgency))
	s := b.of(t, seed.CodeSuperAgency)
	_, _, err := b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: s.ID, IdempotencyKey: "c"})
	require.ErrorIs(t, err, ledger.ErrInsufficientBalance)
	require.Equal(t, s, b.of(t, seed.CodeSuperAgency))
	b.deposit(t, seed.CodeSuperAgency, -s.OwnShare)
	_, _, err = b.Confirm(t.Context(), b.by, &weekly.ConfirmRequest{ID: s.ID, IdempotencyKey: "c"})
	require.NoError(t, err)
	b.requireSound(t)
}

// All returns the settlements of all pages from one snapshot: a concurrent confirmation changes none.
func TestAllSettlementsAreReadInOneSnapshot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.sellWorkedExample(t)
	b.count(t)
	b.nextWeek()
	b.draft(t)
	want, total, err := b.List(t.Context(), b.by, &weekly.Filter{Limit: 100})
	require.NoError(t, err)
	require.Greater(t, total, int64(3))
	rows, counted, err := b.All(t.Context(), b.by, &weekly.Filter{})
	require.NoError(t, err)
	require.Equal(t, total, counted)
	var got []weekly.Settlement
	for s, err := range rows {
		require.NoError(t, err)
		if len(got) == 0 {
			b.confirmAll(t)
		}
		got = append(got, s)
	}
	require.Equal(t, want, got)
	_, _, err = b.All(t.Context(), b.by, &weekly.Filter{Status: weekly.Paid})
	require.ErrorIs(t, err, weekly.ErrStatusRange)
}
