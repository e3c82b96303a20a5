// Package ratelimit bounds the request rate of clients over all processes.
//
// A client has a limit of requests that refills evenly over a window (GCRA, a leaky bucket): an idle client may use
// the whole limit at once, and after that one request per window/limit. The state of a client is one instant, at
// which its limit is full again, kept in Redis by redis_rate.
//
// Limits come in classes: users of the API and addresses, registered devices, users of the panel. The class of a
// client follows from its proved identity, never from what it claims, and a request counts against one client; that
// of an IPv6 address, which is a /64, counts against its /48 as well.
//
// Asking Redis for every request would add a round trip to every sale. So a process keeps the last answer of Redis,
// admits requests itself while more than half of the limit is left, and reports them afterwards: when maxUnreported
// requests have accumulated, with the next one, or in the background after flushInterval. Near the limit Redis
// decides every request.
//
// Invariants: a process counts for a client at least the requests that it has reported itself, so one process alone
// never exceeds the limit; each of several may exceed it by the maxUnreported requests that it admitted before it
// learned of the others. Memory is bounded. Without Redis each process goes on counting alone; an outage of Redis
// fails no request.
package ratelimit
