package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
	"banca/tasks"
)

// Bounds of the archive of a queue. asynq deletes archived tasks after 90 days, and the oldest beyond 10,000, in the script
// that archives the next one, all at once: Lua passes at most some 8,000 arguments, so the script fails when more are due, and
// with it every archiving of the queue. Trim deletes them before, in batches.
const (
	archiveAge   = 89 * 24 * time.Hour
	archiveMost  = 9_900 // tasks
	archiveBatch = 500   // tasks deleted by one call of the script
	trimMost     = 1_000 // batches of one queue
)

// dueScript returns up to ARGV[2] of the oldest archived tasks that are due: those archived before ARGV[1], and those beyond
// ARGV[3]. KEYS[1] is the archive of the queue.
const dueScript = `
local batch = tonumber(ARGV[2])
local due = math.max(redis.call("ZCOUNT", KEYS[1], "-inf", ARGV[1]), redis.call("ZCARD", KEYS[1]) - tonumber(ARGV[3]))
local n = math.min(batch, due)
if n <= 0 then
	return {}
end
return redis.call("ZRANGE", KEYS[1], 0, n - 1)`

// deleteScript deletes the tasks ARGV[2] and later that are still archived. KEYS[1] is the archive of the queue, and ARGV[1]
// the prefix of its tasks, in the same slot of a cluster.
const deleteScript = `
local n = 0
for i = 2, #ARGV do
	local removed = redis.call("ZREM", KEYS[1], ARGV[i])
	if removed == 1 then
		redis.call("DEL", ARGV[1] .. ARGV[i])
	end
	n = n + removed
end
return n`

// Archive trims the archived tasks of the queues, those whose retries are used up.
type Archive struct {
	pool   *pgxpool.Pool
	redis  redis.UniversalClient
	clock  clock.Clock
	due    *redis.Script
	delete *redis.Script
}

// NewArchive returns the archive of the queues on client, whose tasks come from pool's database.
func NewArchive(pool *pgxpool.Pool, client redis.UniversalClient, clk clock.Clock) *Archive {
	return &Archive{pool: pool, redis: client, clock: clk, due: redis.NewScript(dueScript), delete: redis.NewScript(deleteScript)}
}

// Trim deletes the archived tasks of every queue that are older than 89 days, and the oldest beyond 9,900, and returns their
// number. Any number may run at once, and repeating it is harmless. The error names the queues that were not trimmed.
func (a *Archive) Trim(ctx context.Context) (int, error) {
	total := 0
	var failed error
	for _, queue := range tasks.Queues() {
		n, err := a.trimQueue(ctx, queue.Name)
		total += n
		failed = errors.Join(failed, err)
	}
	return total, failed
}

func (a *Archive) trimQueue(ctx context.Context, queue string) (int, error) {
	before := a.clock.Now().Add(-archiveAge).Unix()
	prefix := "asynq:{" + queue + "}:"
	total := 0
	for range trimMost {
		due, err := a.due.Run(ctx, a.redis, []string{prefix + "archived"}, before, archiveBatch, archiveMost).StringSlice()
		if err != nil {
			return total, fmt.Errorf("outbox: trim archive of %s: %w", queue, err)
		}
		n, err := a.deleteTasks(ctx, prefix, due)
		if err != nil {
			return total, fmt.Errorf("outbox: trim archive of %s: %w", queue, err)
		}
		if total += n; len(due) < archiveBatch {
			break
		}
	}
	return total, nil
}

// deleteTasks deletes archived tasks of a queue. Their rows of outbox_sent are deleted first: a row without a task is a lost
// task, which the sweep enqueues again.
func (a *Archive) deleteTasks(ctx context.Context, prefix string, ids []string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	if err := finish(ctx, a.pool, ids); err != nil {
		return 0, err
	}
	args := make([]any, 0, len(ids)+1)
	args = append(args, prefix+"t:")
	for _, id := range ids {
		args = append(args, id)
	}
	return a.delete.Run(ctx, a.redis, []string{prefix + "archived"}, args...).Int()
}

// finish deletes the rows of outbox_sent of tasks that the queue will not run again. An id that is not a UUID has no row.
func finish(ctx context.Context, pool *pgxpool.Pool, taskIDs []string) error {
	ids := make([]uuid.UUID, 0, len(taskIDs))
	for _, s := range taskIDs {
		if id, err := uuid.Parse(s); err == nil {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := pool.Exec(ctx, `DELETE FROM outbox_sent WHERE id = ANY($1)`, ids)
	return err
}
