package risk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit"
	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/internal/risk"
)

// at is a user of a level of the chain: 0 for the operator.
func (e *engine) at(level int) caller.Caller {
	var path strings.Builder
	for _, n := range e.chain[:level+1] {
		path.WriteString("/" + n.ID.String())
	}
	return testkit.Within(path.String() + "/")
}

// bounded asks for a limit of the agency on what it sells.
func (e *engine) bounded(base string, change ...func(*risk.LimitRequest)) *risk.LimitRequest {
	req := &risk.LimitRequest{EntityID: e.chain[1].ID, Currency: "VES", Metric: "stake", Base: base}
	for _, c := range change {
		c(req)
	}
	return req
}

// What the operator set for an agency, the agency makes tighter and neither raises, removes nor circumvents by a more
// specific limit.
func TestALimitThatWasSetAboveIsOnlyMadeTighter(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	operator, agency, ctx := e.at(0), e.at(1), t.Context()
	set, err := k.Create(ctx, operator, e.bounded("1000"))
	require.NoError(t, err)
	change := func(by caller.Caller, l *risk.Limit, base, pct string) error {
		_, err := k.Change(ctx, by, l.ID, base, pct, "")
		return err
	}
	require.ErrorIs(t, change(agency, set, "1001", ""), risk.ErrSetAbove)
	require.ErrorIs(t, change(agency, set, "10", "1"), risk.ErrSetAbove)
	require.ErrorIs(t, k.Remove(ctx, agency, set.ID), risk.ErrSetAbove)
	require.NoError(t, change(agency, set, "500", ""))
	require.ErrorIs(t, change(agency, set, "501", ""), risk.ErrSetAbove, "it stays the operator's")
	require.NoError(t, change(operator, set, "800", ""))

	game := func(r *risk.LimitRequest) { r.GameID = e.game }
	for _, looser := range []*risk.LimitRequest{
		e.bounded("801", game), e.bounded("100", game, func(r *risk.LimitRequest) { r.Pct = "1" }), e.bounded("900",
			func(r *risk.LimitRequest) { r.Element = "5" }),
		e.bounded("900", func(r *risk.LimitRequest) { r.BetType = "straight" }),
	} {
		_, err = k.Create(ctx, agency, looser)
		require.ErrorIs(t, err, risk.ErrSetAbove)
	}
	own, err := k.Create(ctx, agency, e.bounded("700", game))
	require.NoError(t, err)
	require.NoError(t, change(agency, own, "800", ""))
	require.ErrorIs(t, change(agency, own, "801", ""), risk.ErrSetAbove)
	require.NoError(t, k.Remove(ctx, agency, own.ID))
	_, err = k.Create(ctx, agency, e.bounded("5000", func(r *risk.LimitRequest) { r.Metric = "liability" }))
	require.NoError(t, err, "the operator bounded stakes only")

	_, err = k.Create(ctx, operator, e.bounded("10", func(r *risk.LimitRequest) { r.Element = "7" }))
	require.NoError(t, err)
	_, err = k.Create(ctx, agency, e.bounded("700", game))
	require.NoError(t, err, "the operator's limit of the element is more specific and holds")
}

// A limit from above binds the more specific ones that the entity had set before it.
func TestALimitFromAboveBindsWhatWasThereBefore(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	operator, agency, ctx := e.at(0), e.at(1), t.Context()
	available := func() money.Amount {
		e.ForgetLimits()
		left, err := e.Available(ctx, e.chain, e.request(1).Currency, e.request(1, e.draws[0]).Lines)
		require.NoError(t, err)
		return left[0].Limit
	}
	own, err := k.Create(ctx, agency, e.bounded("1000000", func(r *risk.LimitRequest) { r.GameID = e.game }))
	require.NoError(t, err)
	assert.EqualValues(t, 1_000_000_00, available())
	set, err := k.Create(ctx, operator, e.bounded("200"))
	require.NoError(t, err)
	assert.EqualValues(t, 200_00, available())
	_, err = k.Change(ctx, operator, set.ID, "800", "", "")
	require.NoError(t, err)
	assert.EqualValues(t, 800_00, available())
	_, err = k.Change(ctx, agency, own.ID, "700", "", "")
	require.NoError(t, err)
	assert.EqualValues(t, 700_00, available(), "its own is the tighter one")
	_, err = k.Create(ctx, operator, e.bounded("900", func(r *risk.LimitRequest) { r.Element = "5" }))
	require.NoError(t, err)
	assert.EqualValues(t, 900_00, available(), "the operator's most specific one takes the place of both")
}

// A block from above stays whatever the entity does, and one of its own ends.
func TestABlockFromAboveStays(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	operator, agency, ctx := e.at(0), e.at(1), t.Context()
	req := e.block("5")
	req.EntityID = agency.EntityID
	blocked, err := k.Block(ctx, operator, req)
	require.NoError(t, err)
	for range 2 {
		_, err = k.Unblock(ctx, agency, blocked[0].ID)
		require.ErrorIs(t, err, risk.ErrSetAbove)
		_, err = k.Change(ctx, agency, blocked[0].ID, "5", "", "")
		require.ErrorIs(t, err, risk.ErrSetAbove)
		require.ErrorIs(t, k.Remove(ctx, agency, blocked[0].ID), risk.ErrSetAbove)
		_, err = k.Block(ctx, agency, req) // changes the reason
		require.NoError(t, err)
	}
	_, err = k.Unblock(ctx, operator, blocked[0].ID)
	require.NoError(t, err)
	own, err := k.Block(ctx, agency, req)
	require.NoError(t, err)
	_, err = k.Unblock(ctx, agency, own[0].ID)
	require.NoError(t, err)
}

// A limit that an entity below set belongs to the one above after that changed it; a seeded one is the operator's.
func TestALimitBelongsToTheHighestThatChangedIt(t *testing.T) {
	t.Parallel()
	e := setup(t)
	k := e.keeper(t)
	agency, point, ctx := e.at(1), e.at(2), t.Context()
	set, err := k.Create(ctx, point, e.bounded("100", func(r *risk.LimitRequest) { r.EntityID = point.EntityID }))
	require.NoError(t, err)
	_, err = k.Change(ctx, point, set.ID, "200", "", "")
	require.NoError(t, err)
	_, err = k.Change(ctx, agency, set.ID, "150", "", "")
	require.NoError(t, err)
	_, err = k.Change(ctx, point, set.ID, "200", "", "")
	require.ErrorIs(t, err, risk.ErrSetAbove)
	e.exec(t, `UPDATE risk_limits SET set_by = NULL WHERE id = $1`, set.ID)
	_, err = k.Change(ctx, agency, set.ID, "200", "", "")
	require.ErrorIs(t, err, risk.ErrSetAbove)
	_, err = k.Change(ctx, e.at(0), set.ID, "200", "", "")
	require.NoError(t, err)
}
