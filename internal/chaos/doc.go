// Package chaos runs the platform as real processes on this machine, breaks it while a steady load goes on, and proves
// afterwards that nothing was lost and nothing happened twice.
//
// A [Run] starts a Postgres with a synchronous standby, a Redis with a replica, an object store, a messaging gateway, and
// two processes of each role. Every connection between them passes a proxy of its own. The load is that of well-behaved
// clients of the public API: a request without a certain answer is repeated with its key. The journal has every answer.
// Faults are drawn from a seed. At the end the platform drains, and what Postgres and the gateway hold is compared with
// the journal; each difference is named.
//
// The package is no part of the shipped binary.
package chaos
