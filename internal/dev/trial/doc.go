// Package trial runs the platform as real processes on this machine under a load that goes on, and proves afterwards that
// nothing was lost and nothing happened twice.
//
// A trial starts a Postgres, a Redis, an object store, a messaging gateway, and processes of each role. The load is that of
// well-behaved clients of the public API: a request without a certain answer is repeated with its key. The journal has every
// answer. At the end the platform drains, and what Postgres and the gateway hold is compared with the journal; each
// difference is named.
//
// [Chaos] breaks what runs, by faults drawn from a seed: Postgres has a synchronous standby and Redis a replica, there are two
// processes of each role, and every connection between them passes a proxy of its own. [Soak] breaks nothing: it sells at half
// of the rate that it has found the platform to bear, looks at memory, connections, sizes, waits and times, and names what
// grows.
//
// The package is no part of the shipped binary.
package trial
