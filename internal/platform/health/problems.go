package health

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Bounds beyond which a figure is a problem.
const (
	outboxLate     = 30 * time.Second
	queueLate      = time.Minute
	criticalLate   = 15 * time.Second
	messagesLate   = 10 * time.Minute
	resultOverdue  = 30 * time.Minute
	verifiedWithin = 26 * time.Hour // the task runs daily
	refusedCalls   = 5
	failedAnswers  = 3
	droppedLately  = 10 * time.Minute
	monthsMade     = 7 * 24 * time.Hour // before the last one ends
	monthArchived  = 3 * 24 * time.Hour // after it should have left for the archive
	diskLow        = 10                 // percent
	diskFull       = 3                  // percent
	percent        = 100
)

// criticalQueue is the queue of draws and risk counts.
const criticalQueue = "critical"

// Problem is something that needs a person. Its text has the key "health.problem." and Code.
type Problem struct {
	Code    string
	Failed  bool   // something does not work; otherwise it is late or lessened
	Runbook string // section
	Name    string // of the queue or dependency
	Count   int64
	Since   time.Time // zero if it is not known
}

// problemsOf lists the problems, failures first.
func problemsOf(s *Snapshot) []Problem {
	var all []Problem
	for _, rule := range []func(*Snapshot) []Problem{
		dependencyProblems, processProblems, outboxProblems, queueProblems, drawProblems, sourceProblems, bankProblems,
		messageProblems, modelProblems, diskProblems, backupProblems, passwordProblems, monthProblems, ledgerProblems,
		logProblems,
	} {
		all = append(all, rule(s)...)
	}
	slices.SortStableFunc(all, func(a, b Problem) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func rank(p Problem) int {
	if p.Failed {
		return 0
	}
	return 1
}

func dependencyProblems(s *Snapshot) []Problem {
	var all []Problem
	for i := range s.Dependencies {
		if d := &s.Dependencies[i]; d.Status == Failed {
			all = append(all, Problem{Code: "dependency." + d.Name, Failed: d.Required, Runbook: d.Name, Name: d.Name, Since: d.Since})
		}
	}
	return all
}

// away reports whether a dependency fails, so that its figures are not judged.
func (s *Snapshot) away(name string) bool {
	return slices.ContainsFunc(s.Dependencies, func(d State) bool { return d.Name == name && d.Status == Failed })
}

func processProblems(s *Snapshot) []Problem {
	var all []Problem
	if s.Queues != nil && s.Queues.Workers == 0 && !s.away("redis") {
		all = append(all, Problem{Code: "workers", Failed: true, Runbook: "worker"})
	}
	if s.Leader != nil && !*s.Leader && !s.away("postgres") {
		all = append(all, Problem{Code: "scheduler", Failed: true, Runbook: "scheduler"})
	}
	return all
}

func outboxProblems(s *Snapshot) []Problem {
	var all []Problem
	if s.Outbox == nil || s.away("postgres") {
		return nil
	}
	if s.Outbox.Age > outboxLate {
		all = append(all, Problem{Code: "outbox.late", Failed: true, Runbook: "outbox", Count: s.Outbox.Rows, Since: s.At.Add(-s.Outbox.Age)})
	}
	if s.Outbox.Dead > 0 {
		all = append(all, Problem{Code: "outbox.dead", Runbook: "outbox", Count: s.Outbox.Dead})
	}
	return all
}

func queueProblems(s *Snapshot) []Problem {
	var all []Problem
	if s.Queues == nil || s.away("redis") {
		return nil
	}
	for _, q := range s.Queues.Queues {
		late := queueLate
		if q.Name == criticalQueue {
			late = criticalLate
		}
		if q.Lag > late {
			all = append(all, Problem{Code: "queue.late", Failed: q.Name == criticalQueue, Runbook: "queues", Name: q.Name, Count: max(1, q.Pending), Since: s.At.Add(-q.Lag)})
		}
		if q.Paused {
			all = append(all, Problem{Code: "queue.paused", Runbook: "queues", Name: q.Name})
		}
		if q.Archived > 0 {
			all = append(all, Problem{Code: "queue.archived", Runbook: "queues", Name: q.Name, Count: q.Archived})
		}
	}
	return all
}

func drawProblems(s *Snapshot) []Problem {
	if s.Draws == nil || s.Draws.Overdue == 0 {
		return nil
	}
	return []Problem{{Code: "draws", Runbook: "draws", Count: s.Draws.Overdue, Since: s.Draws.OldestAt}}
}

func sourceProblems(s *Snapshot) []Problem {
	var all []Problem
	for i := range s.Sources {
		if f := &s.Sources[i]; f.Failed >= failedAnswers {
			all = append(
				all, Problem{Code: "source", Runbook: "sources", Name: f.Name, Count: f.Failed, Since: f.GoodAt},
			)
		}
	}
	return all
}

func bankProblems(s *Snapshot) []Problem {
	if s.Bank == nil || s.Bank.Refused < refusedCalls {
		return nil
	}
	return []Problem{{Code: "bank", Runbook: "bank", Count: s.Bank.Refused, Since: s.Bank.LastGoodAt}}
}

func messageProblems(s *Snapshot) []Problem {
	m := s.Messages
	if m == nil {
		return nil
	}
	var all []Problem
	if m.Paused > 0 {
		all = append(all, Problem{Code: "messages.paused", Runbook: "messages", Count: m.Paused})
	}
	if m.Paused == 0 && !m.OldestAt.IsZero() && s.At.Sub(m.OldestAt) > messagesLate {
		all = append(all, Problem{Code: "messages.late", Runbook: "messages", Count: m.Waiting, Since: m.OldestAt})
	}
	if m.Closed > 0 {
		all = append(all, Problem{Code: "messages.unlinked", Runbook: "messages", Count: m.Closed})
	}
	return all
}

func modelProblems(s *Snapshot) []Problem {
	if s.Models == nil || s.Models.Models == 0 || s.Models.Cooling < s.Models.Models {
		return nil
	}
	return []Problem{{Code: "models", Runbook: "models"}}
}

func diskProblems(s *Snapshot) []Problem {
	if s.Disk == nil || s.Disk.Size == 0 {
		return nil
	}
	if free := s.Disk.Percent(); free < diskLow {
		return []Problem{{Code: "disk", Failed: free < diskFull, Runbook: "disk", Count: free}}
	}
	return nil
}

func backupProblems(s *Snapshot) []Problem {
	switch b := s.Backup; {
	case b == nil:
		return nil
	case b.Lost > 0:
		return []Problem{{Code: "backup.lost", Runbook: "backup", Count: b.Lost}}
	case b.Inactive > 0:
		return []Problem{{Code: "backup.stopped", Runbook: "backup", Count: b.Inactive}}
	default:
		return nil
	}
}

// exposedPasswords is the code of a problem that strangers must not learn.
const exposedPasswords = "passwords"

func passwordProblems(s *Snapshot) []Problem {
	if len(s.Exposed) == 0 {
		return nil
	}
	return []Problem{{Code: exposedPasswords, Runbook: "passwords", Name: strings.Join(s.Exposed, ", ")}}
}

func monthProblems(s *Snapshot) []Problem {
	m := s.Months
	if m == nil {
		return nil
	}
	var all []Problem
	if m.Stray {
		all = append(all, Problem{Code: "months.stray", Runbook: "months"})
	}
	if m.Until.Sub(s.At) < monthsMade {
		all = append(all, Problem{Code: "months.missing", Runbook: "months"})
	}
	if !m.Due.IsZero() && s.At.Sub(m.Due) > monthArchived {
		all = append(all, Problem{Code: "months.open", Runbook: "months"})
	}
	return all
}

// Percent is how much of the disk is free.
func (d *Disk) Percent() int64 {
	if d.Size == 0 {
		return 0
	}
	return int64(d.Free / max(1, d.Size/percent))
}

func ledgerProblems(s *Snapshot) []Problem {
	l := s.Ledger
	switch {
	case l == nil || l.VerifiedAt.IsZero():
		return nil
	case l.Broken > 0:
		return []Problem{{Code: "ledger.broken", Failed: true, Runbook: "ledger", Count: l.Broken, Since: l.VerifiedAt}}
	case s.At.Sub(l.VerifiedAt) > verifiedWithin:
		return []Problem{{Code: "ledger.late", Runbook: "ledger", Since: l.VerifiedAt}}
	default:
		return nil
	}
}

func logProblems(s *Snapshot) []Problem {
	if s.Log.Dropped == 0 || s.At.Sub(s.Log.DroppedAt) > droppedLately {
		return nil
	}
	return []Problem{{Code: "request-log", Runbook: "request-log", Count: int64(s.Log.Dropped), Since: s.Log.DroppedAt}}
}
