// Package notices turns events into messages: prizes, results of a day, daily closes and weekly settlements. It also does what customers ask for by
// writing a word, such as BAJA. It owns no table.
//
// Data flow: a domain writes a task in the transaction of its event; the task's handler here reads what happened, asks internal/messaging/templates
// for the text, which is none where the settings of the entity want none, and queues it. A provider's webhook brings inbound texts to
// [Service.Inbound].
//
// Invariants: there is one message about a version of a thing to a recipient, however often a task runs, and none if the recipient knows it; a word is
// acted on once, however often the webhook comes.
package notices
