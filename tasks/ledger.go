package tasks

import (
	"time"

	"github.com/google/uuid"
)

// ledgerKinds lists the kinds of this file.
func ledgerKinds() []entry {
	return []entry{
		of[LedgerFold](),
		of[LedgerDays](),
		of[LedgerVerify](),
		of[RollupAdvance](),
		of[DayClose](),
		of[WeekSettle](),
		of[RateFetch](),
		of[ExportRun](),
		of[ExportSweep](),
	}
}

// LedgerFold adds pending amounts to the wallets' balances.
//
// Trigger: every 5 seconds. Repeating it is safe because a pending row is deleted by the statement that adds it. When
// every retry fails, balances stay exact (a read adds the pending amounts) and the next tick folds more.
type LedgerFold struct{}

// Spec implements Args.
func (LedgerFold) Spec() Spec {
	return Spec{
		Kind: "ledger.fold", Queue: QueueLedger, MaxRetry: 3,
		Timeout: 30 * time.Second, MaxDelay: 10 * time.Second, Every: "@every 5s",
	}
}

// LedgerDays adds committed postings to the sums of wallets by day.
//
// Trigger: every 5 seconds. Repeating it is safe because the sums change in the transaction that moves the position
// of their feed. Queue ledger, 5 minutes: the first run after an upgrade counts all postings. When every retry fails,
// balances of the past and statements stay exact (a read adds the postings since) but slower, and the next tick
// counts them.
type LedgerDays struct{}

// Spec implements Args.
func (LedgerDays) Spec() Spec {
	return Spec{
		Kind: "ledger.days", Queue: QueueLedger, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: 10 * time.Second, Every: "@every 5s",
	}
}

// LedgerVerify proves that balances, postings and transactions agree.
//
// Trigger: nightly at 07:30 UTC, and the health page of the panel. It only reads. When every retry fails, the failure is
// logged as an error and `banca verify` does the same by hand.
type LedgerVerify struct{}

// Spec implements Args.
func (LedgerVerify) Spec() Spec {
	// 03:30 in Caracas, between the days' sales
	return Spec{
		Kind: "ledger.verify", Queue: QueueLedger, MaxRetry: 3,
		Timeout: 15 * time.Minute, MaxDelay: 5 * time.Minute, Every: "0 30 7 * * *",
	}
}

// RollupAdvance adds the events that were committed since its last run to the daily totals, which reports read.
//
// Trigger: every 5 seconds. Repeating it is safe because the totals change in the transaction that moves the position
// of their feed. Queue ledger, 10 minutes: the first run after an upgrade counts all events. When every retry fails,
// reports say up to when they count, and the next tick counts the rest.
type RollupAdvance struct{}

// Spec implements Args.
func (RollupAdvance) Spec() Spec {
	return Spec{
		Kind: "rollup.advance", Queue: QueueLedger, MaxRetry: 3,
		Timeout: 10 * time.Minute, MaxDelay: 10 * time.Second, Every: "@every 5s",
	}
}

// DayClose opens the business day of each ticket point with events, and closes the days that are over, also for the
// entities above.
//
// Trigger: every minute. Repeating it is safe because a day is closed once (unique by entity, currency and day) and a
// closed row never changes. A day with sales of unknown outcome stays open for the next tick. When every retry fails,
// days stay open, are listed as missing, and the next tick closes them.
type DayClose struct{}

// Spec implements Args.
func (DayClose) Spec() Spec {
	return Spec{
		Kind: "day.close", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute, Every: "@every 1m",
	}
}

// WeekSettle drafts the weekly settlements of weeks that are over.
//
// Trigger: every 30 minutes. Repeating it is safe because a week is drafted once in a currency (primary key), under a
// lock. While the sales of a week are not counted in the totals, the week waits for the next tick. When every retry
// fails, the week stays undrafted, and the next tick drafts it.
type WeekSettle struct{}

// Spec implements Args.
func (WeekSettle) Spec() Spec {
	return Spec{
		Kind: "week.settle", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 10 * time.Minute, MaxDelay: time.Minute, Every: "0 5,35 * * * *",
	}
}

// RateFetch fetches the exchange rates of the day from the configured source.
//
// Trigger: twice a day, and a person who asks for it. Repeating it is safe because a day has one rate of a pair, and
// a typed rate stays. When every retry fails, an alert is filed, the last rates stay in use, and the next tick tries
// again.
type RateFetch struct{}

// Spec implements Args.
func (RateFetch) Spec() Spec {
	// 06:15 and 18:15 in Caracas: before the sales, and after rates are published
	return Spec{
		Kind: "rate.fetch", Queue: QueueResults, MaxRetry: 12,
		Timeout: 60 * time.Second, MaxDelay: 5 * time.Minute, Every: "0 15 10,22 * * *",
	}
}

// ExportRun writes the file of an export.
//
// Trigger: the outbox row written with the export; the run itself enqueues it again for later if too many are
// running. Repeating it is safe because each run has a file of its own, and only the newest one finishes the export.
// A run that died begins again; after five runs, or when no repetition helps, the handler marks the export as failed.
// When every retry fails, the sweep marks it.
type ExportRun struct {
	ExportID uuid.UUID `json:"export_id"`
}

// Spec implements Args.
func (ExportRun) Spec() Spec {
	return Spec{
		Kind: "export.run", Queue: QueueDefault, MaxRetry: 10,
		Timeout: 15 * time.Minute, MaxDelay: 30 * time.Second,
	}
}

// ExportSweep deletes the files of exports whose time is over.
//
// Trigger: every 10 minutes. Repeating it is safe because a file is deleted before its export is marked. When every
// retry fails, links are refused all the same, and the next tick deletes the files.
type ExportSweep struct{}

// Spec implements Args.
func (ExportSweep) Spec() Spec {
	return Spec{
		Kind: "export.sweep", Queue: QueueScheduler, MaxRetry: 3,
		Timeout: 5 * time.Minute, MaxDelay: time.Minute, Every: "@every 10m",
	}
}
