package models

import (
	"time"

	"github.com/google/uuid"

	"banca/internal/platform/businessday"
)

// Codes of the seeded game categories.
const (
	CategoryTriples    = "TRIPLES"
	CategoryTerminales = "TERMINALES"
	CategoryAnimalitos = "ANIMALITOS"
)

// Statuses of a draw, in the order of its life; suspended refunds every ticket.
const (
	DrawScheduled = "scheduled"
	DrawOpen      = "open"
	DrawClosed    = "closed"
	DrawResulted  = "resulted"
	DrawSettled   = "settled"
	DrawSuspended = "suspended"
)

// GameCategory is a row of game_categories.
type GameCategory struct {
	ID          uuid.UUID `gorm:"primaryKey"`
	Name        string
	Code        string
	Description string
	Config      []byte `gorm:"type:jsonb;default:'{}'"`
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Game is a row of games; the JSON columns are decoded by the catalog domain.
type Game struct {
	ID              uuid.UUID `gorm:"primaryKey"`
	CategoryID      uuid.UUID
	Name            string
	ShortCode       string
	Position        int
	Status          string
	LogoURL         *string
	SaleStopSeconds *int
	Mechanics       []byte `gorm:"type:jsonb;default:'{}'"`
	ScheduleConfig  []byte `gorm:"type:jsonb;default:'{}'"`
	BettingRules    []byte `gorm:"type:jsonb;default:'{}'"`
	Metadata        []byte `gorm:"type:jsonb;default:'{}'"`
	APIConfig       []byte `gorm:"column:api_config;type:jsonb;default:'{}'"`
	RuleVersion     int
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Statuses of an element; a retired one cannot be bet on.
const (
	ElementActive  = "active"
	ElementRetired = "retired"
)

// GameElement is a row of game_elements. Codes are text: "0" and "00" differ.
type GameElement struct {
	ID           uuid.UUID `gorm:"primaryKey"`
	GameID       uuid.UUID
	Code         string
	Name         string
	DisplayValue string
	ImageURL     *string
	Position     int
	Status       string `gorm:"default:active"`
}

// Draw is a row of draws.
type Draw struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	GameID     uuid.UUID
	DrawNumber string
	LocalDate  businessday.Day `gorm:"type:date"`
	DrawTime   time.Time
	SaleStopAt time.Time
	// SaleStopExplicit is set if sale_stop_at was given for this draw, so that no setting of game or entity moves it.
	SaleStopExplicit bool
	OpensAt          *time.Time // when a scheduled one is put on sale
	Status           string
	RiskEpoch        int64
	ClosedAt         *time.Time
	CreatedAt        time.Time
	UpdatedAt        time.Time
}
