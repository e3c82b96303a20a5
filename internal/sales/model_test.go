package sales_test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"banca/internal/catalog"
	"banca/internal/dev/testkit/fixture"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/sales"
	"banca/internal/setup/seed"
)

// branch is a ticket point of the model: its chain, root first, with the commission granted to each level
// below the root, and its credit.
type branch struct {
	chain  []string
	rates  []money.BasisPoints
	credit int64
}

func branches() map[string]branch {
	upper := []string{seed.CodeOperator, seed.CodeSuperAgency}
	west := slices.Concat(upper, []string{seed.CodeAgency, seed.CodeGroup})
	return map[string]branch{
		seed.CodeTicketPoint:  {append(slices.Clone(west), seed.CodeTicketPoint), []money.BasisPoints{1800, 1500, 1300, 1000}, 3_000_00},
		seed.CodeTicketPoint2: {append(slices.Clone(west), seed.CodeTicketPoint2), []money.BasisPoints{1800, 1500, 1300, 1000}, 2_000_00},
		seed.CodeOtherPoint: {
			slices.Concat(upper, []string{seed.CodeOtherAgency, "GRU-101", seed.CodeOtherPoint}), []money.BasisPoints{1800, 1400, 1200, 950}, 1_000_00,
		},
	}
}

// model is the bank in plain maps: what every balance and count must be.
type model struct {
	*bundle
	rnd      *rand.Rand
	draws    []*catalog.Draw
	open     map[uuid.UUID]bool
	limits   map[string]int64 // stake on any selection, by entity code
	blocked  map[string]int64 // stake on the element 0
	balances map[string]int64
	counts   map[string]int64 // draw, entity, metric and key
	tickets  []*modelTicket
	keys     map[string]*sales.SellRequest
	answers  map[string]sales.Ticket
	done     map[string]int // operations by what came of them
	steps    int
}

type modelTicket struct {
	sales.Ticket
	point     string
	cancelled bool
}

// Some hundreds of random operations, each followed by a comparison of every balance and count with a
// model, and every few by a proof of all invariants.
func TestRandomOperationsAgreeWithAModel(t *testing.T) {
	t.Parallel()
	start := uint64(clock.System{}.Now().UnixNano())
	t.Log("seed", start)
	m := &model{
		bundle: setup(t), rnd: rand.New(rand.NewPCG(start, 0)), open: map[uuid.UUID]bool{}, limits: map[string]int64{}, blocked: map[string]int64{},
		balances: map[string]int64{}, counts: map[string]int64{}, keys: map[string]*sales.SellRequest{}, answers: map[string]sales.Ticket{}, done: map[string]int{},
	}
	for n := range 2 {
		m.draws = append(m.draws, m.draw(t, "lotto-activo", n), m.draw(t, "la-granjita", n), m.draw(t, "cazaloton", n))
	}
	for _, d := range m.draws {
		m.open[d.ID] = true
	}
	for code, br := range branches() {
		m.Exec(t, `UPDATE wallets SET credit_limit = $2 WHERE entity_id = $1`, fixture.EntityID(code), br.credit)
	}
	m.Exec(t, `UPDATE entities SET config_info = config_info || '{"cancels_per_day": 100000}' WHERE id = $1`, fixture.RootID)
	m.changeLimits(t)
	for step := range 400 {
		m.steps = step
		name := m.step(t)
		m.done[name]++
		m.compare(t, step, name)
		if step%40 == 39 {
			m.requireSound(t)
		}
	}
	m.requireSound(t)
	t.Log("operations", m.done)
	for _, name := range []string{"sold", "sold partly", "RISK_LIMIT_EXCEEDED", "cancelled", "repeated", "folded", "rebuilt"} {
		require.Positive(t, m.done[name], "the mix holds %q; operations: %v", name, m.done)
	}
}

// step does one random operation and returns its outcome.
func (m *model) step(t *testing.T) string {
	t.Helper()
	switch n := m.rnd.IntN(100); {
	case n < 55:
		return m.sellSomething(t)
	case n < 70:
		return m.cancelSomething(t)
	case n < 76:
		return m.repeatSomething(t)
	case n < 82:
		m.changeLimits(t)
		return "limits"
	case n < 88:
		_, err := m.Ledger.Fold(t.Context())
		require.NoError(t, err)
		return "folded"
	case n < 91:
		m.sweep(t)
		return "swept"
	case n < 95:
		require.NoError(t, m.Risk.Rebuild(t.Context(), []uuid.UUID{m.draws[m.rnd.IntN(len(m.draws))].ID}, true))
		return "rebuilt"
	case n < 97:
		require.NoError(t, m.Redis.FlushDB(t.Context()).Err())
		m.sweep(t) // so that there are counts to compare
		return "flushed"
	case n < 98 && m.steps > 250 && m.openDraws() > 4:
		draw := m.draws[m.rnd.IntN(len(m.draws))].ID
		m.open[draw] = false
		m.Exec(t, `UPDATE draws SET status = 'closed' WHERE id = $1`, draw)
		return "closed"
	default:
		return m.sellSomething(t)
	}
}

func (m *model) openDraws() (n int) {
	for _, open := range m.open {
		if open {
			n++
		}
	}
	return n
}

func (m *model) changeLimits(t *testing.T) {
	t.Helper()
	clear(m.limits)
	clear(m.blocked)
	var rows []limit
	for _, code := range []string{seed.CodeTicketPoint, seed.CodeTicketPoint2, seed.CodeGroup, seed.CodeAgency, seed.CodeOtherAgency, seed.CodeOperator} {
		if m.rnd.IntN(3) > 0 {
			m.limits[code] = int64(m.rnd.IntN(400)) * 100
			rows = append(rows, limit{entity: code, base: m.limits[code]})
		}
		if m.rnd.IntN(4) == 0 {
			m.blocked[code] = int64(m.rnd.IntN(2)) * 500
			rows = append(rows, limit{entity: code, base: m.blocked[code], element: "0"})
		}
	}
	m.setLimits(t, rows...)
}

// sellSomething sells a random ticket and requires the outcome the model foresees.
func (m *model) sellSomething(t *testing.T) string {
	t.Helper()
	points := slices.Sorted(maps.Keys(branches()))
	code := points[m.rnd.IntN(len(points))]
	items := make([]sales.Item, 1+m.rnd.IntN(4))
	for i := range items {
		amount := money.Amount(100 + m.rnd.IntN(9_000))
		items[i] = straight(m.draws[m.rnd.IntN(len(m.draws))], []string{"0", "00", "5", "36"}[m.rnd.IntN(4)], amount.Format(2))
	}
	req := at(fixture.Ticket(items...), code)
	req.AcceptPartial = m.rnd.IntN(3) == 0
	if m.rnd.IntN(2) == 0 {
		keyed(req, uuid.NewString())
	}
	want := m.foresee(t, req, code)
	sold, err := m.Sell(t.Context(), req)
	require.Equal(t, want.code, apperr.CodeOf(err), "%v", err)
	if err != nil {
		return want.code
	}
	require.Len(t, sold.Ticket.Lines, len(want.lines))
	for i, l := range sold.Ticket.Lines {
		require.Equal(t, want.lines[i].Amount, l.Amount)
	}
	m.book(code, &sold.Ticket, 1)
	m.tickets = append(m.tickets, &modelTicket{Ticket: sold.Ticket, point: code})
	if req.IdempotencyKey != "" {
		m.keys[req.IdempotencyKey], m.answers[req.IdempotencyKey] = req, sold.Ticket
	}
	if len(sold.Cuts) > 0 {
		return "sold partly"
	}
	return "sold"
}

// foreseen is the model's outcome of a sale.
type foreseen struct {
	code  string
	lines []sales.Line
}

func (m *model) foresee(t *testing.T, req *sales.SellRequest, code string) foreseen {
	t.Helper()
	lines, closed := m.merged(t, req)
	if closed {
		return foreseen{code: "INVALID_TICKET"}
	}
	var kept []sales.Line
	limited := false
	for _, l := range lines {
		granted := min(int64(l.Amount), m.room(code, &l))
		limited = limited || granted < int64(l.Amount)
		if granted >= 1_00 { // the least stake
			l.Amount = money.Amount(granted)
			kept = append(kept, l)
		}
	}
	if limited && (!req.AcceptPartial || len(kept) == 0) {
		return foreseen{code: "RISK_LIMIT_EXCEEDED"}
	}
	br := branches()[code]
	ticket := &sales.Ticket{Lines: kept}
	after := m.balances[code] + changes(br, ticket)[code]
	if after < -br.credit {
		return foreseen{code: "INSUFFICIENT_BALANCE"}
	}
	return foreseen{lines: kept}
}

// merged are the lines of a request, and whether a draw of them is closed.
func (m *model) merged(t *testing.T, req *sales.SellRequest) (lines []sales.Line, closed bool) {
	t.Helper()
	for _, item := range req.Items {
		draw, err := uuid.Parse(item.DrawID)
		require.NoError(t, err)
		closed = closed || !m.open[draw]
		amount, err := money.Parse(item.Amount, 2)
		require.NoError(t, err)
		i := slices.IndexFunc(lines, func(l sales.Line) bool { return l.DrawID == draw && l.Selection == item.Selection[0] })
		if i < 0 {
			i, lines = len(lines), append(lines, sales.Line{DrawID: draw, Selection: item.Selection[0]})
		}
		lines[i].Amount += amount
	}
	return lines, closed
}

// room returns the rest of the limits of every level for a selection.
func (m *model) room(code string, l *sales.Line) int64 {
	room := int64(1) << 60
	for _, entity := range branches()[code].chain {
		base, limited := m.limits[entity]
		if special, ok := m.blocked[entity]; ok && l.Selection == "0" {
			base, limited = special, true
		}
		if limited {
			room = min(room, max(base-m.counts[countName(l.DrawID, entity, "s", l.Selection)], 0))
		}
	}
	return room
}

func countName(draw uuid.UUID, entity, metric, selection string) string {
	return draw.String() + " " + entity + " " + metric + " " + selection
}

// changes returns the effect of a ticket on each wallet.
func changes(br branch, ticket *sales.Ticket) map[string]int64 {
	change := map[string]int64{}
	root, self := br.chain[0], br.chain[len(br.chain)-1]
	for _, l := range ticket.Lines {
		change[self] -= int64(l.Amount)
		change[root] += int64(l.Amount)
		for i, part := range money.SplitByMargins(l.Amount, br.rates) {
			change[br.chain[i+1]] += int64(part)
			change[root] -= int64(part)
		}
	}
	return change
}

// book adds a ticket to the model, or with -1 takes it back.
func (m *model) book(code string, ticket *sales.Ticket, sign int64) {
	br := branches()[code]
	for entity, n := range changes(br, ticket) {
		m.balances[entity] += sign * n
	}
	for _, l := range ticket.Lines {
		for _, entity := range br.chain {
			m.counts[countName(l.DrawID, entity, "s", l.Selection)] += sign * int64(l.Amount)
			m.counts[countName(l.DrawID, entity, "l", l.Selection)] += sign * int64(l.Amount) * 30
			m.counts[countName(l.DrawID, entity, "t", "")] += sign * int64(l.Amount)
		}
	}
}

func (m *model) cancelSomething(t *testing.T) string {
	t.Helper()
	if len(m.tickets) == 0 {
		return "nothing to cancel"
	}
	ticket := m.tickets[m.rnd.IntN(len(m.tickets))]
	closed := slices.ContainsFunc(ticket.Lines, func(l sales.Line) bool { return !m.open[l.DrawID] })
	_, err := m.Cancel(t.Context(), m.cancel(ticket.ID))
	switch {
	case ticket.cancelled:
		require.ErrorIs(t, err, sales.ErrNotCancellable)
		return "cancelled twice"
	case closed:
		require.ErrorIs(t, err, sales.ErrDrawsStopped)
		return "cancelled too late"
	}
	require.NoError(t, err)
	ticket.cancelled = true
	m.book(ticket.point, &ticket.Ticket, -1)
	return "cancelled"
}

func (m *model) repeatSomething(t *testing.T) string {
	t.Helper()
	for key, req := range m.keys { // any will do
		again, err := m.Sell(t.Context(), req)
		require.NoError(t, err)
		require.True(t, again.Replayed)
		require.Equal(t, m.answers[key], again.Ticket)
		other := *req
		other.WantsPaymentInfo = !other.WantsPaymentInfo
		_, err = m.Sell(t.Context(), &other)
		require.ErrorIs(t, err, idempotency.ErrKeyReused)
		return "repeated"
	}
	return "nothing to repeat"
}

// compare requires every balance and every count to equal the model's.
func (m *model) compare(t *testing.T, step int, name string) {
	t.Helper()
	rows, err := m.PG.Pool.Query(t.Context(), `SELECT e.code, w.balance + coalesce((SELECT sum(p.amount) FROM pending_balances p WHERE p.wallet_id = w.id), 0)::bigint
		FROM wallets w JOIN entities e ON e.id = w.entity_id WHERE w.currency_id = $1`, seed.ID("currency", "VES"))
	require.NoError(t, err)
	for rows.Next() {
		var code string
		var balance int64
		require.NoError(t, rows.Scan(&code, &balance))
		require.Equal(t, m.balances[code], balance, "step %d, %s: balance of %s", step, name, code)
	}
	require.NoError(t, rows.Err())
	m.quiet(t)
	want := state{}
	numbers := m.numbers(t)
	for _, d := range m.draws {
		for code, no := range numbers {
			prefix := "risk:{" + d.ID.String() + "}:n " + no + ":VES:"
			for _, metric := range []string{"s", "l"} {
				for _, selection := range []string{"0", "00", "5", "36"} {
					want[prefix+metric+":straight|"+selection] = itoa(m.counts[countName(d.ID, code, metric, selection)])
				}
			}
			want[prefix+"t"] = itoa(m.counts[countName(d.ID, code, "t", "")])
		}
	}
	maps.DeleteFunc(want, func(_, n string) bool { return n == "0" })
	require.Equal(t, want, m.bundle.counts(t), "step %d, %s", step, name)
}

// numbers are the entities' short numbers by code.
func (m *model) numbers(t *testing.T) map[string]string {
	t.Helper()
	rows, err := m.PG.Pool.Query(t.Context(), `SELECT code, no::text FROM entities`)
	require.NoError(t, err)
	numbers := map[string]string{}
	for rows.Next() {
		var code, no string
		require.NoError(t, rows.Scan(&code, &no))
		numbers[code] = no
	}
	require.NoError(t, rows.Err())
	return numbers
}
