package testkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"banca/storage"
)

// plans is a tracer: it keeps each statement of the code under test once in a test process, and examines its plan at
// the end of the test that made it. A statement must find the rows of a month by an index, whatever the month: the
// first partition of a divided table has indexes that later partitions lack.
type plans struct {
	seen *seenStatements

	mu  sync.Mutex
	new []statement
}

type statement struct {
	sql  string
	args []any
	from string // the function that made it
}

// seenStatements are the statements that a test process has examined.
type seenStatements struct {
	mu   sync.Mutex
	sqls map[string]bool
}

// add reports whether a statement is new.
func (s *seenStatements) add(sql string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sqls[sql] {
		return false
	}
	if s.sqls == nil {
		s.sqls = map[string]bool{}
	}
	s.sqls[sql] = true
	return true
}

// forget leaves statements to another test.
func (s *seenStatements) forget(list []statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range list {
		delete(s.sqls, list[i].sql)
	}
}

func (s *seenStatements) has(sql string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sqls[sql]
}

// TraceQueryStart implements pgx.QueryTracer.
func (p *plans) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	p.see(data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*plans) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements pgx.BatchTracer.
func (p *plans) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		p.see(q.SQL, q.Arguments)
	}
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (*plans) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (*plans) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

var planned = regexp.MustCompile(`(?is)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b`)

func (p *plans) see(sql string, args []any) {
	if p.seen.has(sql) || !planned.MatchString(sql) || crowded(args) {
		return
	}
	if from, tested := maker(); tested && p.seen.add(sql) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.new = append(p.new, statement{sql, slices.Clone(args), from})
	}
}

// fewValues is the longest list of values whose plan is examined.
const fewValues = 32

// crowded reports whether a statement looks for so many values that a read of a whole partition costs less than their
// look-ups in the small tables of a test. It is examined when it is made with fewer.
func crowded(args []any) bool {
	return len(args) > fewValues || slices.ContainsFunc(args, func(arg any) bool {
		v := reflect.ValueOf(arg)
		return v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 && v.Len() > fewValues
	})
}

// callers is how far up the maker of a statement is looked for.
const callers = 64

// maker returns the function that makes the current statement, and whether it belongs to the code under test: not to
// a test, its equipment or a generator of rows.
func maker() (name string, tested bool) {
	var pcs [callers]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(4, pcs[:])])
	for {
		f, more := frames.Next()
		switch {
		case !strings.HasPrefix(f.Function, "banca/") || strings.HasPrefix(f.Function, "banca/storage."):
		case strings.HasSuffix(f.File, "_test.go") || strings.Contains(f.File, "/internal/dev/testkit/") ||
			strings.Contains(f.File, "/internal/setup/seed/"):
			return "", false
		default:
			return f.Function, !slices.ContainsFunc(scanning(),
				func(prefix string) bool { return strings.HasPrefix(f.Function, prefix) })
		}
		if !more {
			return "", false
		}
	}
}

// scanning are the functions whose statements read all rows: those of verification, of the archive, which reads a whole
// month, and of the adoption of a restored dump.
func scanning() []string {
	return []string{"banca/internal/platform/verification.Run", "banca/internal/platform/months.", "banca/internal/closes.AdoptTx"}
}

// check examines the plans of the statements that are new, with nothing but indexes to find rows by.
func (p *plans) check(ctx context.Context, t testing.TB, pg *storage.Postgres) error {
	t.Helper()
	p.mu.Lock()
	list := p.new
	p.new = nil
	p.mu.Unlock()
	if len(list) > 0 && pg.Pool.Ping(ctx) != nil { // the test broke its server
		p.seen.forget(list)
		return nil //nolint:nilerr // nothing can be examined
	}
	for i := range list {
		found, err := scans(ctx, pg, &list[i])
		if err != nil {
			return fmt.Errorf("plan of %s: %w", list[i].from, err)
		}
		if len(found) > 0 {
			t.Errorf("testkit: a statement of %s finds rows of a divided table without an index:\n%s\n%s",
				list[i].from, strings.Join(found, "\n"), list[i].sql)
		}
	}
	return nil
}

var errRolledBack = errors.New("rolled back")

// undefined is the SQLSTATE of a temporary table of another session.
const undefined = "42P01"

// scans returns the nodes of a statement's plan that read a partition of a divided table from its beginning to its end.
func scans(ctx context.Context, pg *storage.Postgres, s *statement) (found []string, err error) {
	var text string
	var partial []string // indexes, whose predicate is a condition, and partitions that are known to be empty
	err = pg.InTx(ctx, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan',
			'enable_mergejoin', 'enable_hashjoin', 'enable_material', 'enable_partition_pruning']) name`)
		if err == nil {
			err = tx.QueryRow(ctx, "EXPLAIN (FORMAT JSON) "+s.sql, s.args...).Scan(&text)
		}
		if err == nil {
			err = tx.QueryRow(ctx, `SELECT coalesce(array_agg(name), '{}') FROM (
				SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indpred IS NOT NULL
				UNION ALL SELECT relname FROM pg_class WHERE relkind = 'r' AND reltuples = 0) AS left_out`).Scan(&partial)
		}
		return errors.Join(err, errRolledBack)
	})
	var failed *pgconn.PgError
	if errors.As(err, &failed) && failed.Code == undefined {
		return nil, nil
	}
	if text == "" {
		return nil, err
	}
	var explained []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(text), &explained); err != nil {
		return nil, err
	}
	for i := range explained {
		found = explained[i].Plan.scans(found, partial, false)
	}
	return found, nil
}

type planNode struct {
	Type      string `json:"Node Type"`
	Role      string `json:"Parent Relationship"`
	Join      string `json:"Join Type"`
	Relation  string `json:"Relation Name"`
	Index     string `json:"Index Name"`
	Condition string `json:"Index Cond"`
	Filter    string `json:"Filter"`
	Plans     []planNode

	joined, listed bool // it is a side of a join; the other side is a limited list of rows
}

var partition = regexp.MustCompile(`^[a-z_]+_(before_)?\d{6}$`)

// scans appends the scans below a node.
func (n *planNode) scans(found, partial []string, limited bool) []string {
	limited = limited && !n.apart() || n.Type == "Limit"
	if n.whole(partial, limited) && partition.MatchString(n.Relation) && !slices.Contains(partial, n.Relation) {
		found = append(found, fmt.Sprintf("%s of %s %s %s", n.Type, n.Relation, n.Index, n.Filter))
	}
	for i := range n.Plans {
		child := &n.Plans[i]
		if strings.HasPrefix(child.Type, "Bitmap") {
			child.Relation, child.Filter = cmp.Or(child.Relation, n.Relation), cmp.Or(child.Filter, n.Filter)
		}
		through := n.Type == "Append" || n.Type == "Bitmap Heap Scan"
		child.joined = n.joined && through || n.Join != ""
		child.listed = n.listed && through || n.joinsList(child)
		found = child.scans(found, partial, limited && n.Type != "Aggregate" && n.Type != "Sort")
	}
	return found
}

// whole reports whether a node reads its relation from the beginning to the end. An index that is read in its order
// until a limit is reached is not, and neither is a partial one. A bitmap of a whole index is what the planner takes of a
// small table also for its order, so it is one of a join or of a filter only.
func (n *planNode) whole(partial []string, limited bool) bool {
	if n.listed {
		return false
	}
	switch n.Type {
	case "Seq Scan":
		return true
	case "Index Scan", "Index Only Scan":
		return n.Condition == "" && !limited && !slices.Contains(partial, n.Index)
	case "Bitmap Index Scan":
		return n.Condition == "" && !slices.Contains(partial, n.Index) && (n.joined || n.Filter != "")
	default:
		return false
	}
}

// joinsList reports whether a node joins a child with a limited list.
func (n *planNode) joinsList(child *planNode) bool {
	return n.Join != "" && slices.ContainsFunc(n.Plans, func(other planNode) bool {
		return (child.Role == "Outer" && other.Role == "Inner" || child.Role == "Inner" && other.Role == "Outer") && other.list()
	})
}

// list reports whether a node is a limited list of rows. What joins it is read as a whole where the table is as small as in
// tests; of a large one the planner takes a look-up for each row of the list.
func (n *planNode) list() bool {
	switch n.Type {
	case "Limit":
		return true
	case "Hash", "Sort", "Unique", "Aggregate", "Materialize", "Subquery Scan":
		return len(n.Plans) == 1 && n.Plans[0].list()
	default:
		return false
	}
}

// apart reports whether a node is read for each row of the node above it, or before them: a limit above ends no such
// read.
func (n *planNode) apart() bool {
	return n.Role == "Inner" || n.Role == "SubPlan" || n.Role == "InitPlan"
}
