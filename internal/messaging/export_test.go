package messaging

import (
	"context"

	"github.com/google/uuid"

	"banca/models"
)

// LeaseGroup leases messages in one group. It returns the leased messages and the messages to lease again alone.
func (s *Service) LeaseGroup(ctx context.Context, ids ...uuid.UUID) (leased, again []uuid.UUID, err error) {
	calls := make([]*leaseCall, len(ids))
	for i, id := range ids {
		calls[i] = &leaseCall{Argument: lease{message: id}}
	}
	err = s.leaseAll(ctx, calls)
	for i, c := range calls {
		if c.Result != nil {
			leased = append(leased, ids[i])
		}
		if c.Again {
			again = append(again, ids[i])
		}
	}
	return leased, again, err
}

// SaveGroup saves in one group that the first attempts of messages sent them, with the message's id as the id of the
// provider. It returns the messages that moved, the messages to save again alone and the messages with reports that
// nothing has applied.
func (s *Service) SaveGroup(ctx context.Context, ids ...uuid.UUID) (moved, again, overlaps []uuid.UUID, err error) {
	calls := make([]*endedCall, len(ids))
	for i, id := range ids {
		a := &attempt{number: 1}
		a.ID, a.Delivery = id, 1
		calls[i] = &endedCall{Argument: &ended{
			attempt: a, result: result{status: models.MessageSent, outcome: models.MessageSent, providerID: id.String()},
		}}
	}
	err = s.saveAll(ctx, calls)
	for i, c := range calls {
		if c.Result.moved {
			moved = append(moved, ids[i])
		}
		if c.Again {
			again = append(again, ids[i])
		}
		if c.Result.overlaps {
			overlaps = append(overlaps, ids[i])
		}
	}
	return moved, again, overlaps, err
}
