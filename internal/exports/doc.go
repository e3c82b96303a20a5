// Package exports writes reports that are too long for an answer into files, which their creator downloads by a link
// that expires. It owns the table report_exports and the objects below exports/ of the private bucket.
//
// An export has the states pending, running, done, failed and expired. Data flow: [Service.Create] checks the filter
// as the report itself does, and writes the row with its task; [Service.Run] writes the rows to a temporary file,
// then the file to the object store, then marks the row done; [Service.Sweep] deletes objects whose time is over.
//
// Invariants:
//   - A file is read by its creator only. Run and download each check the creator's current scope and permissions.
//   - A file is whole. Every run has an object of its own, which the row names after it was stored; the newest run
//     wins, and an earlier one that is still alive ends when it notices.
//   - Memory does not grow with the number of rows.
//   - Everything is bounded: rows of a file, unfinished exports of a user, runs at the same time, attempts, lifetimes.
package exports
