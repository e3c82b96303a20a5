package tasks

// DrawGenerate creates the draws of the coming days from the games' schedules.
//
// Trigger: hourly, and whenever a scheduler becomes leader. Repeating it is safe because a draw is unique
// by game, local day and number. Queue scheduler, 2 minutes. When every retry fails, the next hour tries
// again; draws are generated days ahead, so nothing is missing yet.
type DrawGenerate struct{}

// Kind names the task.
func (DrawGenerate) Kind() string { return "draw.generate" }

// DrawClose ends the sale of one draw, or opens and closes every due draw if DrawID is empty.
//
// Trigger: for one draw its sale stop (a task that starts up to two seconds early waits); for all a sweep every 15
// seconds. Repeating it is safe because a draw is closed by a guarded UPDATE, and each target of the closing has a
// mark. Queue critical, 60 seconds. When every retry fails, the next sweep tries again; sales are refused after the
// stop in any case.
type DrawClose struct {
	DrawID string `json:"draw_id,omitempty"`
}

// Kind names the task.
func (DrawClose) Kind() string { return "draw.close" }

// DrawStop publishes draw.closed to the sellers below an entity whose inherited setting stops them earlier than the draw.
//
// Trigger: the sweep of draws, for each such stop within the next 30 seconds, exactly at it. Repeating it is safe
// because it only publishes an event. Queue critical, 30 seconds. When every retry fails, those sellers get no event
// before the draw closes for all; sales are refused after their stop in any case.
type DrawStop struct {
	DrawID   string `json:"draw_id"`
	EntityID string `json:"entity_id"`
}

// Kind names the task.
func (DrawStop) Kind() string { return "draw.stop" }

// DrawCloseExternal closes a draw in the external lottery system.
//
// Trigger: the closing of the draw, and each failed attempt, at growing intervals for some four hours. Repeating it
// is safe because an attempt is claimed by a guarded UPDATE, the external system closes a draw once, and a draw with
// the mark is skipped. Queue results, 60 seconds. When a run is lost, the sweep of results finds the attempt overdue;
// after five failed attempts an alert is filed. Nothing is sold in any case.
type DrawCloseExternal struct {
	DrawID string `json:"draw_id"`
}

// Kind names the task.
func (DrawCloseExternal) Kind() string { return "draw.close_external" }

// DrawSettle decides the tickets of a draw by its verified result.
//
// Trigger: the verification of a result. Repeating it is safe because a settlement is one transaction, guarded by the
// draw's state. Queue critical, 5 minutes. When every retry fails, the draw stays resulted, which the draws'
// sweep finds and enqueues again.
type DrawSettle struct {
	DrawID string `json:"draw_id"`
}

// Kind names the task.
func (DrawSettle) Kind() string { return "draw.settle" }

// DrawRefund refunds the sales of a suspended draw.
//
// Trigger: the suspension. Repeating it is safe because each ticket's refund is committed with its bookings. Queue
// critical, 5 minutes. When every retry fails, the draws' sweep enqueues it again.
type DrawRefund struct {
	DrawID string `json:"draw_id"`
}

// Kind names the task.
func (DrawRefund) Kind() string { return "draw.refund" }

// ResultPoll asks the external sources for the result of a draw.
//
// Trigger: 5 minutes after the draw, then up to 8 times more, later and later. Repeating it is safe because an attempt is
// claimed by a guarded UPDATE. Queue results, 60 seconds. When a run is lost, the sweep of results finds the
// attempt overdue.
type ResultPoll struct {
	DrawID string `json:"draw_id"`
}

// Kind names the task.
func (ResultPoll) Kind() string { return "result.poll" }

// ResultSweep enqueues missed work: overdue attempts to fetch a result or to close a draw in the external system,
// unfinished settlements and refunds.
//
// Trigger: every minute, and whenever a scheduler becomes leader. Repeating it is safe because it only enqueues tasks
// that are idempotent. Queue results, 60 seconds. When every retry fails, the next minute tries again.
type ResultSweep struct{}

// Kind names the task.
func (ResultSweep) Kind() string { return "result.sweep" }

// ResultDerive gives the draws of derived games the result that follows from a verified one.
//
// Trigger: the verification of a result. Repeating it is safe because a draw takes the same result once. Queue
// results, 60 seconds. When every retry fails, the derived result can be typed.
type ResultDerive struct {
	ResultID string `json:"result_id"`
}

// Kind names the task.
func (ResultDerive) Kind() string { return "result.derive" }
