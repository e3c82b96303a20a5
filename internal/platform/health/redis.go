package health

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"banca/internal/platform/clock"
	"banca/tasks"
)

// Keys of asynq. Its inspector has no contexts, so that a call cannot be bounded.
const (
	queuePrefix  = "asynq:{"
	serversKey   = "asynq:servers"
	taskField    = "pending_since"
	versionField = "redis_version:"
)

// QueueProbe reads the queues and the number of workers.
func QueueProbe(client redis.UniversalClient, clk clock.Clock) Probe {
	return Probe{Name: "queues", Read: func(ctx context.Context) (func(*Figures), error) {
		queues, err := readQueues(ctx, client, clk.Now())
		return func(f *Figures) { f.Queues = queues }, err
	}}
}

// queueReads are the answers that make a queue.
type queueReads struct {
	pending, active            *redis.IntCmd
	scheduled, retry, archived *redis.IntCmd
	paused                     *redis.IntCmd
	processed, failed          *redis.StringCmd
	oldest                     *redis.StringSliceCmd
	since                      *redis.StringCmd // nil for an empty queue
}

// readQueues reads all queues in two round trips: the second one asks when the oldest pending tasks were enqueued.
func readQueues(ctx context.Context, client redis.UniversalClient, now time.Time) (*Queues, error) {
	names, today := tasks.Queues(), now.UTC().Format(time.DateOnly)
	reads := make([]queueReads, len(names))
	var workers *redis.IntCmd
	_, err := client.Pipelined(ctx, func(p redis.Pipeliner) error {
		workers = p.ZCount(ctx, serversKey, strconv.FormatInt(now.Unix(), 10), "+inf")
		for i, q := range names {
			key := queuePrefix + q.Name + "}:"
			reads[i] = queueReads{
				pending: p.LLen(ctx, key+"pending"), active: p.LLen(ctx, key+"active"), scheduled: p.ZCard(ctx, key+"scheduled"), retry: p.ZCard(ctx, key+"retry"),
				archived: p.ZCard(ctx, key+"archived"), paused: p.Exists(ctx, key+"paused"),
				processed: p.Get(ctx, key+"processed:"+today), failed: p.Get(ctx, key+"failed:"+today),
				oldest: p.LRange(ctx, key+"pending", -1, -1),
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	_, err = client.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, q := range names {
			if ids := reads[i].oldest.Val(); len(ids) > 0 {
				reads[i].since = p.HGet(ctx, queuePrefix+q.Name+"}:t:"+ids[0], taskField)
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, redis.Nil) {
		return nil, err
	}
	out := &Queues{Workers: workers.Val()}
	for i, q := range names {
		out.Queues = append(out.Queues, reads[i].queue(q.Name, now))
	}
	return out, nil
}

func (r *queueReads) queue(name string, now time.Time) Queue {
	q := Queue{
		Name: name, Pending: r.pending.Val(), Active: r.active.Val(), Scheduled: r.scheduled.Val(), Retry: r.retry.Val(), Archived: r.archived.Val(),
		Paused: r.paused.Val() > 0,
	}
	q.ProcessedToday, _ = strconv.ParseInt(r.processed.Val(), 10, 64) // a missing count is 0
	q.FailedToday, _ = strconv.ParseInt(r.failed.Val(), 10, 64)
	if r.since != nil {
		if since, err := strconv.ParseInt(r.since.Val(), 10, 64); err == nil {
			q.Lag = max(0, now.Sub(time.Unix(0, since)))
		}
	}
	return q
}

// RedisProbe reads the version of Redis.
func RedisProbe(client redis.UniversalClient) Probe {
	return Probe{Name: "redis", Every: time.Minute, Read: func(ctx context.Context) (func(*Figures), error) {
		info, err := client.Info(ctx, "server").Result()
		version := ""
		if _, after, found := strings.Cut(info, versionField); found {
			version, _, _ = strings.Cut(after, "\r\n")
		}
		return func(f *Figures) { f.Versions.Redis = version }, err
	}}
}
