// Package realtime publishes events to connected clients over Redis, so that any process reaches any connection.
//
// Invariants: an event is published after the commit of its change and delivered at most once. A consumer that must
// not miss a change asks the database, and a client reads its state again after it has connected. Publishing never
// waits for Redis. An audience selects connections by what the server knows of them; a client selects nothing.
//
// Data flow: a domain calls Publish through an interface of its own -> bounded queue -> Run sends it to one channel
// of Redis -> Subscribe of every api process -> the connections of the audience (package api/realtime). It imports no
// other package of the module, so that every domain may use it.
package realtime
