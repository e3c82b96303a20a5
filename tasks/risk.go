package tasks

// RiskRebuild recomputes the risk counters of one draw from Postgres, or of every open draw whose
// counters are not ready when DrawID is empty.
//
// Trigger: a sale that found no counters, and the start of a worker. Repeating it is safe because each
// rebuild raises the draw's epoch, and a reservation made under an older one does not commit. Queue
// critical, 2 minutes. When every retry fails, sales of the draw stay refused and the next one asks again.
type RiskRebuild struct {
	DrawID string `json:"draw_id,omitempty"`
}

// Kind names the task.
func (RiskRebuild) Kind() string { return "risk.rebuild" }

// RiskSweep releases reservations whose sale was never committed.
//
// Trigger: every 15 seconds. Repeating it is safe because a reservation is released once, by its id.
// Queue critical, 30 seconds. When every retry fails, limits stay stricter than needed until the next.
type RiskSweep struct{}

// Kind names the task.
func (RiskSweep) Kind() string { return "risk.sweep" }
