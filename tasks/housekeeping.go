package tasks

import "time"

// housekeepingKinds lists the kinds of this file.
func housekeepingKinds() []entry {
	return []entry{
		of[ActivityLink](),
		of[DocumentSweep](),
		of[OutboxSweep](),
		of[QueuePrune](),
		of[RequestTrim](),
		of[SessionExpire](),
		of[MonthPrepare](),
		of[MonthAnalyse](),
		of[MonthArchive](),
	}
}

// ActivityLink appends the entries of the activity log that are not linked yet to its chain of hashes.
//
// Trigger: every 5 seconds. Repeating it is safe because an entry is linked once, by a trigger. When every retry
// fails, the next tick links more; `banca verify` fails once entries wait for ten minutes.
type ActivityLink struct{}

// Spec implements Args.
func (ActivityLink) Spec() Spec {
	return Spec{
		Kind: "activity.link", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 10 * time.Second, Every: "@every 5s",
	}
}

// DocumentSweep removes files of the private bucket that no document names: of uploads that died on the way, and of
// documents that were removed while the store was away.
//
// Trigger: hourly. Repeating it is safe because each file is removed under the lock of the line that leads to it.
// When every retry fails, the lines stay and the next sweep goes on with them.
type DocumentSweep struct{}

// Spec implements Args.
func (DocumentSweep) Spec() Spec {
	return Spec{
		Kind: "document.sweep", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute, Every: "0 40 * * * *",
	}
}

// OutboxSweep enqueues tasks again that are due in Postgres and lost in the queue.
//
// Trigger: every 10 seconds. Repeating it is safe because a row is put back by a guarded statement, and the task
// keeps its id. When every retry fails, the next tick does its work.
type OutboxSweep struct{}

// Spec implements Args.
func (OutboxSweep) Spec() Spec {
	return Spec{
		Kind: "outbox.sweep", Queue: QueueCritical, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: 10 * time.Second, Every: "@every 10s",
	}
}

// QueuePrune deletes archived tasks of the queues before asynq does, in batches: it fails when thousands expire at
// once.
//
// Trigger: every hour. Repeating it is harmless. When every retry fails, the next tick does its work.
type QueuePrune struct{}

// Spec implements Args.
func (QueuePrune) Spec() Spec {
	return Spec{
		Kind: "queue.prune", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 2 * time.Minute, MaxDelay: time.Minute, Every: "0 50 * * * *",
	}
}

// RequestTrim makes the partitions of the request log for the next days, and drops those beyond its retention.
//
// Trigger: hourly. Repeating it is safe because partitions are chosen by their days. When every retry fails, the next
// hour drops more; the api makes a missing partition itself.
type RequestTrim struct{}

// Spec implements Args.
func (RequestTrim) Spec() Spec {
	return Spec{
		Kind: "request.trim", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 60 * time.Second, MaxDelay: time.Minute, Every: "0 45 * * * *",
	}
}

// SessionExpire ends the sessions whose time is over, and deletes the rows of account_credentials that no check reads
// any more.
//
// Trigger: hourly. Repeating it is safe because only sessions without an end are updated. When every retry fails,
// expired sessions are still refused by their date.
type SessionExpire struct{}

// Spec implements Args.
func (SessionExpire) Spec() Spec {
	return Spec{
		Kind: "session.expire", Queue: QueueScheduler, MaxRetry: 5,
		Timeout: 2 * time.Minute, MaxDelay: time.Minute, Every: "0 10 * * * *",
	}
}

// MonthPrepare makes the partitions of the tables of sales for the next months.
//
// Trigger: daily, in the hour with the fewest sales, and when a scheduler begins to lead. Repeating it is safe
// because a partition that exists is left as it is. When every retry fails, the next day makes the partitions: there are three
// months.
type MonthPrepare struct{}

// Spec implements Args.
func (MonthPrepare) Spec() Spec {
	// 05:00 in Caracas
	return Spec{
		Kind: "month.prepare", Queue: QueueScheduler, MaxRetry: 5,
		Timeout: 10 * time.Minute, MaxDelay: 5 * time.Minute, Every: "0 0 9 * * *", AtStart: true,
	}
}

// MonthAnalyse gathers the statistics of the tables of sales, which autovacuum leaves to others for divided tables.
//
// Trigger: daily. Repeating it is harmless. Queue scheduler, two hours. When every retry fails, the planner has the statistics of the day before.
type MonthAnalyse struct{}

// Spec implements Args.
func (MonthAnalyse) Spec() Spec {
	return Spec{
		Kind: "month.analyse", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 2 * time.Hour, MaxDelay: 5 * time.Minute, Every: "0 10 9 * * *",
	}
}

// MonthArchive moves the months that ended more than ARCHIVE_AFTER_MONTHS months ago from the tables of sales to the object store.
//
// Trigger: daily. Repeating it is safe because each month goes through states, and a run takes up the state that the one before reached; a month leaves the
// tables only after all its rows were read back. Queue scheduler, six hours. When every retry fails, the next day goes on.
type MonthArchive struct{}

// Spec implements Args.
func (MonthArchive) Spec() Spec {
	return Spec{
		Kind: "month.archive", Queue: QueueScheduler, MaxRetry: 5,
		Timeout: 6 * time.Hour, MaxDelay: 5 * time.Minute, Every: "0 20 9 * * *",
	}
}
