package activity

import (
	"gorm.io/gorm"

	"banca/internal/clock"
)

// Service reads the trail and takes what people add to it.
type Service struct {
	db    *gorm.DB
	clock clock.Clock
}

// New returns the service over a gorm handle.
func New(db *gorm.DB, clk clock.Clock) *Service { return &Service{db: db, clock: clk} }
