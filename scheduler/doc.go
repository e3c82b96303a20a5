// Package scheduler turns times into tasks. It has no logic: an entry names a cron specification and a
// task, a tick writes the task to the outbox, and a worker does the rest.
//
// Any number of schedulers may run; exactly one, the leader, ticks. Leadership is a Postgres advisory
// lock of one session, and ticks are written through that same session. That is the whole fencing: a
// leader whose session has ended, for whatever reason, holds no lock and can write no tick either,
// however late it finds out. A Redis lease would need a token checked by every write to give as much.
// The session must reach Postgres directly or through a pooler in session mode.
//
// Invariants:
//   - All times are UTC, and each tick has one: an interval ticks at its multiples, wherever it started.
//   - A tick's task id is derived from entry and time, so a tick that is written twice is one task while
//     either of them exists. Handlers are safe to repeat all the same.
//   - A new leader makes up the newest tick of each entry of the last catchUp; older ones stay missed. So
//     does a leader whose machine slept, for a day.
package scheduler
