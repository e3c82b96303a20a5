package risk

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"banca/models"
)

const (
	rebuildChunk = 100             // draws whose locks one rebuild holds at once
	loadChunk    = 500             // fields of one HSET
	healTimeout  = 3 * time.Second // a sale waits no longer for counters to come back
)

// LockKey names a draw in Postgres advisory locks. A sale holds the lock shared while it commits;
// who needs the draw's sales to stand still (rebuild, sweep, closing) takes it exclusively.
func LockKey(draw uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(draw[:8]) ^ binary.BigEndian.Uint64(draw[8:])) //nolint:gosec // any 64 bits will do
}

// SortedLockKeys returns the keys of draws in the one order in which everybody takes them.
func SortedLockKeys(draws []uuid.UUID) []int64 {
	keys := make([]int64, len(draws))
	for i, d := range draws {
		keys[i] = LockKey(d)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// heal rebuilds the counters of the draws of some calls and reports whether the calls may be tried
// again. Sales that find the same draw lost wait for one rebuild.
func (s *Service) heal(ctx context.Context, calls []call) bool {
	for i := range calls {
		draw := calls[i].draw
		_, err, _ := s.flight.Do(draw.String(), func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), healTimeout)
			defer cancel()
			return nil, s.Rebuild(ctx, []uuid.UUID{draw}, false)
		})
		if err != nil {
			return false
		}
	}
	return true
}

// Rebuild recomputes the counters of draws from Postgres. Unless forced, draws whose counters are
// ready are left alone. It holds each draw's lock exclusively, so no sale commits meanwhile, and
// raises the draw's epoch, so no reservation made before can commit after.
func (s *Service) Rebuild(ctx context.Context, draws []uuid.UUID, force bool) error {
	for chunk := range slices.Chunk(draws, rebuildChunk) {
		err := s.pg.InTx(ctx, func(tx pgx.Tx) error { return s.rebuildTx(ctx, tx, chunk, force) })
		if err != nil {
			return fmt.Errorf("rebuild counters: %w", err)
		}
	}
	return nil
}

func (s *Service) rebuildTx(ctx context.Context, tx pgx.Tx, draws []uuid.UUID, force bool) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k`, SortedLockKeys(draws)); err != nil {
		return err
	}
	run, err := s.scripts.current(ctx)
	if err != nil {
		return err
	}
	if live, err := runID(ctx, s.redis); err != nil {
		return err
	} else if live != run.run {
		if run, err = s.scripts.reload(ctx, run); err != nil {
			return err
		}
	}
	if !force {
		if draws, err = s.lostOf(ctx, run, draws); err != nil || len(draws) == 0 {
			return err
		}
	}
	heads, err := raiseEpochs(ctx, tx, draws)
	if err != nil {
		return err
	}
	counts, err := countSold(ctx, tx, draws)
	if err != nil {
		return err
	}
	return s.load(ctx, run, heads, counts)
}

// lostOf returns the draws whose counters are missing or not of this run.
func (s *Service) lostOf(ctx context.Context, run *scripts, draws []uuid.UUID) ([]uuid.UUID, error) {
	cmds := make([]*redis.StringCmd, len(draws))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			cmds[i] = p.HGet(ctx, keysOf(d)[0], "run")
		}
		return nil
	})
	if err != nil && err != redis.Nil { //nolint:errorlint // the library documents the comparison
		return nil, err
	}
	var lost []uuid.UUID
	for i, cmd := range cmds {
		if cmd.Val() != run.run {
			lost = append(lost, draws[i])
		}
	}
	return lost, nil
}

// head is what a draw's counters begin with.
type head struct {
	draw  uuid.UUID
	epoch int64
	time  time.Time
}

func raiseEpochs(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) ([]head, error) {
	ids := make([][16]byte, len(draws))
	for i, d := range draws {
		ids[i] = d
	}
	rows, err := tx.Query(ctx, `UPDATE draws SET risk_epoch = risk_epoch + 1 WHERE id = ANY ($1::uuid[]) RETURNING id, risk_epoch, draw_time`, ids)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h head, err error) {
		err = row.Scan(&h.draw, &h.epoch, &h.time)
		return h, err
	})
}

// countSold sums what was sold and not cancelled, at every level of every seller's chain.
func countSold(ctx context.Context, tx pgx.Tx, draws []uuid.UUID) (map[uuid.UUID]map[string]int64, error) {
	ids := make([][16]byte, len(draws))
	for i, d := range draws {
		ids[i] = d
	}
	rows, err := tx.Query(ctx, `
		WITH sold AS (
			SELECT i.draw_id, t.entity_id, t.currency_id, i.bet_type || '|' || i.selection AS key,
				sum(i.amount) AS stake, sum(i.potential_prize) AS liability
			FROM ticket_items i JOIN tickets t ON t.id = i.ticket_id
			WHERE i.draw_id = ANY ($1::uuid[]) AND t.status <> $2
			GROUP BY 1, 2, 3, 4)
		SELECT s.draw_id, a.no, c.code, s.key, sum(s.stake)::bigint, sum(s.liability)::bigint
		FROM sold s JOIN entities e ON e.id = s.entity_id JOIN currencies c ON c.id = s.currency_id
		JOIN entities a ON a.id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])
		GROUP BY 1, 2, 3, 4`, ids, models.TicketCancelled)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	counts := make(map[uuid.UUID]map[string]int64, len(draws))
	for rows.Next() {
		var draw uuid.UUID
		var no int
		var currency, key string
		var stake, liability int64
		if err := rows.Scan(&draw, &no, &currency, &key, &stake, &liability); err != nil {
			return nil, err
		}
		if counts[draw] == nil {
			counts[draw] = make(map[string]int64)
		}
		prefix := strconv.Itoa(no) + ":" + currency + ":"
		counts[draw][prefix+"s:"+key] += stake
		counts[draw][prefix+"l:"+key] += liability
		counts[draw][prefix+"t"] += stake
	}
	return counts, rows.Err()
}

// load replaces the counters in Redis. The mark of the run is written last: until then every script
// answers that the counters are not ready.
func (s *Service) load(ctx context.Context, run *scripts, heads []head, counts map[uuid.UUID]map[string]int64) error {
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, h := range heads {
			keys := keysOf(h.draw)
			p.Unlink(ctx, keys[0], keys[1])
			fields := make([]any, 0, loadChunk*2)
			for field, n := range counts[h.draw] {
				if fields = append(fields, field, n); len(fields) == cap(fields) {
					p.HSet(ctx, keys[0], fields...)
					fields = fields[:0:cap(fields)]
				}
			}
			if len(fields) > 0 {
				p.HSet(ctx, keys[0], fields...)
			}
			p.HSet(ctx, keys[0], "run", run.run, "epoch", h.epoch)
			p.ExpireAt(ctx, keys[0], h.time.Add(keepCounters))
		}
		return nil
	})
	return err
}
