package risk

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"banca/internal/org"
	"banca/storage"
)

// madeBy is the second part of the note of a reservation: when it was made, the number of the seller, and the
// idempotency key of the sale.
type madeBy struct {
	at     int64     // milliseconds; 0 for an invalid note
	seller int       // 0 for a note without one, such as a cancellation's
	key    uuid.UUID // Nil for none
}

func (m madeBy) String() string {
	text := strconv.FormatInt(m.at, 10) + "@" + strconv.Itoa(m.seller)
	if m.key != uuid.Nil {
		text += "@" + m.key.String()
	}
	return text
}

// readMadeBy parses a note.
func readMadeBy(note string) (m madeBy) {
	parts := strings.SplitN(note, ";", 3)
	if len(parts) < 3 {
		return m
	}
	millis, rest, _ := strings.Cut(parts[1], "@")
	no, key, _ := strings.Cut(rest, "@")
	m.at, _ = strconv.ParseInt(millis, 10, 64)
	m.seller, _ = strconv.Atoi(no)
	m.key, _ = uuid.Parse(key)
	return m
}

// Holds reports whether a sale with an idempotency key has a reservation on one of the draws: another process is about
// to commit it, or its outcome is not known. Errors: ErrUnavailable.
func (s *Service) Holds(ctx context.Context, key uuid.UUID, draws []uuid.UUID) (held bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	err = s.eachNote(ctx, draws, func(_ string, by madeBy) { held = held || by.key == key })
	return held, err
}

// eachNote calls do for each reservation and each intended cancellation of draws.
func (s *Service) eachNote(ctx context.Context, draws []uuid.UUID, do func(field string, by madeBy)) error {
	cmds := make([]*redis.MapStringStringCmd, len(draws))
	_, err := s.redis.Pipelined(ctx, func(p redis.Pipeliner) error {
		for i, d := range draws {
			cmds[i] = p.HGetAll(ctx, keysOf(d)[1])
		}
		return nil
	})
	if err != nil {
		return ErrUnavailable.WithCause(err)
	}
	for _, cmd := range cmds {
		for field, note := range cmd.Val() {
			do(field, readMadeBy(note))
		}
	}
	return nil
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
	seen := map[uuid.UUID]bool{}
	var tickets storage.UUIDs
	err := s.eachNote(ctx, draws, func(field string, by madeBy) {
		if id, err := uuid.Parse(field); err == nil && by.seller == seller && !seen[id] {
			seen[id] = true
			tickets = append(tickets, id)
		}
	})
	return tickets, err
}
