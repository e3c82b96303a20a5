// Package ratelimit bounds how many requests a client makes, over all processes.
//
// A client has a limit of requests that refills evenly over a window (GCRA, the leaky bucket): who was idle may use the
// whole limit at once, and after that one request in window/limit. The algorithm's state is one instant a client, at
// which the whole limit is there again, kept in Redis by redis_rate.
//
// Limits come in classes: users of the API and addresses, registered devices, users of the panel. A client counts in the
// class of what was proved of it, never of what it says, and a request counts against one client; that of an
// IPv6 address, which is a /64, counts against its /48 as well.
//
// Asking Redis for every request would be a round trip in every sale. So a process keeps what Redis last said, admits by
// itself while more than half of the limit is left, and tells Redis afterwards: when unsettledMost requests have come
// together, with the next one, or in the background after settleEvery. Near the limit Redis decides every request.
//
// Invariants: what a process knows of a client is never less than what Redis counted of this process's own requests, so
// one process alone never exceeds the limit; of several, each may exceed it by the unsettledMost requests that it admitted
// before it learned of the others. Memory is bounded. Without Redis each process goes on counting alone; no request fails
// for it.
package ratelimit
