package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/drawstate"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/storage"
)

// checkDrawn refuses to change the outcomes of a game while tickets wait for one of its draws: a result is validated
// against the current game, and one without the sign or the digits that were bet on would make those bets lose. More
// additions to an outcome than before are allowed, fewer are not. Errors: ErrMechanicsInUse.
func checkDrawn(ctx context.Context, tx pgx.Tx, before, row *models.Game) error {
	if same(before.Mechanics, row.Mechanics) && before.CategoryID == row.CategoryID {
		return nil
	}
	was, err := mechanicsIn(ctx, tx, before)
	if err != nil {
		return err
	}
	becomes, err := mechanicsIn(ctx, tx, row)
	if err != nil || becomes.yields(&was) {
		return err
	}
	if err := requireRules(ctx, tx, row.ID, before.RuleVersion+1); err != nil {
		return err
	}
	waiting, err := ticketsWait(ctx, tx, row.ID)
	if err != nil {
		return err
	}
	if waiting {
		return ErrMechanicsInUse.WithDetails(apperr.Detail{Location: FieldMechanics, Message: "tickets are pending on draws of the current kind"})
	}
	return nil
}

func mechanicsIn(ctx context.Context, tx pgx.Tx, row *models.Game) (Mechanics, error) {
	c, err := category(ctx, tx, row.CategoryID)
	if err != nil {
		return Mechanics{}, err
	}
	return DecodeMechanics(row.Mechanics, c.Code)
}

// yields reports whether outcomes of m decide every bet that outcomes of other do.
func (m *Mechanics) yields(other *Mechanics) bool {
	names := func(list []Modifier, all []Modifier) bool {
		return !slices.ContainsFunc(all, func(a Modifier) bool { return find(list, a.Code) == nil })
	}
	return m.Kind == other.Kind && m.Digits == other.Digits && (m.Sign || !other.Sign) && names(m.Flags, other.Flags) && names(m.Wildcards, other.Wildcards)
}

// requireRules waits for sales that are committing on the draws of a game and keeps others from it; after the commit no
// sale by rules older than version, which a process may still have in memory, commits on them.
func requireRules(ctx context.Context, tx pgx.Tx, game uuid.UUID, version int) error {
	open, err := storage.Collect(ctx, tx, "draws on sale", pgx.RowTo[uuid.UUID],
		`SELECT id FROM draws WHERE game_id = $1 AND status IN ($2, $3)`, game, models.DrawScheduled, models.DrawOpen)
	if err != nil {
		return err
	}
	if err := storage.LockDraws(ctx, tx, open); err != nil {
		return err
	}
	return drawstate.RequireRulesTx(ctx, tx, open, version)
}

// ticketsWait reports whether a ticket waits for an undecided draw of a game. The bounds on draw_id, in the order of
// its index, keep the planner on that index whatever the statistics are; see soldSQL.
func ticketsWait(ctx context.Context, tx pgx.Tx, game uuid.UUID) (waiting bool, err error) {
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM draws d WHERE d.game_id = $1 AND d.status IN ($2, $3, $4)
		AND (SELECT true FROM ticket_lines i JOIN tickets t ON t.id = i.ticket_id
			WHERE i.draw_id >= d.id AND i.draw_id <= d.id AND t.status = $5 ORDER BY i.draw_id LIMIT 1))`,
		game, models.DrawOpen, models.DrawClosed, models.DrawResulted, models.TicketPending).Scan(&waiting)
	if err != nil {
		return false, fmt.Errorf("tickets that wait: %w", err)
	}
	return waiting, nil
}
