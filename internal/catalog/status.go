package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/drawstate"
	"banca/internal/platform/apperr"
	"banca/internal/platform/businessday"
	"banca/models"
	"banca/storage"
)

// maxNamed bounds the draws that one refusal names.
const maxNamed = 20

// SetGameStatus changes a game's status: nothing is sold on an inactive game, and no draws are generated for it.
// Existing draws stay. Errors: ErrGameNotFound, ErrGameStatus.
func (s *Service) SetGameStatus(ctx context.Context, id uuid.UUID, status string) (row *models.Game, err error) {
	err = s.writeGame(ctx, id, func(tx pgx.Tx) error {
		if row, err = gameRow(ctx, tx, id); err != nil || row.Status == status {
			return err
		}
		if !slices.Contains(models.StatusesAfter(row.Status), status) {
			return ErrGameStatus
		}
		if _, err := tx.Exec(ctx, `UPDATE games SET status = $2, updated_at = now() WHERE id = $1`, id, status); err != nil {
			return fmt.Errorf("set status: %w", err)
		}
		t := entryDetails{Code: row.ShortCode, Name: row.Name}
		t.Changes.Set("status", row.Status, status)
		if err := record(ctx, tx, activity.GamesStatus, id, t, t.Changes); err != nil {
			return err
		}
		row, err = gameRow(ctx, tx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	return row, nil
}

// DeleteGame removes a game with its elements and draws, as long as no ticket was sold on it and nothing else names it.
// Errors: ErrGameNotFound, ErrGameHasSales naming the draws, ErrGameInUse.
func (s *Service) DeleteGame(ctx context.Context, id uuid.UUID) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		if err := lockGame(ctx, tx, id); err != nil {
			return err
		}
		row, err := gameRow(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := unsold(ctx, tx, id); err != nil {
			return err
		}
		derives, err := derivations(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, from := range derives {
			if from == row.ShortCode {
				return ErrGameInUse
			}
		}
		err = deleteGame(ctx, tx, id)
		if storage.ViolatesForeignKey(err) {
			return ErrGameInUse
		}
		if err != nil {
			return fmt.Errorf("delete game: %w", err)
		}
		return record(ctx, tx, activity.GamesDelete, id, entryDetails{Code: row.ShortCode, Name: row.Name}, nil)
	})
}

func deleteGame(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if err := drawstate.DeleteOfGameTx(ctx, tx, id); err != nil {
		return err
	}
	for _, sql := range []string{
		`DELETE FROM game_elements WHERE game_id = $1`,
		`DELETE FROM games WHERE id = $1`,
	} {
		if _, err := tx.Exec(ctx, sql, id); err != nil {
			return err
		}
	}
	return nil
}

// soldOfGameSQL selects the first draws of game $1 that have tickets; see soldSQL for the form of its condition.
const soldOfGameSQL = `SELECT local_date, draw_number FROM draws d WHERE game_id = $1
	AND d.id = (SELECT i.draw_id FROM ticket_lines i WHERE i.draw_id >= d.id ORDER BY i.draw_id LIMIT 1)
	ORDER BY draw_time LIMIT $2`

// unsold waits for sales of the game that are committing, keeps others from it, and refuses when there were any.
// Errors: ErrGameHasSales.
func unsold(ctx context.Context, tx pgx.Tx, game uuid.UUID) error {
	open, err := storage.Collect(ctx, tx, "draws of game", pgx.RowTo[uuid.UUID],
		`SELECT id FROM draws WHERE game_id = $1 AND status IN ('scheduled', 'open')`, game)
	if err != nil {
		return err
	}
	for chunk := range slices.Chunk(open, maxBulk) { // the locks are held together all the same
		if err := storage.LockDraws(ctx, tx, chunk); err != nil {
			return err
		}
	}
	var sold []apperr.Detail
	var date businessday.Day
	var number string
	err = storage.Each(ctx, tx, "sold draws of game", []any{&date, &number}, func() error {
		sold = append(sold, apperr.Detail{Location: nameOf(date, number), Message: "tickets were sold on this draw"})
		return nil
	}, soldOfGameSQL, game, maxNamed)
	if err != nil {
		return err
	}
	if sold != nil {
		return ErrGameHasSales.WithDetails(sold...)
	}
	return nil
}

// nameOf is how a refusal names a draw: its date and number.
func nameOf(date businessday.Day, number string) string { return date.String() + " #" + number }

// putAt moves a game to a position and renumbers all games; nil is the last position.
func putAt(ctx context.Context, tx pgx.Tx, row *models.Game, position *int) error {
	order, err := storage.Collect(ctx, tx, "order of games", pgx.RowTo[uuid.UUID],
		`SELECT id FROM games WHERE id <> $1 ORDER BY position, short_code`, row.ID)
	if err != nil {
		return err
	}
	row.Position = len(order)
	if position != nil {
		row.Position = min(*position, len(order))
	}
	order = slices.Insert(order, row.Position, row.ID)
	_, err = tx.Exec(ctx, `UPDATE games SET position = o.place - 1 FROM unnest($1::uuid[]) WITH ORDINALITY AS o (id, place)
		WHERE games.id = o.id AND games.position <> o.place - 1`, storage.UUIDs(order))
	if err != nil {
		return fmt.Errorf("order games: %w", err)
	}
	return nil
}

// GameRow returns a game as it is stored, with the documents that are edited. Errors: ErrGameNotFound.
func (s *Service) GameRow(ctx context.Context, id uuid.UUID) (*models.Game, error) {
	return gameRow(ctx, s.pg.Pool, id)
}

func gameRow(ctx context.Context, db queryer, id uuid.UUID) (*models.Game, error) {
	var g models.Game
	err := db.QueryRow(ctx, `SELECT id, category_id, name, short_code, position, status, logo_url, sale_stop_seconds,
		mechanics, schedule_config, betting_rules, metadata, api_config, rule_version, created_at, updated_at FROM games WHERE id = $1`, id).Scan(
		&g.ID, &g.CategoryID, &g.Name, &g.ShortCode, &g.Position, &g.Status, &g.LogoURL, &g.SaleStopSeconds,
		&g.Mechanics, &g.ScheduleConfig, &g.BettingRules, &g.Metadata, &g.APIConfig, &g.RuleVersion, &g.CreatedAt, &g.UpdatedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, ErrGameNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("read game: %w", err)
	}
	return &g, nil
}

// elementRows are the elements of a game, the retired ones too, in their order.
func elementRows(ctx context.Context, db queryer, game uuid.UUID) ([]models.GameElement, error) {
	return storage.Collect(ctx, db, "read elements", pgx.RowToStructByPos[models.GameElement],
		`SELECT id, game_id, code, name, display_value, image_url, position, status FROM game_elements
		WHERE game_id = $1 ORDER BY position, code`, game)
}
