package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// onlyPages is the name of the measurement of the panel's pages, for Options.Only. It is no part of a run of everything.
const onlyPages = "pages"

// What is required of each page on two cores.
const (
	pageCalls       = 20
	pageWithin      = 30 * time.Millisecond // the median, as a client on loopback sees it
	firstViewWithin = 100 << 10             // bytes of the page and all files that it loads, compressed
)

// errSlowPages reports pages over their limits.
var errSlowPages = errors.New("pages are over their limits")

// pageReader is a user who opens the pages.
type pageReader struct {
	login, role, entity string // entity is a code
}

func pageReaders() []pageReader {
	return []pageReader{
		{"bench-page-operator", models.RoleAdmin, seed.CodeOperator},
		{"bench-page-partner", models.RoleSocio, "VOL-A-1"},
		{"bench-page-point", models.RoleTaquilla, "VOL-T-1"},
	}
}

// pages measures the pages of the panel over a history of 90 days and the sales of today.
func (s *benchTestbed) pages(ctx context.Context, o Options, out io.Writer) (err error) {
	_, _ = fmt.Fprintf(out, "\nPages over %d days of %d ticket points, %d lines\n", historyDays, historyPoints, o.Lines)
	if err := s.fillPages(ctx, o, out); err != nil {
		return err
	}
	api, err := s.startChild(ctx, string(app.RoleAPI))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, api.stop()) }()
	over := 0
	for _, reader := range pageReaders() {
		n, err := s.measurePages(ctx, api, reader, out)
		if err != nil {
			return fmt.Errorf("%s: %w", reader.role, err)
		}
		over += n
	}
	if over > 0 {
		return fmt.Errorf("%d %w", over, errSlowPages)
	}
	return nil
}

// fillPages writes the history and today's sales, unless a kept testbed has them.
func (s *benchTestbed) fillPages(ctx context.Context, o Options, out io.Writer) error {
	if s.filled {
		_, _ = fmt.Fprintln(out, "  the history of an earlier run is used again")
		return nil
	}
	books, totals := ledger.New(s.pg, ledger.Options{Zone: s.cfg.Business.Zone}), rollup.New(s.pg, s.cfg.Business.Zone)
	if !s.written {
		if _, _, err := s.fillHistory(ctx, o, out); err != nil {
			return err
		}
	} else if err := errors.Join(totals.Advance(ctx), foldAll(ctx, books)); err != nil {
		return err
	}
	writer, err := volume.Resume(ctx, s.pg, volume.Options{Root: rootID(), Now: clock.System{}.Now(), Zone: s.cfg.Business.Zone, Points: historyPoints})
	if err != nil {
		return err
	}
	if err := writer.WriteToday(ctx, o.Lines/historyDays); err != nil {
		return err
	}
	if err := errors.Join(books.CountDays(ctx), totals.Advance(ctx), s.addPageReaders(ctx), writer.Finish(ctx)); err != nil {
		return err
	}
	return s.mark(true)
}

// foldAll folds all balances.
func foldAll(ctx context.Context, books *ledger.Service) error {
	for folded := 1; folded > 0; {
		var err error
		if folded, err = books.Fold(ctx); err != nil {
			return err
		}
	}
	return nil
}

// addPageReaders adds the users.
func (s *benchTestbed) addPageReaders(ctx context.Context) error {
	for _, reader := range pageReaders() {
		if err := testbed.AddUser(ctx, s.pg.Pool, uuid.New(), reader.entity, reader.login, reader.role); err != nil {
			return err
		}
	}
	return nil
}

// measurePages opens the pages as one user and returns how many are over their limits.
func (s *benchTestbed) measurePages(ctx context.Context, api *child, reader pageReader, out io.Writer) (over int, err error) {
	b, err := api.openBrowser(ctx, reader.login)
	if err != nil {
		return 0, err
	}
	if reader.role == models.RoleTaquilla {
		if b.token, err = api.login(ctx, reader.login); err != nil {
			return 0, err
		}
	}
	list, err := b.pagesOf(ctx, businessday.Of(clock.System{}.Now(), s.cfg.Business.Zone))
	if err != nil {
		return 0, err
	}
	_, _ = fmt.Fprintf(out, "\n%s of %s; at most %s ms and %d KB of the first view\n\n", reader.role, reader.entity, millis(pageWithin), firstViewWithin>>10)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	_, _ = fmt.Fprintln(w, "| page\t| first ms\t| median\t| slowest\t| KB\t| first view KB\t| api CPU ms\t| Postgres CPU ms\t| \t|")
	_, _ = fmt.Fprintln(w, "| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t| ---\t|")
	for _, path := range list {
		m, err := b.measure(ctx, api, path)
		if err != nil {
			return over, fmt.Errorf("%s: %w", path, err)
		}
		good := m.middle <= pageWithin && m.firstView <= firstViewWithin
		if !good {
			over++
		}
		cells := []string{path, millis(m.first), millis(m.middle), millis(m.slowest), kilobytes(m.page), kilobytes(m.firstView), millis(m.cpu.api), millis(m.cpu.postgres), verdict(good)}
		_, _ = fmt.Fprintln(w, "| "+strings.Join(cells, "\t| ")+"\t|")
	}
	return over, w.Flush()
}

// pageTimes is what one page was measured at. Sizes are bytes as they are transferred.
type pageTimes struct {
	first, middle, slowest time.Duration
	page, firstView        int
	cpu                    usage // of one call
}

// measure opens a page several times.
func (b *pageBrowser) measure(ctx context.Context, api *child, path string) (m pageTimes, err error) {
	var times []time.Duration
	var last *pageAnswer
	before := api.measureCPU()
	for range pageCalls {
		if last, err = b.get(ctx, path); err != nil {
			return m, err
		}
		times = append(times, last.took)
	}
	m.cpu = before.per(api.measureCPU(), pageCalls)
	m.first, m.page = times[0], last.size
	slices.Sort(times[1:])
	m.middle, m.slowest = median(times[1:]), times[len(times)-1]
	files, err := b.filesOf(ctx, last.text)
	m.firstView = m.page + files
	return m, err
}

func kilobytes(bytes int) string { return fmt.Sprintf("%.1f", float64(bytes)/1024) }
