package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"banca/internal/dev/testbed"
	"banca/internal/setup/seed"
	"banca/models"
)

const (
	maxClients = 64
	benchRun   = "bench"
)

func rootID() uuid.UUID { return uuid.MustParse(seed.RootEntityID) }

func pointID(client int) uuid.UUID { return testbed.PointOf(benchRun, client).ID }
func userID(client int) uuid.UUID  { return testbed.PointOf(benchRun, client).UserID }
func login(client int) string      { return testbed.PointOf(benchRun, client).Login }

// hotLogin is a user of the one ticket point that many sell at.
func hotLogin(client int) string { return fmt.Sprintf("bench-hot-%d", client) }

// addPoints adds a ticket point for each client, and one more user for each at the first point.
func (s *benchTestbed) addPoints(ctx context.Context) error {
	points, err := testbed.AddPoints(ctx, s.pg.Pool, benchRun, maxClients)
	for client := 0; err == nil && client < maxClients; client++ {
		err = testbed.AddUser(ctx, s.pg.Pool, seed.ID(benchRun, "hot", fmt.Sprint(client)), points[0].Code, hotLogin(client), models.RoleTaquilla)
	}
	return err
}

// ticketDraws returns two draws that stay open for the whole run, after skipping some. Sales that bypass
// the risk engine have draws of their own, so that the counts of the others can be audited.
func (s *benchTestbed) ticketDraws(ctx context.Context, skip int) ([2]uuid.UUID, error) {
	var draws [2]uuid.UUID
	for i := range draws {
		err := s.pg.Pool.QueryRow(ctx, `SELECT d.id FROM draws d JOIN games g ON g.id = d.game_id
			WHERE g.short_code = 'lotto-activo' AND d.status = 'open' AND d.sale_stop_at > $1 ORDER BY d.draw_time LIMIT 1 OFFSET $2`,
			time.Now().Add(time.Hour), skip+i).Scan(&draws[i])
		if err != nil {
			return draws, fmt.Errorf("no open draw: %w", err)
		}
	}
	return draws, nil
}
