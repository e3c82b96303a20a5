package risk

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/org"
	"banca/storage"
)

// noteTime is the second part of the note of a reservation: when it was made, in milliseconds, and the number of the
// seller.
func noteTime(at time.Time, seller int) string {
	return strconv.FormatInt(at.UnixMilli(), 10) + "@" + strconv.Itoa(seller)
}

// readNoteTime parses the second part of a note. at is 0 for an invalid one; seller is 0 for a note without one, such
// as a cancellation's.
func readNoteTime(part string) (at int64, seller int) {
	millis, no, _ := strings.Cut(part, "@")
	at, err := strconv.ParseInt(millis, 10, 64)
	if err != nil {
		return 0, 0
	}
	if seller, err = strconv.Atoi(no); err != nil {
		return at, 0
	}
	return at, seller
}

// Undecided counts the sales of an entity that have a reservation and no ticket: they are in progress, or their
// outcome is not known until the sweep takes the reservation back. Errors: ErrUnavailable.
func (s *Service) Undecided(ctx context.Context, seller *org.Node) (int, error) {
	draws, err := s.onSale(ctx)
	if err != nil {
		return 0, err
	}
	held, err := s.holding(ctx, draws)
	if err != nil {
		return 0, ErrUnavailable.WithCause(err)
	}
	tickets, err := s.reservedBy(ctx, held, seller.No)
	if err != nil || len(tickets) == 0 {
		return 0, err
	}
	var decided int
	err = s.pg.Pool.QueryRow(ctx, `SELECT count(*) FROM tickets WHERE id = ANY ($1::uuid[])`, tickets).Scan(&decided)
	if err != nil {
		return 0, fmt.Errorf("tickets of reservations: %w", err)
	}
	return len(tickets) - decided, nil
}

// reservedBy returns the tickets of a seller that have a reservation on one of the draws.
func (s *Service) reservedBy(ctx context.Context, draws []uuid.UUID, seller int) (storage.UUIDs, error) {
	cmds := make([]*redis.MapStringStringCmd, len(draws))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			cmds[i] = p.HGetAll(ctx, keysOf(d)[1])
		}
		return nil
	})
	if err != nil {
		return nil, ErrUnavailable.WithCause(err)
	}
	seen := map[uuid.UUID]bool{}
	var tickets storage.UUIDs
	for _, cmd := range cmds {
		for field, note := range cmd.Val() {
			parts := strings.SplitN(note, ";", 3)
			if len(parts) < 3 {
				continue
			}
			_, by := readNoteTime(parts[1])
			if id, err := uuid.Parse(field); err == nil && by == seller && !seen[id] {
				seen[id] = true
				tickets = append(tickets, id)
			}
		}
	}
	return tickets, nil
}
