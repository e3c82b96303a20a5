// Package scheduler turns times into tasks. It has no domain logic: an entry names a cron specification and a task, a
// tick writes the task to the outbox, and a worker does the rest.
//
// Any number of schedulers may run; exactly one, the leader, ticks. Leadership is a Postgres advisory lock of one
// session, and ticks are written through the same session. This is the fencing: a leader whose session has ended
// holds no lock and cannot write a tick, however late it notices. A Redis lease would need a token that every write
// checks to give as much. The session must reach Postgres directly or through a pooler in session mode.
//
// Invariants:
//   - All times are UTC. An interval ticks at its multiples, whenever the scheduler started.
//   - A tick's task id is derived from entry and time, so a tick that is written twice is one task while
//     either of them exists. Handlers are idempotent all the same.
//   - A new leader makes up the newest tick of each entry of the last catchUp; older ones stay missed. So
//     does a leader whose machine slept, for a day.
package scheduler
