package activity

import (
	"banca/internal/platform/clock"
	"banca/storage"
)

// Service reads the activity log, and writes the entries and corrections of users.
type Service struct {
	pg    *storage.Postgres
	clock clock.Clock
}

// New returns the service.
func New(pg *storage.Postgres, clk clock.Clock) *Service { return &Service{pg: pg, clock: clk} }
