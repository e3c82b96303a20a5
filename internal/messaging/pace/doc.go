// Package pace spreads messages over time, over all processes: a [Pacer] gives each message of a lane, such as a channel or a recipient on it, the
// instant at which it may be sent.
//
// A place is taken once and is not given back: a message that has one is sent at that instant, so a thousand messages to one recipient cost a
// thousand calls of Redis, and not one for each message that waits. A lane lets Burst messages pass at once after a rest.
package pace
