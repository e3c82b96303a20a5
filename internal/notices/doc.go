// Package notices turns events into messages: prizes, results of a day, daily closes and weekly settlements. It also
// handles inbound words of customers, such as BAJA. It owns no table.
//
// Data flow: a domain writes a task in the transaction of its event; the task's handler reads the
// event, gets the text from internal/messaging/templates, which is empty if the entity disables it, and queues the
// message. A provider's webhook passes inbound texts to [Service.Inbound].
//
// Invariants: a recipient gets one message about a version of a subject, however often a task runs, and none about a
// delivered version; a word is handled once, however often the webhook repeats it.
package notices
