// Package connections keeps the connections of entities to providers of messages and owns messaging_connections.
//
// A connection is a driver with its parameters. An entity without one uses the connection of its nearest ancestor, or
// the configured channel if there is none. Data flow: [Service.Create] checks the parameters, seals the secret ones,
// asks the provider to link the account and stores what it answered; [Service.Refresh] and the provider's webhooks
// ([Service.Report]) keep the state; [Service.Channel] gives a message its channel.
//
// Invariants:
//   - An entity has at most one connection, by a unique index. A deleted one keeps its row without secrets.
//   - Secrets are stored sealed, bound to their row, and never returned.
//   - No transaction is open while a provider is called.
//   - The driver verifies a webhook before its content is used.
package connections
