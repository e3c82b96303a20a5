package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/storage"
)

const (
	shortCodePattern = `^[A-Za-z0-9][A-Za-z0-9_.-]{0,31}$`
	maxReason        = 500
)

// MaxSaleStop bounds how many seconds before a draw its sales stop.
const MaxSaleStop = 24 * 60 * 60

// Documents are JSON fields of a game by name. Absent fields stay.
type Documents map[string]json.RawMessage

// GameChange is a change of a game, or a new one; nil fields stay, or are empty in a new one.
type GameChange struct {
	CategoryID *uuid.UUID
	Name       *string
	ShortCode  *string
	Position   *int  // its place among the games, from 0; the others make room
	SaleStop   **int // seconds; nil inside: as its entity sets
	Documents  Documents
	Logo       []byte // a PNG or JPEG picture; nil stays
	NoLogo     bool   // takes the picture away
	Force      string // why rules may stand that pay out more than they take in; empty: they may not

	// Based are the revisions, by field, of the game that the change was made from. A change of a field that somebody
	// else has changed meanwhile is refused, and one that is already made does nothing. nil: whatever the game is
	// now.
	Based map[string]string

	copied copied
}

// CodeTaken reports whether a game has a short code, ignoring case.
func (s *Service) CodeTaken(ctx context.Context, code string) (bool, error) {
	return codeTaken(ctx, s.pg.Pool, code, uuid.Nil)
}

func codeTaken(ctx context.Context, db queryer, code string, but uuid.UUID) (bool, error) {
	var taken bool
	err := db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM games WHERE upper(short_code) = upper($1) AND id <> $2)`, code, but).Scan(&taken)
	if err != nil {
		return false, fmt.Errorf("find short code: %w", err)
	}
	return taken, nil
}

// CreateGame adds a game without elements and draws, behind all others unless it is given a place.
// Errors: ErrInvalidGame, ErrGameExists, ErrOverpriced, errors of a picture.
func (s *Service) CreateGame(ctx context.Context, ch *GameChange) (*models.Game, error) {
	if ch.CategoryID == nil {
		return nil, ErrInvalidGame.WithDetails(wrong("category_id", "is missing")...)
	}
	return s.saveGame(ctx, newRow(), true, ch)
}

// newRow returns a game without values.
func newRow() *models.Game {
	row := &models.Game{ID: uuid.Must(uuid.NewV7()), Status: models.StatusActive, RuleVersion: 1}
	for _, field := range Fields() {
		*documentOf(row, field) = []byte("{}")
	}
	return row
}

// UpdateGame changes a game. A changed schedule replans the coming draws, except those with tickets and the days
// planned by hand. Errors: ErrGameNotFound, ErrInvalidGame, ErrGameExists, ErrGameChanged, ErrOverpriced, errors of a
// picture.
func (s *Service) UpdateGame(ctx context.Context, id uuid.UUID, ch *GameChange) (*models.Game, error) {
	return s.saveGame(ctx, &models.Game{ID: id}, false, ch)
}

func (s *Service) saveGame(ctx context.Context, row *models.Game, create bool, ch *GameChange) (*models.Game, error) {
	if err := s.checkDocuments(ch.Documents); err != nil {
		return nil, err
	}
	var logo picture
	if ch.Logo != nil {
		var err error
		if logo, err = s.keepPicture(ctx, ch.Logo); err != nil {
			return nil, pictureAt("logo", err)
		}
	}
	err := s.write(ctx, func(tx pgx.Tx) error {
		locked := []uuid.UUID{row.ID}
		if ch.copied.from != uuid.Nil {
			locked = append(locked, ch.copied.from)
		}
		if err := lockGame(ctx, tx, locked...); err != nil {
			return err
		}
		if err := ch.take(ctx, tx, row.ID); err != nil {
			return err
		}
		before := *row
		if !create {
			found, err := gameRow(ctx, tx, row.ID)
			if err != nil {
				return err
			}
			row, before = found, *found
		}
		if err := ch.apply(row, logo); err != nil {
			return err
		}
		if made, err := ch.checkBase(&before, row); err != nil || made {
			return err
		}
		t := entryDetails{}
		if err := s.writeValid(ctx, tx, &before, row, create, ch, &t); err != nil {
			return err
		}
		if ch.Position != nil || create {
			if err := putAt(ctx, tx, row, ch.Position); err != nil {
				return err
			}
		}
		if err := recordGame(ctx, tx, &before, row, create, &t); err != nil {
			return err
		}
		var err error
		row, err = gameRow(ctx, tx, row.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return row, nil
}

// writeValid validates a game and writes it, with a version of its rules where they differ.
func (s *Service) writeValid(
	ctx context.Context, tx pgx.Tx, before, row *models.Game, create bool, ch *GameChange, t *entryDetails,
) error {
	if taken, err := codeTaken(ctx, tx, row.ShortCode, row.ID); err != nil || taken {
		return errors.Join(err, takenErr(taken))
	}
	category, err := category(ctx, tx, row.CategoryID)
	if errors.Is(err, ErrCategoryNotFound) {
		return ErrInvalidGame.WithDetails(wrong("category_id", "no such category")...)
	}
	if err != nil {
		return err
	}
	for field := range ch.Documents {
		if !same(*documentOf(before, field), *documentOf(row, field)) {
			t.Fields = append(t.Fields, field)
		}
	}
	slices.Sort(t.Fields)
	if len(ch.Documents) > 0 || create || before.CategoryID != row.CategoryID || before.ShortCode != row.ShortCode {
		elements, err := elementRows(ctx, tx, row.ID)
		if err != nil {
			return err
		}
		elements = append(elements, ch.copied.elements...)
		if err := s.checkSubject(ctx, tx, before, row, category.Code, elements, ch.Force); err != nil {
			return err
		}
		t.Forced = ch.Force
	}
	if !create && (!same(before.Mechanics, row.Mechanics) || !same(before.BettingRules, row.BettingRules)) {
		t.Version = row.RuleVersion + 1
	}
	if !create {
		if err := checkDrawn(ctx, tx, before, row); err != nil {
			return err
		}
	}
	if err := writeGameRow(ctx, tx, before, row, create); err != nil {
		return err
	}
	if create {
		return writeElements(ctx, tx, ch.copied.elements)
	}
	if same(before.ScheduleConfig, row.ScheduleConfig) && numberOf(before.SaleStopSeconds) == numberOf(row.SaleStopSeconds) {
		return nil
	}
	_, err = s.replan(ctx, tx, before, row)
	return err
}

func takenErr(taken bool) error {
	if taken {
		return ErrGameExists
	}
	return nil
}

// checkDocuments compares documents with their schemas. Errors: ErrInvalidGame.
func (s *Service) checkDocuments(docs Documents) error {
	compiled, err := s.schemas()
	if err != nil {
		return err
	}
	var found []apperr.Detail
	for _, field := range Fields() {
		if raw, given := docs[field]; given {
			found = append(found, compiled.check(field, raw)...)
		}
	}
	if len(found) == 0 && docs[FieldAPI] != nil && s.options.CheckAPI != nil {
		found = s.options.CheckAPI(docs[FieldAPI])
	}
	if len(found) > 0 {
		return ErrInvalidGame.WithDetails(found...)
	}
	return nil
}

// apply writes the change into a row. Errors: ErrInvalidGame.
func (ch *GameChange) apply(row *models.Game, logo picture) error {
	var found []apperr.Detail
	if ch.CategoryID != nil {
		row.CategoryID = *ch.CategoryID
	}
	if ch.Name != nil {
		row.Name = strings.TrimSpace(*ch.Name)
	}
	if ch.ShortCode != nil {
		row.ShortCode = strings.TrimSpace(*ch.ShortCode)
	}
	if ch.SaleStop != nil {
		row.SaleStopSeconds = *ch.SaleStop
	}
	if stop := row.SaleStopSeconds; stop != nil && (*stop < 0 || *stop > MaxSaleStop) {
		found = append(found, apperr.Detail{Location: "sale_stop_time", Message: "expected 0 to 86400 seconds"})
	}
	if !named(row.Name) {
		found = append(found, apperr.Detail{Location: "name", Message: "expected a name of at most 100 characters"})
	}
	if ok, err := regexp.MatchString(shortCodePattern, row.ShortCode); !ok || err != nil {
		found = append(found, apperr.Detail{Location: "short_code", Message: "expected 1 to 32 letters, digits, points, dashes and underscores"})
	}
	if ch.Position != nil && *ch.Position < 0 {
		found = append(found, apperr.Detail{Location: "position", Message: "expected a position of at least 0"})
	}
	if len([]rune(ch.Force)) > maxReason || !models.Storable(ch.Force) {
		found = append(found, apperr.Detail{Location: "force_reason", Message: "expected at most 500 characters"})
	}
	if found != nil {
		return ErrInvalidGame.WithDetails(found...)
	}
	switch {
	case logo.url != "":
		row.LogoURL = &logo.url
	case ch.NoLogo:
		row.LogoURL = nil
	}
	for field, raw := range ch.Documents {
		*documentOf(row, field) = raw
	}
	return nil
}

// documentOf is the column of a JSON field.
func documentOf(row *models.Game, field string) *[]byte {
	switch field {
	case FieldMechanics:
		return &row.Mechanics
	case FieldRules:
		return &row.BettingRules
	case FieldSchedule:
		return &row.ScheduleConfig
	case FieldMetadata:
		return &row.Metadata
	default:
		return &row.APIConfig
	}
}

// same reports whether two documents say the same.
func same(a, b []byte) bool {
	x, y := jsontext.Value(slices.Clone(a)), jsontext.Value(slices.Clone(b))
	return x.Canonicalize() == nil && y.Canonicalize() == nil && string(x) == string(y)
}

// checkSubject makes the checks of a game as it would be that a schema cannot make. Errors: ErrInvalidGame,
// ErrOverpriced.
func (s *Service) checkSubject(ctx context.Context, tx pgx.Tx, before, row *models.Game, category string, elements []models.GameElement, force string) error {
	derives, err := derivations(ctx, tx, row.ID)
	if err != nil {
		return err
	}
	if err := checkMeaning(before, row, category, elements, derives); err != nil {
		return err
	}
	return s.checkPrice(before, row, category, elements, force)
}

// checkMeaning is checkSubject without the price. Errors: ErrInvalidGame.
func checkMeaning(
	before, row *models.Game, category string, elements []models.GameElement, derives map[string]string,
) error {
	subject := &subject{row: row, category: category, elements: elements, derives: derives}
	if before.ShortCode != row.ShortCode && before.ShortCode != "" {
		for _, from := range derives {
			if from == before.ShortCode {
				subject.refuse("short_code", "another game is derived from this one by its current code")
			}
		}
	}
	found, err := subject.check()
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return ErrInvalidGame.WithDetails(found...)
	}
	return nil
}

// derivations returns, for every other game, the game whose outcome it takes, or "".
func derivations(ctx context.Context, tx pgx.Tx, but uuid.UUID) (map[string]string, error) {
	all := map[string]string{}
	var code, from string
	err := storage.Each(ctx, tx, "read derivations", []any{&code, &from}, func() error {
		all[code] = from
		return nil
	}, `SELECT short_code, coalesce(mechanics->'derived_from'->>'game', '') FROM games WHERE id <> $1`, but)
	if err != nil {
		return nil, err
	}
	return all, nil
}

func recordGame(ctx context.Context, tx pgx.Tx, before, row *models.Game, create bool, t *entryDetails) error {
	t.Code, t.Name = row.ShortCode, row.Name
	t.Changes.Set("name", before.Name, row.Name)
	t.Changes.Set("short_code", before.ShortCode, row.ShortCode)
	t.Changes.Set("category_id", idText(before.CategoryID), idText(row.CategoryID))
	t.Changes.Set("position", before.Position, row.Position)
	t.Changes.Set("logo_url", textOf(before.LogoURL), textOf(row.LogoURL))
	t.Changes.Set("sale_stop_seconds", numberOf(before.SaleStopSeconds), numberOf(row.SaleStopSeconds))
	action := activity.GamesUpdate
	if create {
		action = activity.GamesCreate
	}
	return record(ctx, tx, action, row.ID, t, t.Changes)
}

func idText(id uuid.UUID) any {
	if id == uuid.Nil {
		return nil
	}
	return id.String()
}

func textOf(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func numberOf(n *int) any {
	if n == nil {
		return nil
	}
	return *n
}

// writeGameRow writes a game. A trigger gives changed rules a new version number and keeps every version.
func writeGameRow(ctx context.Context, tx pgx.Tx, before, row *models.Game, create bool) error {
	err := upsertGame(ctx, tx, row, create)
	if err == nil && !create && before.ShortCode != row.ShortCode {
		_, err = tx.Exec(ctx, `UPDATE games SET short_code = $2 WHERE id = $1`, row.ID, row.ShortCode)
	}
	if storage.ViolatedUnique(err) != "" {
		return ErrGameExists
	}
	if err != nil {
		return fmt.Errorf("write game: %w", err)
	}
	return nil
}

// upsertGame writes the row of a game. An update leaves the short code out: setting a column that others may refer to
// would lock the row against the draws and results that do.
func upsertGame(ctx context.Context, tx pgx.Tx, row *models.Game, create bool) error {
	args := []any{
		row.ID, row.CategoryID, row.Name, row.Status, row.LogoURL, row.SaleStopSeconds, string(row.Mechanics),
		string(row.ScheduleConfig),
		string(row.BettingRules), string(row.Metadata), string(row.APIConfig),
	}
	sql := `UPDATE games SET category_id = $2, name = $3, status = $4, logo_url = $5, sale_stop_seconds = $6, mechanics = $7, schedule_config = $8,
		betting_rules = $9, metadata = $10, api_config = $11, updated_at = now() WHERE id = $1`
	if create {
		sql = `INSERT INTO games (id, category_id, name, status, logo_url, sale_stop_seconds, mechanics, schedule_config, betting_rules, metadata, api_config, short_code)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
		args = append(args, row.ShortCode)
	}
	_, err := tx.Exec(ctx, sql, args...)
	return err
}
