package messaging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Retention of notes of inbound messages, and the greatest age of a handled message. The retention is longer, so that a
// repeat is known or too old.
const (
	inboundKept   = 30 * 24 * time.Hour
	InboundMaxAge = 29 * 24 * time.Hour
)

// InboundTx notes an inbound message of a channel by the provider's id, and reports whether it is new: providers
// repeat their webhooks.
func (s *Service) InboundTx(
	ctx context.Context, tx pgx.Tx, channelID uuid.UUID, providerID string,
) (fresh bool, err error) {
	tag, err := tx.Exec(ctx, `INSERT INTO message_inbound (channel_id, provider_id, received_at) VALUES ($1, $2, now()) ON CONFLICT DO NOTHING`, channelID, noted(providerID))
	if err != nil {
		return false, fmt.Errorf("messaging: inbound: %w", err)
	}
	return tag.RowsAffected() == 1, nil
}

// noted is the digest of a provider's id, which may contain a telephone number.
func noted(providerID string) string {
	sum := sha256.Sum256([]byte(providerID))
	return hex.EncodeToString(sum[:])
}

// forgetInbound deletes notes of inbound messages beyond the retention.
func (s *Service) forgetInbound(ctx context.Context) error {
	_, err := s.deps.Pool.Exec(ctx, `DELETE FROM message_inbound WHERE (channel_id, provider_id) IN (
		SELECT channel_id, provider_id FROM message_inbound WHERE received_at < now() - $2::interval ORDER BY received_at LIMIT $1)`, sweepBatch, inboundKept)
	if err != nil {
		return fmt.Errorf("messaging: forget inbound: %w", err)
	}
	return nil
}
