package tasks

// DrawGenerate creates the draws of the coming days from the games' schedules.
//
// Trigger: hourly, and whenever a scheduler becomes leader. Repeating it is safe because a draw is unique
// by game, local day and number. Queue scheduler, 2 minutes. When every retry fails, the next hour tries
// again; draws are generated days ahead, so nothing is missing yet.
type DrawGenerate struct{}

// Kind names the task.
func (DrawGenerate) Kind() string { return "draw.generate" }

// DrawClose ends the sale of one draw, or of every draw that is due when DrawID is empty.
//
// Trigger: a sweep every 15 seconds, of all draws; nothing asks for a single one yet. Repeating it is safe
// because a draw is closed by a guarded UPDATE. Queue critical, 60 seconds. When every retry fails, the next
// sweep tries again; sales are refused after the stop in any case.
type DrawClose struct {
	DrawID string `json:"draw_id,omitempty"`
}

// Kind names the task.
func (DrawClose) Kind() string { return "draw.close" }
