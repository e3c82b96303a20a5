package exposure

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"banca/internal/platform/caller"
	"banca/internal/platform/money"
	"banca/models"
	"banca/storage"
)

// soldQuestion selects the sales on draws in a currency and in the caller's scope.
type soldQuestion struct {
	by       caller.Caller
	currency any // $2 of the statement: an id, or ids
	draws    []DrawOf
}

// groupKey is what distinguishes the groups of a draw.
type groupKey struct {
	version        int
	bet, selection string
	payout         money.Payout
}

// boardSums are the sums of a board as of a snapshot of the database. The zero value has read nothing. One goroutine
// uses it at a time.
type boardSums struct {
	snapshot string // a pg_snapshot, "" before the first reading
	sold     map[uuid.UUID]*drawSums
	tickets  map[uuid.UUID]int64 // of all currencies, by draw
	weight   uint32              // groups
}

// drawSums are the groups of a draw in the order in which they were read. Groups whose tickets are all cancelled have
// no lines.
type drawSums struct {
	groups []group
	at     map[groupKey]int
}

// Parts of the statements over the lines of the draws $1. A line has the sign -1 if its ticket was cancelled after
// the snapshot.
const (
	lineColumns = `i.draw_id, i.ticket_id, i.rule_version, i.bet_type COLLATE "C" AS bet_type, i.selection COLLATE "C" AS selection,
			i.payout, i.amount, i.potential_prize, t.currency_id, t.entity_id`

	// ticketOfLine looks the ticket of each line up by its id. The planner expects 19 times the lines that draws on
	// sale have, and would read the tickets of all months for a join: 1,030 instead of 115 ms over ten million lines,
	// 20,000 of them on sale. At some 180,000 the join would be as fast, but it grows with the months that are kept.
	ticketOfLine = ` CROSS JOIN LATERAL (SELECT currency_id, entity_id, status FROM tickets WHERE id = i.ticket_id OFFSET 0) t`

	// linesOfDraws are the lines of all tickets that are not cancelled.
	linesOfDraws = `WITH l AS MATERIALIZED (
		SELECT 1 AS sign, ` + lineColumns + ` FROM ticket_lines i` + ticketOfLine + `
		WHERE i.draw_id = ANY ($1) AND t.status <> '` + models.TicketCancelled + `'`

	// linesSince are the lines of the tickets that were sold, or cancelled, by transactions that the snapshot $3 does
	// not see. $4 is its xmin. A sale has the id of its ticket. A cancellation, and a refund that cancels the ticket,
	// reverses a booking of the sale, and no booking of a cancelled ticket is reversed again.
	linesSince = `WITH x AS MATERIALIZED (
		SELECT DISTINCT b.ticket_id, CASE WHEN b.reverses_id IS NULL THEN 1 ELSE -1 END AS sign
		FROM transactions b WHERE b.xid >= $4 AND NOT pg_visible_in_snapshot(b.xid::text::xid8, $3::text::pg_snapshot)
			AND b.type = '` + models.TransactionSale + `' AND (b.id = b.ticket_id OR b.reverses_id IS NOT NULL)),
	l AS MATERIALIZED (
		SELECT x.sign, ` + lineColumns + ` FROM x JOIN ticket_lines i ON i.ticket_id = x.ticket_id` + ticketOfLine + `
		WHERE i.draw_id = ANY ($1) AND (x.sign > 0 OR t.status = '` + models.TicketCancelled + `')`

	// ofScope keeps the lines that were sold by entities whose path matches a parameter.
	ofScope = ` AND t.entity_id IN (SELECT id FROM entities WHERE path LIKE $%d)`

	// sumsOfLines sums lines in the currency $2 by what decides them, counts the tickets of all currencies in rows
	// without a bet, and has the snapshot of the statement in a row without a draw. The collation "C" groups texts by
	// their bytes.
	sumsOfLines = `)
	SELECT draw_id, rule_version, bet_type, selection, payout, sum(sign * amount)::bigint, sum(sign * potential_prize)::bigint, sum(sign)
		FROM l WHERE currency_id = $2 GROUP BY 1, 2, 3, 4, 5
	UNION ALL SELECT draw_id, 0, '', '', 0, 0, 0, sum(sign) FROM (SELECT DISTINCT draw_id, ticket_id, sign FROM l) d GROUP BY 1
	UNION ALL SELECT '00000000-0000-0000-0000-000000000000', 0, '', pg_current_snapshot()::text, 0, 0, 0, 0`
)

// advance reads the commits since the snapshot, or everything, and returns the sales by draw and the numbers of
// tickets. After an error the sums must not be used again.
func (b *boardSums) advance(
	ctx context.Context, pg *storage.Postgres, q *soldQuestion,
) (map[uuid.UUID][]group, map[uuid.UUID]int64, error) {
	sql, args, err := q.lines(b.snapshot)
	if err != nil {
		return nil, nil, err
	}
	if b.snapshot == "" {
		b.sold, b.tickets = map[uuid.UUID]*drawSums{}, map[uuid.UUID]int64{}
	}
	var draw uuid.UUID
	var g group
	err = storage.Each(ctx, pg.Pool, "exposure of draws", []any{(*[16]byte)(&draw), &g.Version, &g.Bet, &g.Selection, &g.Payout, &g.Stake, &g.Liability, &g.Lines}, func() error {
		switch {
		case draw == uuid.Nil:
			b.snapshot = g.Selection
		case g.Bet == "":
			b.tickets[draw] += g.Lines
		default:
			b.add(draw, &g)
		}
		return nil
	}, sql+sumsOfLines, args...)
	if err != nil {
		return nil, nil, err
	}
	sold, tickets := b.copySums()
	return sold, tickets, nil
}

// lines begins the statement of the next reading after a snapshot, or of the first one (""): the lines that it sums.
func (q *soldQuestion) lines(snapshot string) (sql string, args []any, err error) {
	ids := make(storage.UUIDs, len(q.draws))
	for i := range q.draws {
		ids[i] = q.draws[i].DrawID
	}
	sql, args = linesOfDraws, []any{ids, q.currency}
	if snapshot != "" {
		first, _, _ := strings.Cut(snapshot, ":")
		xmin, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return "", nil, fmt.Errorf("exposure of draws: snapshot %q: %w", snapshot, err)
		}
		sql, args = linesSince, append(args, snapshot, xmin)
	}
	if !q.by.IsOperator() {
		args = append(args, q.by.Scope.Pattern())
		sql += fmt.Sprintf(ofScope, len(args))
	}
	return sql, args, nil
}

// add adds a group to the one of its key.
func (b *boardSums) add(draw uuid.UUID, g *group) {
	of := b.sold[draw]
	if of == nil {
		of = &drawSums{at: map[groupKey]int{}}
		b.sold[draw] = of
	}
	key := groupKey{g.Version, g.Bet, g.Selection, g.Payout}
	at, known := of.at[key]
	if !known {
		of.at[key] = len(of.groups)
		of.groups = append(of.groups, *g)
		b.weight++
		return
	}
	sum := &of.groups[at]
	sum.Stake, sum.Liability, sum.Lines = sum.Stake+g.Stake, sum.Liability+g.Liability, sum.Lines+g.Lines
}

// copySums returns the groups with lines, and the numbers of tickets, as values of their own.
func (b *boardSums) copySums() (map[uuid.UUID][]group, map[uuid.UUID]int64) {
	sold := make(map[uuid.UUID][]group, len(b.sold))
	for draw, of := range b.sold {
		list := make([]group, 0, len(of.groups))
		for i := range of.groups {
			if of.groups[i].Lines != 0 {
				list = append(list, of.groups[i])
			}
		}
		sold[draw] = list
	}
	return sold, maps.Clone(b.tickets)
}
