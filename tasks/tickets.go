package tasks

// TicketExpire marks won tickets whose prize was not collected in time.
//
// Trigger: every 10 minutes. Repeating it is safe because a ticket is marked once, guarded by its state; a ticket
// whose prize is being paid is skipped. Queue default, 2 minutes. When every retry fails, the next run marks more; a
// prize is not paid after its time in any case.
type TicketExpire struct{}

// Kind names the task.
func (TicketExpire) Kind() string { return "ticket.expire" }
