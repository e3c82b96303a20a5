package outbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/clock"
	"banca/tasks"
)

// Bounds of the archive of a queue. asynq deletes archived tasks after 90 days, and the oldest beyond 10,000, in the script
// that archives the next one, all at once: Lua passes at most some 8,000 arguments, so the script fails when more are due, and
// with it every archiving of the queue. Prune deletes them before, in batches.
const (
	archiveAge   = 89 * 24 * time.Hour
	archiveMost  = 9_900 // tasks
	archiveBatch = 500   // tasks deleted by one call of the script
	pruneMost    = 1_000 // batches of one queue
)

// pruneScript deletes up to ARGV[2] of the oldest archived tasks: those archived before ARGV[1], and those beyond ARGV[3].
// KEYS[1] is the archive of the queue, and ARGV[4] the prefix of its tasks, in the same slot of a cluster.
const pruneScript = `
local batch = tonumber(ARGV[2])
local due = math.max(redis.call("ZCOUNT", KEYS[1], "-inf", ARGV[1]), redis.call("ZCARD", KEYS[1]) - tonumber(ARGV[3]))
local n = math.min(batch, due)
if n <= 0 then
	return 0
end
local ids = redis.call("ZRANGE", KEYS[1], 0, n - 1)
for _, id in ipairs(ids) do
	redis.call("DEL", ARGV[4] .. id)
end
redis.call("ZREM", KEYS[1], unpack(ids))
return #ids`

// Archive is what the queues keep of tasks that failed for good.
type Archive struct {
	redis redis.UniversalClient
	clock clock.Clock
	prune *redis.Script
}

// NewArchive returns the archive of the queues on client.
func NewArchive(client redis.UniversalClient, clk clock.Clock) *Archive {
	return &Archive{redis: client, clock: clk, prune: redis.NewScript(pruneScript)}
}

// Prune deletes the archived tasks of every queue that are older than 89 days, and the oldest beyond 9,900, and returns their
// number. Any number of prunes may run at once, and repeating it is harmless. The error names the queues that were not pruned.
func (a *Archive) Prune(ctx context.Context) (int, error) {
	total := 0
	var failed error
	for _, queue := range tasks.Queues() {
		n, err := a.pruneQueue(ctx, queue.Name)
		total += n
		failed = errors.Join(failed, err)
	}
	return total, failed
}

func (a *Archive) pruneQueue(ctx context.Context, queue string) (int, error) {
	before := a.clock.Now().Add(-archiveAge).Unix()
	prefix := "asynq:{" + queue + "}:"
	total := 0
	for range pruneMost {
		n, err := a.prune.Run(ctx, a.redis, []string{prefix + "archived"}, before, archiveBatch, archiveMost, prefix+"t:").Int()
		if err != nil {
			return total, fmt.Errorf("outbox: prune archive of %s: %w", queue, err)
		}
		if total += n; n < archiveBatch {
			break
		}
	}
	return total, nil
}
