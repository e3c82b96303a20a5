// Package requestlog keeps which requests the api answered: method, path without query, status, duration, address,
// user and time. It owns the table request_logs.
//
// [Recorder.Record] is in the way of every request, so it does no more than append to a bounded buffer in memory. One
// goroutine ([Recorder.Run]) writes the buffer by COPY on a connection of its own, with short timeouts. While the
// database is away, slow or full, rows stay in the buffer; when it is full, further rows are dropped and counted.
// Nothing else waits for the log, and a row may be missing after a crash.
//
// The id of a row is made when it is recorded, so that writing a batch again after an answer was lost adds no row
// twice.
//
// Paths are recorded by [Path], which masks possible secrets. Partitions hold a day of UTC each; [Log.Trim] creates the
// partitions of the next days and drops the partitions beyond the retention.
package requestlog
