package tasks

import (
	"time"

	"github.com/google/uuid"
)

// drawKinds lists the kinds of this file.
func drawKinds() []entry {
	return []entry{
		of[DrawGenerate](),
		of[DrawClose](),
		of[DrawStop](),
		of[DrawCloseExternal](),
		of[DrawSettle](),
		of[DrawRefund](),
		of[ResultPoll](),
		of[ResultSweep](),
		of[ResultDerive](),
	}
}

// DrawGenerate creates the draws of the coming days from the games' schedules.
//
// Trigger: hourly, and whenever a scheduler becomes leader. Repeating it is safe because a draw is unique by game,
// local day and number. When every retry fails, the next hour tries again; draws are generated days ahead, so nothing
// is missing yet.
type DrawGenerate struct{}

// Spec implements Args.
func (DrawGenerate) Spec() Spec {
	return Spec{
		Kind: "draw.generate", Queue: QueueScheduler, MaxRetry: 5,
		Timeout: 2 * time.Minute, MaxDelay: time.Minute, Every: "0 0 * * * *", AtStart: true,
	}
}

// DrawClose ends the sale of one draw, or opens and closes every due draw if DrawID is empty.
//
// Trigger: for one draw its sale stop (a task that starts up to two seconds early waits); for all a sweep every 15
// seconds. Repeating it is safe because a draw is closed by a guarded UPDATE, and each target of the closing has a
// mark. When every retry fails, the next sweep tries again; sales are refused after the stop in any case.
type DrawClose struct {
	DrawID uuid.UUID `json:"draw_id,omitzero"`
}

// Spec implements Args.
func (DrawClose) Spec() Spec {
	return Spec{
		Kind: "draw.close", Queue: QueueCritical, MaxRetry: 20,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Every: "@every 15s",
	}
}

// DrawStop publishes draw.closed to the sellers below an entity whose inherited setting stops them earlier than the
// draw.
//
// Trigger: the sweep of draws, for each such stop within the next 30 seconds, exactly at it. Repeating it is safe
// because it only publishes an event. When every retry fails, those sellers get no event before the draw closes for
// all; sales are refused after their stop in any case.
type DrawStop struct {
	DrawID   uuid.UUID `json:"draw_id"`
	EntityID uuid.UUID `json:"entity_id"`
}

// Spec implements Args.
func (DrawStop) Spec() Spec {
	return Spec{
		Kind: "draw.stop", Queue: QueueCritical, MaxRetry: 3,
		Timeout: 30 * time.Second, MaxDelay: 5 * time.Second, Retention: tickRetention,
	}
}

// DrawCloseExternal closes a draw in the external lottery system.
//
// Trigger: the closing of the draw, and each failed attempt, at growing intervals for some four hours. Repeating it
// is safe because an attempt is claimed by a guarded UPDATE, the external system closes a draw once, and a draw with
// the mark is skipped. When a run is lost, the sweep of results finds the attempt overdue; after five failed attempts
// an alert is filed. Nothing is sold in any case.
type DrawCloseExternal struct {
	DrawID uuid.UUID `json:"draw_id"`
}

// Spec implements Args.
func (DrawCloseExternal) Spec() Spec {
	return Spec{
		Kind: "draw.close_external", Queue: QueueResults, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second,
	}
}

// DrawSettle decides the tickets of a draw by its verified result.
//
// Trigger: the verification of a result. Repeating it is safe because a settlement is one transaction, guarded by the
// draw's state. When every retry fails, the draw stays resulted, which the draws' sweep finds and enqueues again.
type DrawSettle struct {
	DrawID uuid.UUID `json:"draw_id"`
}

// Spec implements Args.
func (DrawSettle) Spec() Spec {
	return Spec{
		Kind: "draw.settle", Queue: QueueCritical, MaxRetry: 20,
		Timeout: 5 * time.Minute, MaxDelay: 30 * time.Second,
	}
}

// DrawRefund refunds the sales of a suspended draw.
//
// Trigger: the suspension. Repeating it is safe because each ticket's refund is committed with its bookings. When
// every retry fails, the draws' sweep enqueues it again.
type DrawRefund struct {
	DrawID uuid.UUID `json:"draw_id"`
}

// Spec implements Args.
func (DrawRefund) Spec() Spec {
	return Spec{
		Kind: "draw.refund", Queue: QueueCritical, MaxRetry: 20,
		Timeout: 5 * time.Minute, MaxDelay: 30 * time.Second,
	}
}

// ResultPoll asks the external sources for the result of a draw.
//
// Trigger: 5 minutes after the draw, then up to 8 times more, later and later. Repeating it is safe because an
// attempt is claimed by a guarded UPDATE. When a run is lost, the sweep of results finds the attempt overdue.
type ResultPoll struct {
	DrawID uuid.UUID `json:"draw_id"`
}

// Spec implements Args.
func (ResultPoll) Spec() Spec {
	return Spec{
		Kind: "result.poll", Queue: QueueResults, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second,
	}
}

// ResultSweep enqueues missed work: overdue attempts to fetch a result or to close a draw in the external system,
// unfinished settlements and refunds.
//
// Trigger: every minute, and whenever a scheduler becomes leader. Repeating it is safe because it only enqueues tasks
// that are idempotent. When every retry fails, the next minute tries again.
type ResultSweep struct{}

// Spec implements Args.
func (ResultSweep) Spec() Spec {
	return Spec{
		Kind: "result.sweep", Queue: QueueResults, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Every: "@every 1m", AtStart: true,
	}
}

// ResultDerive gives the draws of derived games the result that follows from a verified one.
//
// Trigger: the verification of a result. Repeating it is safe because a draw takes the same result once. When every
// retry fails, the derived result can be typed.
type ResultDerive struct {
	ResultID uuid.UUID `json:"result_id"`
}

// Spec implements Args.
func (ResultDerive) Spec() Spec {
	return Spec{
		Kind: "result.derive", Queue: QueueResults, MaxRetry: 20,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second,
	}
}
