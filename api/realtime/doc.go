// Package realtime holds the WebSocket connections of device sessions.
//
// Invariants: a connection is upgraded only after its token, device, session and origin were checked; a device
// session has one live connection among all processes, the newest; a connection whose session, device, user or login
// ends is closed at once by an event over Redis, or within seconds by the sweep, which asks the database for all live
// connections in one query. The server decides which connections get an event. A slow client loses its connection,
// and delays no other client.
//
// Data flow: ServeHTTP checks and upgrades -> one goroutine per connection, which reads -> events from the bus are
// put into the bounded queues of their connections -> a goroutine writes a queue while it is not empty.
package realtime
