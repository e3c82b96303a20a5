package models

import (
	"time"

	"github.com/google/uuid"
)

// Statuses of a result.
const (
	ResultProposed   = "proposed"
	ResultVerified   = "verified"
	ResultSuperseded = "superseded"
	ResultRejected   = "rejected"
)

// Origins of a result.
const (
	ResultTyped   = "typed"
	ResultFetched = "fetched"
	ResultDerived = "derived"
)

// Kinds of draw alerts.
const (
	AlertNoResult      = "no_result"
	AlertContradiction = "contradiction" // sources disagree
	AlertDiffers       = "differs"       // a source differs from the verified result
	AlertMalformed     = "malformed"
	AlertCloseFailed   = "close_failed"
	AlertSealBroken    = "seal_broken"
)

// Result is a row of results: one version of a draw's result.
type Result struct {
	ID         uuid.UUID `gorm:"primaryKey"`
	DrawID     uuid.UUID
	Version    int
	Value      string
	Sign       string
	Wildcard   string
	Flags      []string `gorm:"-"`
	Status     string
	Origin     string
	Source     string
	Evidence   []byte `gorm:"type:jsonb;default:'{}'"`
	Supersedes *uuid.UUID
	Reason     string
	EnteredBy  *uuid.UUID
	EnteredAt  time.Time
	VerifiedBy *uuid.UUID
	VerifiedAt *time.Time
	ClosedAt   *time.Time
	ClosedBy   *uuid.UUID
}
