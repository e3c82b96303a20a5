// Package realtime holds the WebSocket connections of device sessions.
//
// Invariants: a connection is upgraded only after its token, device, session and origin were checked; a
// device session has one live connection among all processes, the newest; a connection whose session, device,
// user or login loses its ground is closed at once by news over Redis, or within seconds by the sweep, which
// asks the database for all live connections in one query. Who gets an event is decided by what the server
// knows of a connection. A slow client loses its connection, never another client's time.
//
// Data flow: ServeHTTP checks and upgrades -> one goroutine a connection, which reads -> news from the bus is
// put into the bounded queues of those it is for -> a goroutine writes a queue while there is something in it.
package realtime
