package test

import (
	"os"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"banca/internal/dev/testkit/browser"
	"banca/internal/dev/testkit/printer"
	"banca/internal/platform/idempotency"
	"banca/internal/platform/money"
	"banca/internal/setup/seed"
)

// readJournal keeps the outcomes that the page has written down, before it forgets the oldest.
func (r *robot) readJournal() {
	for _, entry := range r.entries() {
		r.known[entry.Key] = entry
	}
}

// storedTicket is a ticket of the robot's ticket point in the database.
type storedTicket struct {
	total int64
	keys  int // Idempotency-Keys of its sale
}

// stored are the tickets of the robot's ticket point that the seed did not make.
func (r *robot) stored() map[uuid.UUID]storedTicket {
	t := r.t
	rows, err := r.testbed.pg.Pool.Query(t.Context(), `SELECT t.id, t.total, count(k.id) - count(DISTINCT t.cancelled_at) FROM tickets t JOIN entities e ON e.id = t.entity_id
		LEFT JOIN idempotency_keys k ON k.ticket_id = t.id WHERE e.code = $1 AND t.id <> $2 GROUP BY t.id, t.total`, seed.CodeTicketPoint, seed.ExampleTicket)
	require.NoError(t, err)
	defer rows.Close()
	found := map[uuid.UUID]storedTicket{}
	for rows.Next() {
		var id uuid.UUID
		var ticket storedTicket
		require.NoError(t, rows.Scan(&id, &ticket.total, &ticket.keys))
		found[id] = ticket
	}
	require.NoError(t, rows.Err())
	return found
}

// requireTickets compares what the page showed, its journal and the database: each sold key has one ticket with its total, and there is no other.
func (r *robot) requireTickets() {
	t := r.t
	r.readJournal()
	var point uuid.UUID
	require.NoError(t, r.testbed.pg.Pool.QueryRow(t.Context(), `SELECT id FROM entities WHERE code = $1`, seed.CodeTicketPoint).Scan(&point))
	shown := map[string]string{}
	for _, sale := range r.sales {
		require.NotContains(t, shown, sale.serial, "one ticket for each sale")
		shown[sale.serial] = sale.total
	}
	tickets, sold := r.stored(), 0
	for key, entry := range r.known {
		if entry.State != "sold" {
			continue
		}
		sold++
		ticket, found := tickets[uuid.MustParse(entry.ID)]
		if !assert.True(t, found, "%s is in the journal only", entry.Serial) {
			continue
		}
		assert.Equal(t, 1, ticket.keys, entry.Serial)
		assert.Equal(t, shown[entry.Serial], money.Amount(ticket.total).FormatLocal(2), entry.Serial)
		assert.Equal(t, entry.ID, r.ticketOfKey(point, key), entry.Serial)
		if entry.Total != ticket.total {
			assert.Less(t, ticket.total, entry.Total, "%s was sold in part", entry.Serial)
			r.partly++
		}
	}
	assert.Equal(t, r.did.Partly, r.partly, "tickets that have less than was asked for")
	assert.Len(t, tickets, sold, "the database has no other ticket")
	assert.Len(t, r.sales, sold)
	t.Logf("%d tickets of the page are those of the database; %d refusals in the journal", sold, len(r.known)-sold)
}

// ticketOfKey is the ticket that the server has stored for a key.
func (r *robot) ticketOfKey(point uuid.UUID, key string) string {
	stored, err := idempotency.KeyOf(point, key)
	require.NoError(r.t, err)
	var ticket string
	require.NoError(r.t, r.testbed.pg.Pool.QueryRow(r.t.Context(), `SELECT ticket_id FROM idempotency_keys WHERE id = $1`, stored).Scan(&ticket))
	return ticket
}

// requirePrinted requires one whole receipt for each sale, in their order.
func (r *robot) requirePrinted() {
	t := r.t
	jobs := r.printed()
	require.Len(t, jobs, len(r.sales))
	for i, job := range jobs {
		paper, err := printer.Feed(job)
		require.NoError(t, err)
		require.Contains(t, paper.Text, r.sales[i].serial)
		require.Equal(t, printer.Cut, paper.Commands[len(paper.Commands)-1])
	}
}

// longTask is a task of the page that kept the main thread for 50 ms or more. Times are milliseconds.
type longTask struct {
	At, Took int
	Key      string // pressed last
	Typing   bool
}

// watched measures the pages to come from within.
func (r *robot) watched() {
	script, err := os.ReadFile("testdata/pos_watch.js")
	require.NoError(r.t, err)
	r.tab.Before(string(script))
}

// robotWatch reads what the page has measured.
type robotWatch struct {
	robot *robot
	spent func() time.Duration // of the page's main thread
	sales []float64            // milliseconds
	tasks []longTask

	before browser.Footprint
}

func (r *robot) measure() *robotWatch {
	return &robotWatch{robot: r, spent: r.tab.Measure(), before: r.tab.Footprint()}
}

// mega is a million bytes.
const mega = 1e6

// report logs the figures.
func (w *robotWatch) report(took time.Duration, tickets int) {
	w.robot.t.Helper()
	spent := w.spent()
	w.sales = browser.Value[[]float64](w.robot.tab, `watched.sales`)
	w.tasks = browser.Value[[]longTask](w.robot.tab, `watched.longTasks`)
	require.NotEmpty(w.robot.t, w.sales)
	slices.Sort(w.sales)
	w.robot.t.Logf("%d tickets in %s; from the key to VENDIDO: p50 %.0f ms, p95 %.0f ms, p99 %.0f ms, longest %.0f ms (%d measured); main thread %.1f ms a ticket",
		tickets, took.Round(time.Second), w.quantile(0.50), w.quantile(0.95), w.quantile(0.99), w.quantile(1), len(w.sales), float64(spent.Milliseconds())/float64(tickets))
	kept := w.robot.tab.Footprint()
	w.robot.t.Logf("the page keeps %.1f MB in %d nodes, with %d listeners; it began with %.1f MB in %d", float64(kept.Heap)/mega, kept.Nodes, kept.Listeners, float64(w.before.Heap)/mega, w.before.Nodes)
	longest := 0
	for _, task := range w.typing() {
		longest = max(longest, task.Took)
		w.robot.t.Logf("long task at %d ms of the page: %d ms after %s", task.At, task.Took, task.Key)
	}
	for _, frame := range browser.Value[[]string](w.robot.tab, `watched.frames`) {
		w.robot.t.Logf("long frame at %s", frame)
	}
	w.robot.t.Logf("long tasks: %d, while typing %d, the longest of these %d ms", len(w.tasks), len(w.typing()), longest)
}

func (w *robotWatch) quantile(q float64) float64 {
	return w.sales[min(int(q*float64(len(w.sales))), len(w.sales)-1)]
}

// typing are the long tasks while a ticket was typed.
func (w *robotWatch) typing() (found []longTask) {
	for _, task := range w.tasks {
		if task.Typing {
			found = append(found, task)
		}
	}
	return found
}

// requireLimits requires what docs/performance.md promises.
func (w *robotWatch) requireLimits() {
	assert.LessOrEqual(w.robot.t, w.quantile(0.95), float64(robotWithin.Milliseconds()), "milliseconds from the key to the outcome")
	tasks := len(w.typing())
	assert.Zero(w.robot.t, tasks, "tasks of 50 ms or more while typing")
}
