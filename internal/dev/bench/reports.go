package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/google/uuid"

	"banca/internal/app"
	"banca/internal/dev/testbed"
	"banca/internal/ledger"
	"banca/internal/platform/businessday"
	"banca/internal/platform/clock"
	"banca/internal/rollup"
	"banca/internal/setup/seed"
	"banca/internal/setup/volume"
	"banca/models"
)

// onlyReports is the name of the measurement of reports, for Options.Only.
const onlyReports = "reports"

// The history that reports are measured on, and what is required of them on two cores.
const (
	historyDays    = 90
	historyPoints  = 300
	countedLines   = 500_000 // of the day that is counted while sales go on
	countWithin    = 5 * time.Second
	reportCalls    = 20
	reportUserRoot = "bench-root"
	reportUserHalf = "bench-agency"
)

// reports measures the count of a large day and the reports and lists over a history of 90 days.
func (s *benchTestbed) reports(ctx context.Context, o Options, out io.Writer) error {
	_, _ = fmt.Fprintf(out, "\nReports over %d days of %d ticket points, %d lines\n", historyDays, historyPoints, o.Lines)
	writer, yesterday, err := s.fillHistory(ctx, o, out)
	if err != nil {
		return err
	}
	if err := s.addReaders(ctx); err != nil {
		return err
	}
	api, err := s.startChild(ctx, string(app.RoleAPI))
	if err != nil {
		return err
	}
	if err = s.measureReports(ctx, api, yesterday, out); err == nil {
		err = s.counting(ctx, api, writer, yesterday.AddDays(-historyDays), out)
	}
	return errors.Join(err, api.stop())
}

// countedLinesOf returns the lines of the day that is counted alone: a short history has a short day.
func countedLinesOf(o Options) int { return min(countedLines, o.Lines) }

// fillHistory writes and counts a history. Its last day, of countedLinesOf, is counted alone.
func (s *benchTestbed) fillHistory(ctx context.Context, o Options, out io.Writer) (writer *volume.Writer, last businessday.Day, err error) {
	now := clock.System{}.Now()
	last = businessday.Of(now, s.cfg.Business.Zone).AddDays(-1)
	writer, err = volume.Open(ctx, s.pg, volume.Options{Root: rootID(), Now: now, Zone: s.cfg.Business.Zone, Points: historyPoints})
	if err != nil {
		return nil, last, err
	}
	filling, err := took(func() error {
		for n := historyDays - 1; n > 0; n-- {
			if err := writer.WriteDay(ctx, last.AddDays(-n), o.Lines/historyDays); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, last, err
	}
	books, totals := ledger.New(s.pg, ledger.Options{Zone: s.cfg.Business.Zone}), rollup.New(s.pg, s.cfg.Business.Zone)
	counting, err := took(func() error { return errors.Join(books.CountDays(ctx), totals.Advance(ctx)) })
	if err != nil {
		return nil, last, err
	}
	if err := errors.Join(writer.WriteDay(ctx, last, countedLinesOf(o)), s.mark(false)); err != nil {
		return nil, last, err
	}
	day, err := took(func() error { return totals.Advance(ctx) })
	if err != nil {
		return nil, last, err
	}
	_, _ = fmt.Fprintf(out, "  written in %.0f s, counted in %.0f s; a day of %d lines counted in %.2f s (%s, at most %s)\n",
		filling.Seconds(), counting.Seconds(), countedLinesOf(o), day.Seconds(), verdict(day <= countWithin), countWithin)
	if err := foldAll(ctx, books); err != nil {
		return nil, last, err
	}
	return writer, last, errors.Join(books.CountDays(ctx), writer.Finish(ctx))
}

// addReaders adds a user of the operator and one of an agency.
func (s *benchTestbed) addReaders(ctx context.Context) error {
	for name, code := range map[string]string{reportUserRoot: seed.CodeOperator, reportUserHalf: "VOL-A-1"} {
		if err := testbed.AddUser(ctx, s.pg.Pool, uuid.New(), code, name, models.RoleAdmin); err != nil {
			return err
		}
	}
	return nil
}

// reading is an answer that is measured.
type reading struct {
	name   string
	path   string
	within [2]time.Duration // for the operator and for an agency
}

// readings lists the reports over a month, a day's way down to the tickets, and the first pages of lists.
func readings(last businessday.Day) []reading {
	const month, day, list = "month", "day", 100 * time.Millisecond
	reports := [2]time.Duration{200 * time.Millisecond, 50 * time.Millisecond}
	period := map[string]string{month: "&from=" + last.AddDays(-29).String() + "&to=" + last.String(), day: "&date=" + last.String()}
	game := "&game_id=" + seed.ID("game", "lotto-activo").String()
	return []reading{
		{"summary, month", "/sales/summary?currency=VES" + period[month], reports},
		{"sales by entity, month", "/reports/sales?currency=VES&group_by=entity" + period[month], reports},
		{"sales by game, month", "/reports/sales?currency=VES&group_by=game" + period[month], reports},
		{"sales by day, month", "/reports/sales?currency=VES&group_by=day" + period[month], reports},
		{"sales of a game by draw, month", "/reports/sales?currency=VES&group_by=draw" + game + period[month], reports},
		{"audit by level, month", "/reports/financial/audit-by-level?currency=VES" + period[month], reports},
		{"waterfall, month", "/reports/financial/waterfall?currency=VES" + period[month], reports},
		{"entity balance, month", "/reports/financial/entity-balance?currency=VES" + period[month], reports},
		{"sales by entity, day", "/reports/sales?currency=VES&group_by=entity" + period[day], [2]time.Duration{list, list}},
		{"sales of a game by draw, day", "/reports/sales?currency=VES&group_by=draw" + game + period[day], [2]time.Duration{list, list}},
		{"tickets", "/sales/tickets", [2]time.Duration{list, list}},
		{"tickets of a day", "/sales/tickets?date=" + last.String(), [2]time.Duration{list, list}},
		{"prizes", "/prizes", [2]time.Duration{list, list}},
		{"wallets", "/wallets", [2]time.Duration{list, list}},
		{"customers", "/sales/customers", [2]time.Duration{list, list}},
	}
}

// measureReports calls each reading as the operator and as an agency.
func (s *benchTestbed) measureReports(ctx context.Context, api *child, last businessday.Day, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(w, "| answer\t| operator: first ms\t| median\t| slowest\t| at most\t| agency: first ms\t| median\t| slowest\t| at most\t|")
	_, _ = fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	var tokens [2]string
	for i, name := range []string{reportUserRoot, reportUserHalf} {
		var err error
		if tokens[i], err = api.login(ctx, name); err != nil {
			return err
		}
	}
	for _, r := range readings(last) {
		cells := []string{r.name}
		for i := range tokens {
			times, err := api.readTimes(ctx, tokens[i], r.path)
			if err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			first := times[0]
			slices.Sort(times[1:])
			mid := median(times[1:])
			cells = append(cells, millis(first), millis(mid), millis(times[len(times)-1]), millis(r.within[i])+" "+verdict(mid <= r.within[i]))
		}
		_, _ = fmt.Fprintln(w, "| "+strings.Join(cells, "\t| ")+"\t|")
	}
	return w.Flush()
}

// readTimes calls a path and returns how long each call took, the first one first.
func (c *child) readTimes(ctx context.Context, token, path string) ([]time.Duration, error) {
	client := &http.Client{Timeout: callTimeout}
	var times []time.Duration
	for range reportCalls {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.addr+path, http.NoBody)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		duration, err := took(func() error {
			res, err := client.Do(req)
			if err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, res.Body)
			if res.StatusCode != http.StatusOK {
				err = errors.Join(err, fmt.Errorf("status %d", res.StatusCode))
			}
			return errors.Join(err, res.Body.Close())
		})
		if err != nil {
			return nil, err
		}
		times = append(times, duration)
	}
	return times, nil
}
