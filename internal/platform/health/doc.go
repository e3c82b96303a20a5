// Package health knows what state the platform is in. It owns no table and knows no HTTP.
//
// A [Monitor] of each api process samples in the background: every dependency is checked, and every probe reads a
// group of figures, each in a goroutine and with a timeout of its own, so that none waits for another one.
// [Monitor.Snapshot] returns the last sample from memory: however often it is called, it costs no query. While a
// store is away, its figures come from the last successful sample, with its time.
//
// [Snapshot.Problems] lists the problems, sales stoppers first. The code of a problem is the key of its text, and
// Runbook is the section of the runbook that says what to do.
package health
