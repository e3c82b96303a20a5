package trial

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"banca/scheduler"
	"banca/tasks/outbox"
)

const (
	readEvery    = 2 * time.Second
	exportWithin = 2 * time.Minute
	choresATrial = 6  // rounds of the tasks that run hourly or daily otherwise
	filesATrial  = 30 // exports
)

// chores are the work of a day that the clients of a sale do not ask for: reports are read, files are written, and what runs by the clock
// every hour or every day runs several times.
func (l *load) chores(ctx context.Context, length time.Duration) {
	today := businessDate(time.Now())
	go l.each(ctx, readEvery, func(n int) { l.readReport(ctx, n, today) })
	go l.each(ctx, length/filesATrial, func(n int) { l.export(ctx, n, today) })
	l.each(ctx, length/choresATrial, func(int) {
		l.tick(ctx)
		l.read(ctx, "/sales/balance/daily?date="+today) // it proves all postings of the day, so it is no page that is read every minute
	})
}

// businessDate returns the business day of an instant in Caracas.
func businessDate(at time.Time) string {
	return at.In(time.FixedZone("", -4*60*60)).Format(time.DateOnly)
}

// each calls do again and again.
func (*load) each(ctx context.Context, every time.Duration, do func(n int)) {
	for n := 0; ctx.Err() == nil; n++ {
		do(n)
		pause(ctx, every)
	}
}

// readReport reads one of the reports and lists. What is not answered is tried again in its turn.
func (l *load) readReport(ctx context.Context, n int, today string) {
	day := "currency=VES&from=" + today + "&to=" + today
	paths := []string{
		"/reports/sales?group_by=entity&" + day, "/reports/sales?group_by=game&" + day, "/reports/financial/waterfall?" + day, "/reports/financial/entity-balance?" + day,
		"/sales/tickets?page_size=50", "/prizes?page_size=50", "/wallets?page_size=50", "/sales/customers?page_size=50", "/bank/events?page_size=50",
		"/auth/logs?page_size=50", "/system/requests?page_size=50",
	}
	l.read(ctx, paths[n%len(paths)])
}

func (l *load) read(ctx context.Context, path string) {
	began := time.Now()
	got := l.client.send(ctx, l.client.authorization(ctx, l.platform.admin), http.MethodGet, path, nil)
	l.seen(path, got.status, time.Since(began))
}

// seen counts an answer of a report.
func (l *load) seen(path string, status int, took time.Duration) {
	name, _, _ := strings.Cut(path, "?")
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reads == nil {
		l.reads = map[string]*reads{}
	}
	r := l.reads[name]
	if r == nil {
		r = &reads{}
		l.reads[name] = r
	}
	r.all++
	r.longest = max(r.longest, took)
	if status != http.StatusOK {
		r.failed, r.status = r.failed+1, status
	}
}

// reads are the answers of one report.
type reads struct {
	all, failed int
	status      int // of the last failed one
	longest     time.Duration
}

// export has a file written and waits for it.
func (l *load) export(ctx context.Context, n int, today string) {
	report, format := []string{"tickets", "sales", "customers", "audit-by-level"}[n%4], []string{"csv", "xlsx"}[n%2]
	filter := map[string]string{"from": today, "to": today, "currency": "VES"}
	switch report {
	case "tickets":
		filter["draw_id"] = l.platform.draws[n%len(l.platform.draws)]
	case "sales":
		filter["group_by"] = "entity"
	case "customers":
		filter = map[string]string{}
	}
	o := &operation{Kind: opExport, Key: l.key(opExport), Path: "/reports/exports", actor: l.platform.admin, Body: map[string]any{"report": report, "format": format, "filter": filter}}
	l.client.do(ctx, o)
	if !o.good() {
		return
	}
	began := time.Now()
	for end := began.Add(exportWithin); ctx.Err() == nil && time.Now().Before(end); pause(ctx, retryPause) {
		var file struct {
			State string `json:"state"`
		}
		if l.client.get(ctx, l.platform.admin, "/reports/exports/"+o.text("id"), &file) && file.State != "pending" && file.State != "running" {
			status := http.StatusOK
			if file.State != "done" {
				status = 0
			}
			l.seen("file "+report, status, time.Since(began))
			return
		}
	}
}

// tick puts everything that runs by the clock every hour or every day into the outbox, as its schedule would.
func (l *load) tick(ctx context.Context) {
	var rows []outbox.Row
	for _, entry := range scheduler.Entries() {
		if strings.HasPrefix(entry.Every, "@every") {
			continue // it runs often enough
		}
		if row, err := outbox.NewRow(entry.Args); err == nil {
			rows = append(rows, row)
		}
	}
	err := l.platform.database.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		_, err := outbox.EnqueueOnce(ctx, c, rows...)
		return err
	})
	if err == nil {
		l.ticks.Add(1)
	}
}
