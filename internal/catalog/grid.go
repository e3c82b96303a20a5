package catalog

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/platform/apperr"
	"banca/models"
	"banca/storage"
)

// Bounds of a grid.
const (
	MaxElements = 1000

	maxElementName = 60
	codePattern    = `^[0-9]{1,4}$`
	imageField     = "image_" // prefix of the form field with an element's picture; the code follows
)

// ElementSpec is an element as it is wanted.
type ElementSpec struct {
	ID       uuid.UUID // Nil for whichever has the code
	Code     string
	Name     string
	Display  string // the name's where it is empty
	Position *int   // its place; where none is given, as listed
	NoImage  bool   // takes its picture away

	retired bool
}

// Grid is a set of elements as it is wanted, with the pictures of some by code.
type Grid struct {
	Elements []ElementSpec
	Images   map[string][]byte
}

// images are the pictures of a grid that are in the store, by code.
type images map[string]picture

// check validates a grid. Errors: ErrInvalidGrid.
func (g *Grid) check() error {
	var found []apperr.Detail
	refuse := func(at string, message apperr.Message) {
		found = append(found, apperr.Detail{Location: at, Message: message})
	}
	if len(g.Elements) > MaxElements {
		return ErrInvalidGrid.WithDetails(wrong("elements", "has more than 1000 items")...)
	}
	form := regexp.MustCompile(codePattern)
	codes, ids := map[string]bool{}, map[uuid.UUID]bool{}
	for i := range g.Elements {
		e := &g.Elements[i]
		at := fmt.Sprintf("elements[%d]", i)
		e.Name = strings.TrimSpace(e.Name)
		e.Display = strings.TrimSpace(e.Display)
		if e.Display == "" {
			e.Display = e.Name
		}
		switch {
		case !form.MatchString(e.Code):
			refuse(at+".code", "expected 1 to 4 digits, as text: 0 and 00 are different")
		case codes[e.Code]:
			refuse(at+".code", "is given twice")
		}
		if e.ID != uuid.Nil && ids[e.ID] {
			refuse(at+".id", "is given twice")
		}
		codes[e.Code], ids[e.ID] = true, true
		if !named(e.Name) || len([]rune(e.Name)) > maxElementName {
			refuse(at+".name", "expected a name of at most 60 characters")
		}
		if !named(e.Display) || len([]rune(e.Display)) > maxElementName {
			refuse(at+".display_value", "expected a text of at most 60 characters")
		}
		if e.Position != nil && (*e.Position < 0 || *e.Position > MaxElements) {
			refuse(at+".position", "expected 0 to 1000")
		}
	}
	for _, code := range slices.Sorted(maps.Keys(g.Images)) {
		if !codes[code] {
			refuse(imageField+"*", "a picture has a code that is not among the elements: 5 and 05 are different")
		}
	}
	if found != nil {
		return ErrInvalidGrid.WithDetails(found[:min(len(found), maxProblems)]...)
	}
	return nil
}

// pictureAt names the field of the picture that was refused.
func pictureAt(field string, err error) error {
	refusal := apperr.From(err)
	if refusal.Kind == apperr.Internal {
		return err
	}
	return refusal.At(field)
}

// keepImages puts the pictures of a grid into the store, before the transaction that names them. Errors: errors of a
// picture, naming whose it is.
func (s *Service) keepImages(ctx context.Context, given map[string][]byte) (images, error) {
	kept := images{}
	for _, code := range slices.Sorted(maps.Keys(given)) {
		p, err := s.keepPicture(ctx, given[code])
		if err != nil {
			return nil, pictureAt(imageField+code, err)
		}
		kept[code] = p
	}
	return kept, nil
}

// AddElements adds elements to a game, all or none; a retired one can be added again. Errors: ErrGameNotFound,
// ErrInvalidGrid, ErrElementExists, ErrInvalidGame, ErrOverpriced, errors of a picture.
func (s *Service) AddElements(ctx context.Context, game uuid.UUID, grid *Grid) ([]models.GameElement, error) {
	if len(grid.Elements) == 0 {
		return nil, ErrInvalidGrid.WithDetails(wrong("elements", "are missing")...)
	}
	var added []models.GameElement
	err := s.changeGrid(ctx, game, grid, func(current []models.GameElement) ([]models.GameElement, error) {
		var taken []apperr.Detail
		last := -1
		for i := range current {
			if current[i].Status == models.ElementRetired {
				continue
			}
			last = max(last, current[i].Position)
			for j := range grid.Elements {
				if grid.Elements[j].Code == current[i].Code {
					taken = append(taken, apperr.Detail{Location: fmt.Sprintf("elements[%d].code", j), Message: "the game has an element with this code"})
				}
			}
		}
		if taken != nil {
			return nil, ErrElementExists.WithDetails(taken...)
		}
		for i := range grid.Elements {
			if e := &grid.Elements[i]; e.Position == nil {
				last++
				e.Position = new(last)
			}
		}
		return current, nil
	}, activity.GamesElementsAdd, &added)
	return added, err
}

// changeGrid runs a change of a game's elements. keep returns the existing ones that stay unchanged.
func (s *Service) changeGrid(
	ctx context.Context, game uuid.UUID, grid *Grid, keep func([]models.GameElement) ([]models.GameElement, error),
	action activity.Action, wanted *[]models.GameElement,
) error {
	if err := grid.check(); err != nil {
		return err
	}
	if _, err := s.GameRow(ctx, game); err != nil { // before pictures are stored
		return err
	}
	kept, err := s.keepImages(ctx, grid.Images)
	if err != nil {
		return err
	}
	return s.writeGame(ctx, game, func(tx pgx.Tx) error {
		row, err := gameRow(ctx, tx, game)
		if err != nil {
			return err
		}
		current, err := elementRows(ctx, tx, game)
		if err != nil {
			return err
		}
		if current, err = keep(current); err != nil {
			return err
		}
		*wanted, err = grid.rows(game, current, kept)
		if err != nil {
			return err
		}
		all := merge(current, *wanted)
		if err := s.recheck(ctx, tx, row, all); err != nil {
			return err
		}
		if err := writeElements(ctx, tx, *wanted); err != nil {
			return err
		}
		return record(ctx, tx, action, game, gridLog(row, *wanted, 0), nil)
	})
}

// recheck makes the checks of a game whose grid is changed. Errors: ErrInvalidGame, ErrOverpriced.
func (s *Service) recheck(ctx context.Context, tx pgx.Tx, row *models.Game, elements []models.GameElement) error {
	c, err := category(ctx, tx, row.CategoryID)
	if err != nil {
		return err
	}
	before := *row
	return s.checkSubject(ctx, tx, &before, row, c.Code, elements, "")
}

// gridLog returns the details of an entry about a changed grid: the codes, as many as fit.
func gridLog(row *models.Game, elements []models.GameElement, retired int) map[string]any {
	codes := make([]string, len(elements))
	for i := range elements {
		codes[i] = elements[i].Code
	}
	return map[string]any{
		"code": row.ShortCode, "name": row.Name, "elements": len(elements), "retired": retired,
		"codes": codes[:min(len(codes), 200)],
	}
}

// merge returns the grid after a change: the current elements, replaced by the written ones.
func merge(current, written []models.GameElement) []models.GameElement {
	all := slices.Clone(written)
	for i := range current {
		if !slices.ContainsFunc(written, func(e models.GameElement) bool { return e.ID == current[i].ID }) {
			all = append(all, current[i])
		}
	}
	return all
}

// rows turns the requested elements into rows: an element is identified by its code, and keeps its id and picture.
// Errors: ErrInvalidGrid, if an id belongs to another element or game.
func (g *Grid) rows(game uuid.UUID, current []models.GameElement, kept images) ([]models.GameElement, error) {
	byCode := make(map[string]*models.GameElement, len(current))
	for i := range current {
		byCode[current[i].Code] = &current[i]
	}
	var found []apperr.Detail
	rows := make([]models.GameElement, len(g.Elements))
	for i := range g.Elements {
		e := &g.Elements[i]
		row := &rows[i]
		*row = models.GameElement{ID: uuid.Must(uuid.NewV7()), GameID: game, Code: e.Code, Name: e.Name, DisplayValue: e.Display, Position: i, Status: models.ElementActive}
		was := byCode[e.Code]
		if was != nil {
			row.ID, row.ImageURL = was.ID, was.ImageURL
		}
		if e.ID != uuid.Nil && (was == nil || was.ID != e.ID) {
			found = append(found, apperr.Detail{Location: fmt.Sprintf("elements[%d].id", i), Message: "is not the element with this code of this game"})
		}
		if e.Position != nil {
			row.Position = *e.Position
		}
		if e.retired {
			row.Status = models.ElementRetired
		}
		if e.NoImage {
			row.ImageURL = nil
		}
		if p, given := kept[e.Code]; given {
			row.ImageURL = &p.url
		}
	}
	if found != nil {
		return nil, ErrInvalidGrid.WithDetails(found[:min(len(found), maxProblems)]...)
	}
	return rows, nil
}

// writeElements writes elements in one statement.
func writeElements(ctx context.Context, tx pgx.Tx, rows []models.GameElement) error {
	if len(rows) == 0 {
		return nil
	}
	ids, codes, names, displays := make(storage.UUIDs, len(rows)), make(storage.Texts, len(rows)), make(storage.Texts, len(rows)), make(storage.Texts, len(rows))
	images, positions, statuses := make([]*string, len(rows)), make(storage.Integers, len(rows)), make(
		storage.Texts, len(rows),
	)
	for i := range rows {
		ids[i], codes[i], names[i], displays[i] = rows[i].ID, rows[i].Code, rows[i].Name, rows[i].DisplayValue
		images[i], positions[i], statuses[i] = rows[i].ImageURL, int32(min(rows[i].Position, MaxElements)), rows[i].Status
	}
	_, err := tx.Exec(ctx, `INSERT INTO game_elements (id, game_id, code, name, display_value, image_url, position, status)
		SELECT unnest($2::uuid[]), $1, unnest($3::text[]), unnest($4::text[]), unnest($5::text[]), unnest($6::text[]), unnest($7::integer[]), unnest($8::text[])
		ON CONFLICT (game_id, code) DO UPDATE SET name = excluded.name, display_value = excluded.display_value, image_url = excluded.image_url,
			position = excluded.position, status = excluded.status`,
		rows[0].GameID, ids, codes, names, displays, images, positions, statuses)
	if err != nil {
		return fmt.Errorf("write elements: %w", err)
	}
	return nil
}

// ElementChange is a change of one element; nil fields stay.
type ElementChange struct {
	Name     *string
	Display  *string
	Position *int
	Retired  *bool
	Image    []byte
	NoImage  bool
}

// UpdateElement changes one element; its code cannot change, because tickets name it. A retired one cannot be bet on.
// A display text that equals the name follows a new name. Errors: ErrGameNotFound, ErrElement, ErrInvalidGrid,
// ErrInvalidGame, ErrOverpriced, errors of a picture.
func (s *Service) UpdateElement(
	ctx context.Context, game uuid.UUID, code string, ch *ElementChange,
) (*models.GameElement, error) {
	grid := &Grid{Elements: []ElementSpec{{Code: code, Name: code}}}
	if ch.Image != nil {
		grid.Images = map[string][]byte{code: ch.Image}
	}
	var written []models.GameElement
	err := s.changeGrid(ctx, game, grid, func(current []models.GameElement) ([]models.GameElement, error) {
		at := slices.IndexFunc(current, func(e models.GameElement) bool { return e.Code == code })
		if at < 0 {
			return nil, ErrElement
		}
		spec, row := &grid.Elements[0], &current[at]
		spec.Name, spec.Display, spec.Position, spec.NoImage = row.Name, row.DisplayValue, &row.Position, ch.NoImage
		if ch.Name != nil {
			spec.Name = *ch.Name
			if row.DisplayValue == row.Name {
				spec.Display = "" // the default, which check sets to the new name
			}
		}
		if ch.Display != nil {
			spec.Display = *ch.Display
		}
		if ch.Position != nil {
			spec.Position = ch.Position
		}
		spec.retired = row.Status == models.ElementRetired
		if ch.Retired != nil {
			spec.retired = *ch.Retired
		}
		return current, grid.check()
	}, activity.GamesElementUpdate, &written)
	if err != nil {
		return nil, err
	}
	return &written[0], nil
}

// Elements lists the elements of a game in their order, including retired ones if requested. Errors: ErrGameNotFound.
func (s *Service) Elements(ctx context.Context, game uuid.UUID, retired bool) ([]Element, error) {
	if _, err := s.GameRow(ctx, game); err != nil {
		return nil, err
	}
	rows, err := elementRows(ctx, s.pg.Pool, game)
	if err != nil {
		return nil, err
	}
	list := make([]Element, 0, len(rows))
	for i := range rows {
		if e := elementOf(&rows[i]); retired || !e.Retired {
			list = append(list, e)
		}
	}
	return list, nil
}
