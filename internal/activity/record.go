package activity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"banca/models"
)

// Bounds of what an entry holds, in bytes.
const (
	maxText    = 300
	maxDetails = 16 << 10
)

// Entry is an audited action.
type Entry struct {
	Action   Action
	EntityID uuid.UUID // entity of the target; its scope decides who may read the entry
	Target   string    // id of the target; may be empty
	Details  any       // a JSON object, nil for none; never a password, key or token
	Changes  Changes   // the fields that differ; stored in the details, as many as fit

	at     time.Time // zero is now
	manual bool
	amends *uuid.UUID
}

// RecordTx adds an entry in the caller's transaction of gorm. The columns and the time are as in insertSQL.
func RecordTx(ctx context.Context, tx *gorm.DB, e Entry) error {
	columns, err := e.columns(ctx, uuid.Must(uuid.NewV7()))
	if err != nil {
		return err
	}
	if e.at.IsZero() {
		columns["at"] = gorm.Expr("clock_timestamp()")
	}
	if err := tx.WithContext(ctx).Table("activity_logs").Create(columns).Error; err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	return nil
}

// RecordPgxTx is RecordTx for a transaction of the pool.
func RecordPgxTx(ctx context.Context, tx pgx.Tx, e Entry) error {
	_, err := recordTx(ctx, tx, e)
	return err
}

// RecordAllTx is RecordPgxTx for many entries in one round trip.
func RecordAllTx(ctx context.Context, tx pgx.Tx, entries []Entry) error {
	b := &pgx.Batch{}
	for i := range entries {
		columns, err := entries[i].columns(ctx, uuid.Must(uuid.NewV7()))
		if err != nil {
			return err
		}
		b.Queue(insertSQL, pgx.NamedArgs(columns))
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return fmt.Errorf("record activity: %w", err)
	}
	return nil
}

// RecordOperatorTx is RecordPgxTx for an entry about the catalogue, draws and other rows that belong to the operator.
func RecordOperatorTx(ctx context.Context, tx pgx.Tx, e Entry) error {
	err := tx.QueryRow(ctx, `SELECT id FROM entities WHERE parent_id IS NULL ORDER BY created_at, id LIMIT 1`).Scan(&e.EntityID)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("find the operator: %w", err)
	}
	return RecordPgxTx(ctx, tx, e)
}

// recordTx returns the id of the new entry.
func recordTx(ctx context.Context, tx pgx.Tx, e Entry) (uuid.UUID, error) {
	id := uuid.Must(uuid.NewV7())
	columns, err := e.columns(ctx, id)
	if err != nil {
		return id, err
	}
	if _, err := tx.Exec(ctx, insertSQL, pgx.NamedArgs(columns)); err != nil {
		return id, fmt.Errorf("record activity: %w", err)
	}
	return id, nil
}

// insertSQL leaves the links of the chain to Link, and the time to the database where none is given.
const insertSQL = `
	INSERT INTO activity_logs (id, at, user_id, user_name, session_id, entity_id, module, action, target, manual, amends, details, address, user_agent)
	VALUES (@id, coalesce(@at, clock_timestamp()), @user_id, @user_name, @session_id, @entity_id, @module, @action, @target, @manual, @amends, @details, @address, @user_agent)`

// columns returns the values of an entry by column; at is nil for the time of the INSERT.
func (e *Entry) columns(ctx context.Context, id uuid.UUID) (map[string]any, error) {
	details, err := e.details()
	if err != nil {
		return nil, err
	}
	a := ActorFrom(ctx)
	columns := map[string]any{
		"id": id, "at": nil, "entity_id": e.EntityID, "module": e.Action.module, "action": e.Action.name,
		"user_id": models.Optional(a.UserID), "session_id": models.Optional(a.SessionID),
		"user_name": models.Clip(a.Name, maxText), "target": models.Clip(e.Target, maxText),
		"manual": e.manual, "amends": e.amends,
		"details": details, "address": models.Clip(a.Address, maxText), "user_agent": models.Clip(a.UserAgent, maxText),
	}
	if !e.at.IsZero() {
		columns["at"] = e.at
	}
	return columns, nil
}

// details returns Details with Changes in JSON.
func (e *Entry) details() (string, error) {
	object, err := e.object()
	if err != nil {
		return "", fmt.Errorf("activity details: %w", err)
	}
	raw, err := json.Marshal(object, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("activity details: %w", err)
	}
	if object == nil || len(raw) > maxDetails {
		return `{"truncated":true}`, nil
	}
	return string(raw), nil
}
