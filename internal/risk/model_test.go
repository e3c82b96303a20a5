package risk_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/org"
	"banca/internal/platform/money"
	"banca/internal/risk"
	"banca/models"
)

// model is the engine as plain Go: lists of limits and tickets, and sums over them.
type model struct {
	*engine
	rnd    *rand.Rand
	on     []uuid.UUID // draws of the round
	chains []org.Chain
	limits []models.RiskLimit
	held   []*granted // reservations
	sold   []*granted // tickets in Postgres
	done   map[string]int
}

// granted is a granted request, whose lines have the granted stakes.
type granted struct {
	*risk.Request
	reservation *risk.Reservation
}

// TestTheEngineAgreesWithItsModel compares random operations with the model: grants, cuts, refusals, and the
// remaining stakes after each operation.
func TestTheEngineAgreesWithItsModel(t *testing.T) {
	t.Parallel()
	e := setup(t)
	seed := rand.Uint64()
	t.Log("seed", seed)
	m := &model{engine: e, rnd: rand.New(rand.NewPCG(seed, 0)), chains: []org.Chain{e.chain, e.second()}, done: map[string]int{}}
	for range 12 {
		m.held, m.sold, m.on = nil, nil, []uuid.UUID{e.addDraw(t), e.addDraw(t)}
		m.changeLimits(t)
		for range 25 {
			name := m.step(t)
			m.done[name]++
			m.compare(t, name)
		}
		wrong, err := m.Audit(t.Context())
		require.NoError(t, err)
		require.Empty(t, wrong)
	}
	t.Log("operations", m.done)
	for _, name := range []string{"granted", "cut", "refused", "confirmed", "released", "cancelled", "rebuilt", "lost", "swept"} {
		require.Positive(t, m.done[name], "the mix holds %q: %v", name, m.done)
	}
}

// step executes one random operation and returns its outcome.
func (m *model) step(t *testing.T) string {
	t.Helper()
	switch n := m.rnd.IntN(100); {
	case n < 40:
		return m.reserve(t)
	case n < 62:
		return m.confirm(t)
	case n < 70:
		return m.release(t)
	case n < 82:
		return m.cancel(t)
	case n < 87:
		m.changeLimits(t)
		require.NoError(t, m.Rebuild(t.Context(), m.on, true)) // other limits may need other counts
		m.held = nil
		return "limits"
	case n < 91:
		require.NoError(t, m.Rebuild(t.Context(), m.on, true))
		m.held = nil // which a rebuild ends
		return "rebuilt"
	case n < 95:
		require.NoError(t, m.env.Redis.FlushDB(t.Context()).Err())
		m.held = nil
		return "lost"
	default:
		m.clock.Advance(30 * time.Second)
		_, err := m.Sweep(t.Context())
		require.NoError(t, err)
		m.held = nil
		return "swept"
	}
}

// changeLimits replaces the limits by random ones.
func (m *model) changeLimits(t *testing.T) {
	t.Helper()
	maybe := func(id uuid.UUID) *uuid.UUID {
		if m.rnd.IntN(3) > 0 {
			return nil
		}
		return &id
	}
	text := func(list ...string) *string {
		if m.rnd.IntN(2) > 0 {
			return nil
		}
		return &list[m.rnd.IntN(len(list))]
	}
	m.exec(t, `DELETE FROM risk_limits`)
	m.limits = nil
	for range 1 + m.rnd.IntN(8) {
		chain, level := m.chains[m.rnd.IntN(2)], m.rnd.IntN(3)
		l := models.RiskLimit{
			ID: uuid.New(), EntityID: chain[level].ID, CurrencyID: m.currency, CategoryID: maybe(m.game), GameID: maybe(m.game), DrawID: maybe(m.on[m.rnd.IntN(2)]),
			Element: text("5", "6", "7"), BetType: text("straight", "dupleta"), Metric: []string{models.MetricStake, models.MetricLiability}[m.rnd.IntN(2)],
			PctBps: []int32{0, 0, 1000, 12_345}[m.rnd.IntN(4)],
		}
		l.Base = []int64{0, 500, 2_000, 5_000}[m.rnd.IntN(4)]
		if l.Metric == models.MetricLiability {
			l.Base *= 31
		}
		if setter := m.rnd.IntN(level + 1); setter > 0 {
			l.SetBy = &chain[setter].ID
		}
		tag, err := m.env.PG.Pool.Exec(t.Context(), `INSERT INTO risk_limits (id, entity_id, currency_id, category_id, game_id, draw_id, element, bet_type, metric, base, pct_bps, set_by)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) ON CONFLICT DO NOTHING`,
			l.ID, l.EntityID, l.CurrencyID, l.CategoryID, l.GameID, l.DrawID, l.Element, l.BetType, l.Metric, l.Base, l.PctBps, l.SetBy)
		require.NoError(t, err)
		if tag.RowsAffected() > 0 {
			m.limits = append(m.limits, l)
		}
	}
	m.ForgetLimits()
}

// random returns a request of up to four different lines.
func (m *model) random() *risk.Request {
	req := m.request(0)
	req.Chain = m.chains[m.rnd.IntN(2)]
	req.Partial = m.rnd.IntN(2) == 0
	bets := []risk.Line{
		{BetType: "straight", Selection: "5"}, {BetType: "straight", Selection: "6"}, {BetType: "straight", Selection: "7"},
		{BetType: "dupleta", Selection: "5,6"}, {BetType: "dupleta", Selection: "6,7"},
	}
	for i, n := range m.rnd.Perm(2 * len(bets))[:1+m.rnd.IntN(4)] {
		l := bets[n/2]
		l.Item, l.DrawID, l.GameID, l.CategoryID = i, m.on[n%2], m.game, m.game
		l.Stake, l.Payout, l.MinStake = money.Amount(1+m.rnd.IntN(1_500)), []money.Payout{3000, 5050}[m.rnd.IntN(2)], []money.Amount{1, 100}[m.rnd.IntN(2)]
		l.Prize = l.Payout.Of(l.Stake)
		req.Lines = append(req.Lines, l)
	}
	return req
}

func (m *model) reserve(t *testing.T) string {
	t.Helper()
	req := m.random()
	accepted, cut, left := make([]money.Amount, len(req.Lines)), false, false
	for i := range req.Lines {
		if accepted[i] = m.acceptable(req.Chain, &req.Lines[i]); accepted[i] < req.Lines[i].Stake {
			cut = true
		}
		left = left || accepted[i] > 0
	}
	r, err := m.Reserve(t.Context(), req)
	if cut && (!req.Partial || !left) {
		require.ErrorIs(t, err, risk.ErrLimitExceeded)
		return "refused"
	}
	require.NoError(t, err)
	require.Equal(t, accepted, r.Accepted)
	g := &granted{Request: req, reservation: r}
	for i := range req.Lines {
		l := &req.Lines[i]
		if l.Stake != accepted[i] {
			l.Stake, l.Prize = accepted[i], l.Payout.Of(accepted[i])
		}
	}
	req.Lines = slices.DeleteFunc(req.Lines, func(l risk.Line) bool { return l.Stake == 0 })
	m.held = append(m.held, g)
	if cut {
		return "cut"
	}
	return "granted"
}

// acceptable returns the part of a stake that the limits allow.
func (m *model) acceptable(chain org.Chain, l *risk.Line) money.Amount {
	left := l.Stake
	for _, node := range chain {
		for _, metric := range []string{models.MetricStake, models.MetricLiability} {
			limit, sold, limited := m.limitOn(node.ID, metric, l)
			if add := amountOf(l, metric); limited && sold+add > limit {
				left = min(left, within(l, metric, limit-sold))
			}
		}
	}
	if left < l.Stake && left < l.MinStake {
		return 0
	}
	return left
}

// amountOf returns what a line adds to a metric, and within the stake whose amount is at most room.
func amountOf(l *risk.Line, metric string) money.Amount {
	if metric == models.MetricLiability {
		return l.Prize
	}
	return l.Stake
}

func within(l *risk.Line, metric string, room money.Amount) money.Amount {
	if room = max(room, 0); metric == models.MetricLiability {
		return room * 100 / money.Amount(l.Payout)
	}
	return room
}

// limitOn returns the limit of an entity on a line with its count.
func (m *model) limitOn(entity uuid.UUID, metric string, l *risk.Line) (limit, sold money.Amount, limited bool) {
	best := m.bestOf(entity, metric, l, len(m.chains[0]))
	if best == nil {
		return 0, 0, false
	}
	base, pct := best.Base, best.PctBps
	for above := best; above != nil; above = m.bestOf(entity, metric, l, m.depthOf(above.SetBy)) {
		base, pct = min(base, above.Base), min(pct, above.PctBps)
	}
	total := money.Amount(0)
	for _, g := range slices.Concat(m.held, m.sold) {
		if !slices.ContainsFunc(g.Chain, func(n org.Node) bool { return n.ID == entity }) {
			continue
		}
		for i := range g.Lines {
			other := &g.Lines[i]
			if other.DrawID != l.DrawID {
				continue
			}
			total += other.Stake
			if other.BetType == l.BetType && other.Selection == l.Selection {
				sold += amountOf(other, metric)
			}
		}
	}
	return money.Amount(base) + total*money.Amount(pct)/10_000, sold, true
}

// bestOf returns the most specific limit of an entity on a line that an entity above a depth set, or nil.
func (m *model) bestOf(entity uuid.UUID, metric string, l *risk.Line, depth int) *models.RiskLimit {
	var best *models.RiskLimit
	rank := ""
	for i := range m.limits {
		row := &m.limits[i]
		if row.EntityID != entity || row.Metric != metric || m.depthOf(row.SetBy) >= depth {
			continue
		}
		if r, matches := rankOf(row, l); matches && (best == nil || r > rank) {
			best, rank = row, r
		}
	}
	return best
}

// depthOf returns the depth of the entity that set a limit: 0 for the operator.
func (m *model) depthOf(setter *uuid.UUID) int {
	for _, chain := range m.chains {
		for depth := range chain {
			if setter != nil && chain[depth].ID == *setter {
				return depth
			}
		}
	}
	return 0
}

// rankOf writes the conditions of a row as digits, the most significant first.
func rankOf(row *models.RiskLimit, l *risk.Line) (rank string, matches bool) {
	digits := []byte("00000")
	element := row.Element != nil && slices.Contains([]string{l.Selection, l.Selection[:1], l.Selection[len(l.Selection)-1:]}, *row.Element)
	is := []struct{ named, met bool }{
		{row.Element != nil, element}, {row.DrawID != nil, row.DrawID != nil && *row.DrawID == l.DrawID}, {row.GameID != nil, true},
		{row.CategoryID != nil, true}, {row.BetType != nil, row.BetType != nil && *row.BetType == l.BetType},
	}
	for i, c := range is {
		if c.named && !c.met {
			return "", false
		}
		if c.named {
			digits[i] = '1'
		}
	}
	rank = string(digits)
	if rank[0] == '1' && rank[1] == '1' && rank[4] == '0' && row.Base == 0 && row.PctBps == 0 {
		return "2", true // a block
	}
	return rank, true
}

// take removes a random element.
func (m *model) take(list *[]*granted) *granted {
	if len(*list) == 0 {
		return nil
	}
	i := m.rnd.IntN(len(*list))
	g := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return g
}

func (m *model) confirm(t *testing.T) string {
	t.Helper()
	g := m.take(&m.held)
	if g == nil {
		return m.reserve(t)
	}
	m.store(t, g)
	require.NoError(t, m.Confirm(t.Context(), g.reservation))
	require.NoError(t, m.Release(t.Context(), g.reservation), "a release after the confirmation takes nothing back")
	m.sold = append(m.sold, g)
	return "confirmed"
}

// store writes the ticket of a reservation as a sale does.
func (m *model) store(t *testing.T, g *granted) {
	t.Helper()
	m.exec(t, `INSERT INTO tickets (id, serial_code, validation_code, entity_id, user_id, wallet_id, currency_id, status, total, potential_prize, cancel_before, expires_at, created_at)
		VALUES ($1, $1::uuid::text, '1', $2, $1, $1, $3, 'pending', 1, 1, $4, $4, $4)`, g.TicketID, g.Chain[2].ID, m.currency, m.clock.Now())
	for i := range g.Lines {
		l := &g.Lines[i]
		m.exec(t, `INSERT INTO ticket_items (ticket_id, line_no, draw_id, game_id, bet_type, selection, amount, payout, potential_prize, rule_version, commission_rates)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 1, '{}')`, g.TicketID, i, l.DrawID, m.game, l.BetType, l.Selection, l.Stake, l.Payout, l.Prize)
	}
}

func (m *model) release(t *testing.T) string {
	t.Helper()
	g := m.take(&m.held)
	if g == nil {
		return m.reserve(t)
	}
	for range 1 + m.rnd.IntN(2) {
		require.NoError(t, m.Release(t.Context(), g.reservation))
	}
	return "released"
}

// cancel cancels a sold ticket, or gives the cancellation up.
func (m *model) cancel(t *testing.T) string {
	t.Helper()
	g := m.take(&m.sold)
	if g == nil {
		return m.reserve(t)
	}
	c, err := m.BeginCancellation(t.Context(), uuid.Must(uuid.NewV7()), g.Chain, "VES", soldLines(g.Request))
	require.NoError(t, err)
	if m.rnd.IntN(3) == 0 {
		require.NoError(t, m.Drop(t.Context(), c))
		m.sold = append(m.sold, g)
		return "dropped"
	}
	m.exec(t, `UPDATE tickets SET status = 'cancelled' WHERE id = $1`, g.TicketID)
	for range 2 {
		require.NoError(t, m.Apply(t.Context(), c))
	}
	return "cancelled"
}

func soldLines(req *risk.Request) []risk.SoldLine {
	var list []risk.SoldLine
	for i := range req.Lines {
		l := &req.Lines[i]
		list = append(list, risk.SoldLine{DrawID: l.DrawID, BetType: l.BetType, Selection: l.Selection, Stake: l.Stake, Prize: l.Prize})
	}
	return list
}

// unsold reports whether the highest level that has a limit in any chain counts no ticket with a line; false without a limit.
func (m *model) unsold(chain org.Chain, l *risk.Line) bool {
	for level, node := range chain {
		limited := slices.ContainsFunc(m.limits, func(row models.RiskLimit) bool {
			return slices.ContainsFunc(m.chains, func(c org.Chain) bool { return c[level].ID == row.EntityID })
		})
		if limited {
			return !slices.ContainsFunc(slices.Concat(m.held, m.sold), func(g *granted) bool {
				return g.Chain[level].ID == node.ID && slices.ContainsFunc(g.Lines, func(other risk.Line) bool {
					return other.DrawID == l.DrawID && other.BetType == l.BetType && other.Selection == l.Selection
				})
			})
		}
	}
	return false
}

// compare compares the room left on random lines.
func (m *model) compare(t *testing.T, after string) {
	t.Helper()
	req := m.random()
	for i := range req.Lines {
		l := &req.Lines[i]
		remaining, err := m.Available(t.Context(), req.Chain, req.Currency, req.Lines[i:i+1])
		require.NoError(t, err)
		want := risk.Remaining{Unlimited: true}
		for _, node := range req.Chain {
			for _, metric := range []string{models.MetricStake, models.MetricLiability} {
				if limit, sold, limited := m.limitOn(node.ID, metric, l); limited {
					if room := within(l, metric, limit-sold); want.Unlimited || room < want.Stake {
						want = risk.Remaining{Stake: room, Level: node.Type, Limit: limit, Sold: sold, Metric: metric}
					}
				}
			}
		}
		want.Unsold = m.unsold(req.Chain, l)
		require.Equal(t, want, remaining[0], "after %s: %+v", after, *l)
	}
}
