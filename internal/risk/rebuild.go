package risk

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"

	"banca/internal/drawstate"
	"banca/internal/org"
	"banca/models"
	"banca/storage"
)

const (
	rebuildChunk = 100 // draws whose locks one rebuild holds at once
	loadChunk    = 500 // fields of one HSET
	rebuildCalls = 3   // a sale waits for the rebuild of counts as long as for this many calls to Redis
)

// rebuildLost rebuilds the counts of draws that are lost or of another plan and reports whether they may be
// asked again. Sales that find the same draw lost wait for one rebuild.
func (s *Service) rebuildLost(ctx context.Context, draws []uuid.UUID) bool {
	for _, draw := range draws {
		_, err, _ := s.flight.Do(draw.String(), func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rebuildCalls*s.timeout)
			defer cancel()
			return nil, s.Rebuild(ctx, []uuid.UUID{draw}, false)
		})
		if err != nil {
			return false
		}
	}
	return true
}

// Rebuild recomputes the counts of draws from Postgres. Unless forced, draws with ready counts are left alone. It
// holds each draw's lock exclusively, so no sale commits meanwhile, and raises the draw's epoch, so no earlier
// reservation can commit afterwards. If it fails after Redis stored the counts, their epoch is not in Postgres:
// nothing commits on them, and the next Rebuild finds them lost.
func (s *Service) Rebuild(ctx context.Context, draws []uuid.UUID, force bool) error {
	for chunk := range slices.Chunk(draws, rebuildChunk) {
		table, err := s.loadLimits(ctx, struct{}{}) // outside of the transaction, which holds a connection already
		if err != nil {
			return err
		}
		err = s.pg.InTx(ctx, func(tx pgx.Tx) error { return s.rebuildTx(ctx, tx, table.plan, chunk, force) })
		if err != nil {
			return fmt.Errorf("rebuild counts: %w", err)
		}
	}
	return nil
}

// RebuildAll recomputes the counts of every draw on sale, one draw at a time, because entities were moved.
func (s *Service) RebuildAll(ctx context.Context) error {
	draws, err := s.onSale(ctx)
	if err != nil {
		return err
	}
	for _, draw := range draws {
		if err := s.Rebuild(ctx, []uuid.UUID{draw}, true); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) rebuildTx(ctx context.Context, tx pgx.Tx, plan plan, draws []uuid.UUID, force bool) error {
	if err := storage.LockDraws(ctx, tx, draws); err != nil {
		return err
	}
	live, err := s.nodes.live(ctx, draws)
	if err != nil {
		return err
	}
	if !force {
		if draws, err = s.lostOf(ctx, tx, stamp{live, plan}, draws); err != nil || len(draws) == 0 {
			return err
		}
	}
	heads, err := drawstate.RaiseEpochsTx(ctx, tx, draws)
	if err != nil {
		return err
	}
	counts, err := countSold(ctx, tx, plan, draws)
	if err != nil {
		return err
	}
	return s.load(ctx, stamp{live, plan}, heads, counts)
}

// stamp is what counts must carry to be of use: the run of the Redis they live in and the plan they follow.
type stamp struct {
	runs runs
	plan plan
}

// stampNow returns the stamp of the live runs and of the limits as Postgres has them.
func (s *Service) stampNow(ctx context.Context, draws []uuid.UUID) (stamp, error) {
	live, err := s.nodes.live(ctx, draws)
	if err != nil {
		return stamp{}, err
	}
	table, err := s.loadLimits(ctx, struct{}{})
	return stamp{live, table.plan}, err
}

// lostOf returns the draws whose counts are missing, not of this stamp, or not of the draw's epoch and revision.
func (s *Service) lostOf(ctx context.Context, q storage.Querier, want stamp, draws []uuid.UUID) ([]uuid.UUID, error) {
	marks, err := marksOf(ctx, q, draws)
	if err != nil {
		return nil, err
	}
	cmds := make([]*redis.SliceCmd, len(draws))
	_, err = s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			cmds[i] = p.HMGet(ctx, keysOf(d)[0], "run", "epoch", "plan", revField)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var lost []uuid.UUID
	for i, cmd := range cmds {
		mark := marks[draws[i]]
		if head := cmd.Val(); len(head) != 4 || head[0] != want.runs.of(draws[i]) || head[1] != mark.epoch || head[2] != want.plan.String() || revIn(head[3]) != mark.rev {
			lost = append(lost, draws[i])
		}
	}
	return lost, nil
}

// mark is the epoch and revision that the counts of a draw must carry, as Redis stores them.
type mark struct{ epoch, rev string }

func marksOf(ctx context.Context, q storage.Querier, draws []uuid.UUID) (map[uuid.UUID]mark, error) {
	rows, err := q.Query(
		ctx, `SELECT id, risk_epoch::text, risk_rev::text FROM draws WHERE id = ANY ($1::uuid[])`, storage.UUIDs(draws),
	)
	if err != nil {
		return nil, err
	}
	marks := make(map[uuid.UUID]mark, len(draws))
	var id uuid.UUID
	var m mark
	_, err = pgx.ForEachRow(rows, []any{&id, &m.epoch, &m.rev}, func() error { marks[id] = m; return nil })
	return marks, err
}

// revIn reads the revision that counts carry; those without one were made before there were any.
func revIn(field any) string {
	if text, _ := field.(string); text != "" {
		return text
	}
	return "0"
}

// countSold sums the tickets that were sold and not cancelled, at every counted level of every seller's chain.
func countSold(ctx context.Context, tx pgx.Tx, plan plan, draws []uuid.UUID) (map[uuid.UUID]map[string]int64, error) {
	rows, err := tx.Query(ctx, `
		WITH sold AS (
			SELECT i.draw_id, t.entity_id, t.currency_id, i.bet_type || '|' || i.selection AS key,
				sum(i.amount) AS stake, sum(i.potential_prize) AS liability
			FROM ticket_lines i JOIN tickets t ON t.id = i.ticket_id
			WHERE i.draw_id = ANY ($1::uuid[]) AND t.status <> $2
			GROUP BY 1, 2, 3, 4)
		SELECT s.draw_id, a.no, a.entity_type, c.code, s.key, sum(s.stake)::bigint, sum(s.liability)::bigint
		FROM sold s JOIN entities e ON e.id = s.entity_id JOIN currencies c ON c.id = s.currency_id
		JOIN entities a ON a.id = ANY (string_to_array(trim(BOTH '/' FROM e.path), '/')::uuid[])
		WHERE a.entity_type = ANY ($3::text[])
		GROUP BY 1, 2, 3, 4, 5`, storage.UUIDs(draws), models.TicketCancelled, plan.levels())
	if err != nil {
		return nil, err
	}
	counts := make(map[uuid.UUID]map[string]int64, len(draws))
	var draw uuid.UUID
	var no int
	var kind, currency string
	var line counted
	_, err = pgx.ForEachRow(rows, []any{&draw, &no, &kind, &currency, &line.key, &line.stake, &line.liability}, func() error {
		if counts[draw] == nil {
			counts[draw] = make(map[string]int64)
		}
		for _, c := range plan.countsOf(org.Chain{{No: no, Type: kind}}, currency, []counted{line}) {
			counts[draw][c.name] += c.add
		}
		return nil
	})
	return counts, err
}

// load replaces the counts in Redis, atomically per draw: the commands of two rebuilds may reach Redis interleaved,
// because the first was given up, and must not mix.
func (s *Service) load(
	ctx context.Context, stamp stamp, heads []drawstate.Head, counts map[uuid.UUID]map[string]int64,
) error {
	for _, h := range heads {
		_, err := s.redis.TxPipelined(ctx, func(p redis.Pipeliner) error {
			queueCounts(ctx, p, stamp, h, counts[h.DrawID])
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A value of more than 64 bytes makes Redis keep the counts as a hash table from the start. The packed
// list it uses for small hashes is searched from its beginning: a sale took four times as long.
const (
	closedField = "closed" // present when the draw sells no more
	revField    = "rev"    // of the limits that name the draw
	aboutField  = "about"
	about       = "<entity number>:<currency>:t total, :s:<bet|selection> stake, :l:<bet|selection> liability"
)

// headFields are not counts.
//
//nolint:gochecknoglobals // a constant
var headFields = [...]string{aboutField, "run", "epoch", "plan", closedField, revField}

func queueCounts(ctx context.Context, p redis.Pipeliner, stamp stamp, h drawstate.Head, counts map[string]int64) {
	keys := keysOf(h.DrawID)
	p.Unlink(ctx, keys[0], keys[1])
	fields := make([]any, 0, loadChunk*2)
	for field, n := range counts {
		if fields = append(fields, field, n); len(fields) == cap(fields) {
			p.HSet(ctx, keys[0], fields...)
			fields = make([]any, 0, loadChunk*2) // the pipeline keeps the one before
		}
	}
	p.HSet(ctx, keys[0], append(fields, aboutField, about, "run", stamp.runs.of(h.DrawID), "epoch", h.Epoch, "plan", stamp.plan.String(), revField, h.Rev)...)
	if h.Closed {
		p.HSet(ctx, keys[0], closedField, 1)
	}
	p.ExpireAt(ctx, keys[0], h.Time.Add(keepCounts))
}
