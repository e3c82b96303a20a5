package draws

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/models"
)

// sealSQL hashes the sales of a draw: the SHA-256 over the hashes of its tickets in the order of ids, each the
// SHA-256 of the ticket's fields and of its lines on the draw. A cancelled ticket is not part of it, but a ticket that
// a suspension refunded is. None of that changes after the closing, so the hash changes only if a ticket was inserted,
// deleted or altered.
const sealSQL = `
	SELECT coalesce(sha256(string_agg(h, ''::bytea ORDER BY id)), sha256(''::bytea)), count(*)
	FROM (
		SELECT t.id, sha256(convert_to(concat_ws('|', t.id, t.serial_code, t.validation_code, t.entity_id, t.wallet_id, t.currency_id, t.total,
			extract(epoch FROM t.created_at), l.lines), 'UTF8')) AS h
		FROM (
			SELECT ticket_id, string_agg(concat_ws(':', line_no, bet_type, selection, amount, payout, potential_prize, rule_version), ';' ORDER BY line_no) AS lines
			FROM ticket_lines WHERE draw_id = $1 GROUP BY ticket_id
		) l JOIN tickets t ON t.id = l.ticket_id
		WHERE t.status <> 'cancelled' OR t.refunds > 0
	) sold`

// sealOf computes the seal of a draw and the number of its tickets.
func sealOf(ctx context.Context, tx pgx.Tx, draw uuid.UUID) (seal []byte, tickets int, err error) {
	if err = tx.QueryRow(ctx, sealSQL, draw).Scan(&seal, &tickets); err != nil {
		return nil, 0, fmt.Errorf("seal: %w", err)
	}
	return seal, tickets, nil
}

// sealHolds reports whether the tickets of a closed draw match its seal. It is true for a draw without a seal, which
// was closed before seals were introduced.
func sealHolds(ctx context.Context, tx pgx.Tx, draw uuid.UUID) (bool, error) {
	var kept []byte
	if err := tx.QueryRow(ctx, `SELECT seal FROM draws WHERE id = $1`, draw).Scan(&kept); err != nil {
		return false, fmt.Errorf("seal: %w", err)
	}
	if kept == nil {
		return true, nil
	}
	now, _, err := sealOf(ctx, tx, draw)
	return bytes.Equal(kept, now), err
}

// requireSeal returns ErrSealBroken if the tickets of a draw do not match its seal.
func requireSeal(ctx context.Context, tx pgx.Tx, draw uuid.UUID) error {
	holds, err := sealHolds(ctx, tx, draw)
	if err == nil && !holds {
		return ErrSealBroken
	}
	return err
}

// alertSealBroken adds an alert if err is ErrSealBroken, and returns err. It is called after the rollback of the
// transaction that found the broken seal.
func (s *Service) alertSealBroken(ctx context.Context, draw uuid.UUID, err error) error {
	if !errors.Is(err, ErrSealBroken) {
		return err
	}
	return errors.Join(err, s.alert(ctx, draw, models.AlertSealBroken, ""))
}
