package draws

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"banca/internal/activity"
	"banca/internal/drawstate"
	"banca/internal/platform/caller"
	"banca/models"
	"banca/storage"
	"banca/tasks"
)

// SealAcceptance is the decision of two persons to accept the tickets of a draw although they do not match its seal.
type SealAcceptance struct {
	DrawID     uuid.UUID
	Broken     string // the seal that the tickets do not match, hex
	Seal       string // of the tickets as they are, hex
	Sealed     int    // tickets when the draw was closed
	Tickets    int    // now
	Reason     string
	ProposedBy uuid.UUID
	ProposedAt time.Time
	AcceptedBy uuid.UUID // Nil until a second person accepts
	AcceptedAt time.Time
}

const selectAcceptance = `SELECT a.draw_id, encode(a.broken, 'hex'), encode(a.seal, 'hex'), coalesce(d.sealed_tickets, 0), a.tickets, a.reason, a.proposed_by, a.proposed_at
	FROM seal_acceptances a JOIN draws d ON d.id = a.draw_id WHERE a.draw_id = $1 AND a.accepted_at IS NULL`

// ProposedSeal returns the acceptance of a draw's tickets that awaits a second person, or nil.
func (s *Service) ProposedSeal(ctx context.Context, draw uuid.UUID) (*SealAcceptance, error) {
	return proposedSeal(ctx, s.PG.Pool, draw)
}

func proposedSeal(ctx context.Context, q storage.Querier, draw uuid.UUID) (*SealAcceptance, error) {
	rows, err := q.Query(ctx, selectAcceptance, draw)
	if err != nil {
		return nil, fmt.Errorf("acceptance of seal: %w", err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (SealAcceptance, error) {
		var a SealAcceptance
		err := row.Scan(&a.DrawID, &a.Broken, &a.Seal, &a.Sealed, &a.Tickets, &a.Reason, &a.ProposedBy, &a.ProposedAt)
		a.ProposedAt = a.ProposedAt.UTC()
		return a, err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // nothing proposed is no error
	}
	if err != nil {
		return nil, fmt.Errorf("acceptance of seal: %w", err)
	}
	return &a, nil
}

// AcceptSeal accepts the current tickets of a draw although they do not match its seal. The call of a first person
// proposes the acceptance. The call of a second person seals the draw again, acknowledges the alert and enqueues the
// settlement if the draw has a verified result. If the tickets have changed since the proposal, that call proposes the
// acceptance again instead. Every step is in the activity log, with both seals. Errors: ErrDrawNotFound, ErrSealHolds,
// ErrSamePerson, ErrReasonMissing.
func (s *Service) AcceptSeal(
	ctx context.Context, by caller.Caller, draw uuid.UUID, reason string,
) (*SealAcceptance, error) {
	reason, err := checkReason(reason)
	if err != nil {
		return nil, err
	}
	var a *SealAcceptance
	err = s.inLongTx(ctx, func(tx pgx.Tx) error {
		a, err = s.acceptSealTx(ctx, tx, by, draw, reason)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.Wake()
	return a, nil
}

func (s *Service) acceptSealTx(
	ctx context.Context, tx pgx.Tx, by caller.Caller, id uuid.UUID, reason string,
) (*SealAcceptance, error) {
	if err := storage.LockDraws(ctx, tx, []uuid.UUID{id}); err != nil {
		return nil, err
	}
	d, err := lockDraw(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	var kept []byte
	var sealed int
	if err := tx.QueryRow(ctx, `SELECT seal, coalesce(sealed_tickets, 0) FROM draws WHERE id = $1`, id).Scan(&kept, &sealed); err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	seal, tickets, err := sealOf(ctx, tx, id)
	if err != nil {
		return nil, err
	}
	if kept == nil || bytes.Equal(kept, seal) {
		return nil, ErrSealHolds
	}
	now := s.Clock.Now().Truncate(time.Microsecond)
	a := &SealAcceptance{
		DrawID: id, Broken: hex.EncodeToString(kept), Seal: hex.EncodeToString(seal), Sealed: sealed, Tickets: tickets,
		Reason: reason, ProposedBy: by.UserID, ProposedAt: now,
	}
	open, err := proposedSeal(ctx, tx, id)
	switch {
	case err != nil:
		return nil, err
	case open == nil || open.Seal != a.Seal || open.Broken != a.Broken:
		return a, s.proposeSealTx(ctx, tx, a, kept, seal)
	}
	if err := s.requireSecondPerson(ctx, tx, open.ProposedBy, by.UserID); err != nil {
		return nil, err
	}
	open.AcceptedBy, open.AcceptedAt = by.UserID, now
	return open, s.resealTx(ctx, tx, d, open, seal, reason)
}

func (s *Service) proposeSealTx(ctx context.Context, tx pgx.Tx, a *SealAcceptance, kept, seal []byte) error {
	b := &pgx.Batch{}
	b.Queue(`DELETE FROM seal_acceptances WHERE draw_id = $1 AND accepted_at IS NULL`, a.DrawID)
	b.Queue(`INSERT INTO seal_acceptances (id, draw_id, broken, seal, tickets, reason, proposed_by, proposed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		uuid.Must(uuid.NewV7()), a.DrawID, kept, seal, a.Tickets, a.Reason, a.ProposedBy, a.ProposedAt)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("propose seal: %w", err)
	}
	return s.recordSealTx(ctx, tx, activity.DrawsProposeSeal, a, a.Reason)
}

func (s *Service) resealTx(
	ctx context.Context, tx pgx.Tx, d *draw, a *SealAcceptance, seal []byte, reason string,
) error {
	b := &pgx.Batch{}
	b.Queue(
		`UPDATE seal_acceptances SET accepted_by = $2, accepted_at = $3 WHERE draw_id = $1 AND accepted_at IS NULL`,
		d.ID, a.AcceptedBy, a.AcceptedAt,
	)
	b.Queue(`UPDATE draw_alerts SET acknowledged_by = $2, acknowledged_at = $3 WHERE draw_id = $1 AND kind = $4 AND acknowledged_at IS NULL`,
		d.ID, models.Optional(a.AcceptedBy), a.AcceptedAt, models.AlertSealBroken)
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("accept seal: %w", err)
	}
	if err := drawstate.SealTx(ctx, tx, d.ID, seal, a.Tickets, a.AcceptedAt); err != nil {
		return err
	}
	if d.Status == models.DrawResulted {
		if err := enqueueTx(ctx, tx, tasks.DrawSettle{DrawID: d.ID}); err != nil {
			return err
		}
	}
	return s.recordSealTx(ctx, tx, activity.DrawsAcceptSeal, a, reason)
}

func (s *Service) recordSealTx(
	ctx context.Context, tx pgx.Tx, action activity.Action, a *SealAcceptance, reason string,
) error {
	return activity.RecordOperatorTx(ctx, tx, activity.Entry{
		Action: action, Target: a.DrawID.String(),
		Details: map[string]any{"broken": a.Broken, "seal": a.Seal, "sealed_tickets": a.Sealed, "tickets": a.Tickets, "reason": reason, "proposed_by": a.ProposedBy},
	})
}
