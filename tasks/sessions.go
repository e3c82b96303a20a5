package tasks

// SessionExpire ends the sessions whose time is over, and deletes the rows of account_credentials that no check reads any more.
//
// Trigger: hourly. Repeating it is safe because only sessions without an end are updated. Queue
// scheduler, 2 minutes. When every retry fails, expired sessions are still refused by their date.
type SessionExpire struct{}

// Kind names the task.
func (SessionExpire) Kind() string { return "session.expire" }
