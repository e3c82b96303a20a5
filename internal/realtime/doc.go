// Package realtime carries news of changes to whoever is connected, over Redis, so that any process reaches
// any connection.
//
// Invariants: an event is published after the change it tells of is committed, and delivered at most once:
// what is lost is healed by whoever needs to be sure, by asking the database, and a client reads its state
// anew after it has connected. Publishing never waits for Redis. An audience names who is meant by what the
// server knows of a connection; a client chooses nothing.
//
// Data flow: a domain calls Publish through an interface of its own -> bounded queue -> Run sends it to one
// channel of Redis -> Subscribe of every api process -> the connections that are meant (package
// api/realtime). It imports nothing of ours, so that every domain may use it.
package realtime
