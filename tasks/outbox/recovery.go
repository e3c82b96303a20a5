package outbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
	"banca/tasks"
)

// Bounds of a sweep, and its rhythm: a task is first looked for firstCheck after it was enqueued, then at intervals that
// grow with its age up to maxCheck, because what Redis loses is either its newest second of writes or everything, and the
// latter is seen by the marker.
const (
	firstCheck    = 30 * time.Second
	missedCheck   = 10 * time.Second // between the check that misses a task and the check that confirms it
	maxCheck      = time.Hour
	recoverBatch  = 500
	recoverMost   = 20_000                 // rows checked by one sweep
	inspectors    = 8                      // parallel calls to Redis of one batch
	markerPrefix  = "banca:outbox:marker:" // of a queue, with its hash tag
	queuesKey     = "asynq:queues"         // where asynq lists its queues; a client writes each once in its life
	markerTimeout = 5 * time.Second

	archivedLately = 15 * time.Minute // several sweeps, and the difference between the clocks of a worker and of Postgres
	archivedMost   = 10_000           // of one queue: what asynq keeps
)

// Inspector looks tasks up in the queue: an *asynq.Inspector, or a broken one in a test.
type Inspector interface {
	GetTaskInfo(queue, id string) (*asynq.TaskInfo, error)
}

// Recovery finds tasks that are due in Postgres and unknown to the queue.
type Recovery struct {
	pool      *pgxpool.Pool
	redis     redis.UniversalClient
	inspector Inspector
	clock     clock.Clock
}

// NewRecovery returns a recovery of the tasks that relays of pool's database enqueued to the queue on client.
func NewRecovery(pool *pgxpool.Pool, client redis.UniversalClient, inspector Inspector, clk clock.Clock) *Recovery {
	return &Recovery{pool: pool, redis: client, inspector: inspector, clock: clk}
}

// Sweep checks the due rows of outbox_sent and returns the number of tasks of each kind that it put back into outbox,
// where a relay enqueues them again under their ids. A task counts as lost when two checks ten seconds apart do not
// find it: in between, the row of a task that succeeded is deleted. A task that is archived or completed in the queue
// is finished. Any number of sweeps may run at once; each statement is guarded by the row's state. The error is the
// first of Postgres or Redis; the next sweep checks rows that were not decided.
func (r *Recovery) Sweep(ctx context.Context) (map[string]int, error) {
	if err := r.finishArchived(ctx); err != nil {
		return nil, err
	}
	if err := r.checkMarker(ctx); err != nil {
		return nil, err
	}
	lost := map[string]int{}
	list, err := r.dueChecks(ctx)
	if err != nil {
		return lost, err
	}
	for batch := range slices.Chunk(list, recoverBatch) {
		if err := r.checkBatch(ctx, batch, lost); err != nil {
			return lost, err
		}
	}
	return lost, nil
}

// finishArchived deletes the rows of recently archived tasks, before asynq can trim its archive. asynq dates a task
// by the clock of the machine that archives it. The worker reports the tasks that it archives; tasks of killed
// workers are archived by asynq's recoverer, and others by a person.
func (r *Recovery) finishArchived(ctx context.Context) error {
	since := strconv.FormatInt(r.clock.Now().Add(-archivedLately).Unix(), 10)
	var lists []*redis.StringSliceCmd
	_, err := r.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, q := range tasks.Queues() {
			lists = append(lists, p.ZRangeByScore(ctx, "asynq:{"+q.Name+"}:archived", &redis.ZRangeBy{Min: since, Max: "+inf", Count: archivedMost}))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("outbox: archived tasks: %w", err)
	}
	var ids []string
	for _, list := range lists {
		ids = append(ids, list.Val()...)
	}
	if err := finish(ctx, r.pool, ids); err != nil {
		return fmt.Errorf("outbox: archived tasks: %w", err)
	}
	return nil
}

// checkMarker makes every row due for a check if Redis has lost its memory and, with it, a marker. Each queue has one: in
// a cluster a single server may lose the queues that it has. It writes one row, whatever the number of tasks.
func (r *Recovery) checkMarker(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, markerTimeout)
	defer cancel()
	var present []*redis.IntCmd
	_, err := r.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, q := range tasks.Queues() {
			present = append(present, p.Exists(ctx, markerOf(q.Name)))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("outbox: marker: %w", err)
	}
	if !slices.ContainsFunc(present, func(c *redis.IntCmd) bool { return c.Val() == 0 }) {
		return nil
	}
	if _, err := r.pool.Exec(ctx, `UPDATE outbox_losses SET lost_at = now()`); err != nil {
		return fmt.Errorf("outbox: check all: %w", err)
	}
	_, err = r.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, q := range tasks.Queues() { // a queue that is not listed is not shown, and its tasks are not found
			p.SAdd(ctx, queuesKey, q.Name)
			p.Set(ctx, markerOf(q.Name), "1", 0)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("outbox: marker: %w", err)
	}
	return nil
}

// markerOf is the key of a queue's marker, in the slot of the queue.
func markerOf(queue string) string { return markerPrefix + "{" + queue + "}" }

// sent is a row of outbox_sent that is due for a check, and the state of its task in the queue.
type sent struct {
	ID     uuid.UUID
	Kind   string
	Missed bool
	ReadAt time.Time // the database's, before the queue was asked

	state taskState
	err   error
}

type taskState int

const (
	taskKnown    taskState = iota // waits, runs or will be retried
	taskFinished                  // archived or completed: the queue will not run it again
	taskUnknown
)

// dueChecksSQL reads outbox_sent as a whole, once a sweep. The table has no index but its key, which every task would pay for.
const dueChecksSQL = `SELECT id, kind, missed, now() FROM outbox_sent
	WHERE check_at <= now() OR checked_at <= (SELECT lost_at FROM outbox_losses) ORDER BY check_at LIMIT $1`

func (r *Recovery) dueChecks(ctx context.Context) ([]sent, error) {
	rows, err := r.pool.Query(ctx, dueChecksSQL, recoverMost)
	if err != nil {
		return nil, fmt.Errorf("outbox: due checks: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (sent, error) {
		var s sent
		err := row.Scan(&s.ID, &s.Kind, &s.Missed, &s.ReadAt)
		return s, err
	})
	if err != nil {
		return nil, fmt.Errorf("outbox: due checks: %w", err)
	}
	return list, nil
}

// checkBatch asks the queue for the tasks of rows and writes what becomes of the rows.
func (r *Recovery) checkBatch(ctx context.Context, list []sent, lost map[string]int) error {
	r.inspectAll(list)
	d := decide(list)
	if err := d.err; err != nil {
		return fmt.Errorf("outbox: inspect: %w", err)
	}
	if err := r.apply(ctx, &d, list[0].ReadAt, lost); err != nil {
		return fmt.Errorf("outbox: recover: %w", err)
	}
	return nil
}

// inspectAll asks the queue for the tasks in parallel and notes the answer in each.
func (r *Recovery) inspectAll(list []sent) {
	var workers sync.WaitGroup
	for w := range min(inspectors, len(list)) {
		workers.Go(func() {
			for i := w; i < len(list); i += inspectors {
				list[i].state, list[i].err = r.inspect(&list[i])
			}
		})
	}
	workers.Wait()
}

func (r *Recovery) inspect(s *sent) (taskState, error) {
	spec, ok := tasks.SpecOf(s.Kind)
	if !ok {
		return taskKnown, nil // a newer release wrote it, and checks it
	}
	info, err := r.inspector.GetTaskInfo(spec.Queue, s.ID.String())
	switch {
	case errors.Is(err, asynq.ErrTaskNotFound), errors.Is(err, asynq.ErrQueueNotFound):
		return taskUnknown, nil
	case err != nil:
		return taskKnown, err
	case info.State == asynq.TaskStateArchived, info.State == asynq.TaskStateCompleted:
		return taskFinished, nil
	default:
		return taskKnown, nil
	}
}

// decisions are the ids of checked rows by what becomes of them.
type decisions struct {
	finished, known, missed, lost []uuid.UUID
	err                           error
}

func decide(list []sent) decisions {
	var d decisions
	for i := range list {
		s := &list[i]
		switch {
		case s.err != nil:
			d.err = s.err
		case s.state == taskFinished:
			d.finished = append(d.finished, s.ID)
		case s.state == taskKnown:
			d.known = append(d.known, s.ID)
		case s.Missed:
			d.lost = append(d.lost, s.ID)
		default:
			d.missed = append(d.missed, s.ID)
		}
	}
	return d
}

const (
	checkLaterSQL = `UPDATE outbox_sent SET missed = false, checked_at = $4,
		check_at = now() + least(greatest(now() - sent_at, make_interval(secs => $2)), make_interval(secs => $3)) WHERE id = ANY($1)`
	noteMissedSQL = `UPDATE outbox_sent SET missed = true, checked_at = $3, check_at = now() + make_interval(secs => $2) WHERE id = ANY($1) AND NOT missed`
	putBackSQL    = `WITH lost AS (DELETE FROM outbox_sent WHERE id = ANY($1) AND missed AND check_at <= now()
			RETURNING id, kind, payload, process_at, created_at),
		back AS (INSERT INTO outbox (id, kind, payload, process_at, created_at)
			SELECT id, kind, payload, process_at, created_at FROM lost ON CONFLICT (id) DO NOTHING)
		SELECT kind, count(*) FROM lost GROUP BY kind`
)

// apply writes the decisions on rows that were read at an instant, each group by one statement in one order of the groups.
func (r *Recovery) apply(ctx context.Context, d *decisions, readAt time.Time, lost map[string]int) error {
	_, err := r.pool.Exec(ctx, `DELETE FROM outbox_sent WHERE id = ANY($1)`, d.finished)
	if err == nil {
		_, err = r.pool.Exec(ctx, checkLaterSQL, d.known, firstCheck.Seconds(), maxCheck.Seconds(), readAt)
	}
	if err == nil {
		_, err = r.pool.Exec(ctx, noteMissedSQL, d.missed, missedCheck.Seconds(), readAt)
	}
	if err != nil {
		return err
	}
	rows, err := r.pool.Query(ctx, putBackSQL, d.lost)
	if err != nil {
		return err
	}
	var kind string
	var n int
	_, err = pgx.ForEachRow(rows, []any{&kind, &n}, func() error {
		lost[kind] += n
		return nil
	})
	return err
}
