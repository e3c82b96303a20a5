package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"banca/internal/activity"
	"banca/internal/alerts"
	"banca/internal/draws"
	"banca/internal/ledger"
	"banca/internal/platform/apperr"
	"banca/internal/platform/clock"
	"banca/internal/platform/verification"
	"banca/tasks"
	"banca/worker"
)

// newRegistry gives every kind of task its domain method.
func newRegistry(s *services, clk clock.Clock, log *slog.Logger) (*worker.Registry, error) {
	r := worker.NewRegistry(clk, log)
	err := errors.Join(
		worker.Handle(r, func(ctx context.Context, a tasks.ReceiptRender) error { return s.sales.RenderReceipt(ctx, a.TicketID) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.OutboxSweep) error { return s.recoverTasks(ctx, log) }),
		worker.Handle(r, func(ctx context.Context, a tasks.MessageSend) error { return s.messaging.Send(ctx, a.MessageID) }),
		worker.Handle(r, func(ctx context.Context, a tasks.MessageResend) error { return s.messaging.RunResend(ctx, a.ResendID) }),
		registerNotices(r, s),
		worker.Handle(r, func(ctx context.Context, _ tasks.RequestTrim) error { return counted(s.requests.Trim(ctx)) }),
		registerMonths(r, s),
		worker.Handle(r, func(ctx context.Context, _ tasks.QueuePrune) error { return counted(s.archive.Trim(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.MessageTrim) error { return counted(s.messaging.Trim(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.MessageSweep) error {
			return errors.Join(s.messaging.Sweep(ctx), s.connections.Sweep(ctx))
		}),
		worker.Handle(r, func(ctx context.Context, _ tasks.DrawGenerate) error { return counted(s.catalog.Generate(ctx)) }),
		worker.Handle(r, s.closeDraws),
		worker.Handle(r, func(ctx context.Context, a tasks.DrawStop) error {
			return s.draws.AnnounceStop(ctx, draws.EntityStop(a))
		}),
		worker.Handle(r, func(ctx context.Context, a tasks.DrawSettle) error {
			_, err := s.draws.Settle(ctx, a.DrawID)
			return err
		}),
		worker.Handle(r, func(ctx context.Context, a tasks.DrawRefund) error { return s.draws.Refund(ctx, a.DrawID) }),
		worker.Handle(r, func(ctx context.Context, a tasks.DrawCloseExternal) error {
			return s.draws.CloseExternal(ctx, a.DrawID)
		}),
		worker.Handle(r, func(ctx context.Context, a tasks.ResultPoll) error { return s.draws.Poll(ctx, a.DrawID) }),
		worker.Handle(r, func(ctx context.Context, a tasks.ResultDerive) error { return s.draws.Derive(ctx, a.ResultID) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.ResultSweep) error { return counted(s.draws.Sweep(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.TicketExpire) error { return counted(s.prizes.Expire(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.ActivityLink) error { return counted(s.activity.Link(ctx)) }),
		registerMoney(r, s, log),
		worker.Handle(r, func(ctx context.Context, _ tasks.LedgerVerify) error { return s.verify(ctx, clk, log) }),
		worker.Handle(r, s.rebuildCounts),
		worker.Handle(r, func(ctx context.Context, _ tasks.RiskSweep) error {
			swept, err := s.risk.Sweep(ctx)
			if swept.Rebuilt+swept.Released > 0 {
				log.WarnContext(ctx, "risk counts were repaired", "draws_rebuilt", swept.Rebuilt, "reservations_released", swept.Released)
			}
			return err
		}),
		registerBank(r, s),
		worker.Handle(r, func(ctx context.Context, a tasks.CodeSend) error { return s.sendCode(ctx, a.MessageID) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.DocumentSweep) error {
			return errors.Join(counted(s.org.SweepDocuments(ctx)), counted(s.catalog.SweepPictures(ctx)))
		}),
		worker.Handle(r, func(ctx context.Context, _ tasks.SessionExpire) error { return s.expireSessions(ctx) }),
	)
	return r, err
}

// registerBank gives the tasks of the bank's payments their domain methods.
func registerBank(r *worker.Registry, s *services) error {
	return errors.Join(
		worker.Handle(r, func(ctx context.Context, a tasks.BankNotify) error { return s.bank.NotifyPayer(ctx, a.PaymentID) }),
		worker.Handle(r, func(ctx context.Context, a tasks.BankClaim) error { return s.bank.ClaimForTicket(ctx, a.TicketID) }),
		worker.Handle(r, func(ctx context.Context, a tasks.BankRequest) error { return s.bank.RequestForTicket(ctx, a.TicketID) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.BankExpire) error {
			return errors.Join(counted(s.bank.ExpireRequests(ctx)), counted(s.bank.SweepClaims(ctx)))
		}),
		worker.Handle(r, func(ctx context.Context, _ tasks.BankTrim) error {
			return errors.Join(counted(s.bank.Trim(ctx)), counted(s.alerts.Trim(ctx)))
		}),
	)
}

// registerNotices gives the tasks of notices their domain methods.
func registerNotices(r *worker.Registry, s *services) error {
	return errors.Join(
		worker.Handle(r, func(ctx context.Context, a tasks.NoticeClose) error { return s.notices.Close(ctx, a.CloseID) }),
		worker.Handle(r, func(ctx context.Context, a tasks.NoticeSettlement) error {
			return s.notices.Settlement(ctx, a.SettlementID)
		}),
		worker.Handle(r, func(ctx context.Context, a tasks.NoticeDraw) error {
			return s.notices.Draw(ctx, a.DrawID, time.UnixMicro(a.DecidedAt))
		}),
	)
}

// registerMoney gives the tasks of balances, totals, closes, settlements and files their domain methods.
func registerMoney(r *worker.Registry, s *services, log *slog.Logger) error {
	return errors.Join(
		worker.Handle(r, func(ctx context.Context, _ tasks.LedgerFold) error { return counted(s.ledger.Fold(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.LedgerDays) error { return s.ledger.CountDays(ctx) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.RollupAdvance) error { return s.rollup.Advance(ctx) }),
		worker.Handle(r, func(ctx context.Context, a tasks.AssistantAnswer) error { return s.assistant.Answer(ctx, a.MessageID) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.AssistantTrim) error { return counted(s.assistant.Trim(ctx)) }),
		worker.Handle(r, func(ctx context.Context, a tasks.ExportRun) error { return s.exports.Run(ctx, a.ExportID) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.ExportSweep) error { return counted(s.exports.Sweep(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.RateFetch) error { return s.fetchRates(ctx, log) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.DayClose) error { return counted(s.closes.Due(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.WeekSettle) error { return counted(s.weekly.Due(ctx)) }),
	)
}

func (s *services) closeDraws(ctx context.Context, a tasks.DrawClose) error {
	if a.DrawID == uuid.Nil {
		if err := counted(s.draws.OpenDue(ctx)); err != nil {
			return err
		}
		return errors.Join(counted(s.draws.CloseDue(ctx)), counted(s.draws.ScheduleStops(ctx)))
	}
	return s.draws.Close(ctx, a.DrawID)
}

// expireSessions ends the logins whose time is over, then the sessions of devices that were made in them, and deletes expired rows
// of account_credentials.
func (s *services) expireSessions(ctx context.Context) error {
	if err := counted(s.auth.ExpireSessions(ctx)); err != nil {
		return err
	}
	return errors.Join(counted(s.devices.EndOrphans(ctx)), counted(s.auth.TrimCredentials(ctx)))
}

func (s *services) rebuildCounts(ctx context.Context, a tasks.RiskRebuild) error {
	if a.All {
		return s.risk.RebuildAll(ctx)
	}
	if a.DrawID == uuid.Nil {
		_, err := s.risk.Sweep(ctx)
		return err
	}
	return s.risk.Rebuild(ctx, []uuid.UUID{a.DrawID}, true)
}

// fetchRates fetches exchange rates. A rate that was not fetched is logged and files an alert.
func (s *services) fetchRates(ctx context.Context, log *slog.Logger) error {
	fetches, err := s.ledger.FetchRates(ctx)
	for i := range fetches {
		f := &fetches[i]
		if f.Reason == "" {
			continue
		}
		log.WarnContext(ctx, "an exchange rate was not fetched", "pair", f.Pair.String(), "source", f.Source, "outcome", f.Outcome, "reason", f.Reason, "rate", f.Rate.String())
		err = errors.Join(err, s.alerts.Raise(ctx, alerts.RateNotFetched, f.Pair.String(), 1))
	}
	return err
}

// recoverTasks runs the recovery of lost tasks and files an alert for each kind of them.
func (s *services) recoverTasks(ctx context.Context, log *slog.Logger) error {
	lost, err := s.recovery.Sweep(ctx)
	if len(lost) > 0 {
		log.ErrorContext(ctx, "the queue lost tasks; they are enqueued again", "tasks", lost)
		s.notifier.Wake()
	}
	for kind, n := range lost {
		err = errors.Join(err, s.alerts.Raise(ctx, alerts.TasksLost, kind, n))
	}
	return err
}

// ErrBroken is the result of a verification that found something wrong.
var ErrBroken = apperr.New(apperr.Internal, "BOOKS_BROKEN", "an invariant of the books is broken")

// outcome is the result of all checks. Warnings name what needs attention and breaks no invariant.
type outcome struct {
	checks   []verification.Check
	warnings []warning
}

// warning is a condition that needs an operator, and the number of its rows.
type warning struct {
	name string
	rows int64
}

// checks recomputes every invariant of the books, the tickets, the prizes, the bank's payments and the activity log. The
// activity log is verified up to its head; a lag of the task that links it is a warning.
func (s *services) checks(ctx context.Context) (*outcome, error) {
	v := &outcome{}
	for _, domain := range []func(context.Context) ([]verification.Check, error){
		s.ledger.Verify, s.sales.Verify, s.prizes.Verify, s.draws.Checks, s.bank.Verify, s.rollup.Verify, s.closes.Verify, s.weekly.Verify,
	} {
		checks, err := domain(ctx)
		if err != nil {
			return nil, err
		}
		v.checks = append(v.checks, checks...)
	}
	proof, err := s.activity.Verify(ctx)
	if err != nil {
		return nil, err
	}
	v.checks = append(v.checks, verification.Check{Name: "the activity log is one chain, " + proof.String(), Broken: proof.Broken})
	if proof.Late > 0 {
		v.warnings = append(v.warnings, warning{name: "activity log entries are not linked within " + activity.LinkWithin.String(), rows: proof.Late})
	}
	return v, nil
}

// verify is the nightly verification. It logs each check and each warning by name and stores the outcome. A broken invariant fails the task; a
// warning does not.
func (s *services) verify(ctx context.Context, clk clock.Clock, log *slog.Logger) error {
	begun := clk.Now()
	v, err := s.checks(ctx)
	if err != nil {
		return err
	}
	for _, w := range v.warnings {
		log.WarnContext(ctx, "verification warning", "warning", w.name, "rows", w.rows)
	}
	broken := 0
	for _, c := range v.checks {
		if c.Broken > 0 {
			broken++
			log.ErrorContext(ctx, "invariant broken", "check", c.Name, "rows", c.Broken)
			continue
		}
		log.InfoContext(ctx, "invariant holds", "check", c.Name) // names the end of the activity log, so that an external log can prove it
	}
	outcome := ledger.VerifyOutcome{Took: clk.Now().Sub(begun), Checks: len(v.checks), Broken: broken, Warnings: len(v.warnings)}
	if err := s.ledger.RecordVerification(ctx, outcome); err != nil {
		return err
	}
	if broken > 0 {
		return ErrBroken
	}
	return nil
}

// counted drops how many a handler worked on.
func counted[N int | int64](_ N, err error) error {
	if err != nil {
		return fmt.Errorf("task: %w", err)
	}
	return nil
}

func registerMonths(r *worker.Registry, s *services) error {
	return errors.Join(
		worker.Handle(r, func(ctx context.Context, _ tasks.MonthPrepare) error { return counted(s.months.Prepare(ctx)) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.MonthAnalyse) error { return s.months.Analyse(ctx) }),
		worker.Handle(r, func(ctx context.Context, _ tasks.MonthArchive) error { return counted(s.months.Archive(ctx)) }),
	)
}
