// Package groupcommit lets concurrent writes share database transactions, so that one fsync and a few
// statements serve many items.
//
// An item commits alone and at once while few requests are in flight and no other item of its key is being
// committed. Otherwise it waits in the queue of its key's batcher, which writes the waiting items in one
// transaction. A domain gives the steps of a write ([Store]) and the bounds ([Limits]); [Group] routes items,
// fills batches and repeats safe writes:
//
//   - A batch that Postgres refuses is written again item by item, so that one bad item does not fail the others.
//   - A single item that Postgres refuses is written again while Store.Retry allows it, at most Limits.Attempts times.
//   - A batch whose commit was not answered, or whose write panicked, is looked up by Store.FindOutcome.
//   - An item that Store.Again names is written again by itself.
//
// [Calls] are concurrent calls of a function that share a run. A call that asks for it, or that shared a run which failed
// otherwise than by an outage, runs again alone where its caller waits.
//
// Every accepted item is finished exactly once, also when the group closes while it waits. Queues are bounded:
// an item that finds no room, or waited too long, is refused before anything is written.
package groupcommit
