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
// Trigger: a delayed task at the draw's sale stop, and a sweep every 15 seconds. Repeating it is safe
// because each target (database, Redis, external system) keeps its own mark. Queue critical, 60 seconds.
// When every retry fails, the sweep goes on trying; sales are refused after the stop in any case.
type DrawClose struct {
	DrawID string `json:"draw_id,omitempty"`
}

// Kind names the task.
func (DrawClose) Kind() string { return "draw.close" }
