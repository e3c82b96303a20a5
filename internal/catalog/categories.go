package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/storage"
)

const (
	maxName         = 100
	maxDescription  = 1000
	categoryPattern = `^[A-Z][A-Z0-9_]{1,31}$`
)

// Category is a kind of game.
type Category struct {
	ID          uuid.UUID
	Name        string
	Code        string
	Description string
	Config      json.RawMessage
	Games       int // that are of it
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// CategoryChange is a change of a category, or a new one; nil fields stay, or are empty in a new one.
type CategoryChange struct {
	Name        *string
	Code        *string
	Description *string
	Config      json.RawMessage
}

const selectCategories = `SELECT c.id, c.name, c.code, c.description, c.config, (SELECT count(*)::int FROM games g WHERE g.category_id = c.id) AS games,
	c.created_at, c.updated_at FROM game_categories c`

// AllCategories lists the categories by code.
func (s *Service) AllCategories(ctx context.Context) ([]Category, error) {
	return storage.Collect(ctx, s.pg.Pool, "list categories", pgx.RowToStructByPos[Category],
		selectCategories+` ORDER BY c.code`)
}

// Category returns one category. Errors: ErrCategoryNotFound.
func (s *Service) Category(ctx context.Context, id uuid.UUID) (*Category, error) {
	return category(ctx, s.pg.Pool, id)
}

// queryer is a pool or a transaction.
type queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func category(ctx context.Context, db queryer, id uuid.UUID) (*Category, error) {
	return storage.One(ctx, db, "read category", ErrCategoryNotFound, pgx.RowToStructByPos[Category],
		selectCategories+` WHERE c.id = $1`, id)
}

// apply writes the change into a category. Errors: ErrInvalidCategory.
func (ch *CategoryChange) apply(c *Category) error {
	for _, f := range []struct{ from, to *string }{{ch.Name, &c.Name}, {ch.Code, &c.Code}, {ch.Description, &c.Description}} {
		if f.from != nil {
			*f.to = strings.TrimSpace(*f.from)
		}
	}
	if ch.Config != nil {
		c.Config = ch.Config
	}
	var found []apperr.Detail
	if !named(c.Name) {
		found = append(found, apperr.Detail{Location: "name", Message: "expected a name of at most 100 characters"})
	}
	if ok, err := regexp.MatchString(categoryPattern, c.Code); !ok || err != nil {
		found = append(found, apperr.Detail{Location: "code", Message: "expected 2 to 32 upper-case letters, digits and underscores"})
	}
	if len(c.Description) > maxDescription || !models.Storable(c.Description) {
		found = append(found, apperr.Detail{Location: "description", Message: "is too long"})
	}
	if config := jsontext.Value(c.Config); len(config) > maxMetadata || !config.IsValid() || config.Kind() != '{' || depthOf(config) > maxMetadataDepth || strings.Contains(string(config), `\u0000`) {
		found = append(found, apperr.Detail{Location: "config", Message: "expected an object of at most 16 KiB"})
	}
	if found != nil {
		return ErrInvalidCategory.WithDetails(found...)
	}
	return nil
}

// named reports whether a text names something.
func named(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }) &&
		len([]rune(text)) <= maxName && models.Storable(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// CreateCategory adds a category. Errors: ErrInvalidCategory, ErrCategoryExists.
func (s *Service) CreateCategory(ctx context.Context, ch *CategoryChange) (*Category, error) {
	c := &Category{ID: uuid.Must(uuid.NewV7()), Config: json.RawMessage("{}")}
	return s.saveCategory(ctx, c, activity.CategoriesCreate, ch)
}

// UpdateCategory changes a category. The code of a category with games cannot change, because rates and limits name
// it. Errors: ErrCategoryNotFound, ErrInvalidCategory, ErrCategoryExists, ErrCategoryInUse.
func (s *Service) UpdateCategory(ctx context.Context, id uuid.UUID, ch *CategoryChange) (*Category, error) {
	return s.saveCategory(ctx, &Category{ID: id}, activity.CategoriesUpdate, ch)
}

func (s *Service) saveCategory(
	ctx context.Context, c *Category, action activity.Action, ch *CategoryChange,
) (*Category, error) {
	err := s.write(ctx, func(tx pgx.Tx) error {
		var t entryDetails
		if action == activity.CategoriesUpdate {
			before, err := category(ctx, tx, c.ID)
			if err != nil {
				return err
			}
			c = before
		}
		before := *c
		if err := ch.apply(c); err != nil {
			return err
		}
		if before.Games > 0 && before.Code != c.Code {
			return ErrCategoryInUse
		}
		_, err := tx.Exec(ctx, `INSERT INTO game_categories (id, name, code, description, config) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, code = excluded.code, description = excluded.description, config = excluded.config, updated_at = now()`,
			c.ID, c.Name, c.Code, c.Description, c.Config)
		if storage.ViolatedUnique(err) != "" {
			return ErrCategoryExists
		}
		if err != nil {
			return fmt.Errorf("write category: %w", err)
		}
		t.Code, t.Name = c.Code, c.Name
		t.Changes.Set("name", before.Name, c.Name)
		t.Changes.Set("code", before.Code, c.Code)
		t.Changes.Set("description", before.Description, c.Description)
		t.Changes.Set("config", string(before.Config), string(c.Config))
		if err := record(ctx, tx, action, c.ID, t, t.Changes); err != nil {
			return err
		}
		c, err = category(ctx, tx, c.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// DeleteCategory removes a category that nothing names. Errors: ErrCategoryNotFound, ErrCategoryInUse.
func (s *Service) DeleteCategory(ctx context.Context, id uuid.UUID) error {
	return s.write(ctx, func(tx pgx.Tx) error {
		c, err := category(ctx, tx, id)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM game_categories WHERE id = $1`, id)
		if storage.ViolatesForeignKey(err) {
			return ErrCategoryInUse
		}
		if err != nil {
			return fmt.Errorf("delete category: %w", err)
		}
		return record(ctx, tx, activity.CategoriesDelete, id, entryDetails{Code: c.Code, Name: c.Name}, nil)
	})
}
