// Package lockorder checks in tests that transactions take locks in the order of [storage.Lock].
package lockorder

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"banca/storage"
)

// Tracer is a tracer for tests: it reads from the statements of each transaction which locks that takes, and keeps
// every violation of the order of [storage.Lock].
type Tracer struct {
	mu         sync.Mutex
	parsed     map[string][]lockUse
	held       map[*pgx.Conn]*heldLocks
	violations []string
}

// heldLocks are the locks of a transaction, with the statement that took each kind first, and the keys of draws.
type heldLocks struct {
	kinds map[storage.Lock]string
	draws []int64
}

// New returns a tracer that has seen nothing.
func New() *Tracer {
	return &Tracer{parsed: map[string][]lockUse{}, held: map[*pgx.Conn]*heldLocks{}}
}

// Violations returns the violations so far, each once.
func (o *Tracer) Violations() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.violations)
}

// TraceQueryStart implements pgx.QueryTracer.
func (o *Tracer) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	o.begin(conn)
	o.see(conn, data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (o *Tracer) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer. A batch outside a transaction is a transaction.
func (o *Tracer) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	o.begin(conn)
	for _, q := range data.Batch.QueuedQueries {
		o.see(conn, q.SQL, q.Arguments)
	}
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (o *Tracer) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (o *Tracer) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// idle is the status of a connection outside of transactions.
const idle = 'I'

// begin forgets the locks of a transaction that has ended.
func (o *Tracer) begin(conn *pgx.Conn) {
	if conn.PgConn().TxStatus() != idle {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.held, conn)
}

// see compares the locks that a statement takes with those that the transaction holds.
func (o *Tracer) see(conn *pgx.Conn, sql string, args []any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	uses, known := o.parsed[sql]
	if !known {
		uses = lockUses(sql)
		o.parsed[sql] = uses
	}
	if len(uses) == 0 {
		return
	}
	h := o.held[conn]
	if h == nil {
		h = &heldLocks{kinds: map[storage.Lock]string{}}
		o.held[conn] = h
	}
	for _, use := range uses {
		if use.waits {
			o.compare(h, use.lock, sql)
		}
		if use.lock == storage.LockDraw {
			o.compareDraws(h, sql, args)
		}
	}
	for _, use := range uses {
		if _, again := h.kinds[use.lock]; !again {
			h.kinds[use.lock] = sql
		}
	}
}

func (o *Tracer) compare(h *heldLocks, l storage.Lock, sql string) {
	if _, again := h.kinds[l]; again {
		return
	}
	for _, k := range slices.Sorted(maps.Keys(h.kinds)) {
		if k > l {
			o.violation("%s is taken after %s:\n\t%s\n\tafter %s", l, k, brief(sql), brief(h.kinds[k]))
			return
		}
	}
}

// compareDraws checks that the keys of draws, which are the statement's first parameter, ascend.
func (o *Tracer) compareDraws(h *heldLocks, sql string, args []any) {
	if len(args) == 0 {
		return
	}
	keys, _ := args[0].([]int64)
	if key, ok := args[0].(int64); ok {
		keys = []int64{key}
	}
	for _, key := range keys {
		if slices.Contains(h.draws, key) {
			continue
		}
		if len(h.draws) > 0 && key < slices.Max(h.draws) {
			o.violation("draws are locked in no order: %s", brief(sql))
			return
		}
		h.draws = append(h.draws, key)
	}
}

func (o *Tracer) violation(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(o.violations, text) {
		o.violations = append(o.violations, text)
	}
}

const maxBrief = 160 // bytes of a statement in a violation

func brief(sql string) string {
	sql = strings.Join(strings.Fields(sql), " ")
	return sql[:min(len(sql), maxBrief)]
}
