package tasks

// RiskRebuild recomputes the risk counters of one draw from Postgres, or of every open draw whose
// counters are not ready when DrawID is empty, or of every open draw with All.
//
// Trigger: the move of an entity, with All, because counters are kept for every entity above a seller. A sale that
// finds no counters rebuilds them itself, and RiskSweep the others. Repeating it is safe because each rebuild raises the draw's epoch, and a reservation made under
// an older one does not commit. Queue critical, 2 minutes. When every retry fails, sales of the draw stay
// refused until a sale or a sweep succeeds.
type RiskRebuild struct {
	DrawID string `json:"draw_id,omitempty"`
	All    bool   `json:"all,omitempty"`
}

// Kind names the task.
func (RiskRebuild) Kind() string { return "risk.rebuild" }

// RiskSweep releases reservations whose sale was never committed, and rebuilds counters that were lost.
//
// Trigger: every 15 seconds. Repeating it is safe because a reservation is released once, by its id.
// Queue critical, 30 seconds. When every retry fails, limits stay stricter than needed until the next.
type RiskSweep struct{}

// Kind names the task.
func (RiskSweep) Kind() string { return "risk.sweep" }
