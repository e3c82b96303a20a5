package system

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"banca/api/kit"
	"banca/api/middleware"
	"banca/internal/auth"
	"banca/internal/platform/health"
)

func (o *operations) registerDashboard() {
	kit.HandlePublic(o.Registry, huma.Operation{
		OperationID: "health-dashboard", Method: http.MethodGet, Path: DashboardPath, Tags: []string{"Health"},
		Summary: "What state the platform is in; a page for a browser, JSON otherwise",
		Description: "Answered from the sample that the process takes every 5 seconds. The status is 200 whatever the state is: `status` says it, and `/readyz` answers 503. " +
			"Without a token of a user of the operator with `system:read`, the answer has the states and the problems, and all figures are empty. " +
			"A group of figures that was not read yet is null; `known` says of when each is.",
		Responses: kit.ContentResponses("The state", map[string]*huma.Schema{
			kit.JSONType: o.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[kit.Envelope[healthDashboard]](), true, ""), kit.HTMLType: {Type: huma.TypeString},
		}),
	}, kit.Public(), o.dashboard)
}

type dashboardOutput struct {
	CacheControl string `header:"Cache-Control"`
	Vary         string `header:"Vary"`
	Body         kit.Envelope[healthDashboard]
}

// dashboard answers the states and the problems, and all figures to users of the operator with system:read.
func (o *operations) dashboard(ctx context.Context, _ *struct{}) (*dashboardOutput, error) {
	s := o.Health.Snapshot()
	if by, ok := middleware.Identified(ctx); !ok || !by.IsOperator() || !by.May(auth.SystemRead) {
		s = s.Public()
	}
	return &dashboardOutput{CacheControl: "no-store", Vary: "Accept, Authorization", Body: kit.Envelope[healthDashboard]{Data: dashboardOf(s)}}, nil
}

type healthDashboard struct {
	Status       string             `json:"status" enum:"ok,degraded,failed" doc:"the worst of the problems"`
	At           time.Time          `json:"at"`
	Process      healthProcess      `json:"process" doc:"that answers; the queues and all that is read from the stores is shared by all processes"`
	Problems     []healthProblem    `json:"problems" nullable:"false" doc:"failures first"`
	Dependencies []healthDependency `json:"dependencies" nullable:"false"`
	Known        []healthKnown      `json:"known" nullable:"false"`
	Queues       *healthQueues      `json:"queues"`
	Outbox       *healthOutbox      `json:"outbox"`
	Sales        *healthSales       `json:"sales"`
	Draws        *healthDraws       `json:"draws"`
	Sources      []healthSource     `json:"sources" nullable:"false" doc:"external systems of results, by their newest answers"`
	Bank         *healthBank        `json:"bank"`
	Messages     *healthMessages    `json:"messages"`
	Models       *healthModels      `json:"models"`
	Disk         *healthDisk        `json:"disk" doc:"of the process that answers; the stores have their own"`
	Backup       *healthBackup      `json:"backup" doc:"receivers of the log of Postgres"`
	Months       *healthMonths      `json:"months" doc:"partitions of the tables of sales"`
	Ledger       *healthLedger      `json:"ledger"`
	Log          healthLog          `json:"request_log" doc:"of this process"`
	Versions     healthVersions     `json:"versions"`
	Requests     []healthRequest    `json:"requests" nullable:"false" doc:"recent ones of this process, newest first"`
}

type healthProcess struct {
	ID        string    `json:"id" doc:"random, of this run"`
	StartedAt time.Time `json:"started_at"`
}

type healthProblem struct {
	Code    string     `json:"code" example:"dependency.redis"`
	Failed  bool       `json:"failed" doc:"something does not work; otherwise it is late or lessened"`
	Runbook string     `json:"runbook" example:"redis" doc:"section of the runbook"`
	Name    string     `json:"name" doc:"of the dependency or queue"`
	Count   int64      `json:"count"`
	Since   *time.Time `json:"since"`
}

type healthDependency struct {
	Name      string         `json:"name" example:"postgres"`
	Required  bool           `json:"required" doc:"nothing is sold without it"`
	Status    string         `json:"status" enum:"ok,failed,unknown"`
	Reason    string         `json:"reason" enum:",timeout,unreachable,error"`
	LatencyMS float64        `json:"latency_ms" doc:"of the last check that succeeded"`
	CheckedAt *time.Time     `json:"checked_at"`
	Since     time.Time      `json:"since" doc:"of the status"`
	History   []healthMinute `json:"history" nullable:"false" doc:"the last hour by minute, oldest first"`
}

type healthMinute struct {
	At      time.Time `json:"at"`
	Checks  int       `json:"checks"`
	Failed  int       `json:"failed"`
	WorstMS float64   `json:"worst_ms"`
}

type healthKnown struct {
	Name   string     `json:"name" example:"books"`
	At     *time.Time `json:"at" doc:"of the figures"`
	Failed bool       `json:"failed" doc:"the last attempt to read them failed"`
}

type healthQueues struct {
	Workers int64         `json:"workers"`
	Leader  *bool         `json:"leader" doc:"whether a scheduler is the leader; null before it was read"`
	Queues  []healthQueue `json:"queues" nullable:"false"`
}

type healthQueue struct {
	Name        string  `json:"name"`
	Pending     int64   `json:"pending"`
	Active      int64   `json:"active"`
	Scheduled   int64   `json:"scheduled"`
	Retry       int64   `json:"retry"`
	Archived    int64   `json:"archived" doc:"tasks that failed for good"`
	FailedToday int64   `json:"failed_today" doc:"attempts, by UTC"`
	LagSeconds  float64 `json:"lag_seconds" doc:"age of the oldest pending task"`
	Paused      bool    `json:"paused"`
}

type healthOutbox struct {
	Rows       int64   `json:"rows" doc:"at most 10000"`
	AgeSeconds float64 `json:"age_seconds" doc:"of the oldest row"`
	Dead       int64   `json:"dead" doc:"tasks that no release can decode"`
}

type healthSales struct {
	PerMinute int64               `json:"per_minute" doc:"tickets sold in the last whole minute"`
	LastHour  int64               `json:"last_hour"`
	LastAt    *time.Time          `json:"last_at" doc:"null without a sale in the last hour"`
	Minutes   []healthSalesMinute `json:"minutes" nullable:"false" doc:"oldest first; the last one is under way"`
}

type healthSalesMinute struct {
	At    time.Time `json:"at"`
	Count int64     `json:"count"`
}

type healthDraws struct {
	Waiting  int64      `json:"waiting" doc:"closed and held, without a result"`
	Overdue  int64      `json:"overdue" doc:"held more than 30 minutes ago"`
	OldestAt *time.Time `json:"oldest_at"`
}

type healthSource struct {
	Name       string     `json:"name"`
	LastAt     time.Time  `json:"last_at" doc:"of the last answer"`
	LastGoodAt *time.Time `json:"last_good_at" doc:"of an answer that could be used, or that had no result yet"`
	Failed     int64      `json:"failed" doc:"calls after the last good one"`
	TookMS     float64    `json:"took_ms" doc:"of the last call"`
}

type healthBank struct {
	LastAt     *time.Time `json:"last_at"`
	LastGoodAt *time.Time `json:"last_good_at" doc:"of a call that was answered 200"`
	Refused    int64      `json:"refused" doc:"calls after the last good one"`
}

type healthMessages struct {
	Waiting     int64      `json:"waiting" doc:"at most 10000"`
	OldestAt    *time.Time `json:"oldest_at" doc:"of those whose turn has come"`
	Failed      int64      `json:"failed" doc:"in the last hour"`
	Paused      int64      `json:"paused" doc:"channels"`
	Connections int64      `json:"connections"`
	Closed      int64      `json:"closed" doc:"connections that are not open"`
}

type healthModels struct {
	Models  int `json:"models"`
	Cooling int `json:"cooling"`
}

type healthDisk struct {
	FreeBytes    uint64 `json:"free_bytes"`
	SizeBytes    uint64 `json:"size_bytes"`
	FreePercent  int64  `json:"free_percent"`
	DatabaseSize *int64 `json:"database_bytes"`
}

type healthBackup struct {
	Slots    int64 `json:"slots"`
	Inactive int64 `json:"inactive" doc:"slots without a receiver"`
	Lost     int64 `json:"lost" doc:"slots whose log is not kept any more"`
	Kept     int64 `json:"kept_bytes" doc:"of the log, that the slowest receiver lacks"`
	Log      int64 `json:"log_bytes" doc:"size of the log on the disk of Postgres; 0 if the role may not read it"`
}

type healthMonths struct {
	Until time.Time `json:"until" doc:"the end of the last month that has a partition"`
	Stray bool      `json:"stray" doc:"rows of no month exist"`
}

type healthLedger struct {
	VerifiedAt *time.Time `json:"verified_at" doc:"null before the first verification"`
	Checks     int64      `json:"checks"`
	Broken     int64      `json:"broken"`
	Warnings   int64      `json:"warnings"`
}

type healthLog struct {
	Buffered    int        `json:"buffered" doc:"rows that are not written yet"`
	Dropped     uint64     `json:"dropped" doc:"rows for which there was no room, since the start"`
	DroppedAt   *time.Time `json:"dropped_at"`
	WrittenAt   *time.Time `json:"written_at"`
	WriteFailed bool       `json:"write_failed"`
}

type healthVersions struct {
	Banca    string `json:"banca"`
	Schema   int64  `json:"schema" doc:"the newest migration; 0 before it was read"`
	Postgres string `json:"postgres"`
	Redis    string `json:"redis"`
	Go       string `json:"go"`
}

type healthRequest struct {
	At     time.Time `json:"at"`
	Method string    `json:"method"`
	Route  string    `json:"route" example:"/sales/tickets/:id"`
	Status int       `json:"status"`
	TookMS float64   `json:"took_ms"`
}

// dashboardOf maps a snapshot.
func dashboardOf(s *health.Snapshot) healthDashboard {
	return healthDashboard{
		Status: s.Status, At: s.At, Process: healthProcess{ID: s.Process.ID, StartedAt: s.Process.StartedAt},
		Problems: kit.Map(s.Problems, func(p health.Problem) healthProblem {
			return healthProblem{Code: p.Code, Failed: p.Failed, Runbook: p.Runbook, Name: p.Name, Count: p.Count, Since: instant(p.Since)}
		}),
		Dependencies: kit.Map(s.Dependencies, dependencyOf),
		Known: kit.Map(s.Known, func(k health.Known) healthKnown {
			return healthKnown{Name: k.Name, At: instant(k.At), Failed: k.Failed}
		}),
		Queues: queuesOf(s), Outbox: outboxOf(s.Outbox), Sales: salesOf(s.Sales), Draws: drawsOf(s.Draws), Sources: kit.Map(s.Sources, sourceOf), Bank: bankOf(s.Bank), Messages: messagesOf(s.Messages),
		Models: modelsOf(s.Models), Disk: diskOf(s.Disk, s.Database), Backup: backupOf(s.Backup), Months: monthsOf(s.Months), Ledger: ledgerOf(s.Ledger),
		Log: healthLog{
			Buffered: s.Log.Buffered, Dropped: s.Log.Dropped, DroppedAt: instant(s.Log.DroppedAt), WrittenAt: instant(s.Log.WrittenAt), WriteFailed: s.Log.WriteFailed,
		},
		Versions: healthVersions{Banca: s.Process.Version, Schema: s.Versions.Schema, Postgres: s.Versions.Postgres, Redis: s.Versions.Redis, Go: s.Process.Go},
		Requests: kit.Map(s.Requests, func(r health.Request) healthRequest {
			return healthRequest{At: r.At, Method: r.Method, Route: r.Route, Status: r.Status, TookMS: milliseconds(r.Took)}
		}),
	}
}

func instant(t time.Time) *time.Time { return kit.UTC(kit.Optional(t)) }

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / float64(time.Millisecond/time.Microsecond)
}

func seconds(d time.Duration) float64 {
	return float64(d.Milliseconds()) / float64(time.Second/time.Millisecond)
}

func dependencyOf(s health.State) healthDependency {
	return healthDependency{
		Name: s.Name, Required: s.Required, Status: s.Status, Reason: s.Reason, LatencyMS: milliseconds(s.Latency), CheckedAt: instant(s.CheckedAt), Since: s.Since,
		History: kit.Map(s.History, func(m health.Minute) healthMinute {
			return healthMinute{At: m.At, Checks: m.Checks, Failed: m.Failed, WorstMS: milliseconds(m.Worst)}
		}),
	}
}

func queuesOf(s *health.Snapshot) *healthQueues {
	if s.Queues == nil {
		return nil
	}
	return &healthQueues{Workers: s.Queues.Workers, Leader: s.Leader, Queues: kit.Map(s.Queues.Queues, func(q health.Queue) healthQueue {
		return healthQueue{
			Name: q.Name, Pending: q.Pending, Active: q.Active, Scheduled: q.Scheduled, Retry: q.Retry, Archived: q.Archived, FailedToday: q.FailedToday,
			LagSeconds: seconds(q.Lag), Paused: q.Paused,
		}
	})}
}

func outboxOf(o *health.Outbox) *healthOutbox {
	if o == nil {
		return nil
	}
	return &healthOutbox{Rows: o.Rows, AgeSeconds: seconds(o.Age), Dead: o.Dead}
}

func salesOf(s *health.Sales) *healthSales {
	if s == nil {
		return nil
	}
	return &healthSales{
		PerMinute: s.PerMinute(), LastHour: s.LastHour(), LastAt: instant(s.LastAt),
		Minutes: kit.Map(s.Minutes, func(c health.Count) healthSalesMinute { return healthSalesMinute{At: c.At, Count: c.N} }),
	}
}

func drawsOf(d *health.Draws) *healthDraws {
	if d == nil {
		return nil
	}
	return &healthDraws{Waiting: d.Waiting, Overdue: d.Overdue, OldestAt: instant(d.OldestAt)}
}

func sourceOf(s health.Source) healthSource {
	return healthSource{Name: s.Name, LastAt: s.At, LastGoodAt: instant(s.GoodAt), Failed: s.Failed, TookMS: milliseconds(s.Took)}
}

func bankOf(b *health.Bank) *healthBank {
	if b == nil {
		return nil
	}
	return &healthBank{LastAt: instant(b.LastAt), LastGoodAt: instant(b.LastGoodAt), Refused: b.Refused}
}

func messagesOf(m *health.Messages) *healthMessages {
	if m == nil {
		return nil
	}
	return &healthMessages{Waiting: m.Waiting, OldestAt: instant(m.OldestAt), Failed: m.Failed, Paused: m.Paused, Connections: m.Channels, Closed: m.Closed}
}

func modelsOf(m *health.Models) *healthModels {
	if m == nil {
		return nil
	}
	return &healthModels{Models: m.Models, Cooling: m.Cooling}
}

func diskOf(d *health.Disk, database *health.Database) *healthDisk {
	if d == nil {
		return nil
	}
	out := &healthDisk{FreeBytes: d.Free, SizeBytes: d.Size, FreePercent: d.Percent()}
	if database != nil {
		out.DatabaseSize = &database.Size
	}
	return out
}

func backupOf(b *health.Backup) *healthBackup {
	if b == nil {
		return nil
	}
	return &healthBackup{Slots: b.Slots, Inactive: b.Inactive, Lost: b.Lost, Kept: b.Kept, Log: b.Log}
}

func monthsOf(m *health.Months) *healthMonths {
	if m == nil {
		return nil
	}
	return &healthMonths{Until: m.Until, Stray: m.Stray}
}

func ledgerOf(l *health.Ledger) *healthLedger {
	if l == nil {
		return nil
	}
	return &healthLedger{VerifiedAt: instant(l.VerifiedAt), Checks: l.Checks, Broken: l.Broken, Warnings: l.Warnings}
}
