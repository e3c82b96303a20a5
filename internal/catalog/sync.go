package catalog

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/models"
)

// Sync is a game's whole grid and, where one is given, its schedule.
type Sync struct {
	Grid     Grid
	Schedule json.RawMessage // nil: stays
	SaleStop **int           // seconds; nil: stays
	Force    string
}

// SyncResult counts the changes of a synchronisation.
type SyncResult struct {
	Elements int // that can be bet on now
	Retired  int // that were and cannot be bet on any more
	Draws    DrawCounts
}

// SyncGame replaces a game's grid and schedule in one transaction: elements that are not named are retired, and the
// coming draws are replanned, except those with tickets and the days planned by hand. Pictures are stored first; if
// the transaction fails, the sweep removes them. Errors: ErrGameNotFound, ErrInvalidGrid, ErrInvalidGame,
// ErrOverpriced, errors of a picture.
func (s *Service) SyncGame(ctx context.Context, game uuid.UUID, req *Sync) (*SyncResult, error) {
	ch := &GameChange{SaleStop: req.SaleStop, Force: req.Force}
	if req.Schedule != nil {
		ch.Documents = Documents{FieldSchedule: req.Schedule}
	}
	if err := s.checkDocuments(ch.Documents); err != nil {
		return nil, err
	}
	if err := req.Grid.check(); err != nil {
		return nil, err
	}
	if _, err := s.GameRow(ctx, game); err != nil { // before pictures are stored
		return nil, err
	}
	kept, err := s.keepImages(ctx, req.Grid.Images)
	if err != nil {
		return nil, err
	}
	result := &SyncResult{}
	err = s.writeGame(ctx, game, func(tx pgx.Tx) error { return s.syncGame(ctx, tx, game, req, ch, kept, result) })
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (s *Service) syncGame(
	ctx context.Context, tx pgx.Tx, game uuid.UUID, req *Sync, ch *GameChange, kept images, result *SyncResult,
) error {
	row, err := gameRow(ctx, tx, game)
	if err != nil {
		return err
	}
	before := *row
	if err := ch.apply(row, picture{}); err != nil {
		return err
	}
	current, err := elementRows(ctx, tx, game)
	if err != nil {
		return err
	}
	written, err := req.Grid.rows(game, current, kept)
	if err != nil {
		return err
	}
	retired := retire(current, written)
	all := append(written, retired...)
	c, err := category(ctx, tx, row.CategoryID)
	if err != nil {
		return err
	}
	if err := s.checkSubject(ctx, tx, &before, row, c.Code, all, req.Force); err != nil {
		return err
	}
	if err := writeElements(ctx, tx, all); err != nil {
		return err
	}
	if err := writeGameRow(ctx, tx, &before, row, false); err != nil {
		return err
	}
	result.Elements, result.Retired = len(written), newlyRetired(current, retired)
	if req.Schedule != nil || req.SaleStop != nil {
		if result.Draws, err = s.replan(ctx, tx, &before, row); err != nil {
			return err
		}
	}
	t := gridLog(row, written, result.Retired)
	t["schedule"], t["forced"], t["created"], t["updated"], t["deleted"] = req.Schedule != nil, req.Force, result.Draws.Created, result.Draws.Updated, result.Draws.Deleted
	return record(ctx, tx, activity.GamesSync, game, t, nil)
}

// retire are the present elements that are not written, retired.
func retire(current, written []models.GameElement) []models.GameElement {
	named := make(map[string]bool, len(written))
	for i := range written {
		named[written[i].Code] = true
	}
	var gone []models.GameElement
	for i := range current {
		if e := current[i]; !named[e.Code] {
			e.Status = models.ElementRetired
			gone = append(gone, e)
		}
	}
	return gone
}

func newlyRetired(current, retired []models.GameElement) int {
	active := map[string]bool{}
	for i := range current {
		active[current[i].Code] = current[i].Status == models.ElementActive
	}
	n := 0
	for i := range retired {
		if active[retired[i].Code] {
			n++
		}
	}
	return n
}
