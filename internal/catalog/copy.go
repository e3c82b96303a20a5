package catalog

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
)

// copied is what a new game takes from another one.
type copied struct {
	from     uuid.UUID // Nil for none
	elements []models.GameElement
}

// CopyGame adds a game with the category, mechanics, rules and elements of another one, without its pictures and its
// schedule; uuid.Nil copies nothing. Errors: ErrGameNotFound, and the errors of CreateGame.
func (s *Service) CopyGame(ctx context.Context, from uuid.UUID, ch *GameChange) (*models.Game, error) {
	if from == uuid.Nil {
		return s.CreateGame(ctx, ch)
	}
	c := *ch
	c.copied.from = from
	return s.saveGame(ctx, newRow(), true, &c)
}

// take reads the game that is copied, if any. Errors: ErrGameNotFound.
func (ch *GameChange) take(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if ch.copied.from == uuid.Nil {
		return nil
	}
	from, err := gameRow(ctx, tx, ch.copied.from)
	if err != nil {
		return err
	}
	rows, err := elementRows(ctx, tx, from.ID)
	if err != nil {
		return err
	}
	ch.CategoryID, ch.Documents = &from.CategoryID, Documents{FieldMechanics: from.Mechanics, FieldRules: from.BettingRules}
	ch.copied.elements = nil
	for i := range rows {
		if e := rows[i]; e.Status == models.ElementActive {
			e.ID, e.GameID, e.ImageURL, e.Position = uuid.Must(uuid.NewV7()), id, nil, len(ch.copied.elements)
			ch.copied.elements = append(ch.copied.elements, e)
		}
	}
	return nil
}
