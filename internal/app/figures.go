package app

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"banca/internal/platform/health"
)

// figureCollector shows the last sample of the platform's health, so that Prometheus costs the stores nothing. A group of
// figures that was not read yet is left out.
type figureCollector struct {
	health  *health.Monitor
	figures []figure
}

// figure is a metric of a sample.
type figure struct {
	desc *prometheus.Desc
	read func(s *health.Snapshot, show show)
}

// show adds a value with the values of its labels.
type show func(value float64, labels ...string)

// Describe implements prometheus.Collector.
func (c *figureCollector) Describe(to chan<- *prometheus.Desc) {
	for i := range c.figures {
		to <- c.figures[i].desc
	}
}

// Collect implements prometheus.Collector.
func (c *figureCollector) Collect(to chan<- prometheus.Metric) {
	s := c.health.Snapshot()
	for i := range c.figures {
		desc := c.figures[i].desc
		c.figures[i].read(s, func(value float64, labels ...string) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
		})
	}
}

func newFigureCollector(m *health.Monitor) *figureCollector {
	c := &figureCollector{health: m}
	add := func(name, help string, read func(*health.Snapshot, show), labels ...string) {
		c.figures = append(c.figures, figure{desc: prometheus.NewDesc(name, help, labels, nil), read: read})
	}
	add("banca_dependency_up", "1 if the dependency answers.", func(s *health.Snapshot, show show) {
		for i := range s.Dependencies {
			show(number(s.Dependencies[i].Status == health.OK), s.Dependencies[i].Name)
		}
	}, "dependency")
	add("banca_queue_tasks", "Tasks in a queue.", showQueues, "queue", "state")
	add("banca_queue_lag_seconds", "Age of the oldest task that waits.", func(s *health.Snapshot, show show) {
		if s.Queues != nil {
			for _, q := range s.Queues.Queues {
				show(q.Lag.Seconds(), q.Name)
			}
		}
	}, "queue")
	addGroup(add, "banca_workers", "Workers that serve the queues.", func(s *health.Snapshot) *health.Queues { return s.Queues }, func(q *health.Queues) float64 { return float64(q.Workers) })
	outbox := func(s *health.Snapshot) *health.Outbox { return s.Outbox }
	addGroup(add, "banca_outbox_rows", "Tasks that wait for a relay, counted up to a bound.", outbox, func(o *health.Outbox) float64 { return float64(o.Rows) })
	addGroup(add, "banca_outbox_age_seconds", "Age of the oldest task that waits for a relay.", outbox, func(o *health.Outbox) float64 { return o.Age.Seconds() })
	addGroup(add, "banca_outbox_dead_rows", "Tasks that no release can decode.", outbox, func(o *health.Outbox) float64 { return float64(o.Dead) })
	draws := func(s *health.Snapshot) *health.Draws { return s.Draws }
	addGroup(add, "banca_draws_waiting", "Closed draws without a verified result.", draws, func(d *health.Draws) float64 { return float64(d.Waiting) })
	addGroup(add, "banca_draws_overdue", "Closed draws whose result is late.", draws, func(d *health.Draws) float64 { return float64(d.Overdue) })
	add("banca_source_failed_calls", "Calls of a source of results since its last good answer.", func(s *health.Snapshot, show show) {
		for i := range s.Sources {
			show(float64(s.Sources[i].Failed), s.Sources[i].Name)
		}
	}, "source")
	addGroup(add, "banca_bank_last_good_call_timestamp_seconds", "Time of the bank's last call that passed its checks; 0 without one.", func(s *health.Snapshot) *health.Bank { return s.Bank }, func(b *health.Bank) float64 { return instant(b.LastGoodAt) })
	addGroup(add, "banca_bank_call_p95_seconds", "Time below which 95 of 100 of the bank's newest good calls were answered; 0 without one.", func(s *health.Snapshot) *health.Bank { return s.Bank }, func(b *health.Bank) float64 { return b.P95.Seconds() })
	messages := func(s *health.Snapshot) *health.Messages { return s.Messages }
	addGroup(add, "banca_messages_waiting", "Messages that are not sent yet.", messages, func(m *health.Messages) float64 { return float64(m.Waiting) })
	addGroup(add, "banca_messages_failed", "Messages that failed in the last hour.", messages, func(m *health.Messages) float64 { return float64(m.Failed) })
	addGroup(add, "banca_message_channels_paused", "Channels that are paused.", messages, func(m *health.Messages) float64 { return float64(m.Paused) })
	addGroup(add, "banca_models_cooling", "AI models that cool down.", func(s *health.Snapshot) *health.Models { return s.Models }, func(m *health.Models) float64 { return float64(m.Cooling) })
	addGroup(add, "banca_disk_free_bytes", "Free bytes of the data directory.", func(s *health.Snapshot) *health.Disk { return s.Disk }, func(d *health.Disk) float64 { return float64(d.Free) })
	addGroup(add, "banca_database_bytes", "Size of the database.", func(s *health.Snapshot) *health.Database { return s.Database }, func(d *health.Database) float64 { return float64(d.Size) })
	backup := func(s *health.Snapshot) *health.Backup { return s.Backup }
	addGroup(add, "banca_replication_slots", "Slots of receivers of the log of Postgres.", backup, func(b *health.Backup) float64 { return float64(b.Slots) })
	addGroup(add, "banca_replication_slots_inactive", "Slots without a receiver.", backup, func(b *health.Backup) float64 { return float64(b.Inactive) })
	addGroup(add, "banca_replication_slots_lost", "Slots whose log is not kept any more.", backup, func(b *health.Backup) float64 { return float64(b.Lost) })
	addGroup(add, "banca_replication_slot_kept_bytes", "Bytes of the log that the slowest receiver lacks.", backup, func(b *health.Backup) float64 { return float64(b.Kept) })
	addGroup(add, "banca_wal_bytes", "Size of the log of Postgres on its disk; 0 if the role may not read it.", backup, func(b *health.Backup) float64 { return float64(b.Log) })
	add("banca_known_passwords", "Accounts whose password is the public one of the seed.", func(s *health.Snapshot, show show) { show(float64(len(s.Exposed))) })
	months := func(s *health.Snapshot) *health.Months { return s.Months }
	addGroup(add, "banca_months_until_timestamp_seconds", "End of the last month for which the tables of sales have a partition.", months, func(m *health.Months) float64 { return instant(m.Until) })
	addGroup(add, "banca_months_archive_due_timestamp_seconds", "When the oldest month in the tables of sales should have left for the archive; 0 if none should.", months, func(m *health.Months) float64 { return instant(m.Due) })
	addGroup(add, "banca_months_stray", "1 if the tables of sales have rows of no month.", months, func(m *health.Months) float64 { return number(m.Stray) })
	ledger := func(s *health.Snapshot) *health.Ledger { return s.Ledger }
	addGroup(add, "banca_ledger_verified_timestamp_seconds", "Time of the last verification of the books; 0 without one.", ledger, func(l *health.Ledger) float64 { return instant(l.VerifiedAt) })
	addGroup(add, "banca_ledger_broken_checks", "Checks of the last verification that failed.", ledger, func(l *health.Ledger) float64 { return float64(l.Broken) })
	addGroup(add, "banca_scheduler_leader", "1 if a scheduler leads.", func(s *health.Snapshot) *bool { return s.Leader }, func(leads *bool) float64 { return number(*leads) })
	add("banca_request_log_dropped", "Requests that the request log of this process lost.", func(s *health.Snapshot, show show) { show(float64(s.Log.Dropped)) })
	return c
}

// addGroup adds a figure of a group that may not have been read yet.
func addGroup[T any](add func(string, string, func(*health.Snapshot, show), ...string), name, help string, group func(*health.Snapshot) *T, value func(*T) float64) {
	add(name, help, func(s *health.Snapshot, show show) {
		if g := group(s); g != nil {
			show(value(g))
		}
	})
}

func showQueues(s *health.Snapshot, show show) {
	if s.Queues == nil {
		return
	}
	for _, q := range s.Queues.Queues {
		for state, n := range map[string]int64{"pending": q.Pending, "active": q.Active, "scheduled": q.Scheduled, "retry": q.Retry, "archived": q.Archived} {
			show(float64(n), q.Name, state)
		}
	}
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

func instant(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMilli()) / 1000
}
