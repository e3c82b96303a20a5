package messaging

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// InboundTx notes an inbound message of a channel by the provider's id, and reports whether it is new: providers repeat their webhooks.
func (s *Service) InboundTx(ctx context.Context, tx pgx.Tx, channelID uuid.UUID, providerID string) (fresh bool, err error) {
	tag, err := tx.Exec(ctx, `INSERT INTO message_inbound (channel_id, provider_id, received_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`, channelID, providerID)
	if err != nil {
		return false, fmt.Errorf("messaging: inbound: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// forgetInbound deletes notes of inbound messages that no provider repeats any more.
func (s *Service) forgetInbound(ctx context.Context) error {
	_, err := s.config.Pool.Exec(ctx, `DELETE FROM message_inbound WHERE (channel_id, provider_id) IN (
		SELECT channel_id, provider_id FROM message_inbound WHERE received_at < now() - interval '30 days' ORDER BY received_at LIMIT $1)`, sweepBatch)
	if err != nil {
		return fmt.Errorf("messaging: forget inbound: %w", err)
	}
	return nil
}
