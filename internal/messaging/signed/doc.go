// Package signed is the driver "http": it passes messages to a program of the operator's own, by the protocol of
// docs/messaging.md. Requests are signed as Standard Webhooks (https://www.standardwebhooks.com) describes, in both
// directions and with the same secret, so libraries of most languages verify them.
package signed
