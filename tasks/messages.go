package tasks

import (
	"time"

	"github.com/google/uuid"
)

// messageKinds lists the kinds of this file.
func messageKinds() []entry {
	return []entry{
		of[MessageSend](),
		of[MessageResend](),
		of[MessageTrim](),
		of[MessageSweep](),
		of[NoticeDraw](),
		of[NoticeClose](),
		of[NoticeSettlement](),
		of[CodeSend](),
		of[AssistantAnswer](),
		of[AssistantTrim](),
	}
}

// MessageSend makes one attempt to deliver a queued message.
//
// Trigger: the outbox row written with the message, a resend, or the sweep. Repeating it is safe because an attempt
// leases the message's row by a guarded UPDATE, and an attempt of unknown outcome is never repeated. A message that
// used up its attempts is marked failed by the handler itself; the retries of the task outnumber them, to outlast a
// database that is away.
type MessageSend struct {
	MessageID uuid.UUID `json:"message_id"`
}

// Spec implements Args.
func (MessageSend) Spec() Spec {
	return Spec{
		Kind: "message.send", Queue: QueueMessaging, MaxRetry: 30,
		Timeout: 45 * time.Second, MaxDelay: 5 * time.Minute,
	}
}

// MessageResend sends the messages of a resend again, a batch in each transaction.
//
// Trigger: the outbox row written with the resend. Repeating it is safe because each batch moves the resend's cursor
// in the transaction that queues its messages. A run that died goes on at the cursor; when every retry fails, the
// resend stays unfinished and shows it.
type MessageResend struct {
	ResendID uuid.UUID `json:"resend_id"`
}

// Spec implements Args.
func (MessageResend) Spec() Spec {
	return Spec{
		Kind: "message.resend", Queue: QueueMessaging, MaxRetry: 10,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute,
	}
}

// MessageTrim deletes messages, their reports and resends beyond the retention.
//
// Trigger: hourly. Repeating it is safe because it deletes rows older than the retention. When every retry fails,
// the next hour tries again.
type MessageTrim struct{}

// Spec implements Args.
func (MessageTrim) Spec() Spec {
	return Spec{
		Kind: "message.trim", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute, Every: "0 35 * * * *",
	}
}

// MessageSweep finds messages whose task was lost: an expired attempt becomes unknown, a message that waits far too
// long in the queue gets another task. It asks the providers of channels that are paused and of connections whose
// state is old.
//
// Trigger: every minute. Repeating it is safe because each change is a guarded UPDATE. When every retry fails, the
// next minute tries again.
type MessageSweep struct{}

// Spec implements Args.
func (MessageSweep) Spec() Spec {
	return Spec{
		Kind: "message.sweep", Queue: QueueMessaging, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 30 * time.Second, Every: "@every 1m",
	}
}

// NoticeDraw queues the messages that follow from the decision of tickets: of their prizes, and of the results of the
// day once all its draws are decided.
//
// Trigger: the outbox row of a settlement, of a correction and of the refund of a suspended draw. Repeating it is
// safe because there is one message about a version of the prize of a ticket, and one of the results of a day, to a
// recipient (unique index). When every retry fails, the messages that were not queued yet are missing.
type NoticeDraw struct {
	DrawID uuid.UUID `json:"draw_id"`
	// DecidedAt is the instant of the decision, as tickets have it, in microseconds since 1970.
	DecidedAt int64 `json:"decided_at"`
}

// Spec implements Args.
func (NoticeDraw) Spec() Spec {
	return Spec{
		Kind: "notice.draw", Queue: QueueDefault, MaxRetry: 20,
		Timeout: 5 * time.Minute, MaxDelay: 5 * time.Minute,
	}
}

// NoticeClose queues the message of a daily close.
//
// Trigger: the outbox row of the close. Repeating it is safe because there is one message about a close. When every
// retry fails, the message is missing.
type NoticeClose struct {
	CloseID uuid.UUID `json:"close_id"`
}

// Spec implements Args.
func (NoticeClose) Spec() Spec {
	return Spec{
		Kind: "notice.close", Queue: QueueDefault, MaxRetry: 20,
		Timeout: 60 * time.Second, MaxDelay: 5 * time.Minute,
	}
}

// NoticeSettlement queues the message of a weekly settlement.
//
// Trigger: the outbox row of its confirmation. Repeating it is safe because there is one message about a settlement.
// When every retry fails, the message is missing.
type NoticeSettlement struct {
	SettlementID uuid.UUID `json:"settlement_id"`
}

// Spec implements Args.
func (NoticeSettlement) Spec() Spec {
	return Spec{
		Kind: "notice.settlement", Queue: QueueDefault, MaxRetry: 20,
		Timeout: 60 * time.Second, MaxDelay: 5 * time.Minute,
	}
}

// CodeSend queues the message of a one-time code. The code is not in the task: it is computed when the message is
// sent.
//
// Trigger: the outbox row written with the code. Repeating it is safe because the message has the task's id. When
// every retry fails the user asks for another code; this one has expired by then.
type CodeSend struct {
	MessageID uuid.UUID `json:"message_id"`
}

// Spec implements Args.
func (CodeSend) Spec() Spec {
	return Spec{
		Kind: "auth.code", Queue: QueueMessaging, MaxRetry: 8,
		Timeout: 15 * time.Second, MaxDelay: 30 * time.Second,
	}
}

// AssistantAnswer answers a question of a user.
//
// Trigger: the outbox row written with the question. Repeating it is safe because a message is claimed by a guarded
// UPDATE, and only its newest run writes. It answers the message that waits longest. Where all places of its process
// are taken, or another message came first, it ends and another task is written for its message, which uses up no
// retry. A run that failed or died begins again once, then the message fails; when every retry fails, the message
// counts as failed after ten minutes.
type AssistantAnswer struct {
	MessageID uuid.UUID `json:"message_id"`
}

// Spec implements Args.
func (AssistantAnswer) Spec() Spec {
	return Spec{
		Kind: "assistant.answer", Queue: QueueAssistant, MaxRetry: 60,
		Timeout: 4 * time.Minute, MaxDelay: 5 * time.Second,
	}
}

// AssistantTrim deletes conversations with the assistant whose time is over.
//
// Trigger: hourly. Repeating it is safe because rows are chosen by their age. When every retry fails, the next hour
// deletes more.
type AssistantTrim struct{}

// Spec implements Args.
func (AssistantTrim) Spec() Spec {
	return Spec{
		Kind: "assistant.trim", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute, Every: "0 25 * * * *",
	}
}
