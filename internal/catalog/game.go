package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
	"banca/models"
)

// Game is a game as a sale needs it: decoded, with its elements by code.
type Game struct {
	ID          uuid.UUID
	CategoryID  uuid.UUID
	Category    string // code of the category
	Name        string
	ShortCode   string
	Position    int
	Status      string
	LogoURL     string
	SaleStop    *time.Duration // nil: the entity's global setting
	RuleVersion int
	Elements    []Element // that can be bet on, in their order
	Retired     []Element // that cannot any more

	schedule  Schedule
	mechanics Mechanics
	rules     bettingRules
	byCode    map[string]*Element
	names     map[string]string // of all elements, by code
}

// Element is one thing that can be drawn.
type Element struct {
	ID       uuid.UUID
	Code     string
	Name     string
	Display  string
	ImageURL string
	Position int
	Retired  bool
}

// Draw is one draw as a sale needs it.
type Draw struct {
	ID           uuid.UUID
	GameID       uuid.UUID
	Number       string
	LocalDate    businessday.Day
	Time         time.Time
	SaleStopAt   time.Time // the latest for any seller; see StopFor
	StopExplicit bool      // SaleStopAt was given for this draw
	// StopInherited is set if neither the draw nor its game sets a stop, so that a seller's own setting may be
	// earlier.
	StopInherited bool
	OpensAt       time.Time // when a scheduled one is put on sale; zero where a person does it
	Status        string
}

// StopFor returns when the draw's sales stop for a seller that inherits a stop so long before a draw. A stop of the
// draw or of its game wins over the inherited one, which can only be earlier than SaleStopAt.
func (d *Draw) StopFor(inherited time.Duration) time.Time {
	if own := d.Time.Add(-inherited); d.StopInherited && own.Before(d.SaleStopAt) {
		return own
	}
	return d.SaleStopAt
}

// OpenAt reports whether sales of the draw are open at an instant, whether or not the closing task has run.
func (d *Draw) OpenAt(now time.Time) bool {
	return d.Status == models.DrawOpen && now.Before(d.SaleStopAt)
}

// Rule returns the rule of a bet type, or nil when the game does not offer it.
func (g *Game) Rule(betType string) *Rule { return g.rules.types[betType] }

// BetTypes returns the bet types of the game, sorted.
func (g *Game) BetTypes() []string {
	types := make([]string, 0, len(g.rules.types))
	for t := range g.rules.types {
		types = append(types, t)
	}
	slices.Sort(types)
	return types
}

// Element returns the element with a code that can be bet on, or nil.
func (g *Game) Element(code string) *Element { return g.byCode[code] }

// Mechanics returns how the game's outcome is drawn.
func (g *Game) Mechanics() Mechanics { return g.mechanics }

// Schedule returns when the game is drawn.
func (g *Game) Schedule() *Schedule { return &g.schedule }

func gameOf(row *models.Game, category string, elements []models.GameElement) (*Game, error) {
	g := &Game{
		ID: row.ID, CategoryID: row.CategoryID, Category: category, Name: row.Name, ShortCode: row.ShortCode,
		Position: row.Position, Status: row.Status, RuleVersion: row.RuleVersion,
		byCode: make(map[string]*Element, len(elements)), names: make(map[string]string, len(elements)),
	}
	if row.LogoURL != nil {
		g.LogoURL = *row.LogoURL
	}
	if row.SaleStopSeconds != nil {
		stop := time.Duration(*row.SaleStopSeconds) * time.Second
		g.SaleStop = &stop
	}
	g.take(elements)
	var err error
	if g.mechanics, err = DecodeMechanics(row.Mechanics, category); err != nil {
		return nil, err
	}
	if g.rules, err = decodeRules(row.BettingRules); err != nil {
		return nil, err
	}
	if err = json.Unmarshal(row.ScheduleConfig, &g.schedule); err != nil {
		return nil, fmt.Errorf("schedule_config: %w", err)
	}
	return g, nil
}

// take separates the elements that can be bet on from the retired ones.
func (g *Game) take(rows []models.GameElement) {
	g.Elements = make([]Element, 0, len(rows))
	for i := range rows {
		e := elementOf(&rows[i])
		g.names[e.Code] = e.Name
		if e.Retired {
			g.Retired = append(g.Retired, e)
			continue
		}
		g.Elements = append(g.Elements, e)
	}
	for i := range g.Elements {
		g.byCode[g.Elements[i].Code] = &g.Elements[i]
	}
}

func elementOf(row *models.GameElement) Element {
	e := Element{ID: row.ID, Code: row.Code, Name: row.Name, Display: row.DisplayValue, Position: row.Position, Retired: row.Status == models.ElementRetired}
	if row.ImageURL != nil {
		e.ImageURL = *row.ImageURL
	}
	return e
}

// drawRow is a row of draws with StopInherited.
type drawRow struct {
	models.Draw   `gorm:"embedded"`
	StopInherited bool
}

// StopInherited is the SQL condition of Draw.StopInherited, of draws d and games g.
const StopInherited = `NOT d.sale_stop_explicit AND g.sale_stop_seconds IS NULL`

func drawOf(row *drawRow) *Draw {
	d := &Draw{
		ID: row.ID, GameID: row.GameID, Number: row.DrawNumber, LocalDate: row.LocalDate,
		Time: row.DrawTime.UTC(), SaleStopAt: row.SaleStopAt.UTC(), StopExplicit: row.SaleStopExplicit, StopInherited: row.StopInherited, Status: row.Status,
	}
	if row.OpensAt != nil {
		d.OpensAt = row.OpensAt.UTC()
	}
	return d
}
